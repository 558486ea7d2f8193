"""Results as objects."""
import pathlib
import pickle

import pytest

import stepcast
from conftest import JOB
from stepcast._results import flat


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


DATA = pathlib.Path(__file__).resolve().parent.parent / "golden/data"
# What is asked, and of its table: the least number of numeric columns and of rows, and a word that a column's name holds.
TABLES = {
    "compare": (lambda: stepcast.compare(**{**JOB, "nodes": [1, 2, 4]}, schedules=["ddp", "dear"], across="nodes"), 2, 6, "time"),
    # Two bandwidths by two densities, and one of ddp for each bandwidth.
    "compare, map": (lambda: stepcast.compare(workload="vgg16-rtx2080ti-bs32", cluster=JOB["cluster"], nodes=[8], map="density",
                                              schedules="ddp,topka2a", fidelity="analytic",
                                              set={"density": "0.01,0.1", "cluster.nic.bandwidth": "1Gbps,10Gbps"}), 4, 6, "time"),
    "run, parts": (lambda: stepcast.run(**JOB, schedule="spd-kfac", fidelity="analytic", parts="exposed"), 1, 5, "_s"),
    "run, edge": (lambda: stepcast.run(edge=DATA / "edge-devices.csv"), 3, 4, "share"),
    "goodput": (lambda: stepcast.goodput(mtbf="3h", checkpoint="60s", restart="10min"), 5, 1, "efficiency"),
    "diagnose": (lambda: stepcast.diagnose(DATA / "job.csv"), 3, 4, "rank"),
    "validate": (lambda: stepcast.validate(), 3, 100, "error"),
    "gate": (lambda: stepcast.gate(DATA / "results-after.json", baseline=DATA / "results-before.json"), 2, 4, "change"),
}


# A table of one row without a number, an empty picture, and a traceback where the schedule is a name.
@pytest.mark.parametrize("name", TABLES)
def test_tables_hold_the_numbers_and_pictures_show_them(name):
    call, columns, least, word = TABLES[name]
    result = call()
    assert name.split(",")[0] in repr(result)
    rows = list(map(flat, result.rows))
    assert len(rows) >= least
    numeric = [key for key in rows[0] if isinstance(rows[0][key], (int, float)) and not isinstance(rows[0][key], bool)]
    assert len(numeric) >= columns and any(word in key for key in rows[0])
    pandas = pytest.importorskip("pandas")
    assert isinstance(result.to_dataframe(), pandas.DataFrame)
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    axes = result.plot()
    assert axes.lines or axes.patches or axes.collections
    matplotlib.pyplot.close("all")


def test_functions_of_an_earlier_version_name_the_new_ones():
    with pytest.raises(AttributeError, match="it is now stepcast.compare\\(..., nodes="):
        getattr(stepcast, "scaling")


def test_a_result_without_a_picture_says_so():
    pytest.importorskip("matplotlib")
    with pytest.raises(stepcast.InputError, match="there is no picture of a result of explain"):
        stepcast.explain("efficiency").plot()
