#!/usr/bin/env python3
"""scripts/probe with a stand-in for stepcast-probe: what fails is not the end, and shows."""

import pathlib
import subprocess
import sys
import tempfile

SCRIPT = pathlib.Path(sys.argv[1])
SCHEDULES = ("wfbp", "ddp", "dear")
WORKLOADS = ("resnet50-rtx2080ti-bs64", "bert-base-rtx2080ti-bs64")


def stand_in(folder, body):
    program = folder / "bin" / "stepcast-probe"
    program.parent.mkdir(exist_ok=True)
    program.write_text(f"#!/bin/sh\n{body}\n")
    program.chmod(0o755)


def run(folder):
    """Paths are relative to where the user stands."""
    arguments = ["--bin", "bin", "--plans", "plans", "--output", "results"]
    return subprocess.run([SCRIPT, *arguments], cwd=folder, capture_output=True).returncode


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    (folder / "plans").mkdir()
    for schedule in SCHEDULES:
        for workload in WORKLOADS:
            (folder / "plans" / f"{schedule}-{workload}.json").touch()

    stand_in(folder, "exit 3")
    assert run(folder) == 3
    assert not (folder / "results").exists(), "an empty folder is left behind"

    # The probes fail; the six replays succeed.
    stand_in(folder, f'[ "$1" = replay ] || exit 3\necho >> {folder}/replays; : > {folder}/results/r.json')
    assert run(folder) == 3
    assert len((folder / "replays").read_text().splitlines()) == 6
    assert (folder / "results" / "r.json").exists()

    stand_in(folder, "exit 0")
    assert run(folder) == 0
