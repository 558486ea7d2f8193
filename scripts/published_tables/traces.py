"""Profiler traces: what `stepcast inspect` and `stepcast replay` report beside what was counted independently of them.

step: of the device where it is known, else of the host; computing, idle for the host, and exposed communication (the
device computes nothing until a collective has ended): means of the whole steps that did not stall; replay: the error of the
simulated steps against the recorded ones. In brackets: tests/data/recorded_traces.csv. A trace that a command refuses has the
reason below the table. FOLDER defaults to $STEPCAST_RECORDED_DATA/kineto."""
import os
import pathlib

from support.markdown import error, write
from support.program import ROOT, answer_of, rows_in, stop

TRUTH = ROOT / "tests/data/recorded_traces.csv"
RECORDED = os.environ.get("STEPCAST_RECORDED_DATA")
COLUMNS = ["trace", "step", "computing", "idle", "exposed", "batch", "replay"]


def name_of(path):
    return path.name.split(".")[0]


def mean(steps, key):
    return sum(step[key] for step in steps) / len(steps)


def figures_of(entry):
    """Milliseconds by the columns of the truth."""
    usual = [step for step in entry["steps"] if step.get("whole", True) and not step.get("stalled")]
    steps = usual or entry["steps"]
    period = entry.get("device_step_s") or entry["step_time"]["mean_s"]
    return {"step": 1e3 * period, "computing": 1e3 * mean(steps, "computing_s"),
            "idle": 1e3 * mean(steps, "idle_for_host_s"), "exposed": 1e3 * mean(steps, "idle_for_collectives_s")}


def cell(value, truth):
    """"16.2 (18.8)": what StepCast reports and, in brackets, what was counted."""
    text = "-" if value is None else f"{value:.4g}"
    return f"{text} ({float(truth):.4g})" if truth else text


def replay_of(program, path, refusals):
    found, refusal = answer_of(program, "replay", path)
    if refusal:
        refusals.append(refusal)
        return "refused"
    step = found.get("mean", found)
    return error(step["simulated_s"], step["recorded_s"])


def row_of(program, path, truth, refusals):
    found, refusal = answer_of(program, "inspect", path)
    if refusal or not found[0].get("steps"):
        refusals.append(refusal or f"{path}: no steps")
        return [name_of(path)] + ["refused"] * (len(COLUMNS) - 1)
    entry = found[0]
    cells = [cell(value, truth.get(f"{key}_ms")) for key, value in figures_of(entry).items()]
    return [name_of(path), *cells, cell(entry["batch"]["value"], truth.get("batch")), replay_of(program, path, refusals)]


def table_of(rows):
    """The rows in columns of one width."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    lines = ["| " + " | ".join(text.ljust(width) for text, width in zip(row, widths)) + " |" for row in rows]
    return "\n".join([lines[0], f"|{'|'.join('-' * (width + 2) for width in widths)}|", *lines[1:]])


def add_arguments(parser):
    parser.add_argument("folder", nargs="?", type=pathlib.Path, metavar="FOLDER",
                                      default=pathlib.Path(RECORDED) / "kineto" if RECORDED else None)


def main(options):
    if options.folder is None:
        stop("expected a FOLDER of traces, or STEPCAST_RECORDED_DATA to say where recorded data lie")
    files = sorted(path for path in options.folder.glob("*") if path.is_file()) if options.folder.is_dir() else []
    if not files:
        stop(f"{options.folder}: expected a folder of traces, found none")
    known, refusals = {row["trace"]: row for row in rows_in(TRUTH)}, []
    rows = [row_of(options.program, path, known.get(name_of(path), {}), refusals) for path in files]
    write("Milliseconds a step; in brackets what was counted independently.\n\n" + table_of([COLUMNS, *rows]))
    for refusal in refusals:
        write(f"\n{refusal}")
