"""Whatever comes in through Python gives an exception, never a crash."""
import inspect
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
import warnings

import numpy
import pytest

import stepcast
from conftest import JOB

ERRORS = (stepcast.StepcastError, TypeError, ValueError)
VALUES = [float("nan"), float("inf"), -1, 0, 2**70, True, b"dear", object(), {}, {"a": 1}, [], [[]], "", "\0", "\ud800",
          "x" * 10**6, complex(1, 2), numpy.nan, numpy.array([]), numpy.zeros((2, 2)), lambda: None, ...]


@pytest.mark.parametrize("name", ["workload", "cluster", "schedule", "nodes", "fidelity", "set", "slow", "seeds",
                                  "iterations", "fusion_buffer", "layout", "experiment", "gpus_per_node"])
@pytest.mark.parametrize("value", VALUES, ids=[f"{i}-{type(each).__name__}" for i, each in enumerate(VALUES)])
def test_ill_values_raise(name, value):
    arguments = {**JOB, "schedule": "dear", "fidelity": "analytic", name: value}
    try:
        stepcast.run(**arguments)
    except ERRORS as error:
        assert str(error)
    else:
        # No settings, and a buffer of 0 bytes: every tensor by itself.
        assert (name, value) in [("set", {}), ("fusion_buffer", 0)] and value is not False


def test_long_lists_end():
    began = time.monotonic()
    with pytest.raises(ERRORS):
        stepcast.compare(**JOB, nodes=range(1, 10**6), fidelity="analytic")
    with pytest.raises(ERRORS):
        stepcast.compare(**JOB, schedules=["dear"] * (10**6 + 1))
    with pytest.raises(ERRORS):
        stepcast.compare(**JOB, schedules="dear", fusion_buffer=[f"{i}B" for i in range(1, 10**6)], nodes=[1, 2])
    assert time.monotonic() - began < 60


def test_an_iterator_without_end_ends():
    def forever():
        while True:
            yield 2
    with pytest.raises(stepcast.InputError, match="at most 1000000"):
        stepcast.compare(**JOB, nodes=forever())


def test_threads_get_the_results_of_one():
    alone = {name: stepcast.run(**JOB, schedule=name, nodes=2).text for name in ("ddp", "dear")}
    found = []

    def work(name):
        for _ in range(3):
            found.append(stepcast.run(**JOB, schedule=name, nodes=2).text == alone[name])
    threads = [threading.Thread(target=work, args=(name,)) for name in ("ddp", "dear") * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 12


def test_other_threads_go_on_while_it_simulates():
    count, end = 0, threading.Event()

    def simulate():
        stepcast.run(**JOB, schedule="dear", fidelity="step", nodes=128)
        end.set()
    thread = threading.Thread(target=simulate)
    thread.start()
    while not end.is_set():
        count += 1
        time.sleep(0.001)
    thread.join()
    assert count > 3


def forecast_time(name):
    return stepcast.run(**JOB, schedule=name, nodes=2).iteration_time_s


@pytest.mark.parametrize("how", ["fork", "spawn"])
def test_worker_processes_get_the_same(how):
    alone = [forecast_time(name) for name in ("ddp", "dear", "wfbp")]
    with multiprocessing.get_context(how).Pool(2) as pool:
        assert pool.map(forecast_time, ["ddp", "dear", "wfbp"]) == alone


def test_a_process_forked_in_the_midst_of_a_forecast_says_so():
    end = threading.Event()

    def simulate():
        while not end.is_set():
            stepcast.run(**JOB, schedule="dear", fidelity="step", nodes=8)
    thread = threading.Thread(target=simulate)
    thread.start()
    try:
        codes = set()
        for _ in range(20):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                child = os.fork()
            if child == 0:
                try:
                    stepcast.run(**JOB, schedule="ddp", fidelity="analytic")
                    os._exit(0)
                except RuntimeError as error:
                    os._exit(7 if "forked while another thread" in str(error) else 8)
                finally:
                    os._exit(9)
            codes.add(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
            time.sleep(0.005)
        assert codes <= {0, 7} and 7 in codes
    finally:
        end.set()
        thread.join()


INTERRUPTED = """
import stepcast, sys
print("begin", flush=True)
try:
    {call}
except KeyboardInterrupt:
    print("interrupted", flush=True)
print(stepcast.run("dear-64gpu-10gbe", schedule="ddp", fidelity="analytic").iteration_time_s)
"""


@pytest.mark.parametrize("call", [
    'stepcast.run("dear-64gpu-10gbe", schedule="horovod", fidelity="step", nodes=256, unfold=True)',
    'stepcast.compare("dear-64gpu-10gbe", fidelity="step", nodes=list(range(100, 400)), unfold=True, workers=2)'])
def test_ctrl_c_interrupts_and_the_next_call_works(call):
    child = subprocess.Popen([sys.executable, "-c", INTERRUPTED.format(call=call)], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "begin\n"
    time.sleep(1.5)
    asked = time.monotonic()
    child.send_signal(signal.SIGINT)
    rest, _ = child.communicate(timeout=60)
    assert time.monotonic() - asked < 15
    lines = rest.splitlines()
    assert lines[0] == "interrupted" and child.returncode == 0
    assert float(lines[1]) == stepcast.run("dear-64gpu-10gbe", schedule="ddp", fidelity="analytic").iteration_time_s


def test_ignored_signals_stay_ignored():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        stepcast.run(**JOB, schedule="ddp", fidelity="analytic")
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
    stepcast.run(**JOB, schedule="ddp", fidelity="analytic")
    assert signal.getsignal(signal.SIGINT) is before


FUNCTIONS = ["calibrate", "collective", "compare", "derive", "diagnose", "explain", "gate", "goodput", "import_trace", "inspect",
             "optimise", "plan", "replay", "report", "run", "show", "tune", "validate"]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_refuses_ill_values(name):
    function = getattr(stepcast, name)
    keywords = [each for each, kind in inspect.signature(function).parameters.items() if kind.kind is kind.KEYWORD_ONLY]
    for value in VALUES[:2] + VALUES[6:17]:  # what is a number, or has a file's name, may be right somewhere
        for arguments in ((value,), (value, value)):
            with pytest.raises(ERRORS):
                function(*arguments)
        if isinstance(value, (list, dict)) and not value:
            continue
        for keyword in keywords[:6]:
            try:
                function(**{keyword: value})
            except ERRORS as error:
                assert str(error)


@pytest.mark.parametrize("call", [
    stepcast.merge, stepcast.names, stepcast.Job.from_json, stepcast.Cluster, stepcast.Workload, stepcast.schedule,
    lambda value: stepcast.merge(value, value), lambda value: stepcast.jobs(**JOB, shards=value),
    lambda value: stepcast.jobs(value, shards=2)[0].run(), lambda value: stepcast.sweep(**JOB, shards=value),
    lambda value: stepcast.sweep(**JOB, schedules="ddp", to=value, nodes=value), lambda value: stepcast.choice(value, value),
    lambda value: setattr(stepcast.Cluster("ideal-2x2"), "nodes", value)])
def test_whatever_is_no_command_refuses_ill_values_too(call, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    refused = 0
    for value in VALUES:  # some are right: a number of shards, a function that is no schedule until it is called
        try:
            call(value)
        except (*ERRORS, OSError) as error:
            refused += bool(str(error))
    assert refused >= len(VALUES) // 2


def test_lists_of_a_million_are_taken_or_refused_by_every_part():
    million = list(range(10**6))
    began = time.monotonic()
    for call in (lambda: stepcast.merge(million), lambda: stepcast.collective(cluster="ideal-2x2", kind="all-reduce", size=million,
                                                                              gpus=million),
                 lambda: stepcast.jobs(**JOB, nodes=million, shards=1)[0].run(),
                 lambda: stepcast.tune(**JOB, schedule="dear", option=million),
                 lambda: stepcast.Workload({"format": "stepcast-workload", "layers": million})):
        with pytest.raises(ERRORS):
            call()
    assert len(stepcast.jobs(**JOB, nodes=million, shards=10**6)) == 10**6
    assert time.monotonic() - began < 60
