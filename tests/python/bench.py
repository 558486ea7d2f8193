#!/usr/bin/env python3
"""What Python costs: prints the figures of sim/python/README.md.

Usage: PYTHONPATH=build/release/python /usr/bin/python3 tests/python/bench.py [build/release/bin] [--jobs N]
"""
import argparse
import hashlib
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
    return {**JOB, "schedules": "bsp", "nodes": list(range(1, 17)), "batch": [32, 64],
            "set": {"step_time": [f"{100 + i / 1000:.3f}ms" for i in range(-(-jobs // 32))]}}


def by_dask(study, workers):
    from distributed import Client, LocalCluster
    with LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        stepcast.sweep(**{**JOB, "schedules": "bsp", "nodes": [1, 2]}, client=client)  # workers have imported it
        began = time.perf_counter()
        return stepcast.sweep(**study, client=client), time.perf_counter() - began


def in_shards(study, workers):
    began = time.perf_counter()
    return stepcast.sweep(**study, workers=workers, shards=100), time.perf_counter() - began


def in_one_process(study, workers):
    began = time.perf_counter()
    return stepcast.compare(**study, workers=workers), time.perf_counter() - began


ENGINES = {"one": in_one_process, "shards": in_shards, "dask": by_dask}


def one_study(name, workers, jobs):
    """Prints what a study takes and a digest of its result; the figures are those of this process alone."""
    peak = {}
    for what, count in (("few", 3200), ("all", jobs)):
        result, seconds = ENGINES[name](study_of(count), workers)
        peak[what] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    own, others = (each.ru_utime + each.ru_stime for each in map(resource.getrusage, (resource.RUSAGE_SELF,
                                                                                     resource.RUSAGE_CHILDREN)))
    rows = sum(1 for _ in result.each_row())
    peak["read"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    digest = hashlib.sha256()
    for piece in result._text.pieces() if result.is_long else [result.text.encode()]:
        digest.update(piece)
    print(f"{rows} jobs, {name}, {workers} worker{'s' if workers > 1 else ''}: {seconds:.1f} s, {seconds / rows * 1e3:.3f} ms "
          f"a job; processor time {own:.1f} s of the parent, {others:.1f} s of others; parent {peak['few']:.0f} MiB after 3,200 "
          f"jobs, {peak['all']:.0f} after all, {peak['read']:.0f} when read; "
          f"{digest.hexdigest()[:12]}", flush=True)


def many_jobs(jobs):
    """The same study by one process, by shards and by Dask over one and two workers, each measured alone."""
    for name in ENGINES:
        for workers in (1, 2):
            subprocess.run([sys.executable, __file__, "--engine", name, "--workers", str(workers), "--jobs", str(jobs)],
                           check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="?", type=pathlib.Path, default=pathlib.Path("build/release/bin"))
    parser.add_argument("--jobs", type=int, default=0, help="also a study of so many jobs")
    parser.add_argument("--engine", choices=ENGINES, help="only that study, by one of these")
    parser.add_argument("--workers", type=int, default=1, help="of --engine (1)")
    asked = parser.parse_args()
    if asked.engine:
        one_study(asked.engine, asked.workers, asked.jobs)
        return
    with tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("DASK_TEMPORARY_DIRECTORY", folder)
        first_forecast()
        thousand_forecasts(asked.programs)
        if asked.jobs:
            many_jobs(asked.jobs)


if __name__ == "__main__":
    main()
