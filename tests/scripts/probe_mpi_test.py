#!/usr/bin/env python3
"""Starts stepcast-probe on two MPI ranks without GPUs: one line says so, and both end with 3.

Usage: probe_mpi_test.py STEPCAST_PROBE. Exits with 77 (skipped) where there is no mpirun, or where the
program was built without CUDA or MPI.
"""
import os
import shutil
import subprocess
import sys

SKIPPED = 77


def lines_of(program, *arguments):
    """Status and the program's own lines; mpirun adds some of its own."""
    environment = dict(os.environ, CUDA_VISIBLE_DEVICES="", OMPI_ALLOW_RUN_AS_ROOT="1",
                       OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1")
    done = subprocess.run(["mpirun", "-np", "2", program, *arguments], env=environment, text=True,
                          capture_output=True, timeout=60, check=False)
    return done.returncode, [line for line in done.stderr.splitlines() if line.startswith("stepcast-probe")]


def main():
    program = sys.argv[1]
    if shutil.which("mpirun") is None:
        print("skipped: there is no mpirun")
        return SKIPPED
    if "libmpi" not in subprocess.run(["ldd", program], text=True, capture_output=True, check=False).stdout:
        print("skipped: the probe was built without MPI")
        return SKIPPED
    status, lines = lines_of(program, "gemm")
    assert status == 3, status
    assert len(lines) == 1 and lines[0].endswith("work"), lines
    status, lines = lines_of(program, "gem")
    assert status == 2, status
    assert len(lines) == 1 and "unknown probe" in lines[0], lines
    return 0


if __name__ == "__main__":
    sys.exit(main())
