"""Results as objects."""
import pickle

import pytest

import stepcast
from conftest import JOB


def test_attributes_are_the_keys_of_json(run_dear):
    assert run_dear.schedule.name == "dear" and run_dear["gpus"] == 64 and "breakdown" in run_dear
    assert sum(run_dear.to_dict()["breakdown"]["exposed_communication_s"].values()) > 0
    assert run_dear.memory.total_bytes > 0 and "iteration_time_s" in dir(run_dear)
    with pytest.raises(AttributeError, match="there is no 'iteration_time'"):
        run_dear.iteration_time
    with pytest.raises(AttributeError):
        run_dear.gpus = 3


def test_results_pickle(run_dear):
    again = pickle.loads(pickle.dumps(run_dear))
    assert again.text == run_dear.text and again == run_dear and again.command == "run"


def test_a_notebook_shows_a_table_and_a_picture(run_dear):
    shown = run_dear._repr_html_()
    assert "<table>" in shown and "<svg" in shown and "dear" in shown
    compared = stepcast.compare(**JOB, schedules="ddp,dear", fidelity="analytic")
    assert compared._repr_html_().count("<tr>") == 3
    assert "2 rows" in repr(compared) and "dear" in repr(run_dear)
    assert "<pre>" in stepcast.explain("iteration_time_s")._repr_html_()


def test_a_name_cannot_become_markup():
    cluster = stepcast.Cluster("rtx2080ti-16x4-10gbe")
    cluster.name = "<script>"
    assert "<script>" not in cluster._repr_html_()


def test_a_result_writes_timeline_and_page(tmp_path, run_dear):
    import gzip
    run_dear.timeline(tmp_path / "t.json.gz")
    assert b"traceEvents" in gzip.decompress((tmp_path / "t.json.gz").read_bytes())
    with pytest.raises(stepcast.InputError, match="writes no timeline"):
        stepcast.compare(**JOB, schedules="ddp", fidelity="analytic").timeline(tmp_path / "x.json")


def test_results_are_tables_of_pandas():
    pandas = pytest.importorskip("pandas")
    frame = stepcast.compare(**JOB, schedules="ddp,dear", fidelity="analytic").to_dataframe()
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame["schedule.name"]) == ["ddp", "dear"] and frame["breakdown.forward_s"].gt(0).all()


def test_results_are_drawn_by_matplotlib(run_dear):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    assert run_dear.plot().get_xlabel() == "ms"
    tuned = stepcast.tune(**JOB, schedule="dear", option="fusion_buffer", strategy="grid", trials=3,
                          fidelity="analytic")
    assert tuned.plot().get_xlabel() == "fusion_buffer"
    assert len(stepcast.compare(**JOB, schedules="ddp,dear", fidelity="analytic").plot().get_yticklabels()) == 2
    matplotlib.pyplot.close("all")
