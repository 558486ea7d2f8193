#!/usr/bin/env python3
"""Tests of the scripts: all help, are described and refuse wrong arguments in one line; those that run stepcast take it as
--program and end in one line where it fails."""
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).parents[2]
SCRIPTS = ROOT / "scripts"
MOST_SCRIPTS = 16
PLACEMENTS = ["published", "placements", "--data", ROOT / "tests/data/placements"]
RUN_STEPCAST = [*(["published", table] for table in ("accuracy", "claims", "dpro", "growth", "kfac", "ranges", "testbeds", "topka2a", "tuning")),
                PLACEMENTS, ["calibrate", "clusters"]]
OTHERS = [["published", "traces"], ["calibrate", "kfac"], ["answers", "record"], ["answers", "compare"],
          *(["robustness", check] for check in ("commands", "determinism", "inputs", "kills", "properties"))]
TAKE_PROGRAM = [["published", "traces"], ["answers", "record", "folder"],
                *(["robustness", check] for check in ("commands", "determinism", "inputs", "kills"))]


def first_line(path):
    with open(path, encoding="utf-8") as file:
        return file.readline()


SCRIPT_FILES = sorted(path for path in SCRIPTS.iterdir() if path.is_file() and first_line(path).startswith("#!"))
PYTHON = [path.name for path in SCRIPT_FILES if "python3" in first_line(path)]


def run(script, *arguments):
    return subprocess.run([sys.executable, SCRIPTS / script, *arguments], capture_output=True, text=True, check=False)


class Programs(unittest.TestCase):
    def expect_one_line(self, done, words):
        self.assertEqual(done.returncode, 2, done.stderr)
        last = done.stderr.splitlines()[-1]
        self.assertIn(words, last)
        self.assertNotIn("Traceback", done.stderr)

    def test_every_python_script_has_help(self):
        for words in [*([name] for name in PYTHON), *RUN_STEPCAST, *OTHERS]:
            done = run(*words, "--help")
            self.assertEqual((done.returncode, done.stderr), (0, ""), words)
            self.assertIn("usage:", done.stdout)

    def test_every_script_helps_and_refuses_what_it_does_not_know_in_one_line(self):
        for path in SCRIPT_FILES:
            done = subprocess.run([path, "--help"], capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""), path)
            self.assertGreater(len(done.stdout.splitlines()), 1, path)
            done = subprocess.run([path, "--no-such-option"], capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stdout, len(done.stderr.splitlines())), (2, "", 1), f"{path}: {done.stderr}")

    def test_scripts_are_few_and_all_described(self):
        self.assertLessEqual(len(SCRIPT_FILES), MOST_SCRIPTS)
        described = [line.split("`")[1] for line in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").splitlines()
                     if line.startswith("| `scripts/")]
        self.assertEqual(sorted(words.split()[0] for words in described), [f"scripts/{path.name}" for path in SCRIPT_FILES])

    def test_a_program_that_is_not_there_is_named(self):
        for script, *words in [*RUN_STEPCAST, *TAKE_PROGRAM]:
            self.expect_one_line(run(script, *words, "--program", "no/such/stepcast"), f"{script}: no/such/stepcast: no such program")

    def test_a_program_that_fails_ends_the_script(self):
        for words in RUN_STEPCAST:
            self.expect_one_line(run(*words, "--program", "false"), "ended with status 1")

    def test_a_program_that_prints_no_json_ends_the_script(self):
        for words in RUN_STEPCAST:
            self.expect_one_line(run(*words, "--program", "echo"), "Expecting value")

    def test_missing_and_wrong_files_are_named(self):
        self.expect_one_line(run("calibrate", "kfac"), "required: inverses, products")
        self.expect_one_line(run("calibrate", "kfac", "no.csv", "no.log"), "calibrate: no.csv: No such file")
        for table in ("kfac", "testbeds", "growth"):
            self.expect_one_line(run("published", table, "--program", "true", "no.json"), "published: no.json: No such file")
        self.expect_one_line(run("published", "placements", "--program", "true"), "published: expected --data FOLDER")
        self.expect_one_line(run("published", "traces", "--program", "true", "no"), "published: no: expected a folder of traces")

    def test_wrong_arguments_of_a_table_or_check_are_named(self):
        self.expect_one_line(run("published", "nothing"), "invalid choice: 'nothing'")
        self.expect_one_line(run("robustness", "properties", "0"), "expected a whole number from 1 on, found '0'")


if __name__ == "__main__":
    unittest.main()
