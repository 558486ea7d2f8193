"""Clusters and workloads as values."""
import copy
import pickle

import pytest

import stepcast
from conftest import CLUSTER, JOB, WORKLOAD


def test_a_changed_cluster_is_used():
    cluster = stepcast.Cluster(CLUSTER)
    cluster.nic.bandwidth = "25Gbps"
    changed = stepcast.run(workload=WORKLOAD, cluster=cluster, schedule="ddp", fidelity="analytic")
    by_setting = stepcast.run(**JOB, schedule="ddp", fidelity="analytic", set={"cluster.nic.bandwidth": "25Gbps"})
    assert changed.iteration_time_s == by_setting.iteration_time_s


def test_a_changed_workload_is_used():
    workload = stepcast.Workload(WORKLOAD)
    for layer in workload.layers:
        layer.forward_s = layer.forward_s * 2
    before = stepcast.run(**JOB, schedule="bsp", fidelity="analytic")
    after = stepcast.run(workload=workload, cluster=CLUSTER, schedule="bsp", fidelity="analytic")
    assert after.breakdown.forward_s == pytest.approx(2 * before.breakdown.forward_s, rel=1e-9)


def test_an_unchanged_value_gives_the_result_of_its_name():
    by_value = stepcast.run(workload=stepcast.Workload(WORKLOAD), cluster=stepcast.Cluster(CLUSTER), schedule="dear")
    assert by_value.text == stepcast.run(**JOB, schedule="dear").text


@pytest.mark.parametrize("field, value", [("bandwidth", "fast"), ("bandwidth", 25e9), ("bandwidth", None),
                                          ("bandwith", "25Gbps"), ("bandwidth", float("nan")), ("bandwidth", object()),
                                          ("bandwidth", ["25Gbps"])])
def test_a_change_that_is_refused_leaves_the_value_as_it_was(field, value):
    cluster = stepcast.Cluster(CLUSTER)
    with pytest.raises(stepcast.InputError) as raised:
        setattr(cluster.nic, field, value)
    assert CLUSTER in str(raised.value)
    assert cluster == stepcast.Cluster(CLUSTER)


def test_values_are_saved_read_copied_and_pickled(tmp_path):
    cluster = stepcast.Cluster(CLUSTER)
    cluster.nodes = 8
    cluster.save(tmp_path / "mine.json")
    assert stepcast.Cluster(tmp_path / "mine.json") == cluster
    assert pickle.loads(pickle.dumps(cluster)) == cluster == copy.deepcopy(cluster)
    other = cluster.copy()
    other.nodes = 4
    assert cluster.nodes == 8 and stepcast.Cluster(cluster.to_dict()) == cluster
    assert CLUSTER in cluster._repr_html_() and "nodes" in dir(cluster)
    with pytest.raises(stepcast.InputError, match="mine.json"):
        cluster.save(tmp_path / "none" / "mine.json")


def test_a_cluster_without_a_file_is_a_value_too():
    assert stepcast.Cluster("ideal-4x4").gpus_per_node == 4


def test_a_workload_may_be_written_in_line():
    name = "transformer:layers=2,hidden=512,heads=8,seq=128,vocab=1000,device=a100"
    workload = stepcast.Workload(name)
    assert len(workload.layers) == 4
    assert stepcast.run(workload=name, cluster="ideal-1x4", schedule="ddp", fidelity="analytic").gpus == 4


def test_two_values_of_one_name_are_two_jobs():
    slow, fast = stepcast.Cluster(CLUSTER), stepcast.Cluster(CLUSTER)
    slow.nic.bandwidth = "1Gbps"
    result = stepcast.compare(workload=WORKLOAD, cluster=[slow, fast], schedules="ddp", fidelity="analytic")
    times = [row["iteration_time_s"] for row in result.rows]
    assert len(times) == 2 and times[0] > times[1]


def test_unknown_names_and_fields_are_told():
    with pytest.raises(stepcast.InputError, match="did you mean"):
        stepcast.Cluster("rtx2080ti-16x4-10gb")
    with pytest.raises(AttributeError, match="bandwidth"):
        stepcast.Cluster(CLUSTER).nic.bandwith
    with pytest.raises(TypeError):
        stepcast.Cluster(3)
    with pytest.raises(stepcast.InputError):
        stepcast.Workload({"format": "stepcast-workload"})
