"""Ends stepcast by signals at all moments of its commands and looks at what is left behind.

It has to end at once with 128 + signal (or done), to crash nowhere, and to leave no worker, no half-written file and no result
that existed lost. A signal that comes after the command's end does not count and is sent again, earlier."""
import collections
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time

from support.program import ENVIRONMENT, stop
from support.requests import BENCHMARKS, DATA, JOB, in_folder, recorded

LOGS = [str(BENCHMARKS / f"allreduce-{nodes}-nodes.log") for nodes in (2, 4, 8)]
COMMANDS = {
    "run": ["run", *JOB, "--schedule", "wfbp", "--nodes", "512", "--timeline", "{folder}/timeline.json", "--export-plan",
            "{folder}/plan.json"],
    "compare": ["compare", *JOB, "--nodes", "2,4,8,16", "--schedules", "wfbp,dear,horovod", "--set", "batch=16,32,64",
                "--workers", "2", "--csv", "{folder}/study.csv", "--json-lines", "{folder}/study.jsonl"],
    "tune": ["tune", *JOB, "--schedule", "dear", "--option", "fusion_buffer", "--strategy", "grid", "--trials", "100", "--csv",
             "{folder}/tune.csv"],
    "map": ["compare", "--workload", "vgg16-rtx2080ti-bs32", "--cluster", "rtx2080ti-16x4-10gbe", "--schedules", "ddp,topka2a,gtopk",
            "--set", "density=0.001,0.01,0.1", "--map", "density", "--fidelity", "analytic", "--csv", "{folder}/map.csv", "--workers", "2"],
    "across": ["compare", "--workload", "resnet50-rtx2080ti-bs32", "--cluster", "rtx2080ti-16x4-10gbe", "--schedules", "ddp,dear",
               "--nodes", "2,4,8,16", "--across", "nodes", "--figure", "{folder}/scaling.svg"],
    "seeds": ["run", *JOB, "--schedule", "wfbp", "--nodes", "2", "--slow", "lognormal:sigma=0.2", "--seeds", "64", "--workers", "2"],
    "plan": ["plan", "--workload", "resnet50-rtx2080ti-bs32", "--clusters", "rtx2080ti-16x4-10gbe,rtx2080ti-16x4-ib100", "--gpus",
             "8,16,32,64", "--fidelity", "flow", "--csv", "{folder}/plan.csv", "--json"],
    "goodput": ["goodput", "--mtbf", "2h", "--checkpoint", "30s", "--restart", "5min", "--seeds", "4000", "--figure",
                "{folder}/goodput.svg"],
    "calibrate": ["calibrate", *LOGS, "-o", "{folder}/curves.json"],
    "goal": ["compare", "--goal", "resnet50-imagenet", "--workload", "resnet50-rtx2080ti-bs32", "--cluster", "rtx2080ti-16x4-ib100", "--json"],
    "optimise": ["optimise", "--workload", "bert-base-rtx2080ti-bs64", "--cluster", "rtx2080ti-16x4-10gbe", "--nodes", "2",
                 "--schedule", "ps", "--json"],
    "diagnose": ["diagnose", str(DATA / "job.csv"), "--json", "--figure", "{folder}/diagnosis.svg"],
    "import": ["import", str(DATA / "small-trace.json"), "--batch", "8", "-o", "{folder}/imported.json"],
    "parts": ["run", "--workload", "resnet50-rtx2080ti-bs32", "--cluster", "rtx2080ti-16x4-ib100", "--schedule", "spd-kfac",
              "--parts", "ablation"],
}
OUTPUTS = {word.removeprefix("{folder}/") for words in COMMANDS.values() for word in words if word.startswith("{folder}/")}
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGKILL]


def children_of(session: int) -> list:
    """Processes of the session that still run."""
    found = []
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[3]) == session and fields[0] != "Z":
            found.append(int(stat.parent.name))
    return found


def gone(session: int) -> bool:
    for _ in range(100):
        if not children_of(session):
            return True
        time.sleep(0.05)
    return False


def faults_of_files(folder: pathlib.Path, code: int) -> list:
    faults = []
    for path in folder.iterdir():
        text = path.read_text(errors="replace")
        if path.name not in OUTPUTS:
            if code >= 0:  # SIGKILL leaves nobody to remove it
                faults.append(f"{path.name} is left behind")
            continue
        whole = text.endswith((">\n", "}\n", "]\n", "\n")) or (path.suffix == ".jsonl" and not text)
        if not whole and code >= 0:
            faults.append(f"{path.name} is half written")
        if path.suffix == ".json":
            json.loads(text)
        if path.suffix == ".jsonl":
            for line in text.splitlines()[: None if text.endswith("\n") else -1]:
                json.loads(line)
    return faults


def kill_once(program: str, name: str, how: signal.Signals, delay: float) -> tuple:
    """Whether the signal came in time, and what is wrong with how the command ended."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        command = [program, *in_folder(COMMANDS[name], folder)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True, env=ENVIRONMENT)
        time.sleep(delay)
        ran = process.poll() is None
        if ran:
            process.send_signal(how)
        try:
            out, err = process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return "hung", ["did not end within a minute"]
        code = process.returncode
        if not ran:
            return "late", [] if code == 0 else [f"ended by itself with {code}"]
        faults = [] if gone(process.pid) else ["a worker outlived its parent"]
        expected = {0, 128 + how} | ({-how} if how == signal.SIGKILL or not out else set())
        if code not in expected:
            faults.append(f"ended with {code}: {err.decode(errors='replace').strip()[-200:]}")
        try:
            faults += faults_of_files(folder, code)
            if "--json" in command and out and code >= 0:
                json.loads(out)
        except ValueError as error:
            faults.append(f"a file does not parse: {error}")
        return "printed" if out else "hit", faults


def duration_of(program: str, name: str) -> float:
    begin = time.monotonic()
    code, parts = recorded([program, *COMMANDS[name]], ENVIRONMENT)
    if code != 0:
        stop(f"{name}: ended with {code}: {parts['errors'].decode(errors='replace')}")
    return time.monotonic() - begin


class Killer:
    """Sends signals inside the time that a command takes, as last seen: a machine is not always as fast."""

    def __init__(self, program: str):
        self.program = program
        self.durations = {name: duration_of(program, name) for name in COMMANDS}
        self.hit, self.printed, self.late, self.bad = collections.Counter(), collections.Counter(), 0, 0

    def kill(self, name: str, how: signal.Signals, share: float):
        for _ in range(8):
            delay = self.durations[name] * share
            ending, faults = kill_once(self.program, name, how, delay)
            for fault in faults:
                self.bad += 1
                print(f"{name}, {how.name} after {delay:.3f} s: {fault}")
            if ending != "late":
                self.hit[name, how.name] += 1
                self.printed[name] += ending == "printed"
                return
            self.late += 1
            self.durations[name] = min(self.durations[name], delay)  # it takes less than that today


def add_arguments(parser):
    parser.add_argument("--kills", type=int, default=240, help="that hit a running command (default: 240)")


def main(options):
    cases = [(name, how) for name in COMMANDS for how in SIGNALS]
    moments = max(1, options.kills // len(cases))
    killer = Killer(options.program)
    for number in range(options.kills):
        killer.kill(*cases[number % len(cases)], (number // len(cases) + 0.5) / moments)
    for name in COMMANDS:
        print(f"{name}: {killer.durations[name]:.2f} s, " +
              ", ".join(f"{killer.hit[name, how.name]} {how.name}" for how in SIGNALS) + f", {killer.printed[name]} printed what was there")
    hits = sum(killer.hit.values())
    print(f"{hits} of {options.kills} kills ({len(SIGNALS)} signals x {len(COMMANDS)} commands x {moments} moments) hit a running command, "
          f"{killer.late} more came too late: {killer.bad} faults")
    return 1 if killer.bad or hits < options.kills * 0.9 else 0
