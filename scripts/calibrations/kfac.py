"""Makes traces/hardware/rtx2080ti-kfac.json from two published logs of lzhangbv/kfac_pytorch and shyhuai/kfac_pytorch.

  scripts/calibrate kfac factor_inverse_times.csv rtx2080ti_factor_gemm_fp32_resnet50_bs32.log > rtx2080ti-kfac.json

Three numbers are solved from published sums of ResNet-50 at batch 32 (below); nothing else is fitted. What the file says of its
sources, and what it assumes, stays as it is."""
import collections
import json
import math
import pathlib
import re

from support.program import ROOT, json_in, rows_in, stop

RUNS_STEPCAST = False
COSTS = ROOT / "traces/hardware/rtx2080ti-kfac.json"
BANDWIDTH = 616e9          # bytes/s, data sheet
PRODUCT_LAUNCH = 15e-6     # assumed
FACTOR_LAUNCH = 50e-6      # assumed: five to ten small kernels
PRECONDITION_LAUNCH = 60e-6  # assumed: the same
AVERAGE_PASSES = 6         # counted: decay in place, scale the new one, add
# The file's packing_passes (10) and unpacking_passes (32) are counted, in fp32 values for each element of a triangle: packing
# makes two 64-bit indices (4), reads them (4), gathers and writes (2); unpacking makes and reads two pairs of indices (16),
# scatters the upper half (2), and gathers (9: one 32-byte sector an element of the transposed matrix, and the write) and
# scatters (5: again the indices) the lower one.
# Published for ResNet-50, seconds.
FACTOR_COMPUTATION = 0.2115
INVERSE_EVERYWHERE = 0.2742   # every rank inverts all 108 factors
INVERSE_BALANCED = 0.1049     # 92 factors below 1400 everywhere, 16 on one rank each
# Both were measured with the communication of inverses off and a blocking Horovod operation on 64 GPUs in its place,
# to wait for the slowest rank; the published line of such an operation starts at this.
BARRIER = 0.0122


def inverse_points(path):
    times = collections.defaultdict(list)
    for row in rows_in(path):
        for side in "AG":
            times[int(row["dim_" + side])].append(float(row[f"time_{side}_s"]))
    return [(side, sum(v) / len(v)) for side, v in sorted(times.items())]


def products(path):
    text = pathlib.Path(path).read_text(encoding="utf-8")
    return [(int(m), int(d), float(t)) for m, d, t in re.findall(r"^\((\d+),(\d+)\),([\d.]+)", text, re.M)]


def rates(measured):
    by_side = collections.defaultdict(list)
    for rows, side, time in measured:
        if rows >= 256:  # the two of the classifier are bound by writing the result
            by_side[side].append(2 * rows * side * side / (time - PRODUCT_LAUNCH))
    return [(side, sum(v) / len(v)) for side, v in sorted(by_side.items())]


def between(points, side):
    if side <= points[0][0]:
        return points[0][1]
    for (low, a), (high, b) in zip(points, points[1:]):
        if side <= high:
            return a * (b / a) ** (math.log(side / low) / math.log(high / low))
    return points[-1][1]


def inverse_at(points, side):
    """Arithmetic and launches of panels, as models/device/kfac_cost.cpp has them."""
    if side <= points[0][0]:
        return points[0][1]
    (x, a), (y, b), (z, c) = points[-3:]
    told = ((c - b) / (z - y) - (b - a) / (y - x)) / (z - x) / (x + y + z)
    rate = min(max(told, 0), *(time / at ** 3 for at, time in points))
    for (low, a), (high, b) in zip(points, points[1:]):
        if side <= high:
            part = (side - low) / (high - low)
            return rate * side ** 3 + (a - rate * low ** 3) * (1 - part) + (b - rate * high ** 3) * part
    return points[-1][1] * (side / points[-1][0]) ** 3


def calibrate(measured, rate, inverse):
    half = len(measured) // 2
    layers = list(zip((d for _, d, _ in measured[:half]), (d for _, d, _ in measured[half:])))
    sides = [d for _, d, _ in measured]
    product = sum(t for _, _, t in measured)
    second = sum(PRECONDITION_LAUNCH + 2 * PRODUCT_LAUNCH + 2 * a * g * (a + g) / between(rate, min(a, g)) for a, g in layers)
    averages = AVERAGE_PASSES * 4 * sum(d * d for d in sides) / BANDWIDTH
    left = FACTOR_COMPUTATION - product - second - averages - FACTOR_LAUNCH * len(sides) - PRECONDITION_LAUNCH
    unfold = left * BANDWIDTH / (4 * sum(m * d for m, d, _ in measured))
    # The slowest rank of the balanced run inverts all small factors and one of the largest side.
    small = [d for d in sides if d < 1400] + [max(sides)]
    everywhere = INVERSE_EVERYWHERE - BARRIER - sum(inverse_at(inverse, d) for d in sides)
    balanced = INVERSE_BALANCED - BARRIER - sum(inverse_at(inverse, d) for d in small)
    a, b = len(sides), sum(d * d for d in sides)
    c, d = len(small), sum(x * x for x in small)
    launch = (everywhere * d - balanced * b) / (a * d - c * b)
    element = (everywhere - launch * a) / b
    return unfold, launch, element * BANDWIDTH / 4


def costs_of(inverse_path, product_path):
    """The text of the file: what it has, with the numbers that these logs give."""
    inverse, measured = inverse_points(inverse_path), products(product_path)
    rate = rates(measured)
    unfold, launch, passes = calibrate(measured, rate, inverse)
    costs = {**json_in(COSTS), "products": [{"side": side, "tflops": round(flops / 1e12, 3)} for side, flops in rate],
             "unfold_passes": round(unfold, 3), "inverses": [{"side": side, "time_s": round(time, 9)} for side, time in inverse],
             "inverse_launch": f"{launch * 1e6:.1f}us", "inverse_passes": round(passes, 2)}
    return re.sub(r"\{\s+(\"side\": [^}]*?),\s+([^}]*?)\s+\}", r"{\1, \2}", json.dumps(costs, indent=2))


def add_arguments(parser):
    parser.add_argument("inverses", help="factor_inverse_times.csv")
    parser.add_argument("products", help="rtx2080ti_factor_gemm_fp32_resnet50_bs32.log")


def main(options):
    try:
        print(costs_of(options.inverses, options.products))
    except OSError as error:
        stop(f"{error.filename}: {error.strerror}")
    except (KeyError, ValueError, IndexError, ZeroDivisionError) as error:
        stop(f"{options.inverses}, {options.products}: not the two logs, in this order ({error!r})")
