#!/usr/bin/env python3
"""SimGrid, which takes .03 s to load, is loaded by the first simulation that needs it and by nothing before."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv.pop(1)
ROOT = str(pathlib.Path(__file__).resolve().parents[2])
JOB = ["run", "--workload", "resnet50-rtx2080ti-bs64", "--cluster", "rtx2080ti-16x4-10gbe", "--schedule", "dear"]


def what_is_loaded(*words, program=PROGRAM, check=True):
    """The lines in which the loader names the files that it loads."""
    done = subprocess.run([program, *words], capture_output=True, text=True, check=check,
                          env={**os.environ, "LD_DEBUG": "files", "STEPCAST_DATA": ROOT})
    if "calling init" not in done.stderr:
        raise unittest.SkipTest("this loader does not say what it loads")
    return done.stderr


def loads_simgrid(*words):
    return "libsimgrid" in what_is_loaded(*words)


class StartUp(unittest.TestCase):
    def test_the_own_engine_loads_simgrid_where_flows_meet(self):
        self.assertTrue(loads_simgrid(*JOB[:-1], "ps", "--fidelity", "flow", "--engine", "own"))

    def test_a_copied_program_does_not_load_the_module_of_the_build_tree(self):
        with tempfile.TemporaryDirectory() as folder:
            said = what_is_loaded(*JOB[:-1], "ps", "--fidelity", "flow", program=shutil.copy(PROGRAM, folder), check=False)
        self.assertNotIn(str(pathlib.Path(PROGRAM).resolve().parent / "stepcast_simgrid.so"), said)

    def test_flow_loads_it_by_default(self):
        self.assertTrue(loads_simgrid(*JOB, "--fidelity", "flow"))

    def test_the_own_engine_does_not_where_each_flow_is_alone(self):
        self.assertFalse(loads_simgrid(*JOB, "--fidelity", "flow", "--engine", "own"))

    def test_analytic_does_not(self):
        self.assertFalse(loads_simgrid(*JOB, "--fidelity", "analytic"))

    def test_the_index_of_list_says_what_the_files_do(self):
        with tempfile.TemporaryDirectory() as folder:
            alone = shutil.copy(PROGRAM, folder)  # without the index that the build laid beside the program
            listed = [subprocess.run([program, "list"], capture_output=True, check=True, env={**os.environ, "STEPCAST_DATA": ROOT}).stdout
                      for program in (PROGRAM, alone)]
            self.assertEqual(*listed)
            self.assertGreater(len(listed[0]), 1000)

    def test_what_simulates_nothing_does_not(self):
        for words in (["--version"], ["list"], ["show", "dear"], ["run", "--help"]):
            self.assertFalse(loads_simgrid(*words), words)


if __name__ == "__main__":
    unittest.main()
