"""The commands as functions: the command line's results, its errors, its options."""
import inspect
import json
import logging
import subprocess

import numpy
import pytest

import stepcast
from conftest import CLUSTER, JOB, WORKLOAD


def printed(program, *words):
    return subprocess.run([program, *words], capture_output=True, text=True, check=True).stdout


def test_run_gives_what_the_command_line_prints(program):
    result = stepcast.run(**JOB, schedule="dear", fusion_buffer="10MiB", nodes=4)
    assert result.text == printed(program, "run", "--workload", WORKLOAD, "--cluster", CLUSTER, "--schedule", "dear",
                                  "--set", "fusion_buffer=10MiB", "--nodes", "4", "--json")
    assert result.iteration_time_s == json.loads(result.text)["iteration_time_s"]


def test_compare_gives_what_the_command_line_prints(program):
    result = stepcast.compare(**JOB, schedules=["ddp", "dear"], nodes=[2, 4], fidelity="analytic")
    assert result.text == printed(program, "compare", "--workload", WORKLOAD, "--cluster", CLUSTER, "--schedules",
                                  "ddp,dear", "--nodes", "2,4", "--fidelity", "analytic", "--json")
    assert [row["combination"]["nodes"] for row in result.rows] == ["2", "2", "4", "4"]


def test_lists_of_settings_sweep():
    result = stepcast.sweep(**JOB, schedules="dear", fusion_buffer=["5MiB", "25MiB"], fidelity="analytic")
    assert [row["combination"]["fusion_buffer"] for row in result.rows] == ["5MiB", "25MiB"]


def test_settings_with_dots_are_given_in_a_dict():
    slow = stepcast.run(**JOB, schedule="ddp", fidelity="analytic", set={"cluster.nic.bandwidth": "1Gbps"})
    assert slow.iteration_time_s > stepcast.run(**JOB, schedule="ddp", fidelity="analytic").iteration_time_s


def test_numbers_of_numpy_are_numbers():
    plain = stepcast.run(**JOB, schedule="dear", nodes=4, batch=32, fidelity="analytic")
    assert stepcast.run(**JOB, schedule="dear", nodes=numpy.int64(4), batch=numpy.array(32),
                        fidelity=numpy.str_("analytic")).text == plain.text
    assert len(stepcast.compare(**JOB, schedules="ddp", nodes=numpy.array([2, 4]), fidelity="analytic").rows) == 2


def test_none_is_the_default(run_dear):
    assert stepcast.run(**JOB, schedule="dear", fusion_buffer="10MiB", fidelity="analytic", nodes=None,
                        layout=None).text == run_dear.text


def test_the_experiment_is_a_positional_argument():
    assert stepcast.run("dear-64gpu-10gbe", schedule="dear", fidelity="analytic").gpus == 64


def test_tune_finds_the_best_trial():
    result = stepcast.tune("dear-64gpu-10gbe", schedule="dear", option="fusion_buffer", strategy="grid", trials=4,
                           fidelity="analytic")
    assert result.best.iteration_time_s == min(row["iteration_time_s"] for row in result.rows)


def test_collective_has_a_row_for_each_size():
    result = stepcast.collective(cluster=CLUSTER, kind="all-reduce", algorithm="ring", size=[1 << 20, "32MiB"], gpus=64,
                                 fidelity="analytic")
    assert [row["size_bytes"] for row in result.rows] == [2.0**20, 2.0**25]


def test_a_map_has_boundaries():
    found = stepcast.compare(workload="vgg16-rtx2080ti-bs32", cluster=CLUSTER, nodes=8, schedules="ddp,topk-allgather,topka2a",
                             set={"density": "0.001,0.5"}, map="density", fidelity="analytic")
    assert found.boundaries[0].boundaries[0].faster_below == "topk-allgather"


def test_derive_and_import_give_workloads(tmp_path):
    derived = stepcast.derive("resnet50", device="rtx2080ti", batch=32, step_time="118ms")
    assert isinstance(derived, stepcast.Workload) and derived.batch == 32
    output = tmp_path / "w.json"
    assert stepcast.derive("resnet50", device="rtx2080ti", batch=32, step_time=0.118, output=output) == derived
    assert isinstance(stepcast.derive("cluster", from_="h100-8x8", nodes=32), stepcast.Cluster)


def test_explain_and_show_are_texts():
    assert "iteration" in stepcast.explain("iteration_time_s").text.lower()
    assert CLUSTER in stepcast.show(CLUSTER).text


def test_names_lists_what_there_is():
    assert WORKLOAD in stepcast.names("workloads") and "dear" in stepcast.names("schedules")
    with pytest.raises(stepcast.InputError):
        stepcast.names("wrokloads")


def test_every_command_has_a_signature_and_a_docstring():
    for name in ("run", "compare", "tune", "diagnose", "collective", "calibrate", "import_trace", "optimise"):
        function = getattr(stepcast, name)
        assert function.__name__ == name and len(function.__doc__.splitlines()) > 5
        assert inspect.signature(function).parameters
    assert "fidelity" in inspect.signature(stepcast.run).parameters
    assert "analytic (closed forms)" in stepcast.run.__doc__


@pytest.mark.parametrize("words, arguments", [
    (("--schedule", "daer"), {"schedule": "daer"}),
    (("--schedule", "dear", "--fidelity", "flwo"), {"schedule": "dear", "fidelity": "flwo"}),
    (("--schedule", "dear", "--nodes", "0"), {"schedule": "dear", "nodes": 0}),
    (("--schedule", "dear", "--set", "fusion_bufer=1MiB"), {"schedule": "dear", "fusion_bufer": "1MiB"}),
    (("--schedule", "dear", "--set", "cluster.nic.bandwidth=1"), {"schedule": "dear",
                                                                  "set": {"cluster.nic.bandwidth": 1}}),
    (("--schedule", "dear", "--slow", "rank=99,factor=2"), {"schedule": "dear", "slow": "rank=99,factor=2"})])
def test_errors_have_the_text_of_the_command_line(program, words, arguments):
    done = subprocess.run([program, "run", "--workload", WORKLOAD, "--cluster", CLUSTER, *words], capture_output=True,
                          text=True, check=False)
    with pytest.raises(stepcast.InputError) as raised:
        stepcast.run(**JOB, **arguments)
    assert done.returncode == 2 and done.stderr == f"stepcast: {raised.value}\n"


def test_what_is_told_goes_to_logging(tmp_path, run_dear, caplog):
    with caplog.at_level(logging.INFO, logger="stepcast"):
        run_dear.timeline(tmp_path / "dear.json.gz")
    assert "timeline written to" in caplog.text


def test_an_option_that_a_command_lacks_is_refused():
    with pytest.raises(stepcast.InputError, match="unknown option 'fusion'"):
        stepcast.calibrate("x.log", fusion=3)
    with pytest.raises(TypeError, match="nodes"):
        stepcast.run("dear-64gpu-10gbe", nodes=[1, {}])


def test_an_output_may_not_overwrite_what_is_read(tmp_path):
    cluster = tmp_path / "c.json"
    stepcast.Cluster(CLUSTER).save(cluster)
    with pytest.raises(stepcast.InputError, match="c.json"):
        stepcast.run(workload=WORKLOAD, cluster=cluster, schedule="ddp", timeline=cluster)
    assert stepcast.Cluster(cluster).nodes == 16
