#!/usr/bin/env python3
"""Tests the layer times that scripts/profile_torch.py --structure gives to shapes, with a stand-in for PyTorch.

One test takes every family of torchvision's classification models; it is skipped where torchvision is absent.
Usage: model_structure_test.py [PROGRAM [PYTHON]]"""
import contextlib
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEVICES = ROOT / "configs/devices"
PYTHON = sys.argv.pop(2) if len(sys.argv) > 2 else sys.executable
PROGRAM = sys.argv.pop(1) if len(sys.argv) > 1 else ""
HAS_TORCHVISION = subprocess.run([PYTHON, "-c", "import torchvision"], capture_output=True).returncode == 0
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "scripts"))
import profile_torch  # noqa: E402


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
        self.output, self.own, self.inner, self.hooks, self.pre_hooks = output, list(parameters), list(children), [], []

    def named_modules(self):
        return [("", self), *((str(i), each) for i, each in enumerate(self.inner))]

    def children(self):
        return iter(self.inner)

    def named_parameters(self, recurse=True):
        return self.own + [each for child in self.inner if recurse for each in child.own]

    def register_forward_hook(self, hook):
        self.hooks.append(hook)
        return types.SimpleNamespace(remove=self.hooks.clear)

    def register_forward_pre_hook(self, hook):
        self.pre_hooks.append(hook)
        return types.SimpleNamespace(remove=self.pre_hooks.clear)

    def to(self, device):
        return self

    def __call__(self, given):
        for hook in self.pre_hooks:
            hook(self, (given,))
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


class Attention(Module):
    """Reads the matrix of a module within it that it never calls."""

    def __call__(self, given):
        inner, self.inner = self.inner, []
        for hook in self.pre_hooks:
            hook(self, (given,))
        for hook in self.hooks:
            hook(self, (given,), given)
        self.inner = inner
        return given


class Net(Module):
    """Runs the modules that it holds in an order of its own, some of them several times."""

    def __init__(self, names, order):
        super().__init__()
        self.names, self.order, self.inner = names, order, list(names.values())

    def named_modules(self):
        found = [("", self)]
        for name, module in self.names.items():
            found += [(f"{name}.{inner}" if inner else name, each) for inner, each in module.named_modules()]
        return found

    def named_parameters(self, recurse=True):
        return [(f"{name}.{key}", tensor) for name, module in self.named_modules() if module is not self
                for key, tensor in module.own] if recurse else []

    def __call__(self, given):
        self.inner, inner = [self.names[name] for name in self.order], self.inner
        given = super().__call__(given)
        self.inner = inner
        return given


TORCH = types.SimpleNamespace(Tensor=Shaped, no_grad=contextlib.nullcontext, __version__="none")
LAW = {"macs": 1e12, "bandwidth": 1e12, "launch": 1e-6}

class Structure(unittest.TestCase):
    def test_a_product_takes_the_longer_of_arithmetic_and_traffic(self):
        law = {"macs": 1e12, "bandwidth": 1e12, "launch": 1e-6}
        # 10^9 multiply-accumulates take 1 ms; 3 million elements of 4 bytes 12 us.
        layer = {"macs": 1e9, "inputs": 1e6, "outputs": 1e6, "weights": 1e6}
        for first, times in ((False, (1.001e-3, 2.002e-3)), (True, (1.001e-3, 1.001e-3))):
            for found, expected in zip(profile_torch.times_of(layer, law, 4, first), times):
                self.assertAlmostEqual(found, expected, places=12)
        forward, backward = profile_torch.times_of({**layer, "macs": 0}, law, 4)
        self.assertAlmostEqual(forward, 13e-6, places=12)
        self.assertAlmostEqual(backward, 25e-6, places=12)

    def test_multiply_accumulates_follow_from_shapes(self):
        # 64 x 3 x 7 x 7 for each of 2 x 112 x 112 places; 1000 x 2048 for each of 2 rows; a look-up multiplies nothing.
        self.assertEqual(profile_torch.macs_of("Conv2d", [("weight", (64, 3, 7, 7))], (2, 64, 112, 112)),
                         64 * 3 * 7 * 7 * 2 * 112 * 112)
        self.assertEqual(profile_torch.macs_of("Linear", [("weight", (1000, 2048))], (2, 1000)), 2 * 1000 * 2048)
        self.assertEqual(profile_torch.macs_of("Embedding", [("weight", (100, 8))], (2, 5, 8)), 0)

    def test_laws_are_read_from_the_device_files(self):
        a100 = json.loads((ROOT / "configs/devices/a100.json").read_text())
        self.assertEqual(profile_torch.law_of(a100, DEVICES, "bf16")["macs"],
                         a100["law"]["products"]["bf16"]["peak_tflops"] * 5e11)
        for file in sorted((ROOT / "configs/devices").glob("*.json")):
            self.assertGreater(profile_torch.law_of(json.loads(file.read_text()), DEVICES, "fp32")["bandwidth"], 1e10)
        small, large = (profile_torch.law_of(json.loads((DEVICES / f"{name}.json").read_text()), DEVICES, "bf16")
                      for name in ("a100-40gb", "a100"))
        self.assertAlmostEqual(small["macs"] / large["macs"], 1)
        self.assertAlmostEqual(small["bandwidth"] / large["bandwidth"], 1555 / 2039)
        with self.assertRaisesRegex(ValueError, "has no rate for bf16"):
            profile_torch.law_of({"name": "x", "peak_fp32_tflops": 1}, DEVICES, "bf16")

    def test_the_structure_of_a_stand_in_is_a_workload(self):
        weight, shared = Shaped(4096, 1024), Shaped(1024, 4096)
        model = Module(children=[Linear((64, 4096), [("weight", weight)]), ReLU((64, 4096)),
                                 Linear((64, 1024), [("weight", shared)]), Linear((64, 1024), [("weight", shared)])])
        device = {"name": "d", "provenance": {"source": "none"}, "law": {"products": {"fp32": {
            "peak_tflops": 2, "bandwidth": "1TBps", "launch": "1us"}}}}
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "d.json"
            file.write_text(json.dumps(device))
            options = types.SimpleNamespace(precision="fp32", batch=64)
            workload = profile_torch.workload_of_shapes(TORCH, model, Shaped(64, 1024), file, options, "m")
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

    def test_a_module_that_runs_several_times_has_a_name_for_each_run(self):
        # The model has a module of its own called "relu.call2": no name may be given twice.
        model = Net({"fc": Linear((8, 8), [("weight", Shaped(8, 8))]), "relu": ReLU((8, 8)), "relu.call2": ReLU((8, 8))},
                    ["fc", "relu", "relu", "relu.call2", "fc", "relu"])
        layers = profile_torch.layers_of(profile_torch.walk(TORCH, model, Shaped(8, 8)), LAW, 4, "fp32")
        self.assertEqual([layer["name"] for layer in layers],
                         ["fc", "relu", "relu.call2_", "relu.call2", "fc.call2", "relu.call3"])
        # Its gradient is ready when the first run's backward pass, the last of them, ends; every run multiplies.
        self.assertEqual([len(layer.get("parameters", [])) for layer in layers], [1, 0, 0, 0, 0, 0])
        self.assertEqual(layers[4]["forward_s"], layers[0]["forward_s"])

    def test_parameters_of_modules_that_are_never_called_belong_to_the_module_around_them(self):
        attention = Attention(parameters=[("in_proj_weight", Shaped(24, 8)), ("scale", Shaped(8))],
                              children=[Linear((4, 8), [("weight", Shaped(8, 8)), ("bias", Shaped(8))])])
        model = Net({"fc": Linear((4, 8), [("weight", Shaped(8, 8))]), "attention": attention}, ["fc", "attention"])
        _, layer = profile_torch.layers_of(profile_torch.walk(TORCH, model, Shaped(4, 8)), LAW, 4, "fp32")
        self.assertEqual(layer["name"], "attention")
        self.assertEqual([(each["name"], each["elements"]) for each in layer["parameters"]],
                         [("in_proj_weight", 192), ("scale", 8), ("0.weight", 64), ("0.bias", 8)])
        # 4 rows x (24 x 8 + 8 x 8) multiply-accumulates: less than the traffic of 4 x 8 in, 4 x 8 out, 272 parameters.
        self.assertEqual(profile_torch.macs_of("Attention", [("in_proj_weight", (24, 8)), ("scale", (8,)),
                                                               ("0.weight", (8, 8)), ("0.bias", (8,))], (4, 8)), 4 * 256)
        self.assertAlmostEqual(layer["forward_s"], 1e-6 + (32 + 32 + 272) * 4e-12, places=9)


# Writes FOLDER/NAME.json for a model of each family, and prints its name and number of parameters.
EVERY_FAMILY = """
import argparse, pathlib, sys, types
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import profile_torch, torch, torchvision
SMALL = ["convnext_tiny", "efficientnet_v2_s", "regnet_x_400mf", "regnet_y_400mf", "resnet50", "resnext50_32x4d", "swin_t",
         "swin_v2_t", "vgg11_bn", "wide_resnet50_2"]
profile_torch.import_torch()
models, families = torchvision.models, {}
for name, builder in sorted(vars(models).items()):
    if isinstance(builder, types.FunctionType) and name.islower() and builder.__module__ != models.__name__ + "._api":
        families.setdefault(builder.__module__, []).append(name)
for names in families.values():
    for name in [each for each in names if each in SMALL] or names[:1]:
        options = argparse.Namespace(batch=2, image=299 if name == "inception_v3" else 224, precision="fp32")
        model, inputs, _ = profile_torch.load("torchvision:" + name, options)
        device = profile_torch.DEVICES / "a100.json"
        workload = profile_torch.workload_of_shapes(torch, model.train(), inputs, device, options, name)
        pathlib.Path(sys.argv[2], name + ".json").write_text(profile_torch.text_of(workload))
        print(name, sum(tensor.numel() for tensor in model.parameters()))
"""


@unittest.skipUnless(HAS_TORCHVISION, f"{PYTHON} has no torchvision (Debian: python3-torchvision)")
class Torchvision(unittest.TestCase):
    def test_every_family_is_a_workload_with_all_its_parameters(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([PYTHON, "-W", "ignore", "-c", EVERY_FAMILY, str(ROOT / "scripts"), folder],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            models = dict(line.split() for line in done.stdout.splitlines())
            self.assertGreater(len(models), 15)
            for name, parameters in models.items():
                with self.subTest(name):
                    self.check(pathlib.Path(folder) / f"{name}.json", int(parameters))

    def check(self, file, parameters):
        layers = json.loads(file.read_text())["layers"]
        names = [layer["name"] for layer in layers]
        self.assertEqual(len(names), len(set(names)))
        self.assertEqual(sum(p["elements"] for layer in layers for p in layer.get("parameters", [])), parameters)
        if PROGRAM:
            done = subprocess.run([PROGRAM, "run", "--workload", str(file), "--cluster", "ideal-2x2", "--schedule", "ddp"],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
