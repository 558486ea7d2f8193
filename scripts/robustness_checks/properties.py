"""The properties of forecasts on thousands of random jobs, hostile ones among them.

Forecasts have to be sound at every fidelity, the same folded and unfolded, by flows and by every message within 2 %, monotone,
the same again, with a critical path that is the step however late messages start. Of hostile jobs (start-ups to 100 ms, 64
micro-batches, swapped layouts) no step may be below its bytes over bandwidth or its compute, and none faster with halved
bandwidth, doubled times or a straggler more. Builds sim_forecast_test in build/release; the tests try 100 jobs."""
import argparse
import os
import subprocess

from support.program import ROOT

RUNS_STEPCAST = False
BUILD = ROOT / "build/release"
FILTER = "--gtest_filter=ForecastProperties.*:PhysicalProperties.*"


def positive(text):
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1 on, found '{text}'")
    return text


def add_arguments(parser):
    parser.add_argument("cases", nargs="?", type=positive, default="2000", metavar="CASES", help="random jobs of a property (2000)")
    parser.add_argument("seed", nargs="?", type=positive, default="1", metavar="SEED", help="of the first (1)")


def main(options):
    for command, folder in ((["scripts/configure", "release"], ROOT), (["ninja", "sim_forecast_test"], BUILD)):
        status = subprocess.run(command, cwd=folder, check=False).returncode
        if status:
            return status
    chosen = {"STEPCAST_PROPERTY_CASES": options.cases, "STEPCAST_PROPERTY_SEED": options.seed}
    return subprocess.run([BUILD / "bin/sim_forecast_test", FILTER], cwd=ROOT, env={**os.environ, **chosen}, check=False).returncode
