"""Step times of testbeds that nothing was fitted to: measured, predicted, and predicted for more nodes.

Reads files of measurements (see stepcast schema measurements) whose cases are all checks. For every system the table has
the measured sizes (measured ms, predicted ms, error) and, marked as predicted only, the sizes that were not measured:
twice the nodes of the largest measured size, and so on up to the whole cluster."""
from support.markdown import error, head, row, write
from support.program import ROOT, json_in, json_of, stop

FILES = [ROOT / "traces/published/testbeds" / name for name in ("dlperf-v100-edr.json", "tensorflow-ec2-k80.json")]

# TensorFlow's benchmarks on 64 GPUs had a parameter server on every instance but for these models (from their page).
SERVERS_ON_8_NODES = {"inceptionv3-k80-bs64": 6, "inceptionv3-k80-bs32": 6, "resnet152-k80-bs32": 4,
                      "resnet50-k80-bs32": 4}


def predicted_s(program, case, nodes):
    settings = dict(case.get("set", {}))
    if nodes == 8 and case["workload"] in SERVERS_ON_8_NODES:
        settings["servers"] = SERVERS_ON_8_NODES[case["workload"]]
    return json_of(program, "run", "--workload", case["workload"], "--cluster", case["cluster"], "--schedule",
                   case["schedule"], "--nodes", nodes, settings=settings)["iteration_time_s"]


def measured_cell(result):
    measured, predicted = result["measured_s"], result["predicted_s"]
    return f"{1e3 * measured:.1f}, {1e3 * predicted:.1f}, {error(predicted, measured)}"


def systems_of(cases, results):
    """(workload, label or schedule) -> its cases with their results, smallest first."""
    systems = {}
    for case, result in zip(cases, results):
        systems.setdefault((case["workload"], case.get("label", case["schedule"])), []).append((case, result))
    return systems


def write_table(program, file):
    cases = json_in(file)["cases"]
    results = json_of(program, "validate", file)["cases"]
    cluster = json_of(program, "show", cases[0]["cluster"])
    sizes = sorted({case["nodes"] for case in cases})
    more = [nodes for nodes in (2 * sizes[-1], 4 * sizes[-1]) if nodes <= cluster["nodes"]]
    per_node = cluster["gpus_per_node"]
    write(f"{cluster['name']}\n\n" + head("workload", "system", *(
        f">{nodes * per_node} GPUs: measured, predicted ms, error" for nodes in sizes), *(
        f">{nodes * per_node} GPUs: predicted only" for nodes in more)))
    for system, found in systems_of(cases, results).items():
        write(row(*system, *(measured_cell(result) for _, result in found),
                  *(f"{1e3 * predicted_s(program, found[-1][0], nodes):.1f}" for nodes in more)))


def add_arguments(parser):
    parser.add_argument("files", nargs="*", default=FILES, help="measurements; default: the shipped testbeds")


def main(options):
    for index, file in enumerate(options.files):
        if index:
            write("")
        try:
            write_table(options.program, file)
        except (KeyError, TypeError) as wrong:
            stop(f"{file}: not a file of measurements with nodes for each case ({wrong!r})")
