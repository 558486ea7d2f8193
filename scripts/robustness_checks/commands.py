"""Runs every command that takes a schedule with every schedule and preset, on small jobs.

Each has to answer, or to refuse with the sentence of a trait that is listed here. Prints what differs, or with --table the
table of tests/README.md."""
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from support import markdown
from support.program import ENVIRONMENT

PROFILE = ["--workload", "resnet50-rtx2080ti-bs32", "--cluster", "rtx2080ti-16x4-ib100"]
TRANSFORMER = ["--workload", "transformer:layers=8,hidden=512,heads=8,seq=256,vocab=1024,precision=bf16,device=a100,batch=4",
               "--cluster", "dgx-a100"]

# What a command has to say where it cannot mean anything for a schedule, and how the table says it, the first that fits.
REASONS = {"the static table is for 4 GPUs a node": "a table for 4 GPUs a node",
           "the file holds dependencies over one iteration": "waits for several iterations before", "runs by priority": "order by priority",
           "already tunes": "tunes itself", "has no plan": "no plan", "has no option that switches parts of its step off": "no parts to switch off",
           "expected a workload with": "needs another workload", "order: missing": "needs an order"}

COUNTED = {"accumulation": ("1", "2"), "micro_batch": ("1", "4"), "local_steps": ("1", "4"), "slack": ("0", "2"),
           "backup": ("0", "1"), "group": ("2", "4"), "degree": ("1", "2")}


def commands_of(schedule, folder):
    """Name of each command and its arguments without --fidelity; none where the schedule has no option to tune."""
    one = ["--schedule", schedule["name"]]
    several = ["--schedules", f"bsp,{schedule['name']}"]
    commands = {
        "run": ["run", *one],
        "compare": ["compare", *several],
        "compare --across": ["compare", *several, "--nodes", "2,4", "--across", "nodes"],
        "compare --steps": ["compare", "--steps", f"bsp=100,{schedule['name']}=100"],
        "goodput": ["goodput", *one, "--mtbf", "1d", "--checkpoint", "1min", "--restart", "2min", "--seeds", "5", "--length", "3d"],
        "run --parts exposed": ["run", *one, "--parts", "exposed"],
        "run --parts ablation": ["run", *one, "--parts", "ablation"],
        "compare --map": ["compare", "--schedules", f"{schedule['name']},topka2a", "--set", "density=0.01", "--set",
                          "cluster.nic.bandwidth=10Gbps", "--map", "density"],
        "optimise": ["optimise", *one, "--no-search"],
        "run --export-plan": ["run", *one, "--export-plan", str(folder / f"{schedule['name']}.json")],
        "run --timeline": ["run", *one, "--timeline", str(folder / f"{schedule['name']}.trace.json")],
    }
    numbers = [option for option in schedule["options"] if option["name"] in COUNTED]
    if numbers:
        low, high = COUNTED[numbers[0]["name"]]
        commands["tune"] = ["tune", *one, "--option", numbers[0]["name"], "--strategy", "grid", "--trials", "2", "--low", low, "--high",
                            high]
    if any(option["name"] == "pp" for option in schedule["options"]):
        commands = {name: [*words, "--layout", "pp=2"] for name, words in commands.items()}
    return commands


@dataclasses.dataclass
class Matrix:
    program: str
    folder: pathlib.Path

    def run(self, *words):
        return subprocess.run([self.program, *words], capture_output=True, text=True, timeout=120, check=False,
                              env={**ENVIRONMENT, "STEPCAST_STATE": str(self.folder)})

    def schedules(self):
        names = [name for what in ("schedules", "presets") for name in json.loads(self.run("list", what, "--json").stdout)[what]]
        return [json.loads(self.run("show", name, "--json").stdout) for name in names]

    def cell(self, schedule, words):
        """"yes", the reason of a trait, or the error."""
        size = [] if "--nodes" in words else ["--nodes", "2"]
        found = [self.run(*words, *job, *size, "--fidelity", "analytic") for job in (PROFILE, TRANSFORMER)]
        if any(each.returncode == 0 and each.stdout for each in found):
            return "yes"
        reasons = [short for sentence, short in REASONS.items() if sentence in found[0].stderr]
        return reasons[0] if reasons else f"{found[0].returncode}: {found[0].stderr.strip()[:300]}"

    def row(self, schedule):
        return {name: self.cell(schedule, words) for name, words in commands_of(schedule, self.folder).items()}


def table_of(rows):
    """Schedules whose rows are equal share one."""
    columns = list(dict.fromkeys(name for cells in rows.values() for name in cells))
    alike = {}
    for name, cells in rows.items():
        alike.setdefault(tuple(cells.get(column, "no number to tune") for column in columns), []).append(f"`{name}`")
    return "\n".join([markdown.head("schedules", *columns), *(markdown.row(" ".join(names), *cells) for cells, names in alike.items())])


def add_arguments(parser):
    parser.add_argument("--table", action="store_true", help="print the table, too")
    parser.add_argument("--only", default="", metavar="S,...", help="these schedules only")


def main(options):
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        matrix = Matrix(options.program, pathlib.Path(folder))
        only = set(filter(None, options.only.split(",")))
        schedules = [schedule for schedule in matrix.schedules() if not only or schedule["name"] in only]
        rows = dict(zip([schedule["name"] for schedule in schedules], pool.map(matrix.row, schedules)))
    if options.table:
        print(table_of(rows))
    known = {"yes", *REASONS.values()}
    wrong = [f"{name}: {command}: {cell}" for name, cells in rows.items() for command, cell in cells.items() if cell not in known]
    print("\n".join(wrong), file=sys.stderr)
    answered = sum(cell == "yes" for cells in rows.values() for cell in cells.values())
    refused = sum(len(cells) for cells in rows.values()) - answered - len(wrong)
    print(f"{len(rows)} schedules and presets: {answered} answered, {refused} refused by a trait, {len(wrong)} wrong", file=sys.stderr)
    return 1 if wrong else 0
