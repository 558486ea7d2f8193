#!/usr/bin/env python3
"""Profiles a tiny network on the CPU and reads the workload back with the program. Skips where PyTorch is absent."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts/profile_torch.py"
SKIPPED = 77
PYTHON = sys.argv.pop(2) if len(sys.argv) > 2 else sys.executable
PROGRAM = sys.argv.pop(1) if len(sys.argv) > 1 else ""


def profile(folder, *options):
    output = pathlib.Path(folder) / "tiny.json"
    command = [PYTHON, str(SCRIPT), "tiny", "--device", "cpu", "--batch", "4", "--image", "32", "--steps", "6",
               "--warm-up", "1", "-o", str(output), *options]
    return output, subprocess.run(command, capture_output=True, text=True)


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

    def test_an_unknown_model_is_refused_in_one_line(self):
        with tempfile.TemporaryDirectory() as folder:
            output = pathlib.Path(folder) / "none.json"
            done = subprocess.run([PYTHON, str(SCRIPT), "nothing:at-all", "-o", str(output)], capture_output=True,
                                  text=True)
            self.assertFalse(output.exists())
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)


if __name__ == "__main__":
    if subprocess.run([PYTHON, "-c", "import torch"], capture_output=True).returncode != 0:
        print(f"skipped: {PYTHON} has no PyTorch (Debian: python3-torch)")
        sys.exit(SKIPPED)
    unittest.main()
