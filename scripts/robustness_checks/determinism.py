"""Runs commands in different surroundings and reports where what they print or write is not the same to the byte.

Surroundings: 1, 2, 3 and 16 workers, locales, time zones, address-space layouts, other environments, another build."""
import hashlib
import os
import pathlib
import shutil
import subprocess
import tempfile

from support.program import ENVIRONMENT
from support.requests import DATA, JOB, recorded

SMALL = ["--nodes", "2", "--fidelity", "analytic"]

# Each prints its result; files that it writes go to {folder} and are compared too.
COMMANDS = {
    "run": ["run", *JOB, "--schedule", "dear", "--nodes", "2", "--json", "--timeline", "{folder}/timeline.json.gz", "--export-plan",
            "{folder}/plan.json"],
    "run, text": ["run", *JOB, "--schedule", "horovod", *SMALL, "--unfold"],
    "run, step": ["run", *JOB, "--schedule", "wfbp", "--nodes", "1", "--fidelity", "step", "--json"],
    "run, cut": ["run", "--workload", "transformer:model=gpt-3.6b,device=a100", "--cluster", "dgx-a100", "--nodes", "1", "--layout",
                 "tp=4,pp=2", "--schedule", "1f1b", "--json"],
    "list": ["list", "schedules"],
    "tune": ["tune", *JOB, "--schedule", "dear", "--option", "fusion_buffer", "--trials", "4", *SMALL, "--csv", "{folder}/tune.csv"],
    "collective": ["collective", "--cluster", "rtx2080ti-16x4-10gbe", "--json"],
    "import": ["import", str(DATA / "small-trace.json"), "--batch", "8"],
    "diagnose": ["diagnose", str(DATA / "job.csv"), "--json", "--figure", "{folder}/diagnosis.svg"],
    "goodput": ["goodput", "--mtbf", "100h", "--checkpoint", "30s", "--restart", "5min", "--length", "10d", "--seeds",
                "20", "--json"],
    "plan": ["plan", "--workload", "resnet50-rtx2080ti-bs32", "--clusters", "rtx2080ti-16x4-10gbe", "--schedules", "ddp,dear", "--gpus",
             "4,8", "--json", "--csv", "{folder}/plan.csv", "--figure", "{folder}/plan.svg"],
    "optimise": ["optimise", str(DATA / "job.csv"), "--json"],
    "goal": ["compare", "--epochs", "wfbp=90,dear=90", "--samples", "1281167", *JOB, *SMALL],
    "replay": ["replay", str(DATA / "small-trace.json"), "--json"],
    "gate, text": ["gate", str(DATA / "results-before.json"), "--baseline", str(DATA / "results-before.json"), "--markdown",
                   "{folder}/gate.md", "--junit", "{folder}/gate.xml"],
    "refusal": ["run", *JOB, "--schedule", "daer"],
}
# And these take --workers.
STUDIES = {
    "compare": ["compare", *JOB, "--schedules", "wfbp,dear,horovod", "--nodes", "1,2,4", "--fidelity", "analytic", "--csv",
                "{folder}/rows.csv"],
    "compare, refused": ["compare", *JOB, "--schedules", "dear", "--nodes", "1,2", "--set", "fusion_buffer=1MiB,1e400MiB", "--json"],
    "seeds": ["run", *JOB, "--schedule", "wfbp", *SMALL, "--slow", "lognormal:sigma=0.2", "--seeds", "20", "--iterations", "3", "--json"],
    "protocol": ["run", *JOB, "--schedule", "ad-psgd", *SMALL, "--slow", "bernoulli:factor=6,p=1/8", "--seeds", "18", "--iterations", "3"],
    "map": ["compare", "--workload", "vgg16-rtx2080ti-bs32", "--cluster", "rtx2080ti-16x4-10gbe", "--schedules", "ddp,topka2a,gtopk",
            "--set", "density=0.001,0.1", "--set", "cluster.nic.bandwidth=1Gbps,10Gbps", "--fidelity", "analytic", "--map", "density",
            "--csv", "{folder}/map.csv", "--figure", "{folder}/map.svg"],
}


def answer_of(command: list, environment: dict) -> dict:
    """Hashes of what a command printed and of the files that it wrote, by name, and how it ended."""
    code, parts = recorded(command, environment)
    return {"exit code": code, **{name: hashlib.sha256(data).hexdigest() for name, data in parts.items()}}


def german(folder: str) -> dict:
    """An environment of another language, whose locale (decimal commas) is made where the sources of locales are there."""
    made = pathlib.Path(folder) / "de_DE.UTF-8"
    if shutil.which("localedef"):
        subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", str(made)], capture_output=True, check=False)
    print("locale de_DE.UTF-8:", "made" if made.exists() else "not to be had here, named only")
    return {"LOCPATH": folder, "LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8", "LANGUAGE": "de"}


def surroundings(program: str, folder: str, other: str):
    """(name, what stands before the command, changes of the environment)."""
    yield "locale", [program], german(folder)
    yield "locale C", [program], {"LC_ALL": "C", "LANG": "C"}
    for zone in ("America/St_Johns", "Asia/Kathmandu", ":no/such/zone"):
        yield f"time zone {zone}", [program], {"TZ": zone}
    yield "large environment", [program], {f"FILLER{i}": "x" * 4000 for i in range(20)}
    yield "again", [program], {}
    yield "one core", ["taskset", "-c", str(min(os.sched_getaffinity(0))), program], {}  # whose workers are as many as cores
    setarch = shutil.which("setarch")
    if setarch and subprocess.run([setarch, "-R", "true"], capture_output=True, check=False).returncode == 0:
        yield "no ASLR", [setarch, "-R", program], {}
    else:
        print("setarch -R: not to be had here")
    if other:
        yield "another build", [other], {}


def differences(name: str, where: str, expected: dict, found: dict) -> list:
    return [f"{name}, {where}: {part} differs" for part in sorted(expected.keys() | found.keys())
            if expected.get(part) != found.get(part)]


def add_arguments(parser):
    parser.add_argument("--other", help="a program of another build, such as one with sanitizers")
    parser.add_argument("--only", default="", help="commands whose names begin with one of these, with commas between")


def main(options):
    faults, runs, names = [], 0, 0
    with tempfile.TemporaryDirectory() as folder:
        places = list(surroundings(options.program, folder, options.other))
        for name, command in {**COMMANDS, **STUDIES}.items():
            if not name.startswith(tuple(options.only.split(","))):
                continue
            one = ["--workers", "1"] if name in STUDIES else []
            expected = answer_of([options.program, *command, *one], ENVIRONMENT)
            names += 1
            if expected["exit code"] != (2 if "refus" in name else 0):
                faults.append(f"{name}: ended with {expected['exit code']}")
            for where, before, changes in places:
                faults += differences(name, where, expected, answer_of([*before, *command, *one], {**ENVIRONMENT, **changes}))
            for workers in ("2", "3", "16") if one else ():
                found = answer_of([options.program, *command, "--workers", workers], ENVIRONMENT)
                faults += differences(name, f"{workers} workers", expected, found)
            runs += 1 + len(places) + (3 if one else 0)
    print("\n".join(faults))
    print(f"{runs} runs of {names} commands in {len(places)} surroundings, studies also with 2, 3 and 16 workers: "
          f"{len(faults)} differences")
    return 1 if faults else 0
