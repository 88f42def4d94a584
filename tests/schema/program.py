"""Runs the program and validates its JSON by data/schema: what the checks of this folder share.

The checks are called with PROGRAM SOURCE_DIR.
"""
import copy
import functools
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import warnings

try:
    import jsonschema
except ImportError:
    sys.exit("error: Python's jsonschema is missing: apt-get install python3-jsonschema")

PROGRAM, SOURCE = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
SCHEMAS = SOURCE / "data/schema"
FILES = SOURCE / "tests/cli/files"
MODELS = FILES / "models"
STEPS = SOURCE / "tests/schema/steps.json"
ABSENT = object()
MY_GPU = str(FILES / "my-gpu.json")  # without capacity, link, price and TDP


PREFIXES = {"Gi": 2**30, "n": 1e-9, "u": 1e-6, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12,
            "P": 1e15, "E": 1e18}


def run(arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False)


@functools.lru_cache(maxsize=None)
def answered(arguments, form):
    """Exit code and standard output of an answer, be it no."""
    done = run([*arguments, "-f", form])
    if done.returncode not in (0, 1):
        raise AssertionError(f"roofline {' '.join(arguments)}: {done.stderr}")
    return done.returncode, done.stdout


def roofline(arguments, form):
    return answered(tuple(arguments), form)[1]


def output(arguments):
    return json.loads(roofline(arguments, "json"))


def result(arguments):
    """The only row of an answer."""
    rows = output(arguments)["results"]
    if len(rows) != 1:
        raise AssertionError(f"roofline {' '.join(arguments)}: {len(rows)} rows")
    return rows[0]


def rows_of(arguments):
    """All rows of an answer; sweep has lines alone."""
    if arguments[0] == "sweep":
        return [json.loads(line) for line in roofline(arguments, "jsonl").splitlines()]
    return output(arguments)["results"]


def load(path):
    return json.loads(path.read_text())


@functools.lru_cache(maxsize=None)
def validator(name, definition):
    path = SCHEMAS / f"{name}.schema.json"
    schema = load(path)
    if definition is not None:
        schema = {"$ref": f"#/$defs/{definition}", "$defs": schema["$defs"]}
    jsonschema.Draft202012Validator.check_schema(schema)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        resolver = jsonschema.RefResolver(path.as_uri(), schema)
        return jsonschema.Draft202012Validator(schema, resolver=resolver)


def problems(name, document, definition=None):
    """What is wrong with `document` by data/schema/NAME.schema.json, or by one of its $defs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        error = jsonschema.exceptions.best_match(
            validator(name, definition).iter_errors(document))
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


def shows(text, value):
    """True if `text`, with thousands commas, is `value` rounded to as many decimals."""
    decimals = len(text.partition(".")[2])
    return math.isclose(float(text.replace(",", "")), value, rel_tol=1e-9,
                        abs_tol=0.5000001 * 10 ** -decimals)


def close(one, other):
    """Equal but for the order of additions."""
    return math.isclose(one, other, rel_tol=1e-12)
