#!/usr/bin/env python3
"""Tests of run_golden.py."""
import pathlib
import tempfile
import unittest
import unittest.mock

import run_golden


class RunGolden(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = pathlib.Path(self.temporary.name)

    def case(self, command, out=None, err=None):
        path = self.folder / "case.cmd"
        path.write_text(command)
        for suffix, text in ((".txt", out), (".err", err)):
            if text is not None:
                path.with_suffix(suffix).write_text(text)
        return run_golden.read_case(path)

    def faults(self, *case):
        return run_golden.check_case(self.case(*case), self.folder)

    def test_equal_output_passes(self):
        self.assertEqual(self.faults("echo hello\n", "hello\n"), [])

    def test_other_output_is_a_fault(self):
        self.assertIn("-hello\n+goodbye", self.faults("echo goodbye\n", "hello\n")[0])

    def test_another_exit_status_is_a_fault(self):
        self.assertIn("exits with 3, expected 0", self.faults("exit 3\n", "")[0])

    def test_a_failing_command_must_say_what_it_expects_on_stderr(self):
        self.assertIn("case.err is missing", self.faults("# exit 2\nexit 2\n", "")[0])
        self.assertEqual(self.faults("# exit 2\necho wrong >&2; exit 2\n", "", "wrong\n"), [])
        self.assertIn("+wrong", self.faults("# exit 2\necho wrong >&2; exit 2\n", "", "other\n")[0])

    def test_a_failing_command_may_print_nothing_without_saying_so(self):
        self.assertEqual(self.faults("# exit 2\necho wrong >&2; exit 2\n", None, "wrong\n"), [])
        self.assertIn("+result", self.faults("# exit 2\necho result; exit 2\n", None, "")[0])

    def test_before_runs_first_in_the_same_folder(self):
        self.assertEqual(self.faults("# before echo 1 > file\ncat file\n", "1\n"), [])

    def test_root_lays_the_repository_below_the_command(self):
        self.assertEqual(self.faults("# root\nls -d tests/golden\n", "tests/golden\n"), [])

    def test_replace_changes_the_output(self):
        self.assertEqual(self.faults("# replace [0-9]+ ms => N ms\necho took 15 ms\n", "took N ms\n"), [])

    def test_a_command_that_hangs_is_a_fault_of_its_case(self):
        with unittest.mock.patch.object(run_golden, "TIMEOUT_S", 0.1):
            faults = run_golden.faults_of(run_golden.check_case, self.case("sleep 10\n", ""), self.folder)
        self.assertEqual(faults, ["case.cmd: not over after 0.1 s"])

    def test_update_writes_the_expectation(self):
        case = self.case("echo new\n", "old\n")
        self.assertEqual(run_golden.update_case(case, self.folder), [])
        self.assertEqual(case.expected(".txt"), "new\n")

    def page_faults(self, text, command="stepcast list"):
        path = self.folder / "README.md"
        path.write_text(text)
        return run_golden.check_page(path, [self.case(command + "\n", "a\nb\nc\n")], self.folder)

    def test_a_page_shows_what_a_case_prints(self):
        self.assertEqual(self.page_faults("```console\n$ stepcast list\na\nb\nc\n```\n"), [])
        self.assertEqual(self.page_faults("```console\n$ ./scripts/run\n$ stepcast list\na\n...\nc\n```\n"), [])

    def test_a_page_that_drifted_is_a_fault(self):
        self.assertIn("-b", self.page_faults("```console\n$ stepcast list\na\nc\n```\n")[0])
        self.assertIn("+x", self.page_faults("```console\n$ stepcast list\nx\n...\nc\n```\n")[0])

    def test_the_first_page_stays_short(self):
        self.assertEqual(self.page_faults("x\n" * 250), [])
        self.assertIn("251 lines", self.page_faults("x\n" * 251)[0])

    def test_pages_without_commands_are_a_fault(self):
        path = self.folder / "README.md"
        path.write_text("```sh\nstepcast list\n```\n")
        self.assertIn("show no", run_golden.check_pages([path], [])[0])

    def test_a_command_without_a_case_is_a_fault(self):
        self.assertIn("no case", self.page_faults("```console\n$ stepcast show x\n```\n")[0])

    def test_a_page_reads_no_file_that_is_not_there(self):
        command = "stepcast inspect trace.json"
        page = f"```console\n$ {command}\na\nb\nc\n```\n"
        self.assertIn("there is no trace.json", self.page_faults(page, command)[0])
        (self.folder / "trace.json").write_text("{}")
        self.assertEqual(self.page_faults(page, command), [])

    def test_a_file_that_an_example_writes_may_be_read_after_it(self):
        examples = [("stepcast derive resnet50 -o mine.json", ""), ("stepcast show mine.json", "")]
        page = self.folder / "README.md"
        self.assertEqual(run_golden.check_files(page, examples, self.folder), [])
        self.assertEqual(len(run_golden.check_files(page, examples[::-1], self.folder)), 1)

    def test_a_link_leads_to_a_file_and_a_heading(self):
        self.assertEqual(self.page_faults("# A b, c\n[x](#a-b-c) [y](README.md#a-b-c) [z](https://simgrid.org)\n"), [])
        self.assertIn("gone.md", self.page_faults("[x](gone.md)\n")[0])
        self.assertIn("#d", self.page_faults("# A\n[x](README.md#d)\n")[0])


if __name__ == "__main__":
    unittest.main()
