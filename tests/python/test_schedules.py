"""Schedules written in Python."""
import json
import pickle

import pytest

import stepcast
from conftest import JOB


@stepcast.schedule(name="my-dear")
def my_dear(b, *, fusion=stepcast.choice("buffer", "none", "nearby"), fusion_buffer=stepcast.size("25MiB"),
            nearby_layers=4, rs_start=stepcast.choice("gradient_ready", "enqueue"),
            algorithm=stepcast.choice("ring", "hierarchical-ring", "halving-doubling")):
    """DeAR: all-reduce decoupled; reduce-scatter overlaps backward, all-gather the next forward."""
    groups = []
    for layer in b.layers:
        full = groups and layer.size and groups[-1]["size"] and {
            "none": lambda group, size: True,
            "nearby": lambda group, size: group["tensors"] >= nearby_layers,
            "buffer": lambda group, size: group["size"] + size > fusion_buffer}[fusion](groups[-1], layer.size)
        if not groups or full:
            groups.append({"layers": [], "size": 0.0, "tensors": 0})
        groups[-1]["layers"].append(layer.index)
        groups[-1]["size"] += layer.size
        groups[-1]["tensors"] += layer.size > 0
    scatter, gather = b.stream("reduce-scatter"), b.stream("all-gather")

    updates = []
    for number, group in enumerate(groups):
        first, last = group["layers"][0], group["layers"][-1]
        share = 1 if len(groups) == 1 else b.share_of_update(first, last)
        updates.append(b.update(f"update of group {number}", share=share))
        forward = [b.forward(layer) for layer in group["layers"]]
    backward = b.backward_pass()

    scattered = backward[0]
    for number, group in reversed(list(enumerate(groups))):
        if group["size"]:
            ready = forward[-1] if rs_start == "enqueue" else backward[group["layers"][0]]
            scattered = b.reduce_scatter(f"group {number}", group["size"], stream=scatter, algorithm=algorithm,
                                         after=[ready])
    for number, group in enumerate(groups):
        if group["size"]:
            gathered = b.all_gather(f"group {number}", group["size"], stream=gather, algorithm=algorithm,
                                    after=[scattered, backward[0]])
            b.next_after(updates[number], [gathered])


@pytest.mark.parametrize("workload", ["resnet50-rtx2080ti-bs64", "bert-base-rtx2080ti-bs64"])
@pytest.mark.parametrize("fidelity", ["analytic", "flow"])
@pytest.mark.parametrize("options", [{}, {"fusion": "none"}, {"fusion": "nearby", "nearby_layers": 3},
                                     {"fusion_buffer": "7MiB", "rs_start": "enqueue"},
                                     {"algorithm": "hierarchical-ring"}])
def test_dear_in_python_equals_dear_in_cpp_to_the_last_digit(workload, fidelity, options):
    job = {"workload": workload, "cluster": "rtx2080ti-16x4-10gbe", "fidelity": fidelity, "nodes": 4}
    ours = json.loads(stepcast.run(**job, schedule=my_dear, **options).text)
    theirs = json.loads(stepcast.run(**job, schedule="dear", **options).text)
    assert ours.pop("schedule")["name"] == "my-dear" and theirs.pop("schedule")["name"] == "dear"
    for interval in ("iteration_time_low_s", "iteration_time_high_s", "error_basis"):  # by the family of a schedule
        assert ours.pop(interval) and theirs.pop(interval)
    assert ours == theirs


def test_a_schedule_of_python_is_compared_and_tuned():
    compared = stepcast.compare(**JOB, schedules=["dear", my_dear], nodes=[2, 4], fidelity="analytic", workers=2)
    times = [row["iteration_time_s"] for row in compared.rows]
    assert times[0] == times[1] and times[2] == times[3]
    tuned = stepcast.tune(**JOB, schedule="my-dear", option="fusion_buffer", strategy="grid", trials=3,
                          fidelity="analytic")
    assert len(tuned.trials) == 3
    assert "my-dear" in stepcast.names("schedules")


def test_options_are_checked_as_those_of_cpp():
    with pytest.raises(stepcast.InputError, match="my-dear: option rs_start: expected"):
        stepcast.run(**JOB, schedule=my_dear, rs_start="never")
    with pytest.raises(stepcast.InputError, match="my-dear: option fusion_buffer: expected a size"):
        stepcast.run(**JOB, schedule=my_dear, fusion_buffer="big")


def minimal(b):
    stream = b.stream("all-reduce")
    forward, backward = b.forward_pass(), b.backward_pass()
    b.update(after=[b.all_reduce("all", sum(layer.size for layer in b.layers), stream=stream, after=[backward[0]])])
    return forward


def test_a_bulk_synchronous_step_is_three_lines():
    ours = stepcast.run(**JOB, schedule=stepcast.schedule(minimal), fidelity="analytic")
    parts = ours.to_dict()
    assert ours.iteration_time_s == pytest.approx(ours.breakdown.forward_s + ours.breakdown.backward_s +
                                                  sum(parts["breakdown"]["other_compute_s"].values()) +
                                                  sum(parts["communication_s"].values()), rel=1e-3)


def test_an_exception_in_a_schedule_is_raised_as_it_is():
    @stepcast.schedule
    def failing(b):
        raise ZeroDivisionError("mine")
    with pytest.raises(ZeroDivisionError, match="mine"):
        stepcast.run(**JOB, schedule=failing)
    with pytest.raises(Exception, match="mine"):
        stepcast.compare(**JOB, schedules=[failing], nodes=[2, 4], workers=2)


def test_a_closed_builder_refuses():
    kept = []

    @stepcast.schedule
    def keeping(b):
        kept.append(b)
        minimal(b)
    stepcast.run(**JOB, schedule=keeping, fidelity="analytic")
    for verb in (lambda b: b.forward(0), lambda b: b.layers, lambda b: b.note("x"), lambda b: b.gpus,
                 lambda b: b.all_reduce("x", 1), lambda b: b.team([[0]])):
        with pytest.raises(stepcast.InputError, match="built already"):
            verb(kept[0])


@pytest.mark.parametrize("misuse", [
    lambda b: b.forward(10**6), lambda b: b.forward(-1), lambda b: b.forward("conv1"), lambda b: b.forward(None),
    lambda b: b.forward(0, after=[7]), lambda b: b.forward(0, after=[-1]), lambda b: b.forward(0, after=[float("nan")]),
    lambda b: b.forward(0, after=[2**40]), lambda b: b.update(share=float("nan")), lambda b: b.update(share=2),
    lambda b: b.compute("x", float("nan")), lambda b: b.compute("x", -1), lambda b: b.compute("x", "fast"),
    lambda b: b.compute("x", float("inf")), lambda b: b.compute("x", 1, stream=9), lambda b: b.compute("x", 1, team=9),
    lambda b: b.compute("x", None), lambda b: b.all_reduce("x", 1), lambda b: b.all_reduce("x", float("nan"), stream=0),
    lambda b: b.all_reduce("x", 1, stream=0, algorithm="rnig"), lambda b: b.all_reduce("x", 1, stream=0, colour=1),
    lambda b: b.broadcast("x", 1, stream=0, root=64), lambda b: b.broadcast("x", 1, stream=0, root=-1),
    lambda b: b.team([]), lambda b: b.team([[]]), lambda b: b.team([[0], []]), lambda b: b.team([[0, 0]]),
    lambda b: b.team([[64]]), lambda b: b.team([[0], [0]]), lambda b: b.stream("x", rule="never"),
    lambda b: b.stream("x", rule="negotiated", cycle=0), lambda b: b.passes(0), lambda b: b.passes(10**12),
    lambda b: b.needs(0, 1), lambda b: b.later_after(0, 0, -1), lambda b: b.share_of_update(0, 10**9),
    lambda b: b.next_after(0, [1]), lambda b: b.stream(3), lambda b: b.note(None), lambda b: None,
    lambda b: b.after(b.forward(0), [b.forward(1)]) or b.after(0, [1])])
def test_misused_verbs_raise(misuse):
    schedule = stepcast.schedule(misuse, name="misused")
    with pytest.raises((stepcast.StepcastError, TypeError, ValueError, OverflowError, RuntimeError)):
        stepcast.run(**JOB, schedule=schedule, nodes=2)


def test_a_schedule_cannot_forecast_inside():
    @stepcast.schedule
    def inside(b):
        stepcast.run(**JOB, schedule="ddp")
    with pytest.raises(RuntimeError, match="cannot forecast"):
        stepcast.run(**JOB, schedule=inside)


def test_names_of_schedules_are_checked():
    with pytest.raises(stepcast.InputError, match="there is one of that name"):
        stepcast.schedule(minimal, name="dear")
    with pytest.raises(stepcast.InputError, match="lower-case"):
        stepcast.schedule(minimal, name="Ha ha")
    with pytest.raises(TypeError):
        stepcast.schedule(3)
    with pytest.raises(stepcast.InputError, match="expected a default"):
        stepcast.schedule(lambda b, x: None, name="no-default")
    with pytest.raises(stepcast.InputError):
        stepcast.schedule(lambda b, x=stepcast.size("big"): None, name="bad-default")
    with pytest.raises(stepcast.InputError):
        stepcast.schedule(lambda: None, name="no-builder")


def test_a_schedule_may_be_written_anew():
    stepcast.schedule(minimal, name="again")
    first = stepcast.run(**JOB, schedule="again", fidelity="analytic").iteration_time_s

    def slower(b):
        b.compute("more", "1s")
        minimal(b)
    stepcast.schedule(slower, name="again")
    assert stepcast.run(**JOB, schedule="again", fidelity="analytic").iteration_time_s == pytest.approx(first + 1)


def test_a_decorated_function_pickles():
    assert pickle.loads(pickle.dumps(my_dear)) is my_dear
