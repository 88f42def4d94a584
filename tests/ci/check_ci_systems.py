"""Does what pre-commit, GitHub and GitLab do with this project's files, on a sample repository.

usage: check_ci_systems.py PROGRAM SOURCE_DIR
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml

import yaml

PROGRAM = pathlib.Path(sys.argv[1])
SOURCE = pathlib.Path(sys.argv[2])
BAD = "deploy/long.yaml"


class Sample(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.repository = pathlib.Path(temporary.name) / "repository"
        shutil.copytree(SOURCE / "tests/ci/repository", self.repository)
        self.output = pathlib.Path(temporary.name) / "output"
        programs = pathlib.Path(temporary.name) / "bin"
        programs.mkdir()
        (programs / "roofline").symlink_to(PROGRAM)
        self.environment = {"PATH": f"{programs}:{os.environ['PATH']}", "HOME": temporary.name,
                            "GITHUB_OUTPUT": str(self.output)}

    def mend(self):
        (self.repository / BAD).unlink()

    def bash(self, script, **more):
        return subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
                              cwd=self.repository, env={**self.environment, **more},
                              capture_output=True, text=True, check=False)


class PreCommit(Sample):
    def hook(self):
        hooks = yaml.safe_load((SOURCE / ".pre-commit-hooks.yaml").read_text())
        self.assertEqual([hook["id"] for hook in hooks], ["roofline-check"])
        return hooks[0]

    def run_hook(self):
        hook = self.hook()
        files = [str(path.relative_to(self.repository))
                 for path in sorted(self.repository.rglob("*")) if path.is_file()]
        chosen = [file for file in files if re.search(hook["files"], file)]
        return chosen, self.bash(" ".join([hook["entry"], *chosen]))

    def test_the_hook_has_what_pre_commit_needs(self):
        hook = self.hook()
        for key in ("id", "name", "entry", "language", "files"):
            self.assertTrue(hook[key])
        self.assertEqual(hook["language"], "system")
        self.assertTrue(hook["require_serial"])

    def test_a_bad_config_stops_the_commit(self):
        chosen, done = self.run_hook()
        self.assertIn(BAD, chosen)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(f"{BAD}:3:16: error:", done.stdout)
        self.assertIn("[kv-too-small]", done.stdout)

    def test_good_configs_pass(self):
        self.mend()
        chosen, done = self.run_hook()
        self.assertIn("deploy/chat.yaml", chosen)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


class GitHub(Sample):
    def step(self, **inputs):
        action = yaml.safe_load((SOURCE / "action.yml").read_text())
        self.assertEqual(action["runs"]["using"], "composite")
        steps = action["runs"]["steps"]
        self.assertTrue(all(step["shell"] == "bash" for step in steps))
        self.assertNotIn("${{", "".join(step["run"] for step in steps))
        step = next(step for step in steps if step.get("id") == "check")
        values = {name: entry.get("default", "") for name, entry in action["inputs"].items()}
        values.update(inputs)
        environment = {}
        for name, text in step["env"].items():
            key = re.fullmatch(r"\$\{\{ inputs\.([a-z-]+) \}\}", text).group(1)
            environment[name] = values[key]
        return self.bash(step["run"], **environment)

    def test_a_finding_is_an_annotation(self):
        done = self.step(paths="deploy", gpu="L4")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stdout, rf"(?m)^::error file={BAD},line=3,.*::")
        self.assertEqual(self.output.read_text(), "exit-code=1\n")

    def test_fail_on_and_sarif(self):
        sarif = {"sarif-file": "out.sarif", "fail-on": "never"}
        done = self.step(paths="deploy/*.yaml", **sarif)
        self.assertEqual(done.returncode, 0, done.stderr)
        run = json.loads((self.repository / "out.sarif").read_text())["runs"][0]
        self.assertIn("kv-too-small", [result["ruleId"] for result in run["results"]])

    def test_what_cannot_be_judged_fails(self):
        (self.repository / "roofline.yaml").unlink()
        self.assertEqual(self.step(paths="deploy").returncode, 2)


class GitLab(Sample):
    def job(self):
        text = (SOURCE / "README.md").read_text()
        block = re.search(r"<!-- GitLab job -->\n```yaml\n(.*?)```", text, re.DOTALL).group(1)
        return yaml.safe_load(block)["roofline"]

    def run_job(self):
        job = self.job()
        codes = [self.bash(line).returncode for line in job["script"]]
        reports = job["artifacts"]["reports"]
        return codes, (self.repository / reports["junit"], self.repository / reports["codequality"])

    def test_both_reports_are_written(self):
        codes, (junit, quality) = self.run_job()
        self.assertEqual(max(codes), 1)
        suites = xml.parse(junit).getroot()
        self.assertEqual(suites.attrib["failures"], str(len(suites.findall(".//failure"))))
        entries = json.loads(quality.read_text())
        self.assertIn(BAD, [entry["location"]["path"] for entry in entries])

    def test_a_clean_run_passes(self):
        self.mend()
        codes, (junit, quality) = self.run_job()
        self.assertEqual(set(codes), {0})
        self.assertEqual(xml.parse(junit).getroot().attrib["failures"], "0")
        self.assertNotIn("major", quality.read_text())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
