"""Studies as lists of jobs."""
import json
import pathlib
import pickle
import random
import subprocess

import pytest

import stepcast
from conftest import CLUSTER, JOB, WORKLOAD

STUDY = {**JOB, "schedules": ["ddp", "dear"], "nodes": [2, 4, 8], "fidelity": "analytic", "fusion_buffer": ["5MiB",
                                                                                                            "25MiB"]}


@pytest.fixture(scope="module")
def whole():
    return stepcast.compare(**STUDY)


@pytest.mark.parametrize("shards", [1, 2, 3, 9, 40])
def test_the_result_does_not_depend_on_the_shards(whole, shards):
    parts = [stepcast.Job.from_json(job.to_json()).run() for job in stepcast.jobs(**STUDY, shards=shards)]
    random.Random(shards).shuffle(parts)
    assert stepcast.merge(parts).text == whole.text
    assert stepcast.sweep(**STUDY, shards=shards).text == whole.text


def test_the_command_line_does_the_same(program, tmp_path, whole):
    words = ["--workload", WORKLOAD, "--cluster", CLUSTER, "--schedules", "ddp,dear", "--nodes", "2,4,8", "--fidelity",
             "analytic", "--set", "fusion_buffer=5MiB,25MiB"]
    for number in (2, 1):
        subprocess.run([program, "compare", *words, "--shard", f"{number}/2", "-o", tmp_path / f"part-{number}"], check=True)
    for extra in ([], ["--json"], ["--csv", tmp_path / "x.csv"]):
        merged = subprocess.run([program, "merge", tmp_path / "part-1", tmp_path / "part-2", *extra],
                                capture_output=True, check=True)
        alone = subprocess.run([program, "compare", *words, *[str(each).replace("x.csv", "y.csv") for each in extra]],
                               capture_output=True, check=True)
        assert merged.stdout == alone.stdout and merged.stdout
    assert (tmp_path / "x.csv").read_text() == (tmp_path / "y.csv").read_text()
    assert stepcast.merge(tmp_path).text == whole.text


def test_missing_double_and_foreign_parts_are_named():
    parts = [job.run() for job in stepcast.jobs(**STUDY, shards=4)]
    with pytest.raises(stepcast.InputError, match="shards 2, 4 of 4 are missing"):
        stepcast.merge(parts[0], parts[2])
    with pytest.raises(stepcast.InputError, match="part-3.json: shard 1 of 4 is there twice: also in python:/part-1"):
        stepcast.merge(parts[0], parts[1], parts[0])
    other = stepcast.jobs(**{**STUDY, "nodes": [2, 4, 16]}, shards=4)[1].run()
    with pytest.raises(stepcast.InputError, match="another study"):
        stepcast.merge(parts[0], other)
    slow = stepcast.jobs(**STUDY, slow="rank=1,factor=2", shards=4)[1].run()
    with pytest.raises(stepcast.InputError, match="another study"):
        stepcast.merge(parts[0], slow)
    with pytest.raises(stepcast.InputError, match="not whole"):
        stepcast.merge(parts[0].rsplit("{", 1)[0])
    with pytest.raises(stepcast.InputError, match="expected a part"):
        stepcast.merge('{"a": 1}')
    with pytest.raises(stepcast.InputError):
        stepcast.merge()
    assert len(stepcast.merge(parts[0], parts[2], partial=True).rows) == 5


@pytest.mark.parametrize("spoil", [lambda text: text.replace('"place":0', '"place":1'),
                                   lambda text: text.replace('"place":0', '"place":1000000000000'),
                                   lambda text: text.replace('"place":0', '"place":-1'),
                                   lambda text: text.replace('"cells":[[', '"cells":[[7,'),
                                   lambda text: text.replace('"forecast":[', '"forecast":[[],'),
                                   lambda text: text.replace('"combinations":9', '"combinations":10000000000'),
                                   lambda text: text.replace('"of":1', '"of":0'),
                                   lambda text: text.replace('"baseline":0', '"baseline":5'),
                                   lambda text: text[:len(text) // 2], lambda text: "[]\n" + text,
                                   lambda text: text.replace("0.1.0", "0.0.9")])
def test_spoilt_parts_are_refused(spoil):
    text = stepcast.jobs(**STUDY, shards=1)[0].run()
    assert spoil(text) != text
    with pytest.raises(stepcast.InputError):
        stepcast.merge([spoil(text)])


def test_a_refused_combination_is_reported_and_the_others_complete():
    study = {**STUDY, "nodes": [2, 4], "set": {"straggler.15": 2.0}}
    with pytest.raises(stepcast.InputError) as alone:
        stepcast.compare(**study)
    with pytest.raises(stepcast.InputError) as sharded:
        stepcast.sweep(**study, shards=3)
    assert str(alone.value) == str(sharded.value)
    kept = stepcast.compare(**study, keep_going=True)
    assert stepcast.sweep(**study, keep_going=True, shards=3).text == kept.text
    assert kept.refused and kept.rows


def test_a_folder_of_parts_is_gone_on_with(tmp_path, whole, monkeypatch):
    told = []
    assert stepcast.sweep(**STUDY, shards=4, to=tmp_path, progress=lambda *each: told.append(each)).text == whole.text
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]
    (tmp_path / "part-2").unlink()
    told.clear()
    assert stepcast.sweep(**STUDY, shards=4, to=tmp_path, progress=lambda *each: told.append(each)).text == whole.text
    assert told == [(4, 4)]
    with pytest.raises(stepcast.InputError, match="another study"):
        stepcast.sweep(**{**STUDY, "nodes": 2}, shards=4, to=tmp_path)
    with pytest.raises(stepcast.InputError):
        stepcast.sweep(**STUDY, shards=4, to=pathlib.Path("/dev/null/x"))


def test_jobs_are_values():
    job = stepcast.jobs(workload=stepcast.Workload(WORKLOAD), cluster=CLUSTER, schedules="ddp", shards=2)[1]
    assert pickle.loads(pickle.dumps(job)) == job == stepcast.Job.from_json(job.to_json())
    assert job.run() == job.run()
    assert json.loads(job.to_json())["stepcast_job"] == 1
    for text in ("", "[]", "{}", '{"stepcast_job": 2}', '{"stepcast_job": 1, "program": "9"}', "nonsense", None):
        with pytest.raises(stepcast.InputError):
            stepcast.Job.from_json(text)
    for shards in (0, -1, 2.5, "3", True, 10**9):
        with pytest.raises(stepcast.InputError):
            stepcast.jobs(**JOB, shards=shards)


def test_a_full_disk_leaves_no_part_that_looks_whole():
    part = stepcast.jobs(**STUDY, shards=2)[0]
    with pytest.raises(stepcast.InputError, match="/dev/full"):
        stepcast.compare(**STUDY, shard="1/2", output="/dev/full")
    assert part.run().endswith('{"end":true}\n')
