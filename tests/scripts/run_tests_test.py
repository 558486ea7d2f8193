#!/usr/bin/env python3
"""What run_tests.py makes of programs whose tests pass, fail, are skipped and die."""
import pathlib
import stat
import subprocess
import sys
import tempfile
import unittest

RUN_TESTS = pathlib.Path(__file__).with_name("run_tests.py")

# Speaks as GoogleTest does; tests do what their names say.
PROGRAM = """#!/usr/bin/env python3
import os, signal, sys
names = ["Passes", "Fails", "Dies", "Skips", "Exits", "PassesToo", "DISABLED_Never"]
if "--gtest_list_tests" in sys.argv:
    print("Running main() from gtest_main.cc\\nSuite.")
    print("\\n".join("  " + name for name in names))
    sys.exit()
flags = next(each for each in sys.argv if each.startswith("--gtest_flagfile="))
wanted = open(flags.split("=", 1)[1]).read().split("=", 1)[1].split(":")
failed = False
for name in names:
    if "Suite." + name not in wanted:
        continue
    print("[ RUN      ] Suite." + name, flush=True)
    if name == "Dies":
        os.kill(os.getpid(), signal.SIGKILL)
    if name == "Exits":
        sys.exit(0)
    if name == "Fails":
        print("file.cpp:1: Failure", flush=True)
        failed = True
    if name == "Skips":
        print("file.cpp:2: Skipped\\nno data\\n", flush=True)
    how = {"Fails": "  FAILED  ", "Skips": "  SKIPPED "}.get(name, "       OK ")
    print("[" + how + "] Suite." + name + " (0 ms)", flush=True)
sys.exit(failed)
"""


class RunTests(unittest.TestCase):
    def run_program(self, text, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "program"
            program.write_text(text)
            program.chmod(program.stat().st_mode | stat.S_IXUSR)
            return subprocess.run([sys.executable, RUN_TESTS, program, *arguments], capture_output=True, text=True, check=False)

    def test_every_test_that_fails_or_dies_is_named(self):
        done = self.run_program(PROGRAM)
        self.assertEqual(done.returncode, 1)
        self.assertIn("\nFAILED: Suite.Fails\nDIED (signal 9): Suite.Dies\nDIED (exit 0): Suite.Exits\n3 of 6 tests passed", done.stdout)
        self.assertIn("[ RUN      ] Suite.Fails\nfile.cpp:1: Failure\n[  FAILED  ] Suite.Fails", done.stdout)
        self.assertNotIn("Suite.Passes", done.stdout)

    def test_what_is_skipped_says_why(self):
        done = self.run_program(PROGRAM.replace('"Fails", "Dies", ', "").replace('"Exits", ', ""))
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("file.cpp:2: Skipped\nno data\n[  SKIPPED ] Suite.Skips", done.stdout)
        self.assertIn("3 of 3 tests passed or were skipped", done.stdout)

    def test_parts_are_all_tests_once(self):
        first, second = (self.run_program(PROGRAM, f"{part}/2").stdout for part in (1, 2))
        self.assertIn("DIED (signal 9): Suite.Dies\nDIED (exit 0): Suite.Exits\n1 of 3 tests", first)
        self.assertIn("FAILED: Suite.Fails\n2 of 3 tests", second)

    def test_a_program_that_fails_behind_its_tests_fails(self):
        done = self.run_program(PROGRAM.replace("sys.exit(failed)", "sys.exit(3)").replace('"Fails", "Dies", ', "").replace('"Exits", ', ""))
        self.assertEqual(done.returncode, 1)
        self.assertIn("the program ended with 3", done.stdout)


if __name__ == "__main__":
    unittest.main()
