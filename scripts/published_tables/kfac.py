"""Published K-FAC measurements beside `stepcast run --parts ablation`, bar by bar.

A published bar of factor computation holds the preconditioning, which is in the first iteration with K-FAC at all."""
from support.markdown import error, head, row, write
from support.program import ROOT, json_in, json_of, stop

BARS = ["FF&BP", "GradComm", "FactorComp", "FactorComm", "InverseComp", "InverseComm"]
PUBLISHED = ROOT / "traces/published/kfac/resnet50-64-gpus.json"


def parts(program, published, schedule, options=()):
    """Seconds of each part of an iteration, as `stepcast run --parts` names them."""
    found = json_of(program, "run", "--workload", published["workload"], "--cluster", published["cluster"],
                    "--schedule", schedule, "--parts", "ablation", settings={**published["settings"], **dict(options)})
    return list(found["parts_s"].values())


def bars_of(*arguments):
    """Seconds of BARS: the preconditioning belongs to the computation of factors."""
    forward_backward, gradients, second, factors, *rest = parts(*arguments)
    return [forward_backward, gradients, second + factors, *rest]


def write_row(*cells, measured, predicted, note=""):
    write(row(*cells, f"{measured:.4f}", f"{predicted:.4f}", error(predicted, measured) if measured else "", note))


def write_head(*columns):
    write("\n" + head(*columns, "measured s", "predicted s", "error", ""))


def write_bars(program, published):
    write_head("system", "bar")
    for system in published["bars"]:
        sums, schedule = system["sums_s"], system["schedule"]
        measured = [sums[0]] + [b - a for a, b in zip(sums, sums[1:])]
        predicted = bars_of(program, published, schedule)
        for name, mine, theirs in zip(BARS, predicted, measured):
            write_row(schedule, name, measured=theirs, predicted=mine, note="calibrated" if name in system["calibrated"] else "")
        write_row(schedule, "iteration", measured=sums[-1], predicted=sum(predicted))


def write_ablations(program, published):
    write_head("factors: FactorComp + FactorComm")
    base = sum(bars_of(program, published, "spd-kfac")[:2])  # the gradients' part does not follow the fusion of factors
    for case in published["factors"]:
        predicted = sum(bars_of(program, published, "spd-kfac", case["set"])[:4]) - base
        write_row(case["name"], measured=case["measured_s"], predicted=predicted)
    write_head("inverses")
    for case in published["inverses"]:
        predicted = bars_of(program, published, "spd-kfac", case["set"])
        write_row(case["name"] + ", computation", measured=case["computation_s"], predicted=predicted[4])
        write_row(case["name"] + ", with communication", measured=case["measured_s"], predicted=sum(predicted[4:]))
    write_head("iteration")
    for case in published["iterations"]:
        write_row(case["name"], measured=case["measured_s"], predicted=sum(bars_of(program, published, "spd-kfac", case["set"])))


def add_arguments(parser):
    parser.add_argument("file", nargs="?", default=PUBLISHED, help="published bars; default: ResNet-50 on 64 GPUs")


def main(options):
    published = json_in(options.file)
    try:
        settings = ", ".join(f"{key}={value}" for key, value in published["settings"].items())
        write(f"{published['workload']} on {published['cluster']} ({settings}): {published['provenance']['source']}")
        write_bars(options.program, published)
        write_ablations(options.program, published)
    except (KeyError, TypeError) as wrong:
        stop(f"{options.file}: not a file of published K-FAC bars ({wrong!r})")
