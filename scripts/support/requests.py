"""Requests to stepcast, and everything that they print and write."""
import pathlib
import re
import subprocess
import tempfile

from support.program import ROOT

JOB = ["--workload", "resnet50-rtx2080ti-bs64", "--cluster", "rtx2080ti-16x4-10gbe"]
DATA = ROOT / "tests/golden/data"
BENCHMARKS = ROOT / "tests/data/benchmarks"
HEARTBEAT = re.compile(rb"^stepcast [a-z]+: \d+ s(, .*)?\n", re.M)  # of a command that takes longer than a second


def in_folder(words, folder):
    """The words of a command with the folder that its files are written to."""
    return [word.replace("{folder}", str(folder)) for word in words]


def recorded(words, environment, timeout=None):
    """The exit code of a command, and the bytes of its output, its errors and the files that it writes, by name."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(in_folder(words, folder), stdin=subprocess.DEVNULL, capture_output=True, env=environment, timeout=timeout,
                              check=False)
        return done.returncode, {"output": done.stdout, "errors": HEARTBEAT.sub(b"", done.stderr).replace(folder.encode(), b"FOLDER"),
                                 **{path.name: path.read_bytes() for path in sorted(pathlib.Path(folder).iterdir())}}
