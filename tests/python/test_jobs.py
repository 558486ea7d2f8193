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


def foreign(options=None, files=None, **more):
    """A job as somebody else may write it."""
    whole = json.loads(stepcast.jobs(**STUDY, shards=2)[0].to_json())
    whole["options"].update(options or {})
    whole["files"].update(files or {})
    return json.dumps({**whole, **more})


# A job named the file that it wrote, and ran.
def test_jobs_of_others_write_no_file_and_read_none_that_they_do_not_bring(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for options in ({"-o,--output": ["written"]}, {"--csv": ["written"]}, {"--json-lines": ["written"]}, {"--page": ["written"]},
                    {"--figure": ["written.svg"]}, {"--resume": ["secret.json"]}, {"--against": ["secret.json"]}, {"--json": []},
                    {"k" * 5000: []}):
        with pytest.raises(stepcast.InputError, match="expected options of what is forecast") as refused:
            stepcast.Job.from_json(foreign(options))
        assert len(str(refused.value)) < 200
    (tmp_path / "secret.json").write_text('{"secret": 1}')
    (tmp_path / "secret.csv").write_text("secret,rank,factor\n0,0,1\n")
    for options in ({"--workload": ["./secret.json"]}, {"--cluster": [str(tmp_path / "secret.json")]},
                    {"EXPERIMENT": ["secret.json"]}, {"--slow": ["recorded:file=./secret.csv"]},
                    {"--set": ["fusion_buffer=@secret.json"]}, {"--set": ["second_workload=./secret.json", "batch=32"]},
                    {"--set": ["cluster.collectives=./secret.json"]}):
        job = stepcast.Job.from_json(foreign(options))
        for each in (job, pickle.loads(pickle.dumps(job))):
            try:
                said = each.run()  # a part, which says why a combination is refused
            except stepcast.InputError as refused:
                said = str(refused)
            assert "reads no other" in said and "forecast" not in said
    assert sorted(each.name for each in tmp_path.iterdir()) == ["secret.csv", "secret.json"]


def test_jobs_of_others_are_checked_like_input():
    for text in (foreign({"--nodes": "2"}), foreign({"--nodes": [2]}), foreign({"--shard": ["x"]}), foreign({"--shard": []}),
                 foreign(files={"a.json": 1}), foreign({"--nodes": ["\ud800"]}), foreign(files={"\ud800": ""}), foreign(program="x" * 5000),
                 foreign(**{'program': None}), "[" * 100_000):
        with pytest.raises(stepcast.InputError) as refused:
            stepcast.Job.from_json(text)
        assert str(refused.value).startswith("job: ") and len(str(refused.value)) < 200


# A message named a file of 5,000 bytes in full, and one with a NUL up to that.
def test_files_of_jobs_of_others_have_names_that_files_may_have():
    for name in ("x" * 256, "a/" * 2048 + "b", "\u00e4" * 128, "a\0b", ""):
        with pytest.raises(stepcast.InputError, match="^job: files: .*expected the name of a file") as refused:
            stepcast.Job.from_json(foreign(files={name: "{}"}))
        assert len(str(refused.value)) < 200 and "\0" not in str(refused.value)
    for name in ("x" * 255, "a/" * 2047 + "b", "\u00e4" * 127 + "/b", "python:/workload-1.json"):
        assert stepcast.Job.from_json(foreign(files={name: "{}"})).files[name] == "{}"


def test_a_job_takes_the_files_that_it_names_with_it(tmp_path, monkeypatch):
    workload = stepcast.Workload(WORKLOAD)
    workload.save(tmp_path / "mine.json")
    job = stepcast.jobs(workload=tmp_path / "mine.json", cluster=CLUSTER, schedules="ddp", shards=1)[0]
    here, text = job.run(), job.to_json()
    (tmp_path / "mine.json").unlink()
    there = stepcast.Job.from_json(text)
    assert there.run() == here
    there.write(tmp_path / "part-1")
    assert (tmp_path / "part-1").read_text() == here


def test_a_full_disk_leaves_no_part_that_looks_whole():
    part = stepcast.jobs(**STUDY, shards=2)[0]
    with pytest.raises(stepcast.InputError, match="/dev/full"):
        stepcast.compare(**STUDY, shard="1/2", output="/dev/full")
    assert part.run().endswith('{"end":true}\n')
