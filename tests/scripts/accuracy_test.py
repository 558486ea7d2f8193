#!/usr/bin/env python3
"""Tests of scripts/published accuracy --check and scripts/calibrate clusters --profile, on errors that are made here."""
import json
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "scripts"))
sys.dont_write_bytecode = True
from calibrations import clusters  # noqa: E402
from published_tables import accuracy  # noqa: E402


def cases(schedule, *errors):
    return [{"source": "made", "schedule": schedule, "measured_s": 1.0, "predicted_s": 1 + error} for error in errors]


class Check(unittest.TestCase):
    """The median of 2, 4 and -6 % is 4 %."""

    def said(self, now):
        with tempfile.TemporaryDirectory() as folder:
            accuracy.CASES = pathlib.Path(folder) / "cases.json"
            accuracy.CASES.write_text(json.dumps({"cases": cases("ddp", 0.02, 0.04, -0.06)}), encoding="utf-8")
            return list(accuracy.grown(now))

    def test_a_median_that_grows_by_more_than_a_point_is_named(self):
        self.assertEqual(self.said(cases("ddp", 0.02, -0.0511, 0.9)), ["made: ddp: median error 4.0 % -> 5.1 %"])

    def test_less_or_one_worse_case_is_none(self):
        self.assertEqual(self.said(cases("ddp", 0.02, 0.0499, -0.5)), [])

    def test_families_that_come_or_go_are_named(self):
        self.assertEqual(self.said(cases("dear", 0.01)), ["made: ddp: gone: run scripts/published accuracy",
                                                          "made: dear: new: run scripts/published accuracy"])


class Profile(unittest.TestCase):
    """A parameter whose best value is 1, and rows that tell of it what each test says."""

    def profile(self, errors_at):
        parameter = clusters.Parameter("nic.startup", "us", "made", ["a"], 1, 1)
        clusters.errors_of = lambda parameter, program, folder: errors_at(parameter.value)
        return clusters.profile(parameter, "", "")

    def test_rows_that_a_change_of_a_twentieth_disturbs_determine_it(self):
        self.assertIn("| 2 | 0.0 % | 1 to 1 | determined |", self.profile(lambda value: [value - 1, 1 - value]))

    def test_rows_that_know_nothing_of_it_do_not(self):
        self.assertIn("| 0.25 to 4 | not determined |", self.profile(lambda value: [0.01, -0.01]))

    def test_rows_may_bound_it_on_one_side(self):
        self.assertIn("| 0.25 to 1 | not bounded below |", self.profile(lambda value: [max(0.0, value - 1)]))

    def test_a_row_is_left_out_of_its_own_fit(self):
        # Row 0 wants 1, row 1 wants 2: without itself each is at the other's.
        errors = clusters.left_out({1: [0.0, 0.3], 2: [0.2, 0.0]})
        self.assertEqual(errors, [0.2, 0.3])


if __name__ == "__main__":
    unittest.main()
