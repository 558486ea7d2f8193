"""Every command as a function answers what the command line prints, and every name of the package is tested."""
import json
import pathlib
import re
import subprocess

import pytest

import stepcast
from conftest import CLUSTER, JOB, ROOT, WORKLOAD

DATA = ROOT / "tests/golden/data"
TRACE = DATA / "small-trace.json"
WORDS = ["--workload", WORKLOAD, "--cluster", CLUSTER, "--fidelity", "analytic"]
SMALL = {**JOB, "fidelity": "analytic"}


@pytest.mark.parametrize("call, words", [
    (lambda: stepcast.run(**SMALL, schedule="spd-kfac", parts="exposed"),
     ["run", *WORDS, "--schedule", "spd-kfac", "--parts", "exposed"]),
    (lambda: stepcast.compare(**SMALL, nodes=[1, 2], schedules="ddp", across="nodes"),
     ["compare", *WORDS, "--nodes", "1,2", "--schedules", "ddp", "--across", "nodes"]),
    (lambda: stepcast.compare(**SMALL, epochs="ddp=90,dear=90", samples=1281167),
     ["compare", *WORDS, "--epochs", "ddp=90,dear=90", "--samples", "1281167"]),
    (lambda: stepcast.goodput(mtbf="3.1h", checkpoint="30s", restart="10min", seeds=3),
     ["goodput", "--mtbf", "3.1h", "--checkpoint", "30s", "--restart", "10min", "--seeds", "3"]),
    (lambda: stepcast.plan(workload=WORKLOAD, clusters=CLUSTER, gpus=[4, 8], samples=1e6),
     ["plan", "--workload", WORKLOAD, "--clusters", CLUSTER, "--gpus", "4,8", "--samples", "1e6"]),
    (lambda: stepcast.optimise(workload=WORKLOAD, cluster=CLUSTER, nodes=2),
     ["optimise", "--workload", WORKLOAD, "--cluster", CLUSTER, "--nodes", "2"]),
    (lambda: stepcast.inspect(TRACE), ["inspect", TRACE]),
    (lambda: stepcast.replay(TRACE, without="all-reduce"), ["replay", TRACE, "--without", "all-reduce"]),
    (lambda: stepcast.diagnose(DATA / "job.csv"), ["diagnose", DATA / "job.csv"]),
    (lambda: stepcast.validate(), ["validate"])],
    ids=lambda each: each[0] if isinstance(each, list) else "")
def test_a_command_gives_what_the_command_line_prints(program, call, words):
    done = subprocess.run([program, *map(str, words), "--json"], capture_output=True, text=True, check=False)
    result = call()
    assert result.text == done.stdout and result.exit_code == done.returncode == 0
    assert isinstance(result, stepcast.Result) and result.rows and result.ok


def test_an_option_of_two_names_is_known_by_both():
    by_one, by_other = (stepcast.plan(workload=WORKLOAD, gpus=4, samples=1e6, **{name: stepcast.Cluster(CLUSTER)}).text
                        for name in ("cluster", "clusters"))
    assert by_one == by_other


def test_a_trace_becomes_a_workload():
    workload = stepcast.import_trace(TRACE, model="small", batch=8, device="rtx2080ti")
    assert isinstance(workload, stepcast.Workload) and workload.batch == 8
    assert stepcast.run(workload=workload, cluster="ideal-1x4", schedule="ddp", fidelity="analytic").gpus == 4


def test_a_hugging_face_configuration_becomes_a_workload(tmp_path):
    config = {"model_type": "gpt2", "n_embd": 64, "n_layer": 2, "n_head": 4, "n_positions": 128, "vocab_size": 1000}
    (tmp_path / "config.json").write_text(json.dumps(config))
    workload = stepcast.derive(hf=tmp_path / "config.json", device="a100", batch=2)
    assert len(workload.layers) == 4


def test_the_results_of_two_versions_are_compared(tmp_path):
    old, new = tmp_path / "old.json", tmp_path / "new.json"
    stepcast.compare(**JOB, schedules="ddp,dear", fidelity="analytic").save(old)
    slower = stepcast.compare(**JOB, schedules="ddp,dear", fidelity="analytic", set={"cluster.nic.bandwidth": "1Gbps"})
    slower.save(new)
    assert stepcast.gate(old, baseline=old, max_slowdown="2%").ok
    worse = stepcast.gate(new, baseline=old, max_slowdown="2%")
    assert worse.exit_code == 4 and not worse.ok


def test_a_band_is_shared_among_devices():
    round_ = stepcast.run(edge=DATA / "edge-devices.csv").to_dict()
    assert round_["round_s"] < round_["equal_round_s"]
    assert abs(sum(device["share"] for device in round_["devices"]) - 1) < 1e-12


def test_a_page_is_written_of_a_result(tmp_path, run_dear):
    run_dear.save(tmp_path / "dear.json")
    try:
        stepcast.report(tmp_path / "dear.json", page=tmp_path / "dear.html")
    except stepcast.InputError as error:
        if "setup --page" in str(error):
            pytest.skip("needs the library of charts (scripts/setup --page)")
        raise
    assert "<html" in (tmp_path / "dear.html").read_text()


def test_options_that_count_and_measure_reach_the_function():
    found = {}

    @stepcast.schedule(name="of-options")
    def of_options(b, *, times=stepcast.count(3), share=stepcast.number(0.5), wait=stepcast.time("5ms")):
        found.update(times=times, share=share, wait=wait)
        b.forward_pass()
        b.update(after=[b.backward_pass()[0]])
    stepcast.run(**JOB, schedule=of_options, fidelity="analytic", times=4, wait="2us")
    assert found == {"times": 4, "share": 0.5, "wait": 2e-6} and isinstance(found["times"], int)


def test_what_cannot_complete_is_a_simulation_error():
    @stepcast.schedule(name="never-ends")
    def never_ends(b):
        forward, backward = b.forward_pass(), b.backward_pass()
        b.after(forward[0], [backward[0]])
    with pytest.raises((stepcast.SimulationError, stepcast.InputError)):
        stepcast.run(**JOB, schedule=never_ends)


def test_every_public_name_is_tested():
    text = "".join(path.read_text(encoding="utf-8") for path in pathlib.Path(__file__).parent.glob("test_*.py"))
    assert [name for name in stepcast.__all__ if not re.search(rf"stepcast\.{name}\b", text)] == []
