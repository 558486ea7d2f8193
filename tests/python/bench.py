#!/usr/bin/env python3
"""What Python costs: prints the figures of sim/python/README.md.

Usage: PYTHONPATH=build/release/python /usr/bin/python3 tests/python/bench.py [build/release/bin] [--jobs N]
"""
import argparse
import os
import pathlib
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time

import stepcast

JOB = {"workload": "resnet50-rtx2080ti-bs64", "cluster": "rtx2080ti-16x4-10gbe", "fidelity": "analytic"}
FIRST = 'import stepcast; stepcast.run("dear-64gpu-10gbe", schedule="dear", fidelity="analytic").iteration_time_s'


def first_forecast():
    """Of a fresh process, from its begin to its end; an empty one beside it."""
    def seconds(code):
        began = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        return time.perf_counter() - began
    times = [(seconds(FIRST), seconds("pass")) for _ in range(7)]
    print(f"import to first forecast: {statistics.median(a for a, _ in times):.3f} s of a process, "
          f"{statistics.median(b for _, b in times):.3f} s of which are Python's own")


def of_cpp(programs):
    done = subprocess.run([programs / "stepcast_bench", "--benchmark_filter=run_command/resnet50_analytic",
                           "--benchmark_min_time=2"], capture_output=True, text=True, check=False)
    found = re.search(r"run_command/resnet50_analytic\s+([\d.]+) ms", done.stdout)
    return float(found[1]) if found else None


def of_python(count=1000):
    began = time.perf_counter()
    for number in range(count):
        assert stepcast.run(**JOB, schedule="dear", nodes=number % 16 + 1).iteration_time_s > 0
    return (time.perf_counter() - began) / count * 1e3


def thousand_forecasts(programs):
    pairs = [(of_cpp(programs), of_python()) for _ in range(3)]
    for cpp, python in pairs:
        print(f"an analytic forecast: {python:.3f} ms in Python (of 1,000)" +
              (f", {cpp:.3f} ms in C++: x {python / cpp:.3f}" if cpp else "; build stepcast_bench for that of C++"))


def study_of(jobs):
    """About so many jobs, as short as forecasts are."""
    return {**JOB, "schedules": "bsp", "set": {"step_time": [f"{100 + i / 1000:.3f}ms" for i in range(jobs)]}}


def many_jobs(jobs):
    """The same study by one process, by shards and by Dask over one and two workers."""
    study = study_of(jobs)
    texts = {}

    def timed(name, act):
        began = time.perf_counter()
        texts[name] = act().text
        seconds = time.perf_counter() - began
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{jobs} jobs, {name}: {seconds:.1f} s, {seconds / jobs * 1e3:.3f} ms a job; parent {peak:.0f} MiB so far",
              flush=True)

    timed("one process, 1 worker", lambda: stepcast.compare(**study, workers=1))
    timed("one process, 2 workers", lambda: stepcast.compare(**study, workers=2))
    timed("16 shards, one after the other", lambda: stepcast.sweep(**study, shards=16))
    for workers in (1, 2):
        try:
            from distributed import Client, LocalCluster
        except ImportError:
            print("no Dask: python3-distributed is missing")
            break
        with LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as cluster, \
                Client(cluster) as client:
            timed(f"Dask, {workers} worker{'s' if workers > 1 else ''}", lambda: stepcast.sweep(**study, client=client))
    print("results are byte-equal:", len(set(texts.values())) == 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="?", type=pathlib.Path, default=pathlib.Path("build/release/bin"))
    parser.add_argument("--jobs", type=int, default=0, help="also a study of so many jobs")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("DASK_TEMPORARY_DIRECTORY", folder)
        first_forecast()
        thousand_forecasts(asked.programs)
        if asked.jobs:
            many_jobs(asked.jobs)


if __name__ == "__main__":
    main()
