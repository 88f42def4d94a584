"""Checks that the answers of fit, serve, solve, compare and sweep hold: by their own formulas, by
asking again at the answer and beside it, and by what analyze says of the same step.

usage: check_answers.py PROGRAM SOURCE_DIR
"""
import json
import math
import re
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True

from program import MY_GPU, answered, close, output, result, roofline, rows_of, run
from questions import (BOUND, COMPARES, FITS, LISTS, PLOTS, QUESTIONS, REFUSED, SERVE, SERVES,
                       SHOWS, SOLVES, STEP, SWEEPS)

YES_OR_NO = FITS + SERVES + SOLVES + COMPARES + SWEEPS
GROUPS = {"--tp": "tp", "--pp": "pp", "--ep": "ep", "--dp": "dp"}
# What is a question's own, and no part of the model, the device or how they are run.
OWN = ["-b", "-c", "--input-len", "--output-len", "--concurrency", "--request-rate",
       "--tpot-limit", "--ttft-limit", "--bound", "--min-throughput", "--max-cost"]
TERMS = ("weight", "activation", "state", "kv")  # in the order in which they are added up
ENGINE = ["--block-size", "--max-num-batched-tokens", "--memory-overhead"]


def ceiling(value, by):
    return -(-value // by)


def without_flags(arguments, flags):
    """The flags of a question but for these, which all have a value; without the command."""
    left, words = [], iter(arguments[2 if arguments[0] == "solve" else 1:])
    for word in words:
        if word in flags:
            next(words)
        else:
            left.append(word)
    return left


def subject(arguments):
    """What analyze needs of a question to be about the same model and device."""
    left = without_flags(arguments, OWN + ENGINE)
    return left if "-g" in left else left + ["-g", "H100"]


def step_of(arguments, batch, context, workload="decode"):
    return result(["analyze", *subject(arguments), "-w", workload, "-b", str(batch),
                   "-c", str(context)])


def device_of(gpu):
    """What to ask for to have the device of a row."""
    return MY_GPU if gpu == "My GPU" else gpu


class ExitCodes(unittest.TestCase):
    def test_answers_in_every_format(self):
        for arguments, code in YES_OR_NO:
            for form in ("json", "jsonl", "csv", "markdown", "text"):
                if form == "json" and arguments[0] == "sweep":
                    continue
                with self.subTest(" ".join(arguments), form=form):
                    found, text = answered(tuple(arguments), form)
                    self.assertEqual(code, found)
                    self.assertTrue(text.endswith("\n"))
        for arguments in QUESTIONS + LISTS + SHOWS:
            self.assertEqual(0, answered(tuple(arguments), "json")[0])
        for arguments in PLOTS:
            for form in ("json", "jsonl", "csv", "markdown", "text", "svg", "html"):
                with self.subTest(" ".join(arguments), form=form):
                    found, text = answered(tuple(arguments), form)
                    self.assertEqual(0, found)
                    self.assertTrue(text.endswith("\n"))

    def test_no_is_said_in_the_answer(self):
        """The exit code follows from the JSON."""
        no = {"fit": lambda rows: rows[0]["verdict"] == "does-not-fit",
              "serve": lambda rows: rows[0]["concurrency"] is None,
              "solve": lambda rows: rows[0]["answer"] is None,
              "compare": lambda rows: all(row["rank"] is None for row in rows),
              "sweep": lambda rows: False}
        seen = set()
        for arguments, code in YES_OR_NO:
            with self.subTest(" ".join(arguments)):
                self.assertEqual(code == 1, no[arguments[0]](rows_of(arguments)))
                seen.add((arguments[0], code))
        self.assertEqual({(name, code) for name in no for code in (0, 1)} - {("sweep", 1)}, seen)

    def test_what_cannot_be_judged(self):
        for arguments in REFUSED:
            with self.subTest(" ".join(arguments)):
                done = run(arguments)
                self.assertEqual((2, ""), (done.returncode, done.stdout))
                self.assertRegex(done.stderr, r"^error: ")

    def test_what_cannot_be_written(self):
        with tempfile.TemporaryDirectory() as folder:
            for arguments in (STEP, ["fit"], SERVE, BOUND, ["compare", "-g", "L4"],
                              ["sweep", "-g", "L4"], ["plot"], ["plot", "--x", "batch"]):
                form = ["-f", "jsonl", "-o", f"{folder}/absent/answer.jsonl"]
                with self.subTest(" ".join(arguments)):
                    done = run(arguments + form)
                    self.assertEqual((3, ""), (done.returncode, done.stdout))

    def test_codes_are_those_of_the_help(self):
        codes = re.findall(r"^  (\d)   ", run(["help", "exit-codes"]).stdout, re.M)
        self.assertEqual(["0", "1", "2", "3"], codes)


class Fit(unittest.TestCase):
    def at(self, arguments, batch=None, context=None, flags=()):
        """The verdict of the same question with another batch or context."""
        row = result(arguments)
        arguments = ["fit", *without_flags(arguments, ["-b", "-c"]), *flags]
        return result([*arguments, "-b", str(batch or row["batch"]),
                       "-c", str(context or row["context_tokens"])])["verdict"]

    def test_sums_and_verdicts(self):
        verdicts = set()
        for arguments, _ in FITS:
            row, inputs = result(arguments), output(arguments)["inputs"]
            verdicts.add(row["verdict"])
            with self.subTest(" ".join(arguments)):
                need = sum(row[f"memory_{term}_bytes"] for term in TERMS)
                engine = sum(row[f"engine_{part}_high_bytes"]
                             for part in ("context", "graphs", "whole_matrices"))
                self.assertTrue(close(need, row["memory_needed_bytes"]))
                self.assertTrue(close(need + engine, row["memory_needed_high_bytes"]))
                usable = row["memory_usable_bytes"]
                self.assertEqual(
                    "fits" if row["memory_needed_high_bytes"] <= usable
                    else "uncertain" if row["memory_needed_bytes"] <= usable else "does-not-fit",
                    row["verdict"])
                self.assertEqual(inputs["tp"] * inputs["pp"] * inputs["dp"], row["devices"])
                step = step_of(arguments, row["batch"], row["context_tokens"])
                if not inputs["memory_overhead_bytes"]:
                    self.assertTrue(close(step["memory_usable_bytes"], usable))
                self.assertLessEqual(step["memory_needed_bytes"], row["memory_needed_bytes"])
        self.assertEqual({"fits", "uncertain", "does-not-fit"}, verdicts)

    def test_what_binds(self):
        """The first term that passes usable; where none does the larger one of state and K/V."""
        bound = set()
        for arguments, _ in FITS:
            row = result(arguments)
            total = (0 if row["verdict"] == "does-not-fit"
                     else row["memory_needed_high_bytes"] - row["memory_needed_bytes"])
            passes = []
            for term in TERMS:
                total += row[f"memory_{term}_bytes"]
                passes += [term] if total > row["memory_usable_bytes"] else []
            larger = "state" if row["memory_state_bytes"] > row["memory_kv_bytes"] else "kv"
            names = {"weight": "weights", "activation": "activations"}
            term = (passes or [larger])[0]
            with self.subTest(" ".join(arguments)):
                self.assertEqual(names.get(term, term), row["bound_by"])
            bound.add(row["bound_by"])
        self.assertLessEqual({"weights", "kv", "state"}, bound)

    def test_most_sequences_and_longest_context(self):
        """low still fits for certain, and one more no longer; with high it is the same at best."""
        checked = 0
        for arguments, _ in FITS:
            row = result(arguments)
            for what, key in (("batch", "most_sequences"), ("context", "longest_context")):
                if key + "_low" not in row:
                    continue
                low, high = row[key + "_low"], row[key + "_high"]
                self.assertLessEqual(low, high)
                with self.subTest(" ".join(arguments), what=what):
                    if low > 0:
                        self.assertEqual("fits", self.at(arguments, **{what: low}))
                    self.assertNotEqual("fits", self.at(arguments, **{what: low + 1}))
                    if high > 0:
                        self.assertNotEqual("does-not-fit", self.at(arguments, **{what: high}))
                    self.assertEqual("does-not-fit", self.at(arguments, **{what: high + 1}))
                    checked += 1
        self.assertGreater(checked, 25)

    def test_fixes_and_fewest_devices_fit(self):
        for arguments, _ in FITS:
            row, inputs = result(arguments), output(arguments)["inputs"]
            with self.subTest(" ".join(arguments)):
                for fix in row["fixes"]:
                    self.assertEqual("fits", self.at(arguments, flags=fix.split()))
                ways = {name: row[f"fewest_devices_{name}"] for name in ("tp", "pp", "ep")}
                if row["fewest_devices"] is None:
                    self.assertEqual({None}, set(ways.values()))
                    continue
                # Replicas of the fewest: those that experts are spread over, or as asked.
                replicas = row["fewest_devices"] // (ways["tp"] * ways["pp"])
                flags = [word for flag, key in GROUPS.items()
                         for word in (flag, str({**ways, "dp": replicas}[key]))]
                bare = ["fit", *without_flags(arguments, list(GROUPS)), *flags]
                self.assertEqual("fits", result(bare)["verdict"])
                self.assertEqual(row["fewest_devices"], result(bare)["devices"])
                self.assertLessEqual(row["fewest_devices_at_best"], row["fewest_devices"])
                if row["verdict"] == "fits":
                    self.assertLessEqual(row["fewest_devices"], row["devices"])


class Serve(unittest.TestCase):
    def test_figures_follow_from_the_steps(self):
        """TPOT, rates, cost and energy from decode_step_s and prompt_share_s."""
        for arguments, code in SERVES:
            if code == 1:
                continue
            row, inputs = result(arguments), output(arguments)["inputs"]
            prompt, tokens, sequences = (row["input_tokens"], row["output_tokens"],
                                         row["concurrency"])
            each = ceiling(sequences, inputs["dp"])
            share = row["prompt_share_s"] / min(inputs["pp"], each)
            in_flight = each * share + tokens * row["decode_step_s"]
            device = result(["show", "device", device_of(inputs["gpu"])])
            with self.subTest(" ".join(arguments)):
                self.assertEqual(inputs["tp"] * inputs["pp"] * inputs["dp"], row["devices"])
                self.assertTrue(close(row["decode_step_s"] + (each - 1) / tokens * share,
                                      row["tpot_s"]))
                self.assertTrue(close(sequences / in_flight,
                                      row.get("most_requests_per_s", row["requests_per_s"])))
                self.assertTrue(close(tokens * row["requests_per_s"], row["output_tok_per_s"]))
                self.assertTrue(close(prompt * row["requests_per_s"], row["input_tok_per_s"]))
                if "price_usd_per_hour" in row:
                    cost = row["price_usd_per_hour"] * row["devices"] / 3600
                    self.assertTrue(close(cost / row["output_tok_per_s"] * 1e6,
                                          row["usd_per_million_tokens"]))
                self.assertEqual("price_usd_per_hour" in row,
                                 "usd_per_million_tokens" in row)
                self.assertEqual("tdp_w" in device, "energy_j_per_tok" in row)
                if "tdp_w" in device:
                    self.assertTrue(close(
                        device["tdp_w"] * row["devices"] / row["output_tok_per_s"],
                        row["energy_j_per_tok"]))

    def test_steps_are_those_of_analyze(self):
        for arguments, code in SERVES:
            if code == 1:
                continue
            row, inputs = result(arguments), output(arguments)["inputs"]
            prompt, replicas = row["input_tokens"], inputs["dp"]
            each = ceiling(row["concurrency"], replicas)
            together = min(row["concurrency"],
                           replicas * ceiling(each, min(inputs["pp"], each)))
            prompts = max(1, inputs["max_num_batched_tokens"] // prompt)
            with self.subTest(" ".join(arguments)):
                decode = step_of(arguments, together, prompt + row["output_tokens"] // 2)
                self.assertEqual(decode["roofline_time_s"], row["decode_step_s"])
                first = step_of(arguments, 1, prompt, "prefill")
                self.assertEqual(first["roofline_time_s"], row["ttft_s"])
                full = step_of(arguments, prompts * replicas, prompt, "prefill")
                self.assertTrue(close(full["roofline_time_s"] / prompts, row["prompt_share_s"]))

    def test_memory_is_that_of_fit(self):
        for arguments, _ in SERVES:
            row = result(arguments)
            if row["memory_concurrency"] is None:
                continue
            tokens = row["input_tokens"] + row["output_tokens"]
            flags = without_flags(arguments, OWN)
            room = result(["fit", *flags, "-c", str(tokens), "--memory-overhead", "0"])
            with self.subTest(" ".join(arguments)):
                self.assertEqual(room["most_sequences_high"], row["memory_concurrency"])

    def test_what_binds_binds(self):
        bounds = set()
        for arguments, code in SERVES:
            row, inputs = result(arguments), output(arguments)["inputs"]
            bounds.add((row["bound_by"], code))
            limits = {"asked": inputs.get("concurrency"), "memory": row["memory_concurrency"],
                      "tpot-limit": row.get("tpot_concurrency"),
                      "ttft-limit": row.get("ttft_concurrency"),
                      "request-rate": row.get("rate_concurrency")}
            with self.subTest(" ".join(arguments)):
                if code == 1:
                    continue
                self.assertEqual(limits[row["bound_by"]], row["concurrency"])
                for name in ("asked", "memory", "tpot-limit"):
                    if limits[name] is not None:
                        self.assertLessEqual(row["concurrency"], limits[name])
                if "tpot_limit_s" in inputs:
                    self.assertLessEqual(row["tpot_s"], inputs["tpot_limit_s"])
                if "requests_per_s" in inputs:
                    self.assertEqual(row["requests_per_s"], inputs["requests_per_s"])
                    self.assertGreaterEqual(row["most_requests_per_s"], row["requests_per_s"])
        self.assertLessEqual({("asked", 0), ("memory", 0), ("memory", 1), ("tpot-limit", 0),
                              ("tpot-limit", 1), ("ttft-limit", 1), ("request-rate", 0)}, bounds)

    def test_one_more_misses(self):
        """The TPOT limit beyond tpot_concurrency, the rate below rate_concurrency."""
        within = result(SERVE + ["--tpot-limit", "10ms"])
        more = result(SERVE + ["--concurrency", str(within["tpot_concurrency"] + 1)])
        self.assertLessEqual(within["tpot_s"], 0.01)
        self.assertGreater(more["tpot_s"], 0.01)
        reaches = result(SERVE + ["--request-rate", "10"])
        fewer = result(SERVE + ["--concurrency", str(reaches["rate_concurrency"] - 1)])
        self.assertGreaterEqual(reaches["requests_per_s"], 10)
        self.assertLess(fewer["requests_per_s"], 10)


class Solve(unittest.TestCase):
    KEYS = {"batch": "batch", "context": "context_tokens", "concurrency": "concurrency",
            "devices": "devices"}

    def test_proof_is_on_both_sides(self):
        for arguments, code in SOLVES:
            row = result(arguments)
            key, proof = self.KEYS[row["unknown"]], row["proof"]
            self.assertEqual(row["unknown"], arguments[1])
            values = [trial[key] for trial in proof]
            with self.subTest(" ".join(arguments)):
                for trial in proof:
                    self.assertEqual(trial["missed"] == [], trial["holds"])
                if code == 1:
                    self.assertEqual([], [trial for trial in proof if trial["holds"]])
                    continue
                if row["unknown"] == "devices":
                    self.check_devices(row)
                    continue
                self.assertEqual(sorted(set(values)), values)
                answer, beside = row["answer"], 1 if row["sought"] == "largest" else -1
                trials = dict(zip(values, proof))
                self.assertTrue(trials[answer]["holds"])
                self.assertEqual([value for value in (answer - 1, answer, answer + 1) if value > 0],
                                 values)
                if "bound_by" in row:
                    self.assertFalse(trials[answer + beside]["holds"])
                    self.assertIn(row["bound_by"], trials[answer + beside]["missed"])
                elif answer + beside > 0:
                    self.assertTrue(trials[answer + beside]["holds"])

    def check_devices(self, row):
        proof = row["proof"]
        ways = ("tp", "pp", "ep", "dp")
        at = [trial for trial in proof if all(trial[way] == row[way] for way in ways)]
        self.assertEqual(1, len(at))
        self.assertTrue(at[0]["holds"])
        self.assertEqual(row["answer"], row["devices"])
        self.assertEqual(row["answer"], row["tp"] * row["pp"] * row["dp"])
        fewer = [trial for trial in proof if trial["devices"] < row["answer"]]
        self.assertEqual([], [trial for trial in fewer if trial["holds"]])
        self.assertEqual(row["answer"] > 1, fewer != [])
        self.assertIn(True, [trial["devices"] > row["answer"] for trial in proof])

    def test_answers_are_within_the_limits(self):
        for arguments, code in SOLVES:
            row = result(arguments)
            with self.subTest(" ".join(arguments)):
                for limit in row["limits"]:
                    if code == 1 or not limit["met"]:
                        self.assertEqual(1, code)
                        continue
                    self.assertLessEqual(row["answer"], limit.get("at_most", math.inf))
                    self.assertGreaterEqual(row["answer"], limit.get("at_least", 0))
                    if limit["limit"] == row.get("bound_by"):
                        self.assertIn(row["answer"], (limit.get("at_most"), limit.get("at_least")))

    def test_limits_decide_what_is_missed(self):
        for arguments, _ in SOLVES:
            inputs, row = output(arguments)["inputs"], result(arguments)
            for trial in row["proof"]:
                missed = set(trial["missed"])
                for limit, wrong in (
                        ("tpot-limit", trial["tpot_s"] > inputs.get("tpot_limit_s", math.inf)),
                        ("ttft-limit",
                         trial.get("ttft_s", 0) > inputs.get("ttft_limit_s", math.inf)),
                        ("min-throughput", trial["throughput_tok_per_s"] <
                         inputs.get("min_throughput_tok_per_s", 0)),
                        ("max-cost", trial.get("usd_per_million_tokens", 0) >
                         inputs.get("max_cost_usd_per_million_tokens", math.inf)),
                        ("ridge", "bound" in inputs and
                         trial["intensity_flop_per_byte"] < trial["ridge_flop_per_byte"])):
                    with self.subTest(" ".join(arguments), limit=limit, trial=trial):
                        self.assertEqual(wrong, limit in missed)
                if "memory" in missed:
                    self.assertIs(False, trial["fits"])
                if trial["fits"] is not None:
                    self.assertEqual(trial["memory_needed_bytes"] <= row["memory_usable_bytes"],
                                     trial["fits"])

    def test_proof_is_what_the_other_commands_say(self):
        """analyze of each step, and serve at each concurrency."""
        for arguments, _ in SOLVES:
            row, inputs = result(arguments), output(arguments)["inputs"]
            for trial in row["proof"]:
                with self.subTest(" ".join(arguments), trial=trial):
                    if row["unknown"] == "concurrency":
                        self.check_serving(arguments, inputs, trial)
                    else:
                        self.check_step(arguments, inputs, trial)

    def check_serving(self, arguments, inputs, trial):
        if trial["fits"] is False:
            return
        flags = without_flags(arguments, ["--tpot-limit", "--ttft-limit", "--min-throughput",
                                          "--max-cost", "--concurrency"])
        row = result(["serve", *flags, "--concurrency", str(trial["concurrency"])])
        self.assertEqual(row["tpot_s"], trial["tpot_s"])
        self.assertEqual(row["output_tok_per_s"], trial["throughput_tok_per_s"])
        self.assertEqual(row.get("usd_per_million_tokens"),
                         trial.get("usd_per_million_tokens"))
        self.assertEqual(row["ttft_s"], trial.get("ttft_s", row["ttft_s"]))

    def check_step(self, arguments, inputs, trial):
        ways = [word for flag, key in GROUPS.items() for word in (flag, str(trial[key]))]
        batch = trial.get("batch", inputs.get("batch"))
        context = trial.get("context_tokens", inputs.get("context_tokens"))
        flags = without_flags(["ask", *subject(arguments)], list(GROUPS))
        row = result(["analyze", *flags, *ways, "-b", str(batch), "-c", str(context)])
        for mine, others in (("tpot_s", "roofline_time_s"),
                             ("throughput_tok_per_s", "throughput_tok_per_s"),
                             ("intensity_flop_per_byte", "intensity_flop_per_byte"),
                             ("ridge_flop_per_byte", "ridge_flop_per_byte")):
            self.assertEqual(row[others], trial[mine], mine)

    def test_what_would_help_helps(self):
        """The context and the K/V format that are named, asked for."""
        helped = 0
        for arguments, _ in SOLVES:
            row = result(arguments)
            if "intensity_limit_flop_per_byte" not in row:
                continue
            context = output(arguments)["inputs"]["context_tokens"]
            far = step_of(arguments, 10**9, context)["intensity_flop_per_byte"]
            with self.subTest(" ".join(arguments)):
                self.assertTrue(math.isclose(far, row["intensity_limit_flop_per_byte"],
                                             rel_tol=1e-4))
                if "batch_at_that_context" in row:
                    there = result([*arguments, "-c", str(row["context_at_which_reached_tokens"])])
                    self.assertEqual(row["batch_at_that_context"], there["answer"])
                    helped += 1
                if "fp8_kv_suffices" in row:
                    with_fp8 = result([*arguments, "--kv-dtype", "fp8"])
                    self.assertEqual(row.get("fp8_kv_batch"), with_fp8["answer"])
                    self.assertEqual(row["fp8_kv_intensity_limit_flop_per_byte"],
                                     with_fp8["intensity_limit_flop_per_byte"])
                    helped += 1
        self.assertGreaterEqual(helped, 2)

    def test_limits_of_intensity_are_limits(self):
        """Far batches come near the limit and stay below it, at each context that is listed."""
        listed = 0
        for arguments, _ in SOLVES:
            for limit in result(arguments).get("intensity_limits", []):
                far = step_of(arguments, 10**9, limit["context_tokens"])
                listed += 1
                with self.subTest(" ".join(arguments), limit=limit):
                    self.assertLess(far["intensity_flop_per_byte"], limit["limit_flop_per_byte"])
                    self.assertTrue(math.isclose(far["intensity_flop_per_byte"],
                                                 limit["limit_flop_per_byte"], rel_tol=1e-4))
                    self.assertEqual(limit["limit_flop_per_byte"] > limit["ridge_flop_per_byte"],
                                     limit["reached"])
        self.assertGreater(listed, 3)


class Compare(unittest.TestCase):
    def test_ranks_follow_the_order_asked_for(self):
        score = {"time": lambda row: row["roofline_time_s"],
                 "throughput": lambda row: -row["throughput_tok_per_s"],
                 "cost": lambda row: row["usd_per_million_tokens"],
                 "energy": lambda row: row["energy_j_per_tok"],
                 "fit": lambda row: -row["memory_left_share"]}
        serving = {"time": lambda row: row["tpot_s"],
                   "throughput": lambda row: -row["output_tok_per_s"],
                   "cost": score["cost"], "energy": score["energy"],
                   "fit": lambda row: -row["memory_concurrency"]}
        for arguments, _ in COMPARES:
            document = output(arguments)
            rows, by = document["results"], document["inputs"]["by"]
            scored = serving if "concurrency" in rows[0] else score
            ranked = [row for row in rows if row["rank"] is not None]
            with self.subTest(" ".join(arguments)):
                self.assertNotIn(None, [row["rank"] for row in rows[:len(ranked)]])
                scores = [scored[by](row) for row in ranked]
                self.assertEqual([1 + sum(other < mine for other in scores) for mine in scores],
                                 [row["rank"] for row in ranked])
                self.assertEqual(sorted(scores), scores)
                names = [row["gpu"] for row in rows[len(ranked):]]
                self.assertEqual(sorted(names), names)

    def test_rows_are_those_of_analyze(self):
        for arguments, _ in COMPARES[1:]:
            left = without_flags(arguments, ["-g", "--by", "--price"])
            for row in rows_of(arguments):
                if row.get("roofline_time_s") is None:  # of serving, or cannot run
                    continue
                price = row["price_usd_per_hour"]
                priced = [] if price is None else ["--price", str(price)]
                gpu = device_of(row["gpu"])
                same = result(["analyze", *left, "-g", gpu, *priced])
                with self.subTest(" ".join(arguments), gpu=gpu):
                    for key in ("roofline_time_s", "verdict", "throughput_tok_per_s", "fits",
                                "memory_needed_bytes", "memory_usable_bytes",
                                "intensity_flop_per_byte", "ridge_flop_per_byte",
                                "compute_time_s", "memory_time_s", "network_time_s",
                                "serial_time_s", "usd_per_million_tokens", "notes"):
                        self.assertEqual(same.get(key), row[key], key)
                    if row["memory_left_share"] is not None:
                        self.assertTrue(close(1 - row["memory_needed_bytes"] /
                                              row["memory_usable_bytes"],
                                              row["memory_left_share"]))
                    devices_each = same["tp"] * same["pp"] * same["dp"]
                    if row["energy_j_per_tok"] is not None:
                        tdp = result(["show", "device", gpu])["tdp_w"]
                        self.assertTrue(close(tdp * devices_each / row["throughput_tok_per_s"],
                                              row["energy_j_per_tok"]))
                    if price is not None:
                        self.assertTrue(close(price * devices_each / 3600 * 1e6 /
                                              row["throughput_tok_per_s"],
                                              row["usd_per_million_tokens"]))


    def test_rows_of_serving_are_those_of_serve(self):
        """But for the rank, and the reason where there is none."""
        compared = 0
        for arguments, _ in COMPARES:
            left = without_flags(arguments, ["-g", "--by"])
            for row in rows_of(arguments):
                if row.get("bound_by") is None:  # of a step, or cannot be asked
                    continue
                done = run(["serve", *left, "-g", device_of(row["gpu"]), "-f", "json"])
                with self.subTest(" ".join(arguments), gpu=row["gpu"]):
                    if done.returncode == 2:  # nothing limits the concurrency
                        self.assertIsNone(row["rank"])
                        continue
                    same = json.loads(done.stdout)["results"][0]
                    if row["rank"] is not None:
                        self.assertEqual(same.get("reason"), row.get("reason"))
                    same.pop("reason", None)
                    self.assertEqual(
                        list(same.items()),
                        [fact for fact in row.items() if fact[0] not in ("rank", "reason")])
                    compared += 1
        self.assertGreater(compared, 40)


class Sweep(unittest.TestCase):
    def test_rows_are_those_of_analyze(self):
        """Digit for digit, but for the tables that a row has there."""
        compared = refused = 0
        for arguments, _ in SWEEPS:
            varied = ["-g", "-m", "-b", "-c", "--kv-dtype", "--weight-dtype", *GROUPS]
            for row in rows_of(arguments):
                flags = ["-g", device_of(row["gpu"]), "-m", row["model"],
                         "--kv-dtype", row["kv_dtype"], "--weight-dtype", row["weight_dtype"]]
                for flag, key in GROUPS.items():
                    flags += [flag, str(row[key])]
                if "context_tokens" in row:
                    flags += ["-b", str(row["batch"]), "-c", str(row["context_tokens"])]
                asked = ["analyze", *without_flags(arguments, varied), *flags]
                with self.subTest(" ".join(asked)):
                    if "verdict" not in row:
                        done = run(asked)
                        self.assertEqual(2, done.returncode)
                        self.assertIn(row["reason"].split(":")[0], done.stderr)
                        refused += 1
                        continue
                    same = result(asked)
                    for table in ("operators", "improvements"):
                        del same[table]
                    # A format that was asked for by its name is noted as if it had been chosen.
                    same["notes"] = row["notes"] = []
                    self.assertEqual(list(same.items()), list(row.items()))
                    compared += 1
        self.assertGreater(compared, 20)
        self.assertGreater(refused, 2)

    def test_rows_come_in_the_order_of_the_lists(self):
        rows = rows_of(SWEEPS[1][0])
        self.assertEqual([(2**power, context, kv) for power in range(7) for context in (512, 2048)
                          for kv in ("bf16", "fp8")],
                         [(row["batch"], row["context_tokens"], row["kv_dtype"]) for row in rows])
        self.assertEqual(len(rows), len(roofline(SWEEPS[1][0], "csv").splitlines()) - 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
