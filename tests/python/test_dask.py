"""Studies on a Dask cluster: a scheduler and two workers on loopback."""
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import pytest

import stepcast
from conftest import JOB

try:
    import distributed
except ImportError:  # A file of which nothing is left counts as failed: each test is skipped.
    distributed = None
pytestmark = [pytest.mark.skipif(distributed is None, reason="needs python3-distributed"),
              pytest.mark.filterwarnings("default")]  # Dask's own

STUDY = {**JOB, "schedules": ["ddp", "dear"], "nodes": list(range(2, 42)), "fidelity": "analytic"}


class DaskCluster:
    """Processes of their own, which a test may end."""

    def __init__(self, folder):
        self.folder = folder
        self.processes = []
        self.scheduler = self.start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard",
                                    "--scheduler-file", str(folder / "scheduler.json"))
        self.workers = [self.start_worker() for _ in range(2)]

    def start(self, role, *words):
        path = os.pathsep.join([os.environ.get("PYTHONPATH", ""), str(pathlib.Path(__file__).parent)])
        environment = {**os.environ, "PYTHONWARNINGS": "ignore", "PYTHONPATH": path}
        process = subprocess.Popen([sys.executable, "-m", f"distributed.cli.dask_{role}", *words], cwd=self.folder,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
        self.processes.append(process)
        return process

    def start_worker(self):
        return self.start("worker", "--scheduler-file", str(self.folder / "scheduler.json"), "--nthreads", "1",
                          "--no-nanny", "--no-dashboard", "--host", "127.0.0.1", "--death-timeout", "30")

    def client(self):
        client = distributed.Client(scheduler_file=str(self.folder / "scheduler.json"), timeout=30)
        client.wait_for_workers(2, timeout=60)
        return client

    def end(self):
        for process in self.processes:
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """Of all tests that leave it as it is."""
    made = DaskCluster(tmp_path_factory.mktemp("cluster"))
    yield made
    made.end()


@pytest.fixture
def mortal_cluster(tmp_path):
    made = DaskCluster(tmp_path)
    yield made
    made.end()


@pytest.fixture(scope="module")
def whole():
    return stepcast.compare(**STUDY).text


def test_the_result_is_that_of_one_process(cluster, whole):
    with cluster.client() as client:
        told = []
        assert stepcast.sweep(**STUDY, client=client, progress=lambda *each: told.append(each)).text == whole
        assert told == [(number, 32) for number in range(1, 33)]
        assert stepcast.sweep(**STUDY, client=client, shards=5).text == whole


def test_a_killed_worker_loses_nothing(mortal_cluster, whole):
    with mortal_cluster.client() as client:
        def kill_one(done, of):
            if done == 3:
                mortal_cluster.workers[0].send_signal(signal.SIGKILL)
        assert stepcast.sweep(**STUDY, client=client, progress=kill_one).text == whole
        assert mortal_cluster.workers[0].wait() == -signal.SIGKILL


def test_a_schedule_of_python_travels(cluster):
    from test_schedules import minimal
    mine = stepcast.schedule(minimal, name="travelling")
    study = {**JOB, "schedules": [mine], "nodes": [2, 4], "fidelity": "analytic"}
    with cluster.client() as client:
        assert stepcast.sweep(**study, client=client, shards=2).text == stepcast.compare(**study).text


def test_what_is_refused_is_refused_at_once(cluster):
    with cluster.client() as client:
        with pytest.raises(stepcast.InputError, match="did you mean"):
            stepcast.sweep(**{**STUDY, "schedules": "daer"}, client=client)


def test_a_study_whose_scheduler_died_is_gone_on_with(mortal_cluster, whole, tmp_path):
    parts = tmp_path / "parts"

    def end_scheduler(done, of):
        if done == 4:
            mortal_cluster.scheduler.kill()
    client = mortal_cluster.client()
    with pytest.raises(Exception):
        stepcast.sweep(**STUDY, client=client, to=parts, retries=0, progress=end_scheduler)
    there = len(list(parts.glob("part-*")))
    assert 4 <= there < 32
    threading.Thread(target=client.close, kwargs={"timeout": 1}, daemon=True).start()
    mortal_cluster.end()
    (tmp_path / "scheduler.json").unlink()
    again = DaskCluster(tmp_path)
    try:
        while not (tmp_path / "scheduler.json").exists():
            time.sleep(0.1)
        with again.client() as client:
            told = []
            assert stepcast.sweep(**STUDY, client=client, to=parts,
                                  progress=lambda *each: told.append(each)).text == whole
            assert len(told) == 32 - there
    finally:
        again.end()


def test_a_poisoned_job_is_reported_and_the_others_complete(cluster):
    from test_long_studies import POISONED, poisoned
    with cluster.client() as client:
        result = stepcast.sweep(**POISONED, schedules=[poisoned], client=client, shards=4)
        assert [row["combination"]["nodes"] for row in result.rows] == ["2", "4", "5"]
        assert "died twice" in result.to_dict()["refused"][0]["reason"] and result.exit_code == 1
        assert all(worker.poll() is None for worker in cluster.workers)


def test_a_disk_that_is_full_ends_the_study_and_it_goes_on_later(cluster, whole, tmp_path, monkeypatch):
    parts = tmp_path / "parts"
    write, left = stepcast._core.write_text, [5]  # the mark of the study, and four parts

    def full(path, text):
        left[0] -= 1
        write(path if left[0] >= 0 else "/dev/full", text)
    with cluster.client() as client:
        monkeypatch.setattr(stepcast._core, "write_text", full)
        with pytest.raises(stepcast.InputError, match="No space left on device"):
            stepcast.sweep(**STUDY, client=client, to=parts)
        assert len(list(parts.glob("part-*"))) == 4
        monkeypatch.undo()
        assert stepcast.sweep(**STUDY, client=client, to=parts).text == whole
