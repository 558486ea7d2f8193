"""How long a DDP step takes where its GPUs are spread over nodes of a slow network: measured and predicted.

ResNet-50 (ImageNet), ResNet-18 (CIFAR-10) and NCF on 4 nodes of 4 T4 (Pollux, OSDI 2021).

One bandwidth between nodes is fitted on the placements on two nodes, one inside a node on those on one node; the
step of one GPU is measured for every batch. Steps and exposed communication on three and four nodes are then
predicted. A ring over several nodes is as fast as its slowest edge, so P ranks on uneven nodes take as long as P
nodes of one GPU; that is how placements such as 1123 are simulated.

Over two nodes both edges of the ring run between the same two nodes, over more each pair of nodes has one. Whether
the two directions of such a pair have a bandwidth each or share one is not known of this network, and placements on
two nodes cannot tell it, so both readings of the fitted bandwidth are printed. Then, without any use of it in the
predictions, what bandwidth each set of placements would ask for by itself, and by how much placements that are
alike (the same nodes in another order) differ among themselves: no model of the placement can be better than that.

The measurements are not part of this repository. They are the files *_placements.csv (columns placement, local_bsz,
step_time, sync_time) of github.com/petuum/adaptdl, branch osdi21-artifact, licence Apache-2.0; --data names their
folder. Takes about a minute."""
import collections
import functools
import itertools
import json
import pathlib
import statistics
import tempfile

from support.markdown import percent
from support.program import json_of, rows_in, stop

Case = collections.namedtuple("Case", "nodes gpus gpus_by_node batch step exposed")

# Layers as (elements of the tensors, share of the step's arithmetic), in forward order. From the public model
# definitions; NCF's embedding sizes (32 factors, 3 layers, MovieLens-1M) are assumed.
RESNET18 = [([3 * 64 * 9], 1.77)] + [([i * o * 9, 2 * o], i * o * 9 * s * s / 1e6) for i, o, s in
            [(64, 64, 32)] * 4 + [(64, 128, 16)] + [(128, 128, 16)] * 3 + [(128, 256, 8)] + [(256, 256, 8)] * 3 +
            [(256, 512, 4)] + [(512, 512, 4)] * 3] + [([64 * 128, 128 * 256, 256 * 512], 6.3), ([5130], 0.005)]
NCF = [([6040 * 32], 1), ([3706 * 32], 1), ([6040 * 128], 1), ([3706 * 128], 1), ([256 * 128 + 128], 2),
       ([128 * 64 + 64], 1), ([64 * 32 + 32], 1), ([65], 0.2)]
MODELS = {"imagenet": "resnet50-v100-bs96", "cifar10": RESNET18, "ncf": NCF}


def cases_of(path):
    for row in rows_in(path):
        placement = row["placement"]
        yield Case(len(placement), sum(map(int, placement)), "".join(sorted(placement)), int(row["local_bsz"]),
                   float(row["step_time"]), float(row["sync_time"]))


def write_workload(path, name, layers):
    """Forward is a third of the step, as in the layers' arithmetic."""
    total = sum(share for _, share in layers)
    text = {"format": "stepcast-workload", "version": 1, "name": name, "model": name, "device": "t4", "batch": 1,
            "provenance": {"kind": "assumed", "source": "public model definition; times in proportion to arithmetic"},
            "layers": [{"name": f"layer{i}", "kind": "Layer", "forward_s": share / total / 3,
                        "backward_s": 2 * share / total / 3,
                        "parameters": [{"name": f"p{j}", "elements": n} for j, n in enumerate(elements)]}
                       for i, (elements, share) in enumerate(layers)]}
    path.write_text(json.dumps(text), encoding="utf-8")


def write_cluster(path, gpus):
    text = {"format": "stepcast-cluster", "version": 1, "name": "t4-tcp", "nodes": gpus, "gpus_per_node": 1,
            "device": "t4", "intra_node": {"bandwidth": "5GBps", "startup": "10us"},
            "nic": {"bandwidth": "5Gbps", "startup": "50us"},
            "provenance": {"kind": "assumed", "source": "bandwidths are fitted here; start-ups assumed for TCP"}}
    path.write_text(json.dumps(text), encoding="utf-8")


class Model:
    """The measured cases of one model, and step and exposed seconds forecast for them by (inside, gpus, single-GPU step,
    bandwidth in GB/s); each is simulated once."""

    def __init__(self, name, workload, cluster, options):
        cases = list(cases_of(options.data / f"{name}_placements.csv"))
        self.name, self.known = name, {}
        self.single = {c.batch: c.step - c.exposed for c in cases if c.gpus == 1}
        self.cases = [c for c in cases if c.batch in self.single and c.gpus > 1]
        self.compare = functools.partial(json_of, options.program, "compare", "--workload", workload, "--cluster", cluster,
                                         "--schedules", "ddp", "--fidelity", "analytic")

    def prepare(self, inside, bandwidths):
        """Simulates every combination; inside: on one node, else on nodes of one GPU."""
        # The program sweeps over nodes, not over GPUs a node: those are one call each.
        shapes = [([gpus], 1, gpus) for gpus in (2, 3, 4)] if inside else [(range(2, 17), ",".join(map(str, range(2, 17))), 1)]
        for step in self.single.values():
            for counts, nodes, per_node in shapes:
                self.sweep(inside, counts, ["--nodes", nodes, "--gpus-per-node", per_node], step, bandwidths)

    def sweep(self, inside, counts, shape, step, bandwidths):
        settings = {"step_time": f"{step * 1e3:.6f}ms", f"cluster.{'intra_node' if inside else 'nic'}.bandwidth":
                    ",".join(f"{bandwidth:.6g}GBps" for bandwidth in bandwidths)}
        results = self.compare(*shape, settings=settings)["results"]
        expected = list(itertools.product(counts, bandwidths))
        if [result["gpus"] for result in results] != [gpus for gpus, _ in expected]:
            stop("the program did not return the forecasts in the order asked for")
        for (gpus, bandwidth), result in zip(expected, results):
            parts = result["breakdown"]
            exposed = sum(parts["exposed_communication_s"].values()) + parts["idle_s"]
            self.known[inside, gpus, step, bandwidth] = (result["iteration_time_s"], exposed)

    def on(self, nodes):
        return [case for case in self.cases if case.nodes == nodes]

    def predicted(self, case, bandwidth):
        """Step and exposed seconds."""
        return self.known[case.nodes == 1, case.gpus, self.single[case.batch], bandwidth]

    def errors(self, nodes, bandwidth):
        return [self.predicted(case, bandwidth)[0] / case.step - 1 for case in self.on(nodes)]


def mape(errors):
    return statistics.mean(map(abs, errors))


def fitted(models, nodes, bandwidths):
    """The bandwidth with the least error of the step, every model counting alike."""
    return min(bandwidths, key=lambda b: statistics.mean(mape(model.errors(nodes, b)) for model in models))


def grid(low, high, count):
    return [low * (high / low) ** (i / (count - 1)) for i in range(count)]


def exposed_error(model, nodes, bandwidth):
    """Where at least a tenth of the step is exposed communication: of less, an error says little."""
    pairs = [(case.exposed, model.predicted(case, bandwidth)[1])
             for case in model.on(nodes) if case.exposed > 0.1 * case.step]
    return percent(mape(mine / measured - 1 for measured, mine in pairs)) if pairs else "-"


def row(model, label, nodes, bandwidth):
    errors = model.errors(nodes, bandwidth)
    return (f"{model.name:9} {label:42} {len(errors):5} {percent(mape(errors)):>10} "
            f"{percent(statistics.mean(errors)):>10} {exposed_error(model, nodes, bandwidth):>13}")


def print_errors(models, inside, between):
    print(f"{'model':9} {'placements':42} {'cases':>5} {'step MAPE':>10} {'step bias':>10} {'exposed MAPE':>13}")
    for model in models:
        print(row(model, "1 node (fitted)", 1, inside))
        print(row(model, "2 nodes (fitted)", 2, between))
        for nodes in (3, 4):
            print(row(model, f"{nodes} nodes (predicted), one each direction", nodes, between))
            print(row(model, f"{nodes} nodes (predicted), one for both", nodes, 2 * between))


def scatter(model):
    """Mean distance, in text, of a measured step from the mean of the placements that are alike."""
    alike = collections.defaultdict(list)
    for case in model.cases:
        if case.nodes > 1:
            alike[case.gpus_by_node, case.batch].append(case.step)
    errors = [step / statistics.mean(steps) - 1 for steps in alike.values() if len(steps) > 2 for step in steps]
    return percent(mape(errors)) if errors else "-"


def print_diagnosis(models, bandwidths):
    print("Gb/s that the placements would ask for by themselves, and the step MAPE with it (no prediction)")
    asked = {nodes: [fitted([model], nodes, bandwidths) for model in models] for nodes in (2, 3, 4)}
    for nodes, found in asked.items():
        print(f"{nodes} nodes   " + ", ".join(
            f"{model.name} {8 * b:.2f} ({percent(mape(model.errors(nodes, b)))})" for model, b in zip(models, found)))
    print("step MAPE on 4 nodes with the bandwidth that 3 nodes ask for: " + ", ".join(
        f"{model.name} {percent(mape(model.errors(4, b)))}" for model, b in zip(models, asked[3])))
    print("scatter of placements that are alike: " + ", ".join(
        f"{model.name} {scatter(model)}" for model in models))
    ratios = [b / b2 for nodes in (3, 4) for b, b2 in zip(asked[nodes], asked[2])]
    print(f"An edge of the ring is {min(ratios):.2f} to {max(ratios):.2f} times as fast on three and four nodes as on "
          "two.\n" + READING)


READING = """How to read this: where placements on three and on four nodes ask for the same bandwidth, and with it miss by
little more than their own scatter, bytes and rounds of the ring are right, and input pipeline, launches and GPUs that
share a node have little left to explain. A factor other than 1 (a bandwidth for each direction) and 2 (one for both)
is then what a pair of nodes loses when both directions carry data. A likely cause is the overlay: acknowledgements
of one direction wait behind data of the other, and a core handles all of a tunnel. The factor is not in placements
on one and two nodes, so it is not fitted."""


def models_of(options, folder):
    write_cluster(folder / "cluster.json", 16)
    for name, layers in MODELS.items():
        workload = layers
        if not isinstance(layers, str):
            workload = folder / f"{name}.json"
            write_workload(workload, name, layers)
        yield Model(name, workload, folder / "cluster.json", options)


def add_arguments(parser):
    parser.add_argument("--data", type=pathlib.Path, help="folder of the measured *_placements.csv (see above)")


def check_data(folder):
    """Ends the script if the folder lacks measurements."""
    missing = [f"{name}_placements.csv" for name in MODELS if not folder or not (folder / f"{name}_placements.csv").is_file()]
    if missing:
        where = f"{folder}: " if folder else ""
        stop(f"{where}expected --data FOLDER with {', '.join(missing)}, from github.com/petuum/adaptdl, branch osdi21-artifact "
             "(Apache-2.0)")


def main(options):
    check_data(options.data)
    inside, between = grid(0.5, 16, 21), grid(0.15, 2.5, 33)
    with tempfile.TemporaryDirectory() as folder:
        models = list(models_of(options, pathlib.Path(folder)))
        for model in models:
            model.prepare(True, inside)
            model.prepare(False, between)
        best = fitted(models, 1, inside), fitted(models, 2, between)
        for model in models:
            model.prepare(False, [2 * best[1]])
    print(f"fitted to all three models: {best[0]:.2f} GB/s inside a node, {8 * best[1]:.2f} Gb/s between nodes\n")
    print_errors(models, *best)
    print()
    print_diagnosis(models, between)
