"""TopKA2A beside its published claims, and what its speed-up over DDP depends on.

8 nodes of 4 RTX 2080 Ti on 10 GbE, density 0.02. Forecasts are at analytic fidelity: these schedules communicate one
collective at a time. The claims: traces/published/claims/topka2a.json."""
from published_tables.claims import FOLDER
from support.markdown import head, row, write
from support.program import json_in, json_of

CLUSTER = "rtx2080ti-16x4-10gbe"
NODES = 8
DENSITY = "0.02"
WORKLOADS = ["vgg16-rtx2080ti-bs32", "resnet50-rtx2080ti-bs64", "bert-large-rtx2080ti-bs32", "gpt2-rtx2080ti-bs32"]
TOPKA2A = {"fusion": "binary", "selection": "search"}
# The baselines with the selection that their authors use (exact), and with TopKA2A's own.
SYSTEMS = {
    "ddp": ("ddp", {}),
    "topk-allgather exact": ("topk-allgather", {"selection": "exact"}),
    "topk-allgather search": ("topk-allgather", {"selection": "search"}),
    "gtopk exact": ("gtopk", {"selection": "exact"}),
    "gtopk search": ("gtopk", {"selection": "search"}),
    "topka2a": ("topka2a", TOPKA2A),
}
VARIANTS = {
    "as it is": {},
    "selection free": {"selection": "free"},
    "one GPU a node (32 NICs)": {"cluster.nodes": "32", "cluster.gpus_per_node": "1"},
    "no start-up, no launch cost": {"cluster.nic.startup": "0us", "cluster.intra_node.startup": "0us",
                                    "cluster.software.collective_launch": "0us"},
    "half the compute (batch halved)": {"half": "yes"},
}


def step_of(program, workload, schedule, options):
    """Seconds of a step. `options` may change the cluster or halve the batch."""
    settings = dict(options)
    if settings.pop("half", None):
        settings["batch"] = str(int(workload.split("-bs")[1]) // 2)
    if schedule != "ddp":
        settings["density"] = DENSITY
    else:
        settings = {key: value for key, value in settings.items() if key.startswith("cluster.") or key == "batch"}
    size = [] if "cluster.nodes" in settings else ["--nodes", NODES]
    return json_of(program, "run", "--workload", workload, "--cluster", CLUSTER, "--schedule", schedule, "--fidelity", "analytic",
                   *size, settings=settings)["iteration_time_s"]


def gain(before, after):
    return f"{100 * (before / after - 1):+.0f} %"


def main(options):
    claims = json_in(FOLDER / "topka2a.json")["published"]
    write(f"{NODES * 4} GPUs, 10 GbE, density {DENSITY}: iteration in ms, and TopKA2A's speed-up\n")
    write(head("workload", *(f">{name}" for name in SYSTEMS), ">topka2a over ddp", ">claim"))
    for workload in WORKLOADS:
        times = [step_of(options.program, workload, *system) for system in SYSTEMS.values()]
        write(row(workload, *(f"{1e3 * time:.1f}" for time in times), gain(times[0], times[-1]), claims.get(workload, "")))
    write("\nWhat TopKA2A's speed-up over DDP depends on\n")
    write(head("workload", *(f">{name}" for name in VARIANTS), ">bound of communication"))
    for workload in WORKLOADS:
        gains = [gain(step_of(options.program, workload, "ddp", variant),
                      step_of(options.program, workload, "topka2a", {**TOPKA2A, **variant})) for variant in VARIANTS.values()]
        write(row(workload, *gains, gain(2, 2 * float(DENSITY) + 1)))
