#!/usr/bin/env python3
"""Tests of the scripts that run stepcast: all take it as --program, help, and end in one line where it fails."""
import pathlib
import subprocess
import sys
import unittest

SCRIPTS = pathlib.Path(__file__).parents[2] / "scripts"
RUN_STEPCAST = ["accuracy", "added_time", "calibrate", "claims", "kfac_ranges", "kfac_table", "optimise_claims", "sparse_claims", "testbeds",
                "tuning_claim"]
OTHERS = ["answers", "bad_inputs", "batches", "check_layers.py", "commands_by_schedule", "kfac_costs", "kills", "other_debian", "placements", "profile_torch.py", "same_bytes",
          "trace_table"]


def run(script, *arguments):
    return subprocess.run([sys.executable, SCRIPTS / script, *arguments], capture_output=True, text=True, check=False)


class Programs(unittest.TestCase):
    def expect_one_line(self, done, words):
        self.assertEqual(done.returncode, 2, done.stderr)
        last = done.stderr.splitlines()[-1]
        self.assertIn(words, last)
        self.assertNotIn("Traceback", done.stderr)

    def test_every_script_has_help(self):
        for script in [*RUN_STEPCAST, *OTHERS]:
            done = run(script, "--help")
            self.assertEqual((done.returncode, done.stderr), (0, ""), script)
            self.assertIn("usage:", done.stdout)

    def test_python_scripts_are_all_known_here(self):
        python = {path.name for path in SCRIPTS.iterdir()
                  if path.is_file() and path.read_text(encoding="utf-8").startswith("#!/usr/bin/env python3")}
        self.assertEqual(python, {*RUN_STEPCAST, *OTHERS})

    def test_a_program_that_is_not_there_is_named(self):
        for script in RUN_STEPCAST:
            self.expect_one_line(run(script, "--program", "no/such/stepcast"), f"{script}: no/such/stepcast: no such program")

    def test_a_program_that_fails_ends_the_script(self):
        for script in RUN_STEPCAST:
            self.expect_one_line(run(script, "--program", "false"), "ended with status 1")

    def test_a_program_that_prints_no_json_ends_the_script(self):
        for script in RUN_STEPCAST:
            self.expect_one_line(run(script, "--program", "echo"), "Expecting value")

    def test_missing_and_wrong_files_are_named(self):
        self.expect_one_line(run("kfac_costs"), "required: inverses, products")
        self.expect_one_line(run("kfac_costs", "no.csv", "no.log"), "kfac_costs: no.csv: No such file")
        self.expect_one_line(run("kfac_table", "--program", "true", "no.json"), "kfac_table: no.json: No such file")
        self.expect_one_line(run("testbeds", "--program", "true", "no.json"), "testbeds: no.json: No such file")
        self.expect_one_line(run("added_time", "--program", "true", "no.json"), "added_time: no.json: no such file")
        self.expect_one_line(run("placements", "--program", "true"), "placements: expected --data FOLDER")
        self.expect_one_line(run("trace_table", "--program", "true", "no"), "trace_table: no: expected a folder of traces")


if __name__ == "__main__":
    unittest.main()
