#!/usr/bin/env python3
"""How the program ends where the system gives it less than it asks for, or asks it to end: fewer files than workers need,
a file that may not grow, processor time that is up, a pipe that nobody writes to."""
import json
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

PROGRAM = sys.argv.pop(1)
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
JOB = ["--workload", "resnet50-rtx2080ti-bs64", "--cluster", "rtx2080ti-16x4-10gbe", "--fidelity", "analytic"]
STUDY = ["compare", *JOB, "--schedules", "wfbp,dear", "--nodes", "2,4,8"]


def run(*words, limit=None, **options):
    """The ended process; limit: a resource and its soft limit."""
    def lower():
        if limit:
            resource.setrlimit(limit[0], (limit[1], resource.getrlimit(limit[0])[1]))
    ended = subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=60, preexec_fn=lower,
                           env={**os.environ, "STEPCAST_DATA": str(ROOT)}, check=False, **options)
    told = ended.stderr.splitlines(keepends=True)
    ended.stderr = "".join(line for line in told if not line.startswith("stepcast "))  # of a slow machine
    return ended


class Ends(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_fewer_files_give_fewer_workers(self):
        whole = run(*STUDY, "--json", "--workers", "1")
        self.assertEqual(whole.returncode, 0, whole.stderr)
        # 0, 1 and 2 are open; a worker takes two files while it starts and one while it works.
        for files in (8, 9, 12):
            few = run(*STUDY, "--json", "--workers", "16", limit=(resource.RLIMIT_NOFILE, files))
            self.assertEqual((few.returncode, few.stderr), (0, ""), files)
            self.assertEqual(few.stdout, whole.stdout)

    def test_a_file_that_may_not_grow_ends_after_a_whole_line(self):
        lines = self.folder / "study.jsonl"
        run(*STUDY, "--json-lines", str(lines))
        sizes = [len(line) + 1 for line in lines.read_text().splitlines()]
        self.assertEqual(len(sizes), 6)
        # Room for two lines and the half of the third, whichever come first.
        limit = 2 * max(sizes) + min(sizes) // 2
        full = run(*STUDY, "--json-lines", str(lines), "--workers", "1", limit=(resource.RLIMIT_FSIZE, limit))
        self.assertEqual(full.returncode, 2)
        self.assertIn("cannot be written: File too large", full.stderr)
        text = lines.read_text()
        self.assertTrue(text.endswith("\n"))
        self.assertEqual([type(json.loads(line)) for line in text.splitlines()], [dict] * 2)

    def test_a_file_that_may_not_grow_leaves_no_temporary(self):
        timeline = self.folder / "timeline.json"
        full = run("run", *JOB, "--schedule", "dear", "--timeline", str(timeline), limit=(resource.RLIMIT_FSIZE, 4096))
        self.assertEqual(full.returncode, 2, full.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_time_that_is_up_is_called_no_signal(self):
        study = ["compare", *JOB[:4], "--schedules", "ps,wfbp", "--fidelity", "step", "--unfold",  # minutes
                 "--nodes", ",".join(map(str, range(400, 500)))]
        for words in ([*study, "--workers", "1"], [*study, "--json", "--workers", "1"]):
            late = run(*words, "--max-time", "0.3s")
            self.assertEqual(late.returncode, 3, late.stderr)
            self.assertIn("out of time", late.stderr)
            self.assertNotIn("signal", late.stderr + late.stdout)

    def test_processor_time_does_not_run_while_we_wait(self):
        pipe = self.folder / "devices.csv"
        os.mkfifo(pipe)

        def write_late():
            time.sleep(2.5)
            pipe.write_text((ROOT / "tests/golden/data/edge-devices.csv").read_text())
        writer = threading.Thread(target=write_late)
        writer.start()
        waited = run("run", "--edge", str(pipe), limit=(resource.RLIMIT_CPU, 2))
        writer.join()
        self.assertEqual((waited.returncode, waited.stderr), (0, ""))

    def test_processor_time_that_is_up_is_out_of_time(self):
        late = run("run", *JOB[:4], "--nodes", "512", "--schedule", "ps", "--fidelity", "step", "--unfold",  # minutes
                   limit=(resource.RLIMIT_CPU, 1))
        self.assertEqual(late.returncode, 3, late.stderr)
        self.assertIn("out of time", late.stderr)

    def test_processor_time_is_that_of_all_processes(self):
        """Each worker had the whole limit for itself, and was started again when it was used up."""
        many = ["run", *JOB[:4], "--nodes", "300", "--schedule", "prague-smart"]  # minutes
        study = ["compare", *JOB[:4], "--schedules", "ps,wfbp", "--fidelity", "step", "--unfold", "--nodes", ",".join(map(str, range(400, 500)))]
        keys = ["compare", *JOB[:4], "--nodes", "4,8,16", "--set", "batch=" + ",".join(map(str, range(1, 301))),
                "--json-lines", str(self.folder / "lines.jsonl")]
        part = [*study, "--shard", "1/1", "-o", str(self.folder / "part")]
        for words in (many, study, keys, part):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            late = run(*words, "--workers", "2", limit=(resource.RLIMIT_CPU, 2))
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            self.assertEqual(late.returncode, 3, (words, late.stderr))
            self.assertIn("out of time", late.stderr)
            self.assertLess(used, 3, words)

    def test_a_pipe_that_nobody_writes_to_ends_at_a_signal(self):
        pipe = self.folder / "pipe"
        for name in (pipe, self.folder / "pipe.json"):
            os.mkfifo(name)
        for words in ([*STUDY, "--resume", str(pipe)], [*STUDY, "--json-lines", str(pipe)],
                      ["compare", "--workload", str(pipe) + ".json", *JOB[2:]]):
            for number in (signal.SIGTERM, signal.SIGINT):
                with subprocess.Popen([PROGRAM, *words], stderr=subprocess.PIPE, stdout=subprocess.PIPE,
                                      env={**os.environ, "STEPCAST_DATA": str(ROOT)}) as process:
                    time.sleep(0.7)
                    process.send_signal(number)
                    try:
                        process.wait(5)
                    except subprocess.TimeoutExpired:
                        process.kill()
                        self.fail(f"{words} did not end at {number.name}")
                    self.assertEqual(process.returncode, 128 + number, process.stderr.read())


if __name__ == "__main__":
    unittest.main()
