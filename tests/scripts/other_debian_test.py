#!/usr/bin/env python3
"""Tests of scripts/other_debian: what it takes for a difference, and how it refuses where it cannot try anything."""
import contextlib
import importlib.machinery
import importlib.util
import io
import os
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

SCRIPT = pathlib.Path(__file__).parents[2] / "scripts/other_debian"
sys.path.insert(0, str(SCRIPT.parent))
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("other_debian", str(SCRIPT))
OTHER = importlib.util.module_from_spec(importlib.util.spec_from_loader("other_debian", loader))
sys.modules["other_debian"] = OTHER  # its dataclasses look themselves up
loader.exec_module(OTHER)


def wrong(here, there):
    return [where for where, _ in OTHER.wrong(OTHER.differences(here, there))]


class Differences(unittest.TestCase):
    def test_numbers_may_be_rounded_differently(self):
        self.assertEqual(wrong({"step_s": 0.25}, {"step_s": 0.25 * (1 + 5e-10)}), [])
        self.assertEqual(wrong({"step_s": 0.25}, {"step_s": 0.25 * (1 + 2e-9)}), ["/step_s"])

    # 1e-17 s of idle time are what rounding leaves of 0; 1e-11 s are not.
    def test_times_near_zero_are_equal_within_a_picosecond(self):
        self.assertEqual(wrong({"idle_s": 0}, {"idle_s": 1e-17}), [])
        self.assertEqual(wrong({"idle_s": 0}, {"idle_s": 1e-11}), ["/idle_s"])

    def test_all_else_must_be_the_same(self):
        self.assertEqual(wrong({"a": ["x", 1]}, {"a": ["y", 1]}), ["/a/0"])
        self.assertEqual(wrong({"a": [1, 2]}, {"a": [1]}), ["/a"])
        self.assertEqual(wrong({"a": 1}, {"b": 1}), ["/a", "/b"])
        self.assertEqual(wrong({"a": True}, {"a": 1}), ["/a"])
        self.assertEqual(wrong({"a": None}, {"a": 0}), ["/a"])

    def test_what_names_the_build_may_differ(self):
        self.assertEqual(wrong({"simgrid": "3.32", "a": 1}, {"simgrid": "4.0", "a": 1}), [])


class Refusals(unittest.TestCase):
    def refusal(self, tools, user=0):
        """The one line of a machine that has these tools, which all fail."""
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stderr(io.StringIO()) as said, \
                mock.patch("os.geteuid", return_value=user), mock.patch("sys.argv", ["other_debian", "--program", "/nowhere/stepcast"]), \
                mock.patch.dict(os.environ, {"PATH": folder}), mock.patch.object(OTHER, "SYSTEM_FOLDERS", ""):
            for name in tools:
                (pathlib.Path(folder) / name).write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
                (pathlib.Path(folder) / name).chmod(0o755)
            self.assertEqual(OTHER.main(), 2)
        self.assertEqual(said.getvalue().count("\n"), 1, said.getvalue())
        return said.getvalue()

    def test_a_missing_tool_is_named_in_one_line(self):
        self.assertIn("debootstrap is not installed", self.refusal(["unshare", "apt-get"]))
        self.assertIn("apt-get is not installed", self.refusal(["unshare"]))

    def test_without_root_it_says_so_in_one_line(self):
        self.assertIn("needs root", self.refusal(["unshare", "apt-get", "debootstrap"], user=1000))

    def test_without_mounts_of_its_own_it_says_so_in_one_line(self):
        self.assertIn("unshare", self.refusal(["unshare", "apt-get", "debootstrap"]))


if __name__ == "__main__":
    unittest.main()
