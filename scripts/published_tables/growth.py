"""What more GPUs add to a step: measured and predicted, over the smallest run of a file of measurements.

The step of a small run says little about the network, as nearly all of it is compute; what is added to it when
GPUs and nodes are added is what a network model has to predict. The table has the cluster as it is and without its jitter."""
from support.markdown import head, row, write
from support.program import ROOT, json_in, json_of, stop

DEFAULT = ROOT / "traces/published/networks/v100-4-to-16-gpus-horovod.json"


def validated(program, file, *settings):
    return sorted(json_of(program, "validate", file, *settings)["cases"], key=lambda case: case["gpus"])


def added(cases, key):
    return [1e3 * (case[key] - cases[0][key]) for case in cases]


def add_arguments(parser):
    parser.add_argument("file", nargs="?", default=DEFAULT, help="measurements of one workload and schedule")


def main(options):
    json_in(options.file)
    cases = validated(options.program, options.file)
    if len({(case["workload"], case["schedule"]) for case in cases}) != 1:
        stop(f"{options.file}: expected one workload and schedule")
    still = validated(options.program, options.file, "--set", "cluster.software.jitter=0")
    write(head(">GPUs", "use", ">measured ms", ">predicted ms", ">measured added ms", ">predicted added ms", ">network alone ms"))
    added_times = zip(added(cases, "measured_s"), added(cases, "predicted_s"), added(still, "predicted_s"))
    for case, times in zip(cases, added_times):
        write(row(case["gpus"], case["use"], f"{1e3 * case['measured_s']:.1f}", f"{1e3 * case['predicted_s']:.1f}",
                  *(f"{time:.2f}" for time in times)))
