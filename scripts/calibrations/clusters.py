"""Fits the two RTX 2080 Ti clusters to measured iteration times and prints (or writes) the values.

Four steps, each on the cases that traces/published marks for it and on nothing else:
  1. link bandwidths on the "bandwidth" cases (no overlap: compute, then one all-reduce);
  2. how much slower a GPU's port is while it computes, on the "overlap" cases (BERT-Base on the 4
     GPUs of a node, under WFBP and MG-WFBP).
  3. start-up of the 10 GbE NIC on the "start-up" cases (ResNet-50 with overlap).
  4. the software costs of ByteScheduler and of parameter servers on the "software" cases (ResNet-50
     under ByteScheduler, all models under servers without overlap), all else being as fitted. A
     server's rate is fitted for each network by itself: over TCP a processor copies what over RDMA
     the adapter delivers.
The "check" cases are never looked at here; `stepcast validate` prints them afterwards."""
import dataclasses
import functools
import itertools
import json
import math
import pathlib
import re
import tempfile

from support.markdown import head, percent, row
from support.program import ROOT, json_in, json_of, progress, stop

MEASUREMENTS = ROOT / "traces/published/rtx2080ti-4-to-16-gpus.json"
OTHER_SCHEDULES = ROOT / "traces/published/rtx2080ti-4-to-16-gpus-other-schedules.json"
ETHERNET, INFINIBAND = "rtx2080ti-16x4-10gbe", "rtx2080ti-16x4-ib100"


@dataclasses.dataclass
class Parameter:
    """A field of some cluster files, fitted on the cases of one use (and schedule) between two values or on a grid."""
    field: str
    unit: str
    use: str
    clusters: list
    low: float
    high: float
    schedule: str = None
    grid: tuple = ()

    def __post_init__(self):
        self.value = math.sqrt(self.low * self.high)

    def text(self):
        return f"{self.value:.4g}{self.unit}"


def server_cost(field, unit, grid, clusters):
    """A cost of parameter servers."""
    return Parameter(field, unit, "software", clusters, min(grid), max(grid), "ps", grid)


FACTORS = (0.25, 0.5, 0.7, 0.8, 0.9, 0.95, 1, 1.05, 1.1, 1.25, 1.5, 2, 4)  # of a value, in its profile
TOLD = 0.005  # of the rms error: less tells nothing
PER_PARTITION = (1, 5, 10, 20, 30, 50, 100, 200)
TCP_RATES = (0.5, 0.6, 0.62, 0.64, 0.66, 0.68, 0.7, 0.75, 0.8, 1)
RDMA_RATES = (1, 1.5, 1.8, 2, 2.1, 2.2, 2.3, 2.4, 2.5, 3, 5, 10)
PARAMETERS = [
    Parameter("intra_node.bandwidth", "GBps", "bandwidth", [ETHERNET, INFINIBAND], 2, 12),
    Parameter("nic.bandwidth", "GBps", "bandwidth", [ETHERNET], 0.8, 1.25),
    Parameter("overlap.communication_slowdown", "", "overlap", [ETHERNET, INFINIBAND], 0.1, 10),
    Parameter("nic.startup", "us", "start-up", [ETHERNET], 1, 60),
    Parameter("software.bytescheduler_hook", "us", "software", [ETHERNET, INFINIBAND], 100, 3000,
              "bytescheduler"),
    server_cost("software.ps_per_partition", "us", PER_PARTITION, [ETHERNET, INFINIBAND]),
    server_cost("software.ps_sum_bandwidth", "GBps", TCP_RATES, [ETHERNET]),
    server_cost("software.ps_sum_bandwidth", "GBps", RDMA_RATES, [INFINIBAND]),
]


def cases_for(parameter, cluster, folder):
    """A file of the cases on which `parameter` is fitted on `cluster`; None if there are none."""
    measurements = json.loads(MEASUREMENTS.read_text())
    others = json.loads(OTHER_SCHEDULES.read_text())
    measurements["cases"] = [
        case for case in measurements["cases"] + others["cases"]
        if case["use"] == parameter.use and case["cluster"] == cluster
        and parameter.schedule in (None, case["schedule"])]
    path = pathlib.Path(folder) / f"{parameter.use}-{parameter.schedule}-{cluster}.json"
    path.write_text(json.dumps(measurements))
    return str(path) if measurements["cases"] else None


@functools.lru_cache(maxsize=None)
def errors_with(program, *arguments):
    """Relative errors of `stepcast validate` with these arguments."""
    return [case["error"] for case in json_of(program, "validate", *arguments)["cases"]]


def errors_of(parameter, program, folder):
    """Of the cases of `parameter`, with all parameters as they are."""
    errors = []
    for cluster in parameter.clusters:
        cases = cases_for(parameter, cluster, folder)
        if cases is None:
            continue  # the value is taken over from the other cluster
        fidelity = "flow" if parameter.use == "software" else "analytic"
        arguments = [cases, "--fidelity", fidelity]
        for other in PARAMETERS:
            if cluster in other.clusters and other.schedule in (None, parameter.schedule):
                arguments += ["--set", f"cluster.{other.field}={other.text()}"]
        errors += errors_with(program, *arguments)
    return errors


def error_of(parameter, program, folder):
    """Sum of their squares."""
    return sum(error ** 2 for error in errors_of(parameter, program, folder))


def minimise(parameter, program, folder):
    """Golden-section search on a logarithmic scale."""

    def error_at(logarithm):
        parameter.value = math.exp(logarithm)
        return error_of(parameter, program, folder)

    ratio = (math.sqrt(5) - 1) / 2
    low, high = math.log(parameter.low), math.log(parameter.high)
    left, right = high - ratio * (high - low), low + ratio * (high - low)
    at_left, at_right = error_at(left), error_at(right)
    while high - low > 0.005:
        if at_left < at_right:
            high, right, at_right = right, left, at_left
            left = high - ratio * (high - low)
            at_left = error_at(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + ratio * (high - low)
            at_right = error_at(right)
    parameter.value = float(f"{math.exp((low + high) / 2):.3g}")


def search_grid(parameters, program, folder):
    """All combinations: their error has several valleys. The first of them covers all clusters."""
    best = math.inf
    for values in itertools.product(*(parameter.grid for parameter in parameters)):
        for parameter, value in zip(parameters, values):
            parameter.value = value
        error = error_of(parameters[0], program, folder)
        if error < best:
            best, best_values = error, values
    for parameter, value in zip(parameters, best_values):
        parameter.value = value


def write(parameter):
    section, name = parameter.field.split(".")
    value = parameter.text() if not parameter.unit else f'"{parameter.text()}"'
    for cluster in parameter.clusters:
        path = ROOT / "configs/clusters" / f"{cluster}.json"
        pattern = rf'("{section}": \{{[^}}]*"{name}": )("[^"]*"|[0-9.e-]+)'
        text, count = re.subn(pattern, lambda match: match[1] + value, path.read_text())
        if count != 1:
            stop(f"{path}: no field {parameter.field}")
        path.write_text(text)


def shipped_value(parameter):
    section, name = parameter.field.split(".")
    return float(re.match(r"[0-9.e-]+", str(json_in(ROOT / "configs/clusters" / f"{parameter.clusters[0]}.json")[section][name]))[0])


def root_mean_square(errors):
    return math.sqrt(sum(error ** 2 for error in errors) / len(errors))


def left_out(errors_by_value):
    """The error of each case at the value that is best for all others."""
    values = list(errors_by_value.values())
    return [min(values, key=lambda errors, left=left: sum(e * e for i, e in enumerate(errors) if i != left))[left]
            for left in range(len(values[0]))]


def profile(parameter, program, folder):
    """A line: how far the parameter may move, all else as it is, before its rows say no."""
    best = parameter.value
    errors_by_value = {}
    for factor in FACTORS:
        parameter.value = best * factor
        errors_by_value[factor] = errors_of(parameter, program, folder)
    parameter.value = best
    here = root_mean_square(errors_by_value[1])
    allowed = [factor for factor in FACTORS if root_mean_square(errors_by_value[factor]) <= here + TOLD]
    is_open = [bound for bound in (FACTORS[0], FACTORS[-1]) if bound in allowed]
    told = "not determined" if len(is_open) == 2 else f"not bounded {'below' if is_open[0] < 1 else 'above'}" if is_open else "determined"
    alone = sorted(map(abs, left_out(errors_by_value)))
    return row(parameter.field, ", ".join(parameter.clusters), parameter.text(), len(errors_by_value[1]), percent(here),
               f"{best * min(allowed):.3g} to {best * max(allowed):.3g}", told, percent(alone[len(alone) // 2]), percent(alone[-1]))


def print_profiles(program, folder):
    for parameter in PARAMETERS:
        parameter.value = shipped_value(parameter)
    print(head("field", "clusters", "value", ">rows", ">rms error", "within half a point of that", "", ">left out: median", ">worst"))
    for parameter in PARAMETERS:
        progress(f"profile of {parameter.field}")
        print(profile(parameter, program, folder), flush=True)


def add_arguments(parser):
    parser.add_argument("--write", action="store_true", help="write the values into configs/clusters, not only print them")
    parser.add_argument("--profile", action="store_true",
                        help="fit nothing: print how far each value in the cluster files may move before its rows say no, "
                             "and errors of each row at the value that is best for the others")


def main(options):
    with tempfile.TemporaryDirectory() as folder:
        if options.profile:
            return print_profiles(options.program, folder)
        for use in ("bandwidth", "overlap", "start-up"):
            for turn in range(3):  # the parameters of a step depend on each other
                for parameter in (p for p in PARAMETERS if p.use == use):
                    progress(f"turn {turn + 1} of 3: {parameter.field}")
                    minimise(parameter, options.program, folder)
        for parameter in (p for p in PARAMETERS if p.schedule == "bytescheduler"):
            progress(parameter.field)
            minimise(parameter, options.program, folder)
        progress("costs of parameter servers, every combination")
        search_grid([p for p in PARAMETERS if p.schedule == "ps"], options.program, folder)
    for parameter in PARAMETERS:
        print(f"{parameter.field:30} {parameter.text():>8}  {', '.join(parameter.clusters)}")
        if options.write:
            write(parameter)
