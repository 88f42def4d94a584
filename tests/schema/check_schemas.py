"""Checks data and real output against data/schema, and the output formats against each other.

usage: check_schemas.py PROGRAM SOURCE_DIR
"""
import copy
import csv
import functools
import io
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import warnings

try:
    import jsonschema
except ImportError:
    sys.exit("error: Python's jsonschema is missing: apt-get install python3-jsonschema")

PROGRAM, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
SCHEMAS = SOURCE / "data/schema"
FILES = SOURCE / "tests/cli/files"
MODELS = FILES / "models"
ABSENT = object()

STEP = ["analyze", "-g", "H100", "-b", "32"]
TABLE = ["analyze", "-g", "H100,T4", "-b", "1,8", "-m", "gpt2,llama-3.1-8b", "-c", "512"]
MATMUL = ["analyze", "-w", "matmul", "--m", "1024", "--k", "4096", "--n", "11008"]
ATTENTION = ["analyze", "-w", "attention", "--heads", "32", "--kv-heads", "8", "--head-dim", "128",
             "--seq-q", "512", "--seq-k", "2048"]
BARE = ["analyze", "--params", "7e9", "--kv-heads", "8", "--head-dim", "128", "-b", "32"]
EXPERTS = ["analyze", "-g", "H100", "-m", "mixtral-8x7b", "-b", "3"]
QUESTIONS = [
    ["analyze"], STEP, TABLE, MATMUL, ATTENTION, ATTENTION + ["--causal"], BARE,
    BARE + ["--layers", "32"],
    STEP + ["--price", "2.49", "--peak", "bf16=989TFLOP/s", "--memory", "40GB"],
    STEP + ["--weight-dtype", "fp8", "--act-dtype", "fp8", "--kv-dtype", "fp8"],
    ["analyze", "-g", "L4", "-w", "prefill", "-c", "4096"],
    ["analyze", "-g", "L4", "-w", "prefill", "-c", "4096", "--no-causal"],
    ["analyze", "-g", "L4", "-m", "gemma-2-2b", "-c", "8192"],
    ["analyze", "-g", "L4", "-m", "gemma-2-2b", "-w", "prefill", "-c", "8192"],
    ["analyze", "-g", "L4", "-m", "mistral-7b-v0.1", "-w", "prefill", "-c", "8192"],
    ["analyze", "-g", "RTX-4090", "--weight-dtype", "q4-k"],
    ["analyze", "-g", "L4", "-m", "qwen2.5-7b-instruct-awq", "-b", "4"],
    ["analyze", "-g", str(FILES / "my-gpu.json"), "-m", "gpt2", "-c", "128"],
    ["analyze", "--spec", "textbook"], ["analyze", "--spec", str(FILES / "spec.json")],
    EXPERTS, EXPERTS + ["--experts", "fewest"], EXPERTS + ["--experts", "5"],
    ["analyze", "-g", "H100", "-m", "mixtral-8x7b,llama-3.1-8b", "-b", "1,4"],
    ["analyze", "-g", "H100", "-m", "deepseek-v3", "-b", "32"],
    ["analyze", "-g", "H100", "-m", "deepseek-v2", "-w", "prefill", "-c", "4096", "-b", "2"],
    ["analyze", "-g", "H100", "-m", "gpt-oss-20b", "-c", "8192"],
    ["analyze", "-g", "H100", "-m", "gpt-oss-20b", "-w", "prefill", "-c", "8192"],
    ["analyze", "-g", "H100", "-m", "llama-4-scout", "-c", "20000"],
    ["analyze", "-g", "H100", "-m", "llama-4-scout", "-w", "prefill", "-c", "20000"],
    ["analyze", "-g", "H100", "-m", "llama-4-scout", "-w", "prefill", "-c", "20000", "--no-causal"],
    ["analyze", "-g", "L4", "-m", "gemma-3n-e4b", "-b", "2"],
    ["analyze", "-g", "L4", "-m", "gemma-3n-e4b", "-w", "prefill"],
    ["analyze", "-g", "L4", "-m", "mamba-2.8b", "-b", "4"],
    ["analyze", "-g", "L4", "-m", "mamba-2.8b", "-w", "prefill"],
    ["analyze", "-g", "H100", "-m", "qwen3-next-80b-a3b,minimax-m1,jamba-1.5-large", "-b", "4"],
    ["analyze", "-g", "H100", "-m", "qwen3-next-80b-a3b", "-w", "prefill", "-c", "1000"],
    ["analyze", "-g", "H100", "-m", "minimax-m1", "-w", "prefill", "-c", "1000"],
    ["analyze", "-g", "H100", "-m", "nemotron-3-nano-30b-a3b", "-w", "prefill", "-c", "1000"],
    ["analyze", "-g", "L4", "-m", f"{MODELS / 'tiny.gguf'},{MODELS / 'sharded'}", "-c", "64"],
]
DEFINITIONS = {"analyze": "analyze_result", "list devices": "device_summary",
               "list models": "model_summary", "list formats": "format_summary",
               "show device": "device_details", "show model": "model_details"}
LISTS = [["list", "devices"], ["list", "models"], ["list", "formats"]]
SHOWS = [["show", "device", "H100"], ["show", "device", str(FILES / "my-gpu.json")],
         ["show", "model", "llama-3.1-8b"], ["show", "model", "gemma-2-2b"],
         ["show", "model", str(FILES / "llama/config.json")]] + [
             ["show", "model", name] for name in (
                 "mixtral-8x7b", "deepseek-v3", "llama-4-scout", "gemma-3n-e2b", "mamba-2.8b",
                 "qwen3-next-80b-a3b", "minimax-m1", "jamba-1.5-large", "nemotron-h-56b",
                 "granite-4.0-h-small", "gpt-oss-20b", "arctic-480b", "falcon-40b",
                 *(str(MODELS / file) for file in ("sharded", "modelopt", "tiny.gguf",
                                                   "nested.json", "latent.json")))]


def roofline(arguments, form):
    done = subprocess.run([PROGRAM, *arguments, "-f", form], capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        raise AssertionError(f"roofline {' '.join(arguments)}: {done.stderr}")
    return done.stdout


def output(arguments):
    return json.loads(roofline(arguments, "json"))


def load(path):
    return json.loads(path.read_text())


def problems(name, document, definition=None):
    """What is wrong with `document` by data/schema/NAME.schema.json, or by one of its $defs."""
    path = SCHEMAS / f"{name}.schema.json"
    schema = load(path)
    if definition is not None:
        schema = {"$ref": f"#/$defs/{definition}", "$defs": schema["$defs"]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        resolver = jsonschema.RefResolver(path.as_uri(), schema)
        validator = jsonschema.Draft202012Validator(schema, resolver=resolver)
        error = jsonschema.exceptions.best_match(validator.iter_errors(document))
    return "" if error is None else f"{'/'.join(map(str, error.absolute_path))}: {error.message}"


def refused_by_program(command, document):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(document, file)
        file.flush()
        done = subprocess.run([PROGRAM, *command, file.name], capture_output=True, check=False)
    return done.returncode == 2 and done.stdout == b""


def with_value(document, value, *path):
    document = copy.deepcopy(document)
    *outer, last = path
    inner = functools.reduce(lambda part, key: part[key], outer, document)
    inner[last] = value
    if value is ABSENT:
        del inner[last]
    return document


def without(document, *path):
    return with_value(document, ABSENT, *path)


def scalars(row):
    """What CSV has of a JSON row: tables that belong to it have no place there."""
    tables = ("operators", "derivation", "figures", "prices", "sources", "layer_groups",
              "origins")
    return {key: value for key, value in row.items() if key not in tables}


def csv_text(value):
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return "; ".join(value) if isinstance(value, list) else value


def shows(text, value):
    """True if `text`, with thousands commas, is `value` rounded to as many decimals."""
    decimals = len(text.partition(".")[2])
    return math.isclose(float(text.replace(",", "")), value, rel_tol=1e-9,
                        abs_tol=0.5000001 * 10 ** -decimals)


PREFIXES = {"Gi": 2**30, "n": 1e-9, "u": 1e-6, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}
# The key behind a column's header without prefix, and its unit.
COLUMNS = {
    "gpu": "gpu", "model": "model", "workload": "workload", "batch": "batch",
    "context": "context_tokens", "FLOP/byte": "intensity_flop_per_byte",
    "ridge": "ridge_flop_per_byte", "FLOP/s": "achievable_flop_per_s",
    "roofline s": "roofline_time_s", "tok/s": "throughput_tok_per_s", "fits": "fits",
    "per 1M tok USD": "usd_per_million_tokens", "operator": "operator", "layers": "layers",
    "FLOP": "flop", "weights B": "weight_bytes", "K/V B": "kv_bytes", "state B": "state_bytes",
    "act. B": "activation_bytes",
    "time s": "serial_time_s", "bound": "bound", "name": "name", "B/s": "bandwidth_bytes_per_s",
    "memory B": "memory_capacity_bytes", "family": "family", "format": "number_format",
    "bits": "bits", "multiplied as": "element", "covers": "covers",
    "description": "description",
}
RENAMED = {  # in one of the lists
    "list devices": {"FLOP/s": "peak_16bit_flop_per_s", "ridge": "ridge_16bit_flop_per_byte"},
    "list models": {"params": "parameters", "active": "active_parameters",
                    "K/V B": "kv_bytes_per_token", "context": "max_context_tokens"},
}
FOLLOWING = {"share %", "or"}  # from other columns


def markdown_tables(text):
    tables = []
    for block in re.findall(r"(?:^\|.*\n)+", text, re.M):
        rows = [[re.sub(r"\\(.)", r"\1", cell.strip()) for cell in line[1:-2].split(" | ")]
                for line in block.replace("|\n", " |\n").splitlines() if not line.startswith("|--")]
        tables.append(rows)
    return tables


def text_tables(text):
    """Tables of two columns or more that are at least two blanks apart."""
    tables = []
    for block in text.split("\n\n"):
        rows = [re.split(r" {2,}", line.strip()) for line in block.splitlines()]
        if len(rows) > 1 and len(rows[0]) > 2 and len({len(row) for row in rows}) == 1:
            tables.append(rows)
    return tables


class Data(unittest.TestCase):
    def test_every_file_fits_its_schema(self):
        for folder, name in (("devices", "device"), ("models", "model"), ("formats", "format"),
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
        self.assertEqual("", problems("spec", load(FILES / "spec.json")))
        text = subprocess.run([PROGRAM, "help", "data"], capture_output=True, text=True,
                              check=True).stdout
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
        spec = load(FILES / "spec.json")
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
                ("spec", run_spec, with_value(spec, "verify", "workloads", 0, "workload")),
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
        text = subprocess.run([PROGRAM, "help", "models"], capture_output=True, text=True,
                              check=True).stdout
        families = text.partition("Families (model_type):")[2].split()
        self.assertEqual(families, load(SCHEMAS / "model.schema.json")["$defs"]["family"]["enum"])

    def test_bad_formats_are_refused(self):
        form = load(SOURCE / "data/formats/q4-k.json")
        for document in (without(form, "bits"), with_value(form, 0, "bits"),
                         with_value(form, 65, "bits"), with_value(form, "int3", "element"),
                         with_value(form, "some", "covers"), with_value(form, 1, "colour")):
            self.assertNotEqual("", problems("format", document), document)
            with tempfile.TemporaryDirectory() as data:
                (pathlib.Path(data) / "formats").mkdir()
                (pathlib.Path(data) / "formats/bad.json").write_text(json.dumps(document))
                self.assertTrue(refused_by_program(
                    ["analyze", "--data", data, "--weight-dtype", "bad", "-g"], {}))


class Output(unittest.TestCase):
    def test_json_and_jsonl_fit(self):
        for arguments in QUESTIONS + LISTS + SHOWS:
            with self.subTest(" ".join(arguments)):
                document = output(arguments)
                definition = DEFINITIONS[document["command"]]
                lines = [json.loads(line) for line in roofline(arguments, "jsonl").splitlines()]
                self.assertEqual(document["results"], lines)
                for line in lines:
                    self.assertEqual("", problems("output", line, definition))
                self.assertEqual("", problems("output", document))

    def test_keys_carry_units(self):
        self.assertEqual(["schema_version", "command"], list(output(STEP))[:2])
        units = ("_s", "_bytes", "_flop", "_flop_per_s", "_bytes_per_s", "_flop_per_byte",
                 "_tok_per_s", "_bytes_per_token", "_bytes_per_sequence", "_w",
                 "usd_per_million_tokens", "usd_per_hour")
        bare = {"flop", "bytes", "bits", "value", "distinct_experts"}
        for name, definition in load(SCHEMAS / "output.schema.json")["$defs"].items():
            for key, value in definition.get("properties", {}).items():
                if value.get("type") == "number" and key not in bare:
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
                         with_value(step, 1, *result, "colour"),
                         with_value(step, "bound", *result, "verdict"),
                         with_value(step, "32", *result, "batch"),
                         with_value(step, None, *result, "flop"),
                         with_value(step, -1, *result, "operators", 0, "flop"),
                         with_value(step, 1, *result, "operators", 0, "colour"),
                         with_value(step, 1, *result, "m"),
                         without(matmul, *result, "k"), with_value(matmul, 1, *result, "batch")):
            self.assertNotEqual("", problems("output", document))

    def test_inputs_tell_questions_apart(self):
        prefill = ["analyze", "-g", "L4", "-w", "prefill"]
        questions = [STEP, STEP + ["-c", "512"], STEP + ["--kv-dtype", "fp8"],
                     STEP + ["--accumulate", "fp16"], STEP + ["--bandwidth", "1TB/s"], prefill,
                     prefill + ["--no-causal"], MATMUL, MATMUL + ["--m", "1"], ATTENTION,
                     EXPERTS, EXPERTS + ["--experts", "fewest"], EXPERTS + ["--experts", "5"],
                     ATTENTION + ["-b", "2"], ATTENTION + ["--causal"], BARE,
                     BARE + ["--layers", "32"]]
        seen = {}
        for question in questions:
            inputs, words = json.dumps(output(question)["inputs"]), " ".join(question)
            with self.subTest(words):
                self.assertEqual(words, seen.setdefault(inputs, words))

    def test_lists_are_complete(self):
        for what in ("devices", "models", "formats"):
            names = [load(file)["name"] for file in (SOURCE / "data" / what).glob("*.json")]
            listed = [row["name"] for row in output(["list", what])["results"]]
            self.assertEqual(sorted(names, key=str.lower), sorted(listed, key=str.lower))
            self.assertEqual(len(names), len(set(listed)))


class Formats(unittest.TestCase):
    def test_csv_says_what_json_says(self):
        for arguments in QUESTIONS + LISTS + SHOWS:
            with self.subTest(" ".join(arguments)):
                rows = [scalars(row) for row in output(arguments)["results"]]
                reader = csv.DictReader(io.StringIO(roofline(arguments, "csv")))
                lines = list(reader)
                self.assertEqual(len(rows), len(lines))
                self.assertEqual(set().union(*rows) - set(reader.fieldnames), set())
                for row, line in zip(rows, lines):
                    self.assertEqual([key for key in reader.fieldnames if key in row], list(row))
                    for key in reader.fieldnames:
                        wanted = csv_text(row.get(key))
                        if isinstance(wanted, str):
                            self.assertEqual(wanted, line[key], key)
                        else:
                            self.assertEqual(wanted, float(line[key]), key)

    def compare_table(self, command, table, rows):
        header, *lines = table
        self.assertEqual(len(rows), len(lines))
        compared = 0
        for column, title in enumerate(header):
            if title in FOLLOWING:
                continue
            scale = 1
            match = re.fullmatch(r"(.* )?([numkMGTP]|Gi)(B|s|FLOP|FLOP/s|B/s|)", title)
            if match and title not in COLUMNS:
                scale = PREFIXES[match[2]]
                title = ((match[1] or "") + match[3]).strip()
            key = RENAMED.get(command, {}).get(title) or COLUMNS[title]
            for row, line in zip(rows, lines):
                value, cell = row.get(key), line[column]
                if title == "bound" and "verdict" in row:
                    value = row["verdict"].removesuffix("-bound")
                if key == "fits" and key in row:
                    wanted = {True: "yes", False: "no:", None: "not known"}[value]
                    self.assertTrue(cell.startswith(wanted), (key, cell))
                elif isinstance(value, bool):
                    self.assertEqual("yes" if value else "no", cell, key)
                elif value in (None, "", 0):
                    self.assertEqual("-", cell, key)
                elif isinstance(value, str):
                    self.assertEqual(value, cell, key)
                else:
                    self.assertTrue(shows(cell, value / scale), f"{key}: {cell}, {value}")
                compared += 1
        self.assertGreater(compared, 3 * len(rows))

    def test_text_and_markdown_tables_say_what_json_says(self):
        for arguments in QUESTIONS + LISTS:
            document = output(arguments)
            rows = document["results"]
            if document["command"] == "analyze" and len(rows) == 1:
                if "operators" not in rows[0]:
                    continue
                rows = rows[0]["operators"]
            for form, tables in (("text", text_tables), ("markdown", markdown_tables)):
                with self.subTest(" ".join(arguments), form=form):
                    found = [table for table in tables(roofline(arguments, form))
                             if table[0][0] in COLUMNS]
                    self.assertEqual(1, len(found))
                    self.compare_table(document["command"], found[0], rows)

    def test_facts_say_what_json_says(self):
        for arguments in (STEP, STEP + ["--price", "2.49"], ["analyze", "-g", "T4"]):
            row = output(arguments)["results"][0]
            text = roofline(arguments, "text")
            markdown = re.sub(r"^- (.*?): ", r"\1  ", roofline(arguments, "markdown"), flags=re.M)
            scales = {"": 1, **PREFIXES}
            used, usable = row["memory_needed_bytes"], row["memory_usable_bytes"]
            for pattern, *values in (
                    (rf"^verdict +{row['verdict']},? +([\d.,]+) FLOP/byte, ridge ([\d.,]+):()",
                     row["intensity_flop_per_byte"], row["ridge_flop_per_byte"]),
                    (r"^roofline time +([\d.,]+) (.?)s", row["roofline_time_s"]),
                    (r"^serial time +([\d.,]+) (.?)s", row["serial_time_s"]),
                    (r"^achievable +([\d.,]+) (.?)FLOP/s", row["achievable_flop_per_s"]),
                    (r"^throughput +([\d.,]+)() tok/s", row["throughput_tok_per_s"]),
                    (r"^memory +" + ("fits" if row["fits"] else "does not fit") +
                     r",? +([\d.,]+) (.)B of ", used),
                    (r"^memory .* of ([\d.,]+) (.)B usable", usable)):
                for form in (text, markdown):
                    match = re.search(pattern, form, re.M)
                    self.assertIsNotNone(match, pattern + "\n" + form)
                    *numbers, prefix = match.groups()
                    for number, value in zip(numbers, values):
                        self.assertTrue(shows(number, value / scales[prefix]), (pattern, number))


class Explain(unittest.TestCase):
    NAMED = {"intensity": "intensity_flop_per_byte", "ridge": "ridge_flop_per_byte",
             "achievable": "achievable_flop_per_s", "compute time": "compute_time_s",
             "memory time": "memory_time_s", "roofline time": "roofline_time_s",
             "serial time": "serial_time_s", "throughput": "throughput_tok_per_s",
             "bytes": "bytes", "FLOP": "flop", "FLOP of the step": "flop",
             "weights of the step": "weight_bytes", "K/V of the step": "kv_bytes",
             "state of the step": "state_bytes", "distinct experts, D": "distinct_experts"}

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
                            self.assertEqual(row[self.NAMED[step["quantity"]]], step["value"])
                    self.assertLess({"intensity", "ridge", "roofline time"},
                                    {step["quantity"] for step in steps})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
