"""What `stepcast optimise` finds, beside the published speed-ups of dPRO.

Shipped workloads of RTX 2080 Ti on 64 GPUs over 10 GbE and 100 Gb/s, and of V100 on 128 over 100 Gb/s, dPRO's own testbed.
What operator fusion of planned steps saves has to be given (kernel-fusion saves=), as layers have times and no kernels; the
last table has what it could gain at most, if all passes that are no products took no time. Analytic fidelity. The claims:
traces/published/claims/dpro.json."""
from published_tables.claims import FOLDER
from support.markdown import head, row, write
from support.program import ROOT, json_in, json_of

PRODUCTS = ("Conv", "Linear", "ttention")
JOBS = [(workload, cluster)
        for cluster in ("rtx2080ti-16x4-10gbe", "rtx2080ti-16x4-ib100")
        for workload in ("resnet50-rtx2080ti-bs64", "densenet201-rtx2080ti-bs32", "vgg16-rtx2080ti-bs32", "bert-base-rtx2080ti-bs64",
                         "bert-large-rtx2080ti-bs32")]
JOBS += [("resnet50-v100-bs32", "v100-32x4-edr"), ("bert-base-v100-bs32", "v100-32x4-edr")]


def answer(program, command, job, *words):
    return json_of(program, command, "--workload", job[0], "--cluster", job[1], *words, "--fidelity", "analytic")


def optimised(program, job, *words):
    """Seconds of a step before and after."""
    found = answer(program, "optimise", job, *words)
    return found["step_before_s"], found["step_after_s"]


def passes_s(layers):
    return sum(layer["forward_s"] + layer["backward_s"] for layer in layers)


def share_without_products(workload):
    """The share of the passes that are no products."""
    layers = json_in(ROOT / "traces/workloads" / f"{workload}.json")["layers"]
    return passes_s(layer for layer in layers if not any(kind in layer["kind"] for kind in PRODUCTS)) / passes_s(layers)


def gain(before, after):
    return 100 * (before / after - 1)


def write_steps(program):
    """Writes a row for each job; returns the gains by what they are over."""
    gains = {"no overlap": [], "DDP": [], "Horovod": [], "servers": []}
    write("Milliseconds a step; in brackets by how much the optimised one is faster\n")
    write(head("workload", "cluster", ">no overlap", ">DDP", ">Horovod", ">optimised all-reduces", ">servers (BytePS)",
               ">optimised servers"))
    for job in JOBS:
        steps = [answer(program, "run", job, "--schedule", schedule)["iteration_time_s"] for schedule in ("bsp", "ddp", "horovod")]
        _, buckets = optimised(program, job)
        before, servers = optimised(program, job, "--schedule", "ps")
        found = [*(gain(step, buckets) for step in steps), gain(before, servers)]
        for over, value in zip(gains, found):
            gains[over].append(value)
        cells = [f"{1e3 * step:.1f} ({value:.{places}f} %)" for step, value, places in zip(steps, found, (0, 1, 1))]
        write(row(*job, *cells, f"{1e3 * buckets:.1f}", f"{1e3 * before:.1f}", f"{1e3 * servers:.1f} ({found[-1]:.1f} %)"))
    return gains


def write_claims(gains):
    write("\n" + head("faster than", "published", "here", ""))
    for claim in json_in(FOLDER / "dpro.json")["claims"]:
        found = gains[claim["over"]]
        verdict = "within" if max(found) <= claim["published"] else "more than published"
        note = f"; {claim['note']}" if "note" in claim else ""
        write(row(claim["over"], claim["claim"], f"{min(found):.1f} to {max(found):.1f} %", verdict + note))


def write_limits_of_fusion(program):
    write("\n" + head("workload", "cluster", ">passes that are no products", ">Horovod's step, ms", ">without them", ">faster"))
    for job in JOBS:
        share = share_without_products(job[0])
        if share:
            before, after = optimised(program, job, "--schedule", "horovod", "--edit", "kernel-fusion saves=1", "--no-search")
            write(row(*job, f"{100 * share:.0f} %", f"{1e3 * before:.1f}", f"{1e3 * after:.1f}", f"{gain(before, after):.1f} %"))


def main(options):
    write_claims(write_steps(options.program))
    write_limits_of_fusion(options.program)
