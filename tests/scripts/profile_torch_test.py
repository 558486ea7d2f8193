#!/usr/bin/env python3
"""Tests what needs no PyTorch, then profiles a tiny network on the CPU and reads the workload back with the program.

The latter is skipped where PyTorch is absent."""
import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts/profile_torch.py"
PYTHON = sys.argv.pop(2) if len(sys.argv) > 2 else sys.executable
PROGRAM = sys.argv.pop(1) if len(sys.argv) > 1 else ""
HAS_TORCH = subprocess.run([PYTHON, "-c", "import torch"], capture_output=True).returncode == 0


def load_script():
    specification = importlib.util.spec_from_file_location("profile_torch", SCRIPT)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def run_without_torch(*arguments):
    """With a folder in front of all others in which PyTorch cannot be imported."""
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "torch.py").write_text("raise ImportError('hidden')")
        return subprocess.run([sys.executable, str(SCRIPT), *arguments], capture_output=True, text=True,
                              env={"PYTHONPATH": folder, "PYTHONDONTWRITEBYTECODE": "1"})


class WithoutTorch(unittest.TestCase):
    def setUp(self):
        sys.dont_write_bytecode = True
        self.script = load_script()

    def test_help_needs_no_torch(self):
        done = run_without_torch("--help")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Examples:", done.stdout)

    def test_without_torch_a_line_says_what_to_install(self):
        done = run_without_torch("tiny", "-o", "never.json")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.strip(),
                         "profile_torch.py: PyTorch is not installed for this Python (Debian: python3-torch)")

    def test_a_wrong_number_is_refused_before_torch_is_loaded(self):
        done = run_without_torch("tiny", "-o", "never.json", "--batch", "0")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--batch: expected 1 or more", done.stderr)

    def test_spread_is_the_interquartile_range_over_the_median(self):
        # Quartiles of 1, 2, 3, 4, 5 (exclusive) are 1.5, 3, 4.5.
        self.assertAlmostEqual(self.script.spread_of([5, 1, 4, 2, 3]), 1.0)
        self.assertEqual(self.script.spread_of([1, 2, 3]), 0)
        self.assertEqual(self.script.spread_of([0, 0, 0, 0]), 0)

    def test_the_widest_of_the_long_layers_is_named(self):
        # a: 10 always; b: 1, 2, 3, 4, 5 (spread 1); c varies, but makes up less than a hundredth of the time.
        steps = [({"a": 10}, {"b": b, "c": b / 1000}) for b in (1, 2, 3, 4, 5)]
        note = self.script.layer_spread_note(steps)
        self.assertIn("100.0 % (median layer)", note)
        self.assertIn("b backward with 100.0 %", note)

    def test_gradients_out_of_order_are_told(self):
        layers = [{"name": "one", "parameters": [{"name": "weight"}]}, {"name": "two", "parameters": [{"name": "weight"}]}]
        self.assertEqual(self.script.order_note(["two.weight", "one.weight"], layers),
                         "gradients became ready in reverse forward order of the layers")
        self.assertIn("but for 1 places; the order began one.weight, two.weight",
                      self.script.order_note(["one.weight", "two.weight"], layers))

    def test_a_model_that_is_one_layer_has_gradients_without_a_prefix(self):
        layers = [{"name": "model", "parameters": [{"name": "weight"}, {"name": "bias"}]}]
        self.assertIn("in reverse forward order", self.script.order_note(["bias", "weight"], layers))

    def test_structure_wants_a_device_that_is_known(self):
        done = run_without_torch("tiny", "-o", "never.json", "--structure", "--device-name", "abacus")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--device-name: expected one of a10, a100, ", done.stderr)

    def test_a_gpu_is_called_as_its_device_file_says(self):
        self.assertEqual(self.script.name_of_gpu("NVIDIA GeForce RTX 2080 Ti"), "rtx2080ti")
        self.assertEqual(self.script.name_of_gpu("NVIDIA H200"), "h200")
        self.assertEqual(self.script.name_of_gpu("Tesla V100-PCIE-16GB"), "v100-pcie-16gb")

    def test_a_layer_is_a_line_of_json(self):
        text = self.script.text_of({"name": "w", "batch": 4, "layers": [{"name": "a"}, {"name": "b"}]})
        self.assertEqual(json.loads(text), {"name": "w", "batch": 4, "layers": [{"name": "a"}, {"name": "b"}]})
        self.assertIn('\n    {"name": "a"},\n    {"name": "b"}\n', text)


def profile(folder, *options):
    output = pathlib.Path(folder) / "tiny.json"
    command = [PYTHON, str(SCRIPT), "tiny", "--device", "cpu", "--batch", "4", "--image", "32", "--steps", "6",
               "--warm-up", "1", "-o", str(output), *options]
    return output, subprocess.run(command, capture_output=True, text=True)


@unittest.skipUnless(HAS_TORCH, f"{PYTHON} has no PyTorch (Debian: python3-torch)")
class ProfileTorch(unittest.TestCase):
    def test_layers_are_in_forward_order_with_tensors_and_factors(self):
        with tempfile.TemporaryDirectory() as folder:
            output, done = profile(folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            workload = json.loads(output.read_text())
        kinds = [layer["kind"] for layer in workload["layers"]]
        self.assertEqual(kinds, ["Conv2d", "BatchNorm2d", "ReLU", "AdaptiveAvgPool2d", "Flatten", "Linear"])
        # 3 x 3 x 3 inputs + bias, 8 outputs, 4 samples of 32 x 32; 128 + bias, 10, 4.
        self.assertEqual(workload["layers"][0]["kronecker"], {"a": 28, "g": 8, "rows": 4096})
        self.assertEqual(workload["layers"][5]["kronecker"], {"a": 129, "g": 10, "rows": 4})
        elements = sum(p["elements"] for layer in workload["layers"] for p in layer.get("parameters", []))
        self.assertEqual(elements, 28 * 8 + 2 * 8 + 129 * 10)
        # The convolution's output: 4 samples, 8 channels, 32 x 32, 4 bytes.
        self.assertEqual(workload["layers"][0]["activation_bytes"], 4 * 8 * 32 * 32 * 4)

    def test_times_are_above_zero_and_have_provenance(self):
        with tempfile.TemporaryDirectory() as folder:
            output, _ = profile(folder)
            workload = json.loads(output.read_text())
        self.assertGreater(workload["layers"][0]["forward_s"], 0)
        self.assertGreater(workload["layers"][0]["backward_s"], 0)
        self.assertEqual(workload["provenance"]["kind"], "measured")
        self.assertIn("PyTorch", workload["provenance"]["source"])
        self.assertTrue(any("reverse forward order" in note for note in workload["provenance"]["notes"]))

    def test_the_program_reads_what_was_written(self):
        if not PROGRAM:
            self.skipTest("no program given")
        with tempfile.TemporaryDirectory() as folder:
            output, _ = profile(folder, "--optimizer", "adam")
            done = subprocess.run([PROGRAM, "run", "--workload", str(output), "--cluster", "ideal-2x2", "--schedule",
                                   "ddp"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_structure_alone_gives_a_workload(self):
        with tempfile.TemporaryDirectory() as folder:
            output, _ = profile(folder, "--structure", "--device-name", "a100")
            workload = json.loads(output.read_text())
            done = subprocess.run([PROGRAM or "true", "run", "--workload", str(output), "--cluster", "ideal-2x2",
                                   "--schedule", "ddp"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([layer["kind"] for layer in workload["layers"]],
                         ["Conv2d", "BatchNorm2d", "ReLU", "AdaptiveAvgPool2d", "Flatten", "Linear"])
        self.assertEqual((workload["device"], workload["provenance"]["kind"]), ("a100", "derived"))
        self.assertTrue(all(layer["forward_s"] > 0 for layer in workload["layers"]))

    def test_an_unknown_model_is_refused_in_one_line(self):
        with tempfile.TemporaryDirectory() as folder:
            output = pathlib.Path(folder) / "none.json"
            done = subprocess.run([PYTHON, str(SCRIPT), "nothing:at-all", "-o", str(output)], capture_output=True,
                                  text=True)
            self.assertFalse(output.exists())
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)


if __name__ == "__main__":
    unittest.main()
