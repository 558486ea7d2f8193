#!/usr/bin/env python3
"""Tests the layer times that scripts/torch_structure.py gives to shapes, with a stand-in for PyTorch."""
import contextlib
import json
import math
import pathlib
import sys
import tempfile
import types
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEVICES = ROOT / "configs/devices"
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "scripts"))
import torch_structure  # noqa: E402


class Shaped:
    """A stand-in for a tensor: a shape."""
    requires_grad = True

    def __init__(self, *shape):
        self.shape = shape

    def numel(self):
        return math.prod(self.shape)

    def to(self, device):
        return self if device == "meta" else None


class Module:
    """A stand-in for a module: a leaf with a shape of its output, or the leaves that it runs in turn."""

    def __init__(self, output=(), parameters=(), children=()):
        self.output, self.own, self.inner, self.hooks = output, list(parameters), list(children), []

    def named_modules(self):
        return [("", self), *((str(i), each) for i, each in enumerate(self.inner))]

    def children(self):
        return iter(self.inner)

    def named_parameters(self, recurse=True):
        return self.own + [each for child in self.inner if recurse for each in child.own]

    def register_forward_hook(self, hook):
        self.hooks.append(hook)
        return types.SimpleNamespace(remove=self.hooks.clear)

    def to(self, device):
        return self

    def __call__(self, given):
        for each in self.inner:
            given = each(given)
        out = given if self.inner else Shaped(*self.output)
        for hook in self.hooks:
            hook(self, (given,), out)
        return out


class Linear(Module):
    pass


class ReLU(Module):
    pass


class Structure(unittest.TestCase):
    def test_a_product_takes_the_longer_of_arithmetic_and_traffic(self):
        law = {"macs": 1e12, "bandwidth": 1e12, "launch": 1e-6}
        # 10^9 multiply-accumulates take 1 ms; 3 million elements of 4 bytes 12 us.
        layer = {"macs": 1e9, "inputs": 1e6, "outputs": 1e6, "weights": 1e6}
        for first, times in ((False, (1.001e-3, 2.002e-3)), (True, (1.001e-3, 1.001e-3))):
            for found, expected in zip(torch_structure.times_of(layer, law, 4, first), times):
                self.assertAlmostEqual(found, expected, places=12)
        forward, backward = torch_structure.times_of({**layer, "macs": 0}, law, 4)
        self.assertAlmostEqual(forward, 13e-6, places=12)
        self.assertAlmostEqual(backward, 25e-6, places=12)

    def test_multiply_accumulates_follow_from_shapes(self):
        # 64 x 3 x 7 x 7 for each of 2 x 112 x 112 places; 1000 x 2048 for each of 2 rows; a look-up multiplies nothing.
        self.assertEqual(torch_structure.macs_of("Conv2d", [("weight", (64, 3, 7, 7))], (2, 64, 112, 112)),
                         64 * 3 * 7 * 7 * 2 * 112 * 112)
        self.assertEqual(torch_structure.macs_of("Linear", [("weight", (1000, 2048))], (2, 1000)), 2 * 1000 * 2048)
        self.assertEqual(torch_structure.macs_of("Embedding", [("weight", (100, 8))], (2, 5, 8)), 0)

    def test_laws_are_read_from_the_device_files(self):
        a100 = json.loads((ROOT / "configs/devices/a100.json").read_text())
        self.assertEqual(torch_structure.law_of(a100, DEVICES, "bf16")["macs"],
                         a100["law"]["products"]["bf16"]["peak_tflops"] * 5e11)
        for file in sorted((ROOT / "configs/devices").glob("*.json")):
            self.assertGreater(torch_structure.law_of(json.loads(file.read_text()), DEVICES, "fp32")["bandwidth"], 1e10)
        h200, h100 = (torch_structure.law_of(json.loads((DEVICES / f"{name}.json").read_text()), DEVICES, "bf16")
                      for name in ("h200", "h100"))
        self.assertEqual(h200["macs"], h100["macs"])
        self.assertAlmostEqual(h200["bandwidth"] / h100["bandwidth"], 4800 / 3350)
        with self.assertRaisesRegex(ValueError, "has no rate for bf16"):
            torch_structure.law_of({"name": "x", "peak_fp32_tflops": 1}, DEVICES, "bf16")

    def test_the_structure_of_a_stand_in_is_a_workload(self):
        torch = types.SimpleNamespace(Tensor=Shaped, no_grad=contextlib.nullcontext, __version__="none")
        weight, shared = Shaped(4096, 1024), Shaped(1024, 4096)
        model = Module(children=[Linear((64, 4096), [("weight", weight)]), ReLU((64, 4096)),
                                 Linear((64, 1024), [("weight", shared)]), Linear((64, 1024), [("weight", shared)])])
        device = {"name": "d", "provenance": {"source": "none"}, "law": {"products": {"fp32": {
            "peak_tflops": 2, "bandwidth": "1TBps", "launch": "1us"}}}}
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "d.json"
            file.write_text(json.dumps(device))
            options = types.SimpleNamespace(precision="fp32", batch=64)
            workload = torch_structure.workload_of(torch, model, Shaped(64, 1024), file, options, "m")
        first, middle, third, last = workload["layers"]
        self.assertEqual([layer["kind"] for layer in workload["layers"]], ["Linear", "ReLU", "Linear", "Linear"])
        # 64 x 4096 x 1024 multiply-accumulates at 10^12/s and a launch; twice in backward, but for the first layer.
        self.assertAlmostEqual(first["forward_s"], 64 * 4096 * 1024 * 1e-12 + 1e-6, places=9)
        self.assertEqual(first["backward_s"], first["forward_s"])
        self.assertAlmostEqual(third["backward_s"], 2 * third["forward_s"], places=8)
        # No product: 2 x 64 x 4096 elements of 4 bytes at 10^12 bytes/s.
        self.assertAlmostEqual(middle["forward_s"], 2 * 64 * 4096 * 4e-12 + 1e-6, places=9)
        self.assertEqual(first["parameters"], [{"name": "weight", "elements": 4096 * 1024, "dtype": "fp32"}])
        self.assertEqual(first["activation_bytes"], 64 * 4096 * 4)
        self.assertNotIn("parameters", last)  # shared with the layer before it
        self.assertEqual(workload["provenance"]["kind"], "derived")


if __name__ == "__main__":
    unittest.main()
