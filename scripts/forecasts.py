"""Runs stepcast for the scripts beside this file and reads its JSON."""
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PROGRAM = os.environ.get("STEPCAST", str(ROOT / "build/release/bin/stepcast"))


def json_of(program, command, *arguments, settings=()):
    """What `stepcast COMMAND ARGUMENTS --set KEY=VALUE...` prints with --json. Its errors end the script."""
    line = [program, command, *map(str, arguments), "--json"]
    for key, value in dict(settings).items():
        line += ["--set", f"{key}={value}"]
    own_data = {"STEPCAST_DATA": str(ROOT)} if (ROOT / "configs").is_dir() else {}
    done = subprocess.run(line, capture_output=True, text=True, env={**own_data, **os.environ})
    if done.returncode != 0:
        sys.exit(f"{' '.join(line)}\n{done.stderr.strip()}")
    return json.loads(done.stdout)
