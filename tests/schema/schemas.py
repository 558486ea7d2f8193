"""What the tests of the JSON Schemas share: the program's schemas, and whether a document fits them."""
import copy
import functools
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).parents[2]

try:
    import jsonschema
except ImportError:
    print("skipped: python3-jsonschema is missing (scripts/setup --test installs it)")
    sys.exit(77)


def run(*arguments):
    """The ended process of `stepcast ARGUMENTS...`; the test's first argument is the program."""
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=False)


def load(path):
    return json.loads((ROOT / path).read_text(encoding="utf-8"))


@functools.cache
def validator(name):
    printed = run("schema", name)
    assert printed.returncode == 0, printed.stderr
    schema = json.loads(printed.stdout)
    jsonschema.Draft7Validator.check_schema(schema)
    return jsonschema.Draft7Validator(schema)


def faults(name, document):
    """What the schema says against a document, a line each; none if it fits."""
    return [f"{'/'.join(map(str, error.path))}: {error.message[:200]}" for error in validator(name).iter_errors(document)]


def merged(document, patch):
    """The document after a JSON merge patch (RFC 7396)."""
    if not isinstance(patch, dict):
        return copy.deepcopy(patch)
    result = copy.deepcopy(document) if isinstance(document, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merged(result.get(key), value)
    return result


def changed(document, pointer, value):
    """The document with another value where a JSON pointer (RFC 6901) leads."""
    result = copy.deepcopy(document)
    *steps, last = [int(step) if step.isdigit() else step for step in pointer.split("/")[1:]]
    holder = functools.reduce(lambda place, step: place[step], steps, result)
    holder[last] = value
    return result


if len(sys.argv) < 2:
    sys.exit(f"usage: {sys.argv[0]} PROGRAM")
PROGRAM = sys.argv.pop(1)
