"""What the scripts share: their arguments, files of JSON, and runs of stepcast."""
import argparse
import csv
import json
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("STEPCAST", str(ROOT / "build/release/bin/stepcast"))
ENVIRONMENT = {**os.environ, "STEPCAST_DATA": str(ROOT)}  # A run with the data of this tree, whatever the user has set.


def stop(text):
    """Ends the script with one line on stderr and status 2, as stepcast ends on bad input."""
    print(f"{pathlib.Path(sys.argv[0]).name}: {' '.join(text.split())}", file=sys.stderr)
    sys.exit(2)


def progress(text):
    """Shows on a terminal what runs now."""
    if sys.stderr.isatty():
        print(f"{pathlib.Path(sys.argv[0]).name}: {text}", file=sys.stderr, flush=True)


class Parser(argparse.ArgumentParser):
    """A parser that shows its description as it is written and refuses wrong arguments in one line."""

    def __init__(self, **settings):
        super().__init__(formatter_class=argparse.RawDescriptionHelpFormatter, **settings)

    def error(self, message):
        stop(f"{message}; see {self.prog} --help")


def with_program(parser):
    """Adds --program, the same in all scripts that run stepcast."""
    parser.add_argument("--program", default=PROGRAM, metavar="STEPCAST",
                        help="stepcast to run; default: $STEPCAST, or build/release/bin/stepcast")
    return parser


def parsed(parser):
    """The arguments; a program that does not exist ends the script."""
    options = parser.parse_args()
    if "program" in options and not shutil.which(options.program):
        stop(f"{options.program}: no such program; build it (scripts/run) or name it with --program")
    return options


def main_of(description, choices):
    """Runs the one of `choices` that the first argument names, and ends with the status that it returns.

    `choices` are modules by name. The first line of a module's text is its help. `main(options)` runs it. A module may have
    `add_arguments(parser)`; it takes --program unless it has RUNS_STEPCAST = False."""
    parser = Parser(description=description)
    commands = parser.add_subparsers(dest="command", required=True, title="choices", metavar="NAME")
    for name, module in choices.items():
        command = commands.add_parser(name, help=module.__doc__.split("\n")[0], description=module.__doc__)
        if getattr(module, "RUNS_STEPCAST", True):
            with_program(command)
        getattr(module, "add_arguments", lambda parser: None)(command)
    options = parsed(parser)
    sys.exit(choices[options.command].main(options))


def json_in(path):
    """What a JSON file holds; a file that is missing or holds something else ends the script."""
    try:
        return json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        stop(f"{path}: {getattr(error, 'strerror', None) or error}")


def rows_in(path):
    """The rows of a CSV file whose comments begin with "#"."""
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def answer_of(program, *words):
    """What `stepcast WORDS --json` prints, and None; or None and the line in which it refuses. Another end ends the script."""
    line = [program, *map(str, words), "--json"]
    progress(" ".join(line[1:]))
    try:
        done = subprocess.run(line, capture_output=True, text=True, env={"STEPCAST_DATA": str(ROOT), **os.environ}, check=False)
        if done.returncode == 2:
            return None, done.stderr.strip() or "ended with status 2"
        if done.returncode != 0:
            reason = [f"ended with status {done.returncode}", *done.stderr.strip().splitlines()][-1]  # progress comes before it
            stop(f"{' '.join(line)}: {reason}")
        return json.loads(done.stdout), None
    except (OSError, ValueError) as error:
        stop(f"{' '.join(line)}: {error}")


def json_of(program, *words, settings=()):
    """What `stepcast WORDS --set KEY=VALUE...` prints with --json. Its errors end the script."""
    words = [*words, *(word for key, value in dict(settings).items() for word in ("--set", f"{key}={value}"))]
    found, refusal = answer_of(program, *words)
    if refusal:
        stop(f"{program} {' '.join(map(str, words))}: {refusal.splitlines()[-1]}")
    return found
