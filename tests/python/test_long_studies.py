"""Studies that are too long to be held, and what goes wrong in the midst of them."""
import hashlib
import json
import os
import pickle
import signal
import subprocess
import sys

import pytest

import stepcast
from conftest import JOB

# 3,000 forecasts: some 15 MB of text, so that the results lie in a file.
LONG = {**JOB, "fidelity": "analytic", "schedules": "bsp", "nodes": list(range(1, 31)),
        "set": {"step_time": [f"{100 + i}ms" for i in range(100)]}}


def digest(result):
    return hashlib.sha256(result.text.encode()).hexdigest()


@pytest.fixture(scope="module")
def long_result():
    return stepcast.compare(**LONG, workers=2)


def test_a_long_result_lies_in_a_file_and_reads_like_a_short_one(long_result, tmp_path):
    assert long_result.is_long and not stepcast.compare(**JOB, schedules="ddp", nodes=[1, 2], fidelity="analytic").is_long
    text = long_result.text
    rows = json.loads(text)["results"]
    again = stepcast.compare(**LONG)  # nothing of it is parsed yet
    assert len(rows) == 3000 and list(again.each_row()) == rows
    long_result.save(tmp_path / "study.json")
    assert (tmp_path / "study.json").read_text() == text
    assert "MiB" in repr(again) and again._repr_html_().count("<tr>") == 61
    assert pickle.loads(pickle.dumps(long_result)).text == text
    assert again.results[2999].combination.step_time == "199ms"


def test_the_command_line_prints_a_long_result_in_the_same_bytes(program, long_result):
    words = ["compare", "--workload", JOB["workload"], "--cluster", JOB["cluster"], "--fidelity", "analytic", "--schedules",
             "bsp", "--nodes", ",".join(map(str, LONG["nodes"])), "--set",
             "step_time=" + ",".join(LONG["set"]["step_time"]), "--json"]
    assert subprocess.run([program, *words], capture_output=True, text=True, check=True).stdout == long_result.text


def test_shards_and_workers_change_no_byte_of_a_long_result(long_result, tmp_path):
    assert digest(stepcast.compare(**LONG, workers=1)) == digest(long_result)
    assert digest(stepcast.sweep(**LONG, shards=7)) == digest(long_result)
    parts = [job.run() for job in stepcast.jobs(**LONG, shards=2)]
    assert {digest(stepcast.merge(parts, workers=workers)) for workers in (1, 2, None)} == {digest(long_result)}
    kept = stepcast.sweep(**LONG, workers=2, to=tmp_path / "parts")
    assert digest(kept) == digest(long_result) and len(list((tmp_path / "parts").glob("part-*"))) == 16


# What a process takes at most of memory, in KiB, for a study of so many forecasts that is read to its end.
PEAK = """
import resource, stepcast
study = {study!r}
steps = [f"{{100 + i}}ms" for i in range({jobs} // 20)]
result = stepcast.{call}(**study, nodes=list(range(1, 21)), set={{"step_time": steps}}{more})
assert sum(1 for _ in result.each_row()) == {jobs}
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@pytest.mark.parametrize("call, more", [("compare", ", workers=2"), ("sweep", ", workers=2, shards=16")])
def test_the_memory_of_the_parent_does_not_grow_with_the_number_of_jobs(call, more):
    """It grew by 64 KiB a job: 6,000 more would have taken 375 MiB."""
    study = {**JOB, "fidelity": "analytic", "schedules": "bsp"}

    def peak(jobs):
        code = PEAK.format(study=study, jobs=jobs, call=call, more=more)
        return int(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)
    assert peak(8_000) - peak(2_000) < 16 * 1024


POISONED = {**JOB, "fidelity": "analytic", "nodes": [2, 3, 4, 5]}


@stepcast.schedule(name="poisoned")
def poisoned(b):
    """Ends its process on three nodes."""
    if b.nodes == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    b.forward_pass()
    b.update(after=[b.backward_pass()[0]])


@stepcast.schedule(name="raising")
def raising(b):
    """Raises on three nodes."""
    if b.nodes == 3:
        raise ZeroDivisionError("mine")
    b.forward_pass()
    b.update(after=[b.backward_pass()[0]])


@pytest.mark.parametrize("how", [{"workers": 1}, {"workers": 2}, {"shards": 3}])
def test_a_poisoned_job_is_reported_and_the_others_complete(how):
    study = stepcast.sweep if "shards" in how else stepcast.compare
    result = study(**POISONED, schedules=[poisoned], **how)
    assert result.exit_code == 1 and not result.ok
    assert [row["combination"]["nodes"] for row in result.rows] == ["2", "4", "5"]
    refused, = result.to_dict()["refused"]
    assert refused["combination"]["nodes"] == "3" and "died twice" in refused["reason"] and "9" in refused["reason"]


@pytest.mark.parametrize("how", [{"workers": 1}, {"workers": 2}, {"shards": 3}])
def test_a_job_that_raises_is_reported_and_the_others_complete(how):
    study = stepcast.sweep if "shards" in how else stepcast.compare
    result = study(**POISONED, schedules=[raising], keep_going=True, **how)
    assert [row["combination"]["nodes"] for row in result.rows] == ["2", "4", "5"]
    refused, = result.to_dict()["refused"]
    assert refused["combination"]["nodes"] == "3" and "mine" in refused["reason"]
    with pytest.raises(Exception, match="mine"):
        study(**POISONED, schedules=[raising], **how)


# A limit on the size of files stands for a disk that is full: the write that crosses it fails.
FULL = """
import json, pathlib, resource, sys, stepcast
study = json.loads(sys.argv[1])
folder = pathlib.Path(sys.argv[2])
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, resource.RLIM_INFINITY))
try:
    {call}
except stepcast.InputError as error:
    print(error)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
print(sorted(path.name for path in folder.iterdir()))
print(len(stepcast.sweep(**study, shards=4, to=folder).rows))
"""


def on_a_full_disk(call, folder):
    study = {**LONG, "nodes": [1, 2, 3, 4]}
    done = subprocess.run([sys.executable, "-c", FULL.format(call=call), json.dumps(study), str(folder)],
                          capture_output=True, text=True, check=True, env={**os.environ, "TMPDIR": str(folder)})
    return done.stdout.splitlines()


def test_a_disk_that_is_full_leaves_no_half_part_and_the_study_goes_on(tmp_path):
    said, there, rows = on_a_full_disk("stepcast.sweep(**study, shards=4, to=folder)", tmp_path)
    assert f"{tmp_path}/part-1: cannot be written: File too large" in said
    assert there == "['study']" and rows == "400"


def test_no_room_for_a_long_result_is_told(tmp_path):
    said, there, rows = on_a_full_disk(
        "stepcast.compare(**{**study, 'nodes': list(range(1, 31))})", tmp_path)
    assert "cannot be kept: File too large (TMPDIR names another folder)" in said and str(tmp_path) in said
    assert there == "[]" and rows == "400"
