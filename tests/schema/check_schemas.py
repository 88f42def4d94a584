"""Checks data and real output against data/schema, and formulas and totals against their figures.

usage: check_schemas.py PROGRAM SOURCE_DIR
"""
import json
import math
import pathlib
import re
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True

from program import (FILES, MODELS, SCHEMAS, SOURCE, STEPS, close, load, output, problems,
                     refused_by_program, result, roofline, rows_of, run, with_value, without)
from questions import (ANSWERS, ATTENTION, BARE, BOUND, EXPERTS, FIT, LISTS, MATMUL,
                       MOE_SERVE, OVER_BATCH, OVER_CONTEXT, PLOTS, QUESTIONS, RATE, SERVE, SHARDED,
                       SHOWS, STEP, SWEEPS)

DEFINITIONS = {"analyze": "analyze_result", "compare": "compare_result", "fit": "fit_result",
               "plot": "plot_result", "serve": "serve_result", "solve": "solve_result",
               "list devices": "device_summary", "list models": "model_summary",
               "list formats": "format_summary", "list rules": "rule_summary",
               "show device": "device_details",
               "show model": "model_details"}


class Data(unittest.TestCase):
    def test_every_file_fits_its_schema(self):
        for folder, name in (("devices", "device"), ("engines", "engine"), ("models", "model"),
                             ("formats", "format"),
                             ("textbook", "spec")):
            files = sorted((SOURCE / "data" / folder).glob("*.json"))
            self.assertTrue(files, folder)
            for file in files:
                self.assertEqual("", problems(name, load(file)), file)

    def test_files_of_the_tests_and_of_the_help_fit(self):
        for file in (FILES / "llama/config.json", *sorted(MODELS.rglob("config.json")),
                     *sorted(MODELS.glob("*.json"))):
            if file.name != "unknown.json":
                self.assertEqual("", problems("model", load(file)), file)
        for file in (FILES / "spec.json", STEPS):
            self.assertEqual("", problems("spec", load(file)), file)
        text = run(["help", "data"]).stdout
        examples = re.findall(r"The smallest (device|spec) file.*\n((?:    .*\n)+)", text)
        self.assertEqual(["device", "spec"], [name for name, _ in examples])
        for name, example in examples:
            self.assertEqual("", problems(name, json.loads(example)))

    def test_schema_and_program_refuse_the_same(self):
        device = load(FILES / "my-gpu.json")
        model = load(FILES / "llama/config.json")
        wrapped = {"name": "tiny", "config": model}
        nested = load(MODELS / "nested.json")
        latent, experts = load(MODELS / "latent.json"), load(MODELS / "sparse.json")
        spec, steps, first = load(FILES / "spec.json"), load(STEPS), ("workloads", 0)
        show_device, show_model = ["show", "device"], ["show", "model"]
        run_spec = ["analyze", "--spec"]
        for name, command, document in (
                ("device", show_device, without(device, "name")),
                ("device", show_device, without(device, "memory", "bandwidth")),
                ("device", show_device, with_value(device, {}, "peaks")),
                ("device", show_device, with_value(device, "1 TFLOP/s", "peaks", "fp61")),
                ("device", show_device, with_value(device, "320 GB", "memory", "bandwidth")),
                ("device", show_device, with_value(device, 320e9, "memory", "bandwidth")),
                ("device", show_device, with_value(device, 1, "colour")),
                *(("device", show_device, with_value(device, link, "interconnect")) for link in (
                    {"joins": 1}, {"joins": "2"}, {"joins": 2.5}, {"joins": 10**7},
                    {"hop_latency": 2e-6}, {"hop_latency": "2 min"}, {"hop_latency": "2"},
                    {"per_direction": "50 GB"}, {"latency": "2 us"})),
                ("model", show_model, without(model, "model_type")),
                ("model", show_model, without(model, "intermediate_size")),
                ("model", show_model, without(model, "hidden_size")),
                ("model", show_model, with_value(model, "lama", "model_type")),
                ("model", show_model, with_value(model, 0, "num_attention_heads")),
                ("model", show_model, with_value(model, 1.5, "num_hidden_layers")),
                ("model", show_model, with_value(model, "1024", "hidden_size")),
                ("model", show_model, with_value(model, "int3", "torch_dtype")),
                ("model", show_model, with_value(model, "gemma2", "model_type")),
                ("model", show_model, with_value(model, 0, "vocab_size")),
                ("model", show_model, with_value(model, 10**18, "num_hidden_layers")),
                ("model", show_model, with_value(model, [], "quantization_config")),
                ("model", show_model, with_value(model, {}, "quantization_config")),
                ("model", show_model, with_value(model, {"quant_method": "magic"},
                                                 "quantization_config")),
                ("model", show_model, with_value(nested, "tinier", "text_config", "model_type")),
                ("model", show_model, with_value(nested, 0, "text_config", "hidden_size")),
                ("model", show_model, without(nested, "text_config", "num_hidden_layers")),
                ("model", show_model, with_value(latent, "4", "kv_lora_rank")),
                ("model", show_model, without(latent, "first_k_dense_replace")),
                ("model", show_model, without(experts, "num_experts_per_tok")),
                ("model", show_model, with_value(experts, 10**6, "num_local_experts")),
                ("model", show_model, load(MODELS / "unknown.json")),
                ("model", show_model, with_value(wrapped, {"parameters": 1, "tower_parameters": 0},
                                                 "published")),
                ("model", show_model, with_value(wrapped, 1, "colour")),
                ("model", show_model, with_value(wrapped, {"exact": True}, "published")),
                ("spec", run_spec, without(spec, "workloads")),
                ("spec", run_spec, with_value(spec, [], "workloads")),
                ("spec", run_spec, with_value(spec, 0, "workloads", 0, "batch")),
                ("spec", run_spec, with_value(spec, "serve", "workloads", 0, "workload")),
                ("spec", run_spec, with_value(steps, 2, *first, "batch")),
                ("spec", run_spec, with_value(steps, [], *first, "contexts")),
                ("spec", run_spec, without(steps, *first, "contexts", 0, "context_tokens")),
                ("spec", run_spec, with_value(steps, 1, *first, "contexts", 0, "tokens")),
                ("spec", run_spec, with_value(steps, "512x8", *first, "contexts")),
                ("spec", run_spec, with_value(steps, 1, *first, "cached_tokens")),
                ("spec", run_spec, with_value(steps, -1, "workloads", 2, "cached_tokens")),
                ("spec", run_spec, with_value(steps, 1, "workloads", 2, "draft_tokens")),
                ("spec", run_spec, with_value(steps, 0, "workloads", 5, "chunk_tokens")),
                ("spec", run_spec, with_value(steps, True, "workloads", 5, "causal")),
                ("spec", run_spec, with_value(steps, 0, "workloads", 7, "draft_tokens")),
                ("spec", run_spec, with_value(steps, 1, "workloads", 7, "chunk_tokens")),
                ("spec", run_spec, with_value(spec, True, "workloads", 0, "causal")),
                ("spec", run_spec, without(spec, "workloads", 1, "k"))):
            with self.subTest(name, document=document):
                self.assertNotEqual("", problems(name, document))
                self.assertTrue(refused_by_program(command, document), "by the program")

    def test_what_the_schema_refuses_the_program_refuses(self):
        """Keys left out of one model of each family."""
        by_family = {}
        for file in sorted((SOURCE / "data/models").glob("*.json")):
            config = load(file)["config"]
            by_family.setdefault(config.get("text_config", config)["model_type"], config)
        refused = 0
        for family, config in by_family.items():
            for key in config:
                document = without(config, key)
                if problems("model", document) == "":
                    continue
                refused += 1
                with self.subTest(family, key=key):
                    self.assertTrue(refused_by_program(["show", "model"], document))
        self.assertGreater(refused, 6 * len(by_family))

    def test_families_are_those_of_the_help(self):
        text = run(["help", "models"]).stdout
        families = text.partition("Families (model_type):")[2].split()
        self.assertEqual(families, load(SCHEMAS / "model.schema.json")["$defs"]["family"]["enum"])

    def test_good_links_and_blocks_are_read(self):
        device, form = load(FILES / "my-gpu.json"), load(SOURCE / "data/formats/q4-k.json")
        for link in ({"per_direction": "50 GB/s", "joins": 2, "hop_latency": "2 us"},
                     {"name": "bridge", "total": "100 GB/s", "hop_latency": "800ns"}):
            document = with_value(device, link, "interconnect")
            self.assertEqual("", problems("device", document))
            with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
                json.dump(document, file)
                file.flush()
                shown = result(["show", "device", file.name])
            self.assertEqual("", problems("output", shown, "device_details"))
            self.assertEqual(link.get("joins"), shown.get("interconnect_joins"))
            self.assertIn(shown["interconnect_hop_latency_s"], (2e-6, 8e-7))
        self.assertEqual("", problems("format", with_value(form, [128, 128], "block")))

    def test_bad_formats_are_refused(self):
        form = load(SOURCE / "data/formats/q4-k.json")
        for document in (without(form, "bits"), with_value(form, 0, "bits"),
                         with_value(form, 65, "bits"), with_value(form, "int3", "element"),
                         with_value(form, "some", "covers"), with_value(form, 1, "colour"),
                         *(with_value(form, block, "block")
                           for block in ([128], [0, 128], [1, 2, 3], 128, [1, 1.5], ["1", "32"],
                                         [1, 10**7]))):
            self.assertNotEqual("", problems("format", document), document)
            with tempfile.TemporaryDirectory() as data:
                (pathlib.Path(data) / "formats").mkdir()
                (pathlib.Path(data) / "formats/bad.json").write_text(json.dumps(document))
                self.assertTrue(refused_by_program(
                    ["analyze", "--data", data, "--weight-dtype", "bad", "-g"], {}))


class Output(unittest.TestCase):
    def test_json_and_jsonl_fit(self):
        for arguments in QUESTIONS + PLOTS + ANSWERS + LISTS + SHOWS:
            with self.subTest(" ".join(arguments)):
                document = output(arguments)
                definition = DEFINITIONS[document["command"]]
                lines = [json.loads(line) for line in roofline(arguments, "jsonl").splitlines()]
                self.assertEqual(document["results"], lines)
                for line in lines:
                    self.assertEqual("", problems("output", line, definition))
                self.assertEqual("", problems("output", document))
                self.assertEqual(arguments[0], document["command"].split()[0])

    def test_lines_of_sweep_fit(self):
        for arguments, _ in SWEEPS:
            for row in rows_of(arguments):
                with self.subTest(" ".join(arguments), row=row):
                    self.assertEqual("", problems("output", row, "sweep_result"))

    def test_keys_have_one_order(self):
        """A row's keys stand in the order of the others', whatever is left out."""
        orders = {}
        for arguments in QUESTIONS + PLOTS + ANSWERS + [question for question, _ in SWEEPS]:
            name = {"sweep": "analyze", "plot": "analyze"}.get(arguments[0], arguments[0])
            for row in rows_of(arguments):
                after = orders.setdefault(name, {})
                keys = list(row)
                for place, key in enumerate(keys):
                    after.setdefault(key, set()).update(keys[place + 1:])
        for name, after in orders.items():
            for key, later in after.items():
                for other in later:
                    self.assertNotIn(key, after[other], f"{name}: {key} and {other}")

    def test_keys_carry_units(self):
        self.assertEqual(["schema_version", "command"], list(output(STEP))[:2])
        units = ("_s", "_bytes", "_flop", "_flop_per_s", "_bytes_per_s", "_flop_per_byte",
                 "_tok_per_s", "_bytes_per_token", "_bytes_per_sequence", "_w", "_j_per_tok",
                 "usd_per_million_tokens", "usd_per_hour")
        bare = {"flop", "bytes", "bits", "value", "distinct_experts", "speedup",
                "gpu_memory_utilization", "memory_left_share", "measured_share",
                "before", "now", "change"}  # of a figure that a regression names
        for name, definition in load(SCHEMAS / "output.schema.json")["$defs"].items():
            for key, value in definition.get("properties", {}).items():
                if "number" in value.get("type", ()) and key not in bare:
                    self.assertTrue(key.endswith(units), f"{name}: {key}")

    def test_spoilt_models_are_refused(self):
        document = output(["show", "model", str(MODELS / "latent.json")])
        result = ("results", 0)
        for key in ("parameters", "active_parameters", "layers", "warnings", "layer_groups",
                    "origins"):
            self.assertNotEqual("", problems("output", without(document, *result, key)), key)
        for spoilt in (with_value(document, 1, *result, "colour"),
                       with_value(document, "2,770", *result, "parameters"),
                       with_value(document, "attend", *result, "layer_groups", 0, "mixer"),
                       with_value(document, 0, *result, "layer_groups", 1, "experts"),
                       with_value(document, 1, *result, "layer_groups", 0, "colour"),
                       with_value(document, 1, *result, "origins", 0, "origin")):
            self.assertNotEqual("", problems("output", spoilt))

    def test_spoilt_output_is_refused(self):
        step, matmul = output(STEP), output(MATMUL)
        result = ("results", 0)
        for key in ("gpu", "verdict", "batch", "flop", "weight_bytes", "serial_time_s", "fits",
                    "operators"):
            self.assertNotEqual("", problems("output", without(step, *result, key)), key)
        for document in (without(step, "schema_version"), without(step, "inputs"),
                         with_value(step, 2, "schema_version"), with_value(step, [], "results"),
                         with_value(step, "compare", "command"),
                         with_value(step, "ask", "command"), without(step, "command"),
                         without(step, "inputs", "tp"), with_value(step, 1, "inputs", "by"),
                         with_value(step, None, *result, "fits"),
                         with_value(step, "why", *result, "reason"),
                         with_value(step, ["512x8", "4096x2"], *result, "contexts"),
                         with_value(step, 1, *result, "colour"),
                         with_value(step, "bound", *result, "verdict"),
                         with_value(step, "32", *result, "batch"),
                         with_value(step, None, *result, "flop"),
                         with_value(step, -1, *result, "operators", 0, "flop"),
                         with_value(step, 1, *result, "operators", 0, "colour"),
                         with_value(step, 1, *result, "m"),
                         without(matmul, *result, "k"), with_value(matmul, 1, *result, "batch")):
            self.assertNotEqual("", problems("output", document))

    def test_spoilt_answers_are_refused(self):
        """A key less, a key more, a text for a number: refused in every row of every answer."""
        for arguments in (SHARDED, FIT, FIT + ["--tp", "2"], SERVE, ["serve", "-m", "llama-3-70b"],
                          BOUND, BOUND + ["-c", "512"], ["solve", "concurrency"],
                          ["compare", "-g", "H100,T4"], ["compare", "-g", "H100", *RATE]):
            document = output(arguments)
            definition = DEFINITIONS[document["command"]]
            row = document["results"][0]
            may_miss = {"max_context_tokens", "state_dtype", "improvements", "rate_concurrency",
                        "most_requests_per_s"} | {
                key for key in row
                if key.startswith(("fp8_kv", "batch_at", "price_", "usd_", "kv_tokens", "energy"))}
            if definition == "solve_result":
                may_miss |= {"bound_by", "context_at_which_reached_tokens", "intensity_limits",
                             "memory_usable_bytes"}
            for key, value in row.items():
                with self.subTest(" ".join(arguments), key=key):
                    if key not in may_miss:
                        self.assertNotEqual("", problems("output", without(row, key), definition))
                    spoilt = with_value(row, 1 if isinstance(value, str) else "1,024", key)
                    self.assertNotEqual("", problems("output", spoilt, definition))
            self.assertNotEqual("", problems("output", with_value(row, 1, "colour"), definition))
            for inputs in (with_value(document, 1, "inputs", "colour"),
                           without(document, "inputs", "tp")):
                self.assertNotEqual("", problems("output", inputs))

    def test_spoilt_pictures_are_refused(self):
        """A key less, a key more, a text for a number: in rows and in the tables beside them."""
        definitions = {"results": "plot_result", "roofs": "drawn_roof",
                       "measured": "measured_point", "limits": "curve_limit"}
        measured = ["plot", "-g", "H100", "-b", "1,8", "--measured", "9.1ms,none",
                    "--measured", "gemm=85FLOP/byte@210TFLOP/s", "--ceilings", "fp8"]
        limited = ["H100", "-b", "1,2", "--tpot-limit", "9ms", "--y"]
        spoilt = {table: 0 for table in definitions}
        for arguments in (measured, OVER_BATCH + limited + ["tpot"],
                          OVER_BATCH + limited + ["cost"],
                          OVER_CONTEXT[:-1] + ["-c", "512,1024", "-g", "H100", "--tpot-limit",
                                               "9ms"],
                          ["plot", *ATTENTION[1:], "-g", "L4", "--x", "batch", "-b", "1,2"]):
            document = output(arguments)
            for table, definition in definitions.items():
                for number, row in enumerate(document.get(table, [])):
                    # Of a row without its x, of a limit without its value, the document knows.
                    may_miss = {"usd_per_million_tokens", "batch", "context_tokens", "tpot_s"}
                    if row.get("limit") == "ridge":
                        may_miss.add("model")
                    for key, value in row.items():
                        with self.subTest(" ".join(arguments), at=(table, number, key)):
                            other = with_value(row, 1 if isinstance(value, str) else "1,024", key)
                            self.assertNotEqual("", problems("output", other, definition))
                            if key not in may_miss:
                                self.assertNotEqual(
                                    "", problems("output", without(row, key), definition))
                            spoilt[table] += 1
                    self.assertNotEqual(
                        "", problems("output", with_value(row, 1, "colour"), definition))
                if table in document:
                    self.assertNotEqual("", problems("output", with_value(document, [], table)))
            for key in set(document) - {"measured", "limits"}:
                self.assertNotEqual("", problems("output", without(document, key)), key)
            for inputs in (with_value(document, 1, "inputs", "colour"),
                           without(document, "inputs", "gpu")):
                self.assertNotEqual("", problems("output", inputs))
        self.assertGreater(min(spoilt.values()), 2)

    def test_parts_of_other_pictures_are_refused(self):
        """Roofs belong to rooflines, limits to curves, each limit to its x and y."""
        limited = ["H100", "-b", "1,2", "--tpot-limit", "9ms", "--y"]
        roofs = output(["plot", "-g", "H100", "-b", "1,2"])
        tpot, cost = (output(OVER_BATCH + limited + [y]) for y in ("tpot", "cost"))
        intensity = output(["plot", "--x", "context", "-c", "512,1024", "-g", "H100",
                            "--tpot-limit", "9ms"])
        none = output(OVER_BATCH + ["L4", "-b", "1,2", "--y", "cost", "--tpot-limit", "1us"])
        kernel = output(["plot", *ATTENTION[1:], "-g", "L4", "--x", "batch", "-b", "1,2"])
        self.assertEqual(["memory", "tpot-limit"], [row["limit"] for row in cost["limits"]])
        self.assertEqual("ridge", intensity["limits"][0]["limit"])
        self.assertEqual(0, none["limits"][1]["batch"])
        at = ("limits", 1)
        for document in (
                with_value(roofs, cost["limits"], "limits"),
                with_value(cost, roofs["roofs"], "roofs"),
                with_value(cost, [{"name": "gemm", "intensity_flop_per_byte": 1,
                                   "measured_flop_per_s": 1}], "measured"),
                with_value(roofs, 0.1, "inputs", "tpot_limit_s"),
                with_value(roofs, "batch", "inputs", "x"),
                with_value(cost, "fp8", "inputs", "ceilings"), without(cost, "inputs", "y"),
                without(cost, "inputs", "tpot_limit_s"), without(cost, "inputs", "x"),
                with_value(cost, "time", "inputs", "y"),
                with_value(cost, kernel["results"], "results"),
                with_value(cost, cost["results"][:1], "results"),
                with_value(cost, "speed", *at, "limit"), with_value(cost, 0, *at, "batch"),
                with_value(cost, None, *at, "batch"), with_value(cost, 1.5, *at, "batch"),
                with_value(cost, "why", *at, "reason"), with_value(cost, 0.009, *at, "tpot_s"),
                with_value(cost, 0, *at, "context_tokens"), without(none, *at, "reason"),
                with_value(none, 5, *at, "batch"), with_value(tpot, 5, *at, "batch"),
                with_value(tpot, 300, *at, "ridge_flop_per_byte"),
                with_value(tpot, "cost", "inputs", "y"), without(intensity, "limits"),
                with_value(intensity, 5, "limits", 0, "context_tokens"),
                with_value(intensity, "tpot", "inputs", "y"),
                with_value(intensity, intensity["limits"][1:], "limits"),
                with_value(kernel, "memory", "limits", 0, "limit")):
            with self.subTest(inputs=document["inputs"], limits=document.get("limits")):
                self.assertNotEqual("", problems("output", document))

    def test_inputs_tell_questions_apart(self):
        prefill = ["analyze", "-g", "L4", "-w", "prefill"]
        questions = [STEP, STEP + ["-c", "512"], STEP + ["--kv-dtype", "fp8"],
                     STEP + ["--accumulate", "fp16"], STEP + ["--bandwidth", "1TB/s"], prefill,
                     prefill + ["--no-causal"], MATMUL, MATMUL + ["--m", "1"], ATTENTION,
                     EXPERTS, EXPERTS + ["--experts", "fewest"], EXPERTS + ["--experts", "5"],
                     ATTENTION + ["-b", "2"], ATTENTION + ["--causal"], BARE,
                     BARE + ["--layers", "32"], STEP + ["--tp", "2"],
                     STEP + ["--tp", "2", "--link", "50GB/s"],
                     STEP + ["--tp", "2", "--link-latency", "2us"],
                     STEP + ["--gpu-memory-utilization", "0.8"], STEP + ["-w", "verify"],
                     STEP + ["-w", "verify", "--drafts", "3"], STEP + ["-w", "mixed"],
                     STEP + ["-w", "mixed", "--chunk", "100"],
                     STEP + ["-w", "mixed", "--position", "100"], prefill + ["--cached", "100"],
                     ["analyze", "-g", "H100", "--contexts", "2048x31,100"], *ANSWERS,
                     ["fit", "--memory-overhead", "0"], ["fit", "-b", "220", "--tp", "2"],
                     ["fit", "-m", "mamba-2.8b", "--state-dtype", "bf16"],
                     MOE_SERVE + ["--experts", "fewest"], ["serve", "-g", "RTX-4090"],
                     ["serve", "-g", "RTX-4090", "--accumulate", "fp16"],
                     ["serve", "-g", "RTX-4090", "--block-size", "32"],
                     ["solve", "devices", "-m", "mixtral-8x7b", "--experts", "fewest"],
                     ["compare", "-g", "H100,L4", "-m", "mixtral-8x7b", "--tp", "4"],
                     # What was measured is in the results, --mark in pictures alone.
                     *(question for question in PLOTS
                       if "--measured" not in question and "--mark" not in question)]
        seen = {}
        for question in questions:
            document, words = output(question), " ".join(question)
            inputs = document["command"] + json.dumps(document["inputs"])
            with self.subTest(words):
                self.assertEqual(words, seen.setdefault(inputs, words))

    def test_lists_are_complete(self):
        for what in ("devices", "models", "formats"):
            names = [load(file)["name"] for file in (SOURCE / "data" / what).glob("*.json")]
            listed = [row["name"] for row in output(["list", what])["results"]]
            self.assertEqual(sorted(names, key=str.lower), sorted(listed, key=str.lower))
            self.assertEqual(len(names), len(set(listed)))


class Explain(unittest.TestCase):
    NAMED = {"intensity": "intensity_flop_per_byte", "ridge": "ridge_flop_per_byte",
             "achievable": "achievable_flop_per_s", "compute time": "compute_time_s",
             "memory time": "memory_time_s", "roofline time": "roofline_time_s",
             "serial time": "serial_time_s", "throughput": "throughput_tok_per_s",
             "bytes": "bytes", "FLOP": "flop", "FLOP of the step": "flop",
             "weights of the step": "weight_bytes", "K/V of the step": "kv_bytes",
             "state of the step": "state_bytes", "distinct experts, D": "distinct_experts",
             "network time": "network_time_s", "network latency": "network_latency_s"}

    def test_every_formula_gives_the_figure(self):
        for arguments in QUESTIONS:
            with self.subTest(" ".join(arguments)):
                for row in output(arguments + ["--explain"])["results"]:
                    steps = row["derivation"]
                    self.assertGreater(len(steps), 7)
                    for step in steps:
                        value = eval(step["numbers"], {"__builtins__": {}, "min": min, "max": max})
                        self.assertTrue(math.isclose(value, step["value"], rel_tol=1e-12), step)
                        if step["quantity"] in self.NAMED:
                            # D is of all devices that experts are spread over, the row of one.
                            shared = row["ep"] if step["quantity"].endswith(", D") else 1
                            figure = row[self.NAMED[step["quantity"]]]
                            self.assertTrue(close(shared * figure, step["value"]), step)
                    self.assertLess({"intensity", "ridge", "roofline time"},
                                    {step["quantity"] for step in steps})

    def test_links_are_derived(self):
        """Where several devices share a model, what crosses their links and how long it takes."""
        derived = 0
        for arguments in QUESTIONS:
            for row in output(arguments + ["--explain"])["results"]:
                steps = {step["quantity"]: step["value"] for step in row["derivation"]}
                crossing = [value for name, value in steps.items() if name.startswith("network: ")]
                if row.get("network_bytes", 0) == 0:
                    self.assertEqual([], crossing)
                    continue
                derived += 1
                with self.subTest(" ".join(arguments)):
                    self.assertTrue(close(sum(crossing), row["network_bytes"]), steps)
                    self.assertIn("network time", steps)
                    self.assertEqual(row["network_latency_s"] > 0, "network latency" in steps)
        self.assertGreater(derived, 20)


class Steps(unittest.TestCase):
    def test_totals_and_verdicts_follow(self):
        """What of a row follows from the rest of it."""
        verdicts = set()
        for arguments in QUESTIONS:
            for row in output(arguments)["results"]:
                compute, memory = row["compute_time_s"], row["memory_time_s"]
                network = row.get("network_time_s", 0)
                intensity, ridge = row["intensity_flop_per_byte"], row["ridge_flop_per_byte"]
                verdict = "compute-bound" if intensity >= ridge else "memory-bound"
                if network > max(compute, memory):
                    verdict = "network-bound"
                verdicts.add(verdict)
                with self.subTest(" ".join(arguments), gpu=row["gpu"], workload=row["workload"]):
                    self.assertEqual(verdict, row["verdict"])
                    self.assertEqual(max(compute, memory, network), row["roofline_time_s"])
                    self.assertTrue(close(row["flop"] / row["bytes"], intensity))
                    self.assertTrue(close(row["flop"] / row["roofline_time_s"],
                                          row["achievable_flop_per_s"]))
                    if "operators" in row:
                        self.check_step(row)
        self.assertEqual({"compute-bound", "memory-bound", "network-bound"}, verdicts)

    def check_step(self, row):
        self.assertTrue(close(row["weight_bytes"] + row["kv_bytes"] + row["state_bytes"],
                              row["bytes"]))
        devices = row["tp"] * row["pp"] * row["dp"]
        self.assertEqual(devices > 1, row["network_bytes"] > 0 or row["ep"] == 1 and
                         row["tp"] == row["pp"] == 1 and row["dp"] > 1)
        for key in ("flop", "weight_bytes", "kv_bytes", "state_bytes"):
            total = sum(operator[key] for operator in row["operators"])
            self.assertTrue(math.isclose(total, row[key], rel_tol=1e-9), key)
        serial = sum(operator["serial_time_s"] for operator in row["operators"])
        self.assertTrue(math.isclose(
            serial + row["network_time_s"] + row["network_latency_s"], row["serial_time_s"],
            rel_tol=1e-9))
        if row["fits"] is not None:
            self.assertEqual(row["memory_needed_bytes"] <= row["memory_usable_bytes"], row["fits"])

    def test_improvements_follow(self):
        for arguments in QUESTIONS:
            for row in output(arguments)["results"]:
                found = row.get("improvements", [])
                speedups = [one["speedup"] for one in found]
                with self.subTest(" ".join(arguments)):
                    self.assertEqual(sorted(speedups, reverse=True), speedups)
                    self.assertEqual("model" in row and len(output(arguments)["results"]) == 1,
                                     found != [])
                    for one in found:
                        tokens = 2 if one["change"] == "twice-the-batch" else 1
                        if row["workload"] == "mixed":  # its chunk stays
                            continue
                        self.assertTrue(close(
                            tokens * row["roofline_time_s"] / one["roofline_time_s"],
                            one["speedup"]), one)
                        self.assertEqual(row["fits"] is None, "fits" not in one)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
