"""Runs stepcast for the scripts beside this file and reads its JSON."""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PROGRAM = os.environ.get("STEPCAST", str(ROOT / "build/release/bin/stepcast"))


def stop(text):
    """Ends the script with one line on stderr and status 2, as stepcast ends on bad input."""
    print(f"{pathlib.Path(sys.argv[0]).name}: {' '.join(text.split())}", file=sys.stderr)
    sys.exit(2)


def parser_of(description):
    """A parser that shows `description` as it is written."""
    return argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)


def with_program(parser):
    """Adds --program, the same in all scripts that run stepcast."""
    parser.add_argument("--program", default=PROGRAM, metavar="STEPCAST",
                        help="stepcast to run; default: $STEPCAST, or build/release/bin/stepcast")
    return parser


def parsed(parser):
    """The arguments; a program that is not there ends the script."""
    options = parser.parse_args()
    if not shutil.which(options.program):
        stop(f"{options.program}: no such program; build it (scripts/run) or name it with --program")
    return options


def json_in(path):
    """What a JSON file holds; a file that is not there or holds something else ends the script."""
    try:
        return json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        stop(f"{path}: {getattr(error, 'strerror', None) or error}")


def json_of(program, command, *arguments, settings=()):
    """What `stepcast COMMAND ARGUMENTS --set KEY=VALUE...` prints with --json. Its errors end the script."""
    line = [program, command, *map(str, arguments), "--json"]
    for key, value in dict(settings).items():
        line += ["--set", f"{key}={value}"]
    own_data = {"STEPCAST_DATA": str(ROOT)} if (ROOT / "configs").is_dir() else {}
    try:
        done = subprocess.run(line, capture_output=True, text=True, env={**own_data, **os.environ})
        if done.returncode != 0:
            reason = [f'ended with status {done.returncode}', *done.stderr.strip().splitlines()][-1]  # progress comes before it
            stop(f"{' '.join(line)}: {reason}")
        return json.loads(done.stdout)
    except (OSError, ValueError) as error:
        stop(f"{' '.join(line)}: {error}")
