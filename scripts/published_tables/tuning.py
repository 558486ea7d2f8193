"""How close ten trials of Bayesian optimisation come to the best fusion buffer of DeAR.

DeAR claims that ten trials are enough. The table also has how many trials grid and random search need for the same."""
import itertools
import statistics

from support.markdown import head, row, write
from support.program import json_of

CLUSTERS = ["rtx2080ti-16x4-10gbe", "rtx2080ti-16x4-ib100"]
WORKLOADS = ["resnet50-rtx2080ti-bs64", "densenet201-rtx2080ti-bs32", "inceptionv4-rtx2080ti-bs64",
             "bert-base-rtx2080ti-bs64", "bert-large-rtx2080ti-bs32"]
MOST_TRIALS = 64


def times(program, case, *options):
    """Iteration times in the order of the trials."""
    cluster, workload = case
    found = json_of(program, "tune", "--workload", workload, "--cluster", cluster, "--schedule", "dear",
                    "--option", "fusion_buffer", *options)
    return [trial["iteration_time_s"] for trial in found["trials"]]


def first_within(trials, limit):
    """Number of the first trial at or below the limit; one more than there are if none is."""
    return next((i + 1 for i, time in enumerate(trials) if time <= limit), len(trials) + 1)


def smallest_grid(program, case, limit, scale):
    """Points of the smallest grid of which one is at or below the limit."""
    for points in range(2, MOST_TRIALS + 1):
        if min(times(program, case, "--strategy", "grid", "--trials", points, *scale)) <= limit:
            return points
    return MOST_TRIALS + 1


def shown(count, most=MOST_TRIALS):
    return f"> {most}" if count > most else f"{count:g}"


def cells_of(program, case, options):
    scale = ["--scale", options.scale]
    everything = times(program, case, "--strategy", "exhaustive")
    best = min(everything)
    limit = best * (1 + options.within / 100)
    trials = times(program, case, "--trials", 10, *scale)
    random = [first_within(times(program, case, "--strategy", "random", "--trials", MOST_TRIALS, "--seed", seed, *scale), limit)
              for seed in range(1, options.seeds + 1)]
    return [case[1], case[0].rsplit("-", 1)[1], len(everything), f"{1e3 * best:.1f}", f"{100 * (min(trials) / best - 1):.1f} %",
            shown(first_within(trials, limit), 10), shown(smallest_grid(program, case, limit, scale)),
            shown(statistics.median(random)), shown(statistics.quantiles(random, n=10)[-1])]


def add_arguments(parser):
    parser.add_argument("--scale", default="log", choices=["linear", "log"])
    parser.add_argument("--within", type=float, default=3, metavar="PERCENT", help="default 3")
    parser.add_argument("--seeds", type=int, default=20, help="runs of random search, 2 or more; default 20")


def main(options):
    write(head("workload", "network", "plans", "best ms", "bo, 10 trials: above best", "bo: trials needed", "grid: points needed",
               "random: median", "random: 90 %"))
    for case in itertools.product(CLUSTERS, WORKLOADS):
        write(row(*cells_of(options.program, case, options)))
