#!/usr/bin/env python3
"""scripts/calibrate devices: its laws are those of models/device, and the shipped files say how good they are."""
import json
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
from calibrations import devices  # noqa: E402


class DeviceLaws(unittest.TestCase):
    def test_full_waves_of_tiles_reach_the_peak(self):
        # 4,096 x 4,096 x 4,096: 512 tiles of 256 x 128 on 64 slots are 8 whole waves.
        law = [1e-6, 1e14, 1e13, 64, 1e-9, 0, 0, 1e9, 1, 1]
        self.assertAlmostEqual(devices.gemm_time(law, (4096, 4096, 4096)), 1e-6 + 2 * 4096 ** 3 / 1e14, places=9)

    def test_attention_is_that_of_the_tests_of_the_law(self):
        # As AttentionLaw.FullWavesReachThePeak and CausalTilesSeeTheKeysBeforeThemAndTheirOwn, without a cache.
        law = [0, 1e14, 0, 0, 1, 1e30]
        square = devices.attention_time(law, (1, 100, 100, 128, 128, 1024, 0, 2), 100, 1e30)
        self.assertAlmostEqual(square, 4 * 100 * 1024 ** 2 * 128 / 1e14, places=12)
        causal = devices.attention_time(law, (1, 100, 100, 128, 128, 1024, 1, 2), 100, 1e30)
        self.assertAlmostEqual(causal, square * 36 / 64, places=12)
        backward = devices.attention_time(law, (1, 100, 100, 128, 128, 1024, 0, 5), 100, 1e30)
        self.assertAlmostEqual(backward, 2.5 * square, places=12)

    def test_bursts_are_made_sustained_by_their_duration(self):
        burst = {i: 1e-4 for i in range(10)} | {i: 1e-3 for i in range(10, 20)}
        points = devices.slower_by_duration(burst, {i: time * (1.2 if time > 5e-4 else 0.9) for i, time in burst.items()})
        self.assertEqual(devices.at_duration(points, 1e-5), 1)  # never faster
        self.assertAlmostEqual(devices.at_duration(points, 1e-2), 1.2)
        self.assertTrue(1 < devices.at_duration(points, 4e-4) < 1.2)
        self.assertEqual(devices.at_duration([], 1), 1)

    def test_every_shipped_law_of_tables_tells_its_held_out_error(self):
        for name, device in devices.DEVICES.items():
            law = json.loads((ROOT / f"configs/devices/{name}.json").read_text())["law"]
            notes = law["provenance"]["notes"]
            for part in [f"products.{precision}" for precision in device.products] + ["attention.forward", "attention.backward"]:
                self.assertTrue(any(note.startswith(part) for note in notes), f"{name}: {part}")
            self.assertTrue(any("eld-out error" in note for note in notes), name)
            self.assertEqual(sorted(law["measured"]), ["head_size", "seq", "side"], name)
            for precision, products in law["products"].items():
                if precision in ("bf16", "fp8"):
                    self.assertLessEqual(products["peak_tflops"], 1.15 * law["peak_tflops"][precision], f"{name}: {precision}")


if __name__ == "__main__":
    unittest.main()
