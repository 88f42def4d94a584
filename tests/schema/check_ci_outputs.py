"""Validates what check writes for CI systems: SARIF by a schema, JUnit XML by one and by the rules
of its readers, GitHub annotations and GitLab issues by their own; and that all say the same.

usage: check_ci_outputs.py PROGRAM SOURCE_DIR
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
import urllib.parse
import xml.etree.ElementTree as ET

sys.dont_write_bytecode = True

import jsonschema

from program import PROGRAM, SOURCE, load, problems

HERE = SOURCE / "tests/schema"
FORMATS = ("text", "json", "junit", "sarif", "github", "gitlab")
HOSTILE = "a,b:c 100% <&> \u00e9.yaml"
BAD = """model: meta-llama/Llama-3.1-8B
max-model-len: 131072
enable_prefix_caching: false
max-modle-len: 3
"""
FILES = {
    "good.yaml": "model: Qwen/Qwen3-8B\nmax-model-len: 8192\n",
    "bad.yaml": BAD,
    HOSTILE: BAD,
    "two.yaml": """services:
  chat: {image: "vllm/vllm-openai:v0.21.0", command: --model Qwen/Qwen3-8B --max-model-len 8192}
  code: {image: "vllm/vllm-openai:v0.21.0", command: --model Qwen/Qwen3-8B -tp 3}
""",
    "broken.yaml": "model: Qwen/Qwen3-8B\n\tmax-model-len: 5\n",
    "no-such-model.yaml": "model: nobody/nothing-1b\nmax-model-len: 8192\n",
}


class Workspace(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)
        (self.directory / "deploy").mkdir()
        for name, text in FILES.items():
            (self.directory / "deploy" / name).write_text(text)

    def check(self, form, *words):
        return subprocess.run([PROGRAM, "check", *(words or ("deploy", "-g", "L4")), "-f", form],
                              cwd=self.directory, capture_output=True, check=False)

    def written(self, form, *words):
        return self.check(form, *words).stdout.decode()

    def questions(self):
        """Arguments and the exit code that they have."""
        return [(("deploy", "-g", "L4"), 2), (("deploy/good.yaml", "-g", "H100"), 0),
                (("deploy/bad.yaml", "-g", "L4"), 1), (("deploy/bad.yaml",), 2),
                (("deploy/broken.yaml",), 2),
                (("deploy/bad.yaml", "-g", "L4", "--exit-zero"), 0),
                (("deploy/good.yaml", "-g", "H100", "--require", "max-ttft=1us"), 1)]


class Alike(Workspace):
    def test_exit_codes(self):
        for words, code in self.questions():
            for form in FORMATS:
                with self.subTest(words=words, form=form):
                    self.assertEqual(code, self.check(form, *words).returncode)

    def test_two_runs_are_the_same_bytes(self):
        for form in FORMATS:
            self.assertEqual(self.check(form).stdout, self.check(form).stdout)

    def test_all_formats_have_the_same_places(self):
        document = json.loads(self.written("json"))
        expected = sorted(
            (file["file"], finding["line"], finding["rule"])
            for file in document["files"] for finding in file["findings"])
        broken = [file["file"] for file in document["files"] if file["not_judged"]]
        self.assertEqual(["deploy/broken.yaml", "deploy/no-such-model.yaml"], broken)
        self.assertIn(("deploy/" + HOSTILE, 2, "kv-too-small"), expected)
        found = {
            "sarif": [(*place_of(result), result["ruleId"])
                      for result in sarif_run(self.written("sarif"))["results"]],
            "gitlab": [(issue["location"]["path"], issue["location"]["lines"]["begin"],
                        issue["check_name"]) for issue in json.loads(self.written("gitlab"))],
            "github": [(note["file"], int(note["line"]), note["title"])
                       for note in annotations(self.written("github"))],
            "text": [(file, int(line), rule) for file, line, rule in re.findall(
                r"(?m)^(.+):(\d+):\d+: (?:error|warning|note): .* \[([a-z0-9-]+)\]$",
                self.written("text"))],
            "junit": [(file, int(line), rule) for file, line, rule in re.findall(
                r"(?m)(deploy/[^\n]+?):(\d+):\d+: (?:error|warning|note): .* \[([a-z0-9-]+)\]$",
                "\n".join(text for text in ET.fromstring(self.written("junit")).itertext()))],
        }
        for form, places in found.items():
            with self.subTest(form=form):
                judged = [place for place in places if place[2] != "not-judged"]
                self.assertEqual(expected, sorted(judged))
                unjudged = {place[0] for place in places if place[2] == "not-judged"}
                self.assertEqual(set() if form == "text" else set(broken), unjudged)

    def test_json_by_its_schema(self):
        for words, _ in self.questions():
            with self.subTest(words=words):
                self.assertEqual("", problems("output", json.loads(self.written("json", *words))))

    def test_fingerprints_outlive_moved_lines(self):
        def fingerprints():
            issues = json.loads(self.written("gitlab", "deploy/bad.yaml", "-g", "L4"))
            results = sarif_run(self.written("sarif", "deploy/bad.yaml", "-g", "L4"))["results"]
            lines = [issue["location"]["lines"]["begin"] for issue in issues]
            return lines, [issue["fingerprint"] for issue in issues], [
                result["partialFingerprints"]["primaryLocationLineHash"] for result in results]

        before = fingerprints()
        (self.directory / "deploy/bad.yaml").write_text("# a comment\n\n" + BAD)
        after = fingerprints()
        self.assertEqual([line + 2 for line in before[0]], after[0])
        self.assertEqual(before[1:], after[1:])
        self.assertEqual(len(before[1]), len(set(before[1])))

    def test_a_result_is_no_worse_than_itself(self):
        words = ("deploy/good.yaml", "-g", "H100")
        (self.directory / "old.json").write_text(self.written("json", *words))
        done = self.check("json", *words, "--baseline", "old.json")
        self.assertEqual(0, done.returncode)
        self.assertEqual([], json.loads(done.stdout)["regressions"])

    def test_a_smaller_gpu_is_a_regression(self):
        (self.directory / "old.json").write_text(
            self.written("json", "deploy/good.yaml", "-g", "H100"))
        words = ("deploy/good.yaml", "-g", "L40S", "--baseline", "old.json")
        done = self.check("json", *words)
        self.assertEqual(1, done.returncode)
        document = json.loads(done.stdout)
        old = json.loads((self.directory / "old.json").read_text())["files"][0]["launches"][0]
        new = document["files"][0]["launches"][0]
        self.assertIn("kv_tokens", [row["figure"] for row in document["regressions"]])
        for row in document["regressions"]:
            self.assertEqual((old[row["figure"]], new[row["figure"]]), (row["before"], row["now"]))
            self.assertAlmostEqual(row["change"], row["now"] / row["before"] - 1, 12)
        self.assertEqual("", problems("output", document))
        self.assertIn("[regression]", self.written("text", *words))


def sarif_run(text):
    document = json.loads(text)
    jsonschema.Draft202012Validator(load(HERE / "sarif-subset.schema.json")).validate(document)
    return document["runs"][0]


def place_of(result):
    place = result["locations"][0]["physicalLocation"]
    return (urllib.parse.unquote(place["artifactLocation"]["uri"]), place["region"]["startLine"])


def annotations(text):
    """What the runner makes of the commands in a log."""
    found = []
    for line in text.splitlines():
        command = re.fullmatch(r"::(error|warning|notice) ([^:]*)::(.*)", line)
        if command is None:
            if "::" in line:
                raise AssertionError(f"neither a command nor plain: {line}")
            continue
        note = {"kind": command[1], "message": unescaped(command[3])}
        for entry in command[2].split(","):
            key, _, value = entry.partition("=")
            note[key] = unescaped(value.replace("%3A", ":").replace("%2C", ","))
        found.append(note)
    return found


def unescaped(text):
    return text.replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%")


class Sarif(Workspace):
    def test_valid_and_consistent(self):
        for words, code in self.questions():
            with self.subTest(words=words):
                run = sarif_run(self.written("sarif", *words))
                rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
                self.assertEqual(len(rules), len(set(rules)))
                for result in run["results"]:
                    self.assertEqual(result["ruleId"], rules[result["ruleIndex"]])
                    file, line = place_of(result)
                    text = (self.directory / file).read_text().splitlines()
                    self.assertLessEqual(line, len(text))
                    region = result["locations"][0]["physicalLocation"]["region"]
                    self.assertLess(region["startColumn"], region["endColumn"])
                    self.assertLessEqual(region["endColumn"], len(text[line - 1].encode()) + 2)
                judged = run["invocations"][0]["executionSuccessful"]
                self.assertEqual(code == 2, not judged)

    def test_every_rule_has_a_page(self):
        for rule in sarif_run(self.written("sarif"))["tool"]["driver"]["rules"]:
            if rule["id"] != "not-judged":
                self.assertIn("markdown", rule["help"], rule["id"])

    def test_the_schema_refuses(self):
        schema = jsonschema.Draft202012Validator(load(HERE / "sarif-subset.schema.json"))
        for break_it in (lambda run: run["results"][0]["locations"].clear(),
                         lambda run: run["results"][0]["message"].update(text=""),
                         lambda run: run["results"][0].update(level="fatal"),
                         lambda run: run["results"][0].update(line=3),
                         lambda run: run["tool"]["driver"]["rules"][0].pop("help"),
                         lambda run: run["tool"].pop("driver")):
            document = json.loads(self.written("sarif"))
            break_it(document["runs"][0])
            self.assertFalse(schema.is_valid(document))

    def test_absolute_paths_below_here_are_relative(self):
        run = sarif_run(self.written("sarif", str(self.directory.resolve() / "deploy/bad.yaml"),
                                     "-g", "L4"))
        self.assertEqual({"deploy/bad.yaml"}, {place_of(result)[0] for result in run["results"]})


class JUnit(Workspace):
    ATTRIBUTES = {"testsuites": {"name", "time", "tests", "failures", "errors"},
                  "testsuite": {"name", "tests", "failures", "errors", "skipped", "file"},
                  "testcase": {"name", "classname"}, "failure": {"type", "message"},
                  "error": {"type", "message"}, "skipped": {"message"}, "system-out": set()}

    def test_strict_readers_take_it(self):
        for words, code in self.questions():
            with self.subTest(words=words):
                root = ET.fromstring(self.written("junit", *words))
                for element in root.iter():
                    self.assertLessEqual(set(element.attrib), self.ATTRIBUTES[element.tag])
                cases = root.findall(".//testcase")
                names = [(case.get("classname"), case.get("name")) for case in cases]
                self.assertEqual(len(names), len(set(names)))
                self.assertLess(0, len(names))
                for scope in (root, *root.findall("testsuite")):
                    for tag, key in (("testcase", "tests"), ("failure", "failures"),
                                     ("error", "errors")):
                        self.assertEqual(str(len(scope.findall(f".//{tag}"))), scope.get(key))
                for suite in root.findall("testsuite"):
                    self.assertEqual(str(len(suite.findall(".//skipped"))), suite.get("skipped"))
                for tag in ("failure", "error", "skipped"):
                    for element in root.iter(tag):
                        self.assertTrue(element.get("message").split("\n")[0] in element.text)
                if code == 0 and "--exit-zero" not in words:
                    self.assertEqual(("0", "0"), (root.get("failures"), root.get("errors")))

    @unittest.skipUnless(shutil.which("xmllint"), "no xmllint")
    def test_by_the_schema(self):
        for words, _ in self.questions():
            path = self.directory / "report.xml"
            path.write_text(self.written("junit", *words))
            done = subprocess.run(["xmllint", "--noout", "--schema", HERE / "junit.xsd", path],
                                  capture_output=True, text=True, check=False)
            self.assertEqual(0, done.returncode, done.stderr)

    @unittest.skipUnless(shutil.which("xmllint"), "no xmllint")
    def test_the_schema_refuses(self):
        good = self.written("junit")
        for old, new in (("<testcase classname", "<testcase file=\"x\" classname"),
                         ("<testsuites name", "<testsuites skipped=\"1\" name"),
                         ("<testsuite name", "<testsuite time=\"1e-05\" name")):
            path = self.directory / "report.xml"
            path.write_text(good.replace(old, new, 1))
            done = subprocess.run(["xmllint", "--noout", "--schema", HERE / "junit.xsd", path],
                                  capture_output=True, text=True, check=False)
            self.assertNotEqual(0, done.returncode)


class GitHub(Workspace):
    def test_the_worst_first(self):
        order = ["error", "warning", "notice"]
        kinds = [note["kind"] for note in annotations(self.written("github"))]
        self.assertEqual(sorted(kinds, key=order.index), kinds)
        self.assertEqual(set(order), set(kinds))

    def test_names_survive(self):
        files = {note["file"] for note in annotations(self.written("github"))}
        self.assertIn("deploy/" + HOSTILE, files)

    def test_more_than_are_shown(self):
        for i in range(12):
            (self.directory / f"deploy/bad{i:02}.yaml").write_text(BAD)
        self.assertRegex(self.written("github", "deploy", "-g", "L4"),
                         r"(?m)^\d+ errors: GitHub shows 10 annotations of a kind, \d+ are in this")


class GitLab(Workspace):
    def test_issues(self):
        issues = json.loads(self.written("gitlab"))
        self.assertEqual(len(issues), len({issue["fingerprint"] for issue in issues}))
        for issue in issues:
            self.assertEqual({"description", "check_name", "fingerprint", "severity", "location"},
                             set(issue))
            self.assertIn(issue["severity"], ("info", "minor", "major", "critical", "blocker"))
            self.assertFalse(issue["location"]["path"].startswith("./"))
            self.assertTrue((self.directory / issue["location"]["path"]).exists())

    def test_dots_in_front_make_no_difference(self):
        self.assertEqual(self.written("gitlab", "deploy/bad.yaml", "-g", "L4"),
                         self.written("gitlab", "./deploy/bad.yaml", "-g", "L4"))


if __name__ == "__main__":
    os.environ.pop("GITHUB_ACTIONS", None)
    unittest.main(argv=sys.argv[:1])
