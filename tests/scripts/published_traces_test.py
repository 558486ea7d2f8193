#!/usr/bin/env python3
"""Tests of scripts/published traces on a stand-in for stepcast: what it averages, and what it does with refusals."""
import json
import pathlib
import stat
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).parents[2] / "scripts/published"

STEP = {"computing_s": 0.098, "idle_for_host_s": 0.05, "idle_for_collectives_s": 0.002}
FIRST = {**STEP, "whole": False, "idle_for_host_s": 9}
INSPECTED = [{"steps": [FIRST, STEP, {**STEP, "computing_s": 0.1}], "step_time": {"mean_s": 0.16}, "device_step_s": 0.1515,
              "batch": {"value": 32, "evidence": "shapes"}}]
REPLAYED = {"mean": {"recorded_s": 0.1, "simulated_s": 0.102}}


class Traces(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.traces = pathlib.Path(self.folder.name) / "traces"
        self.traces.mkdir()
        (self.traces / "kineto_resnet50_v100_workers0.json.gz").write_text("x", encoding="utf-8")

    def table(self, program):
        path = pathlib.Path(self.folder.name) / "stepcast"
        path.write_text("#!/bin/sh\n" + program, encoding="utf-8")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        done = subprocess.run([sys.executable, SCRIPT, "traces", "--program", path, self.traces], capture_output=True, text=True,
                              check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_means_stand_beside_what_was_counted(self):
        text = self.table(f"if [ $1 = inspect ]; then echo '{json.dumps(INSPECTED)}'; else echo '{json.dumps(REPLAYED)}'; fi\n")
        cells = [cell.strip() for cell in text.splitlines()[4].split("|")[1:-1]]
        self.assertEqual(cells, ["kineto_resnet50_v100_workers0", "151.5 (151.5)", "99 (98.5)", "50", "2 (0)", "32 (32)",
                                 "+2.0 %"])

    def test_a_refusal_is_told_below(self):
        text = self.table(f"if [ $1 = inspect ]; then echo '{json.dumps(INSPECTED)}'; else echo 'stepcast: no' >&2; exit 2; fi\n")
        self.assertIn("| refused |", text)
        self.assertTrue(text.endswith("\nstepcast: no\n"))
        self.assertEqual(self.table("echo 'stepcast: bad' >&2; exit 2\n").count("refused"), 6)


if __name__ == "__main__":
    unittest.main()
