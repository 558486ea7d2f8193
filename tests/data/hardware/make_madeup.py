#!/usr/bin/env python3
"""Writes madeup-kernels.json beside itself: results of no machine, for tests of the readers and fits.

Times follow simple laws (a start-up plus a rate, products with waves of tiles) with a fixed pattern of
deviations of up to 3 per cent.
"""
import json
import math
import pathlib

WOBBLE = [0.0, 0.03, -0.02, 0.01, -0.03, 0.02, -0.01]


def point(family, index, time, **shape):
    wobbled = time * (1 + WOBBLE[index % len(WOBBLE)])
    return {"family": family, **shape, "time_s": float(f"{wobbled:.6g}"), "spread": 0.01, "samples": 15}


def products(family, rate):
    shapes = [(m, n, k) for m in (64, 256, 1024, 4096) for n in (64, 512, 2048) for k in (64, 576, 2304)]
    for index, (m, n, k) in enumerate(shapes):
        waves = math.ceil(math.ceil(m / 128) * math.ceil(n / 128) / 100)
        yield point(family, index, 4e-6 + waves * 100 * 2 * 128 * 128 * k / rate, m=m, n=n, k=k)


def line(family, sizes, startup, rate, power=1, **more):
    for index, size in enumerate(sizes):
        yield point(family, index, startup + size ** power / rate, size=size, **more)


def points():
    yield from products("gemm-fp32", 40e12)
    yield from line("inverse", [64, 128, 256, 512, 1024, 2048, 4096, 4608], 1e-4, 1e13, 3)
    yield from line("top-k", [round(10 ** (4 + i / 2)) for i in range(9)], 3e-5, 2e11)
    yield from line("copy-device", [4096 * 4 ** i for i in range(10)], 3e-6, 1.5e12)
    for gpus in (2, 4):
        yield from line("all-reduce", [8 * 8 ** i for i in range(10)], 1e-5 * gpus, 2e11, gpus=gpus, nodes=1)
    yield {**point("launch", 0, 2.5e-6, size=1)}
    for index, size in enumerate([2 ** 20, 2 ** 23, 2 ** 26, 2 ** 29]):
        yield {**point("overlap-compute", index, 3.7e-4, size=size), "alone_s": 3.5e-4}


FILE = {
    "format": "stepcast-hardware", "version": 1, "name": "madeup-kernels", "device": "madeup", "date": "2026-01-01",
    "quick": False,
    "machine": {"gpu": "Made-up GPU", "capability": "0.0", "gpus": 4, "nodes": 1, "memory_bytes": 17179869184,
                "driver": "none", "libraries": {"cuda-runtime": "none"}},
    "provenance": {"kind": "assumed", "source": "made up for tests; no such machine exists",
                   "method": "tests/data/hardware/make_madeup.py"},
    "points": list(points()),
    "replays": [{"workload": "resnet50-rtx2080ti-bs64", "cluster": "rtx2080ti-16x4-10gbe", "schedule": "dear", "gpus": 64,
                 "emulated": True, "iterations": 30, "predicted_s": 0.28, "measured_s": 0.287, "spread": 0.004}],
}

if __name__ == "__main__":
    text = json.dumps(FILE, indent=None)
    text = text.replace('{"family"', '\n    {"family"').replace('"replays"', '\n  "replays"')
    pathlib.Path(__file__).with_name("madeup-kernels.json").write_text(text + "\n", encoding="utf-8")
