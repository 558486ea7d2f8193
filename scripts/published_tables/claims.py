"""Headline claims of the systems beside forecasts, on both networks of the RTX 2080 Ti testbed.

Every system runs with the preset of its paper (stepcast list presets). The claims: traces/published/claims/headlines.json."""
import functools
import math

from support.markdown import head, row, write
from support.program import ROOT, json_in, json_of

FOLDER = ROOT / "traces/published/claims"
QUANTITIES = {
    "step": lambda found: found["iteration_time_s"],
    "compute": lambda found: found["breakdown"]["forward_s"] + found["breakdown"]["backward_s"] +
    sum(found["breakdown"]["other_compute_s"].values()),
    "communication time": lambda found: sum(found["communication_s"].values()),
    "bytes sent": lambda found: found["bytes_sent_per_gpu"],
    "memory": lambda found: found["memory"]["total_bytes"],
}


@functools.lru_cache(maxsize=None)
def forecast(program, workload, cluster, schedule, nodes, settings):
    return json_of(program, "run", "--workload", workload, "--cluster", cluster, "--schedule", schedule, "--nodes", nodes,
                   settings=settings)


@functools.lru_cache(maxsize=None)
def seconds_to(program, goal, workload, cluster):
    """Seconds to a goal, by the label of the attempt."""
    found = json_of(program, "compare", "--goal", goal, "--workload", workload, "--cluster", cluster)
    return {attempt["label"]: attempt["time_s"] for attempt in found["results"]}


def on(network, value):
    """A value of the file that may differ by network."""
    return value[network] if isinstance(value, dict) else value


def quantity_of(program, quantity, schedule, settings, *job):
    """A quantity of a step, or the time to a goal of that name."""
    workload, cluster, nodes = job
    if quantity not in QUANTITIES:
        return seconds_to(program, quantity, workload, cluster)[schedule]
    return QUANTITIES[quantity](forecast(program, workload, cluster, schedule, nodes, tuple(settings.items())))


def rows_of(program, claim, network, jobs):
    """(claim, published, ratios by workload) for every baseline, variant and quantity of a claim."""
    found = []
    for over in (on(network, each) for each in claim["over"]):
        for variant, settings in claim.get("variants", {"": {}}).items():
            for quantity, published in claim["published"].items():
                ratios = [quantity_of(program, quantity, over, settings, *job) / quantity_of(program, quantity, claim["of"], {}, *job)
                          for job in jobs]
                found.append((claim["claim"].format(over=over, variant=variant, quantity=quantity), on(network, published), ratios))
                yield found[-1]
    if "best" in claim:
        yield claim["best"], found[0][1], [min(ratios) for ratios in zip(*(ratios for _, _, ratios in found))]


def ratios_of(program, claims):
    """(claim, network, published, ratios by workload) of a file of claims."""
    for group in claims["groups"]:
        for network, cluster in claims["clusters"].items():
            jobs = [(workload, cluster, group.get("nodes", 16)) for workload in group["workloads"]]
            for claim in group["rows"]:
                for name, published, ratios in rows_of(program, claim, network, jobs):
                    yield name, network, published, ratios


def two_places(values):
    return ", ".join(f"{value:.2f}" for value in values)


def verdict(published, ratios):
    """Whether ratios are within "up to 1.83", "1.10 to 1.35" or "above 1.00"."""
    low, high = (1.0, math.inf) if published.startswith("above") else (
        float(word) if word != "up" else 1.0 for word in published.split(" to "))
    missed = sum(not low <= round(ratio, 2) <= high for ratio in ratios)
    if published.startswith("up") and max(ratios) < 1 + (high - 1) / 2:
        return "less than published"
    return f"not for {missed}" if missed else "as published"


def main(options):
    write(head("claim", "network", "published", "forecast, by model", ""))
    for claim, network, published, ratios in ratios_of(options.program, json_in(FOLDER / "headlines.json")):
        write(row(claim, network, published, two_places(ratios), verdict(published, ratios)))
