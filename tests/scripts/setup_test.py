#!/usr/bin/env python3
"""scripts/run, setup, configure and test refuse what they do not know before they install or build anything."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).parents[2]
PROGRAM = sys.argv.pop(1)


def run(*words, **more):
    return subprocess.run(words, capture_output=True, text=True, check=False, **more)


class Scripts(unittest.TestCase):
    def test_unknown_arguments_are_told_first(self):
        for script, wrong in (("run", "--timline"), ("setup", "--pages"), ("test", "--fast")):
            done = run(ROOT / "scripts" / script, wrong, env={"PATH": "/usr/bin:/bin"})
            self.assertEqual(done.returncode, 2, script)
            self.assertNotIn("Installing", done.stderr)

    # A build that had found no librsvg never looked for it again.
    def test_builds_look_again_for_libraries_that_were_installed(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name in ("scripts", "bin"):
                (root / name).mkdir()
            shutil.copy(ROOT / "scripts/setup", root / "scripts")
            for name, answer in (("apt-get", "true"), ("dpkg-query", "false"), ("id", "echo 0")):
                (root / "bin" / name).write_text(f"#!/bin/sh\n{answer}\n", encoding="utf-8")
                (root / "bin" / name).chmod(0o755)
            lists = root / "CMakeLists.txt"
            lists.touch()
            os.utime(lists, (1, 1))
            done = run(root / "scripts/setup", env={"PATH": f"{root}/bin:/usr/bin:/bin"})
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertGreater(lists.stat().st_mtime, 1)

    def test_run_names_the_value_that_is_missing(self):
        done = run(ROOT / "scripts/run", "--timeline")
        self.assertEqual((done.returncode, done.stderr), (2, "scripts/run: --timeline needs a value; see scripts/run --help\n"))

    def test_run_takes_all_that_the_demo_takes(self):
        taken = (ROOT / "scripts/run").read_text(encoding="utf-8")
        for option in re.findall(r"^  (--[a-z-]+)", run(PROGRAM, "demo", "--help").stdout, re.MULTILINE):
            self.assertIn(f" {option}", taken)

    def test_reasons_of_skipped_tests(self):
        results = """<testsuite>
<testcase name="A.B" status="run"><system-out>fine</system-out></testcase>
<testcase name="c_test.1" status="run"><system-out>[ RUN      ] C.D
x_test.cpp:3: Skipped
"/home/me/tree/../shared/data/x" is not there
[  SKIPPED ] C.D (0 ms)
[ RUN      ] C.E
x_test.cpp:9: Skipped
"/home/me/tree/../shared/data/x" is not there
[  SKIPPED ] C.E (0 ms)
2 of 2 tests passed or were skipped
</system-out></testcase>
<testcase name="page" status="notrun"><skipped message=""/><system-out>skipped: no Chromium</system-out></testcase>
</testsuite>"""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "tests.xml"
            path.write_text(results, encoding="utf-8")
            done = run(sys.executable, ROOT / "tests/scripts/skipped.py", path)
        self.assertEqual(done.stdout, 'Skipped 2, such as C.D: ../shared/data/x" is not there\n'
                                      "Skipped 1, such as page: no Chromium\n", done.stderr)


if __name__ == "__main__":
    unittest.main()
