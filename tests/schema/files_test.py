#!/usr/bin/env python3
"""Shipped files fit their schemas, which refuse what the readers refuse. Usage: files_test.py PROGRAM"""
import json
import pathlib
import tempfile
import unittest

from schemas import ROOT, changed, faults, load, merged, run

FOLDERS = {
    "cluster": "configs/clusters",
    "experiment": "configs/experiments",
    "measurements": "traces/published",
    "checked_cases": "traces/published/checked",
    "goal": "traces/published/goals",
    "collectives": "traces/collectives",
    "device": "configs/devices",
    "case_sets": "configs/cases",
    "blocks": "traces/blocks",
    "prices": "configs/prices",
    "architecture": "traces/architectures",
    "workload": "traces/workloads",
}

# A file, a merge patch that it bears, and some that it does not.
PATCHES = {
    ("cluster", "configs/clusters/rtx2080ti-16x4-10gbe.json"): (
        {"rack": {"nodes": 4, "oversubscription": 2}},
        {"nodes": 0}, {"bandwith": "1Gbps"}, {"nic": None}, {"version": 2}, {"nic": {"startup": "-2us"}},
        {"nic": {"startup": "2 parsecs"}}, {"nic": {"bandwidth": "10GB"}}, {"rack": {"nodes": 4}},
        {"rack": {"nodes": 4, "oversubscription": 0.5}}, {"provenance": {"kind": "?"}}, {"overlap": {"compute_slowdown": -1}}),
    ("blocks", "traces/blocks/gpt-hidden1024-a100-megatron-deepspeed.json"): (
        {"shape": {"gated": True}},
        {"version": 2}, {"shape": {"hidden": None}}, {"shape": {"layers": 2}}, {"rows": []}, {"provenance": None},
        {"rows": [{"micro_batch": 1, "seq": 8, "forward_s": 1}]}, {"rows": [{"micro_batch": 0, "seq": 8, "forward_s": 1, "backward_s": 1}]},
        {"rows": [{"micro_batch": 1, "seq": 8, "forward_s": 1, "backward_s": 1, "messages": "both"}]}),
    ("collectives", "traces/collectives/v100-32x4-edr-nccl.json"): (
        {"name": "other"},
        {"curves": []}, {"curves": [{"collective": "gossip"}]}, {"version": 2},
        {"curves": [{"collective": "reduce", "ranks": 1, "nodes": 1, "sizes_bytes": [1], "times_s": [1]}]},
        {"curves": [{"collective": "reduce", "ranks": 2, "nodes": 1, "sizes_bytes": [1], "times_s": [0]}]}),
    ("checked_cases", "traces/published/checked/cases.json"): (
        {"cases": [{"source": "s", "workload": "w", "cluster": "c", "device": "d", "schedule": "ddp", "network": "fast", "gpus": 8,
                    "measured_s": 1, "predicted_s": 2}]},
        {"cases": []}, {"version": 2}, {"provenance": None}, {"cases": [{"source": "s"}]},
        {"cases": [{"source": "s", "workload": "w", "cluster": "c", "device": "d", "schedule": "ddp", "network": "odd", "gpus": 8,
                    "measured_s": 1, "predicted_s": 2}]}),
    ("hardware", "tests/data/hardware/madeup-kernels.json"): (
        {"quick": True},
        {"version": 2}, {"device": "../up"}, {"quick": 0}, {"extra": 1},
        {"points": [{"family": "gem", "size": 1, "time_s": 1, "spread": 0, "samples": 1}]},
        {"points": [{"family": "launch", "size": 1, "time_s": 0, "spread": 0, "samples": 1}]},
        {"replays": [{"workload": "w"}]}),
    ("exported_plan", "tests/data/hardware/two-task-plan.json"): (
        {"gpus": 4},
        {"version": 2}, {"iteration_time_s": 0}, {"tasks": []}, {"streams": []}, {"edges": [[0]]}, {"groups": [[]]},
        {"tasks": [{"label": "x", "kind": "forward"}]}),
    ("prices", "configs/prices/rented-2024.json"): (
        {"date": "2026-01-31"},
        {"date": "last year"}, {"prices": []}, {"prices": [{"device": "a100"}]}, {"prices": [{"device": "a100", "gpu_hour": 0}]},
        {"prices": [{"device": "a100", "gpu_hour": -2}]}, {"prices": [{"gpu_hour": 2}]}, {"version": 2}),
    ("errors", "configs/errors.json"): (
        {"version": 1},
        {"families": [{"family": "layouts"}]}, {"version": 2}),
    ("model_families", "configs/model_families.json"): (
        {"notes": None},
        {"version": 2}, {"provenance": None}, {"notes": {"llama": 1}}, {"tensors": {"sinks": ["block haeds"]}},
        {"tensors": {"sinks": ["0 block heads"]}}, {"groups": {}}, {"groups": [{"tensors": []}]},
        *({"families": [{"type": "x", **wrong}]} for wrong in (
            {"tensors": ["attention x"]}, {"tensors": ["attention bias=yes"]}, {"tensors": ["attention for"]}, {"seq": 4294967297},
            {"inner": 2000}, {"gated": "yes"}, {"adjust": ""}, {"colour": "red"}))),
    ("experiment", "configs/experiments/dear-64gpu-10gbe.json"): (
        {"set": {"batch": "8"}},
        {"schedule": "dear"}, {"schedules": None}, {"schedules": []}, {"fidelity": "exact"}, {"nodes": 0},
        {"set": {"batch": 8}}, {"set": 8}),
}

# A place in a workload and a value that is wrong there.
WORKLOAD_FAULTS = [
    ("/format", "stepcast-cluster"), ("/version", 2), ("/name", ""), ("/model", 1), ("/batch", 0), ("/batch", 4294967296),
    ("/batch", "64"), ("/precision", "fp23"), ("/batch_scaling", "linear"), ("/update_s", -1), ("/update_s", "1ms"), ("/extra", 1),
    ("/provenance", None), ("/provenance/kind", "guessed"), ("/provenance/source", ""), ("/provenance/notes", "one"),
    ("/provenance/when", "today"), ("/layers", []), ("/layers/3", {"name": "x", "kind": "y", "forward_s": 1}),
    ("/layers/3/forward_s", -1), ("/layers/3/backward_s", "1ms"), ("/layers/3/activation_bytes", -4), ("/layers/3/macs", None),
    ("/layers/3/kind", ""), ("/layers/3/colour", "red"), ("/layers/0/parameters", {}), ("/layers/0/parameters/0/elements", 0),
    ("/layers/0/parameters/0/elements", 1.5), ("/layers/0/parameters/0/dtype", "float"),
    ("/layers/0/parameters/0/shape", "cube"), ("/edges", "chain"), ("/edges/0", [1]),
    ("/edges/0", [-1, 2]), ("/edges/0", [0.5, 2]), ("/edges/1", [0, 1]),
]


class ShippedFiles(unittest.TestCase):
    def test_fit_their_schema(self):
        for schema, folder in FOLDERS.items():
            paths = sorted((ROOT / folder).glob("*.json"))
            self.assertTrue(paths, folder)
            for path in paths:
                self.assertEqual(faults(schema, load(path)), [], path)

    def test_bear_some_changes_and_not_others(self):
        for (schema, path), (good, *bad) in PATCHES.items():
            shipped = load(path)
            self.assertEqual(faults(schema, merged(shipped, good)), [], path)
            for patch in bad:
                self.assertNotEqual(faults(schema, merged(shipped, patch)), [], f"{path}: {patch}")


class Workloads(unittest.TestCase):
    """The workload's schema and its reader refuse the same files."""

    def reader_accepts(self, workload):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "w.json"
            path.write_text(json.dumps(workload), encoding="utf-8")
            shown = run("show", path)
        self.assertIn(shown.returncode, (0, 2), shown.stderr)
        self.assertEqual(shown.returncode == 2, shown.stderr.startswith("stepcast: "), shown.stderr)
        return shown.returncode == 0

    def setUp(self):
        self.shipped = load("traces/workloads/resnet50-pipedream-bs128.json")

    def test_less_is_accepted_by_both(self):
        for key in ("edges", "precision", "batch_scaling"):
            self.shipped.pop(key, None)
        self.shipped["layers"][0]["macs"] = 0.5
        self.shipped["update_s"] = 0.001
        self.shipped["input_per_sample_s"] = 0.0001
        self.assertEqual(faults("workload", self.shipped), [])
        self.assertTrue(self.reader_accepts(self.shipped))

    def test_faults_are_refused_by_both(self):
        self.assertTrue(self.reader_accepts(self.shipped))
        for pointer, value in WORKLOAD_FAULTS:
            wrong = changed(self.shipped, pointer, value)
            self.assertNotEqual(faults("workload", wrong), [], f"{pointer} = {value}")
            self.assertFalse(self.reader_accepts(wrong), f"{pointer} = {value}")


if __name__ == "__main__":
    unittest.main()
