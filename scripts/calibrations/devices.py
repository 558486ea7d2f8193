"""Fits the laws of devices to measured tables of products, attention and casts, and prints (or writes) their files.

  scripts/calibrate devices TABLES            prints, for each device, the errors of each law on the half that it was not fitted to
  scripts/calibrate devices TABLES h100 a100  the same of some
  scripts/calibrate devices TABLES --write    and writes configs/devices

TABLES is a folder of the tables of ai-dynamo/aiconfigurator (commit 095f58a) and MooreThreads/SimuMax (commit 4dcaae5), both
Apache-2.0, as CSV: products-, attention- and casts-*.csv with times in us.

Forms are those of models/device: the ten numbers of GemmLaw (the search is that of gemm_law.cpp), the four of a pass of
AttentionLaw. Shapes are sorted by operations; every second one is fitted, equally many of each octave, and the others are
forecast. Steps run at sustained clocks: where a table has bursts alone, each time is multiplied by what a product or an
attention of that duration takes longer on a device that has both (its medians by octave of the burst's time, at least 1)."""
import collections
import csv
import dataclasses
import gzip
import json
import math
import pathlib
import random
import re
import statistics

from support.markdown import head, percent, row
from support.program import ROOT, json_in, progress, stop

RUNS_STEPCAST = False
TILES = ((256, 128), (128, 256), (128, 128), (128, 64), (64, 128), (64, 64), (32, 32))
SPLITS = (2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
GEMM = ("launch", "peak", "bandwidth", "slots", "tile_overhead", "block", "split", "least_part", "misaligned", "quantisation")
ROWS = 128  # of a tile of attention, as the kernels' sources have it
COMPILED_HEADS = (32, 64, 96, 128, 192, 256)
SIDE, LARGEST = 512, 65536  # sides of products
FITTED = 160  # shapes of a table
FEW = {4: 0.5, 5: 1e15}  # numbers of attention that SimuMax' rows leave open: all are causal, and nothing is cached
TABLES_OF = "ai-dynamo/aiconfigurator (commit 095f58a, Apache-2.0)"
SIMUMAX = "MooreThreads/SimuMax (commit 4dcaae5, Apache-2.0)"
FA2_SIZES = (64, 256)  # of heads
FA2_SOFTMAX = 6.0  # as the heads of 64 to 256 numbers on the L40S tell it; the tables of A100 have one size of heads
FA2_BACKWARD = 0.945  # of forward: FlashAttention-2 on an RTX A5000, 8,192 tokens (gpu-mode/ring-attention, issue 10)
# On H100 FlashAttention-2 reaches 355 TFLOP/s forward and 337 backward (Dao-AILab/flash-attention, issue 1051), and
# FlashAttention-3 1.5 to 2 times the former and 1.5 to 1.75 times the latter (arXiv 2407.08608, abstract and section 4.1).
FA3_BACKWARD = 0.88


@dataclasses.dataclass
class Products:
    """Where the products of a precision come from: a table's precision and regime, and a table with both regimes.

    Regime CEILINGS: the law of bf16, its peak by the best products of both precisions on a device (cuBLAS, as training runs it),
    and by how much more fp8 slows down than bf16 from bursts to sustained clocks: a device and precision that have both.
    Regime KEPT: the law that the file has, which is compared with the table: fitted to products of microsoft/vidur, whose library is of
    the time of the programs that train on the device.
    On Blackwell the tables' fp8 products are those of another library, which reaches 1.9 of the 3.4 PFLOP/s of the ceiling."""
    precision: str
    regime: str
    sustained_by: tuple = ()


@dataclasses.dataclass
class Attention:
    """Kernels of a table (name, regime), and how backward is known: "fitted" to SimuMax' rows of a device, or a ratio."""
    kernels: tuple
    kernel: str
    slots: int
    backward: object
    backward_source: str
    sustained_by: tuple = ()
    like: str = None  # Another of DEVICES, by whose forward pass' peak to this one's the backward rows are scaled
    softmax: float = None  # known; None: fitted


@dataclasses.dataclass
class Device:
    table: str
    products: dict
    attention: Attention
    cast: bool = True


FA3 = (("vllm_flash_attn_fa3", "burst"), ("vllm_vit_flash_attn_fa3", "burst"))
FA2 = (("vllm_flash_attn_fa2", "burst"), ("vllm_vit_flash_attn_fa2", "burst"))
VIT_HOPPER = ("h200-sxm", "vllm_vit_flash_attn_fa3", "vllm_vit_flash_attn")
VIT_B200 = ("b200-sxm", "vllm_vit_flash_attn_fa4", "vllm_vit_flash_attn")
VIT_GB200 = ("gb200", "vllm_vit_flash_attn_fa4", "vllm_vit_flash_attn")
TORCH_FLOW = "the fused kernel of TensorRT-LLM"
SUSTAINED, BURST = "sustained", "burst"
H200_BF16, H200_FP8 = ("h200-sxm", "bf16"), ("h200-sxm", "fp8-block")
B200_BF16, B200_FP8 = ("b200-sxm", "bf16"), ("b200-sxm", "fp8-block")
CEILINGS, KEPT = "ceilings", "kept"
BY_RATIO_FA3 = ("FlashAttention-2's measured rates on H100 (355 forward, 337 backward; Dao-AILab/flash-attention, issue 1051) times the "
                "speed-ups of FlashAttention-3 over it (arXiv 2407.08608: 1.5 to 2 and 1.5 to 1.75; the middles): .88 of forward")
BY_RATIO_FA2 = "assumed: .945 of forward, FlashAttention-2's on an RTX A5000 (gpu-mode/ring-attention, issue 10)"
BY_B200 = f"that of the B200 ({SIMUMAX}), its peak by the forward passes'"
# Laws of products that stay: measured in 2023 with the library that the programs of the device's checked steps ran.
VIDUR = "forward products of 256 to 32,768 rows measured by microsoft/vidur (commit 7d47513, MIT licence)"
KEPT_LAWS = {
    "a100": f"fitted to 1,390 {VIDUR} and PrincetonUniversity/LLMCompass (commit 2e015fd, BSD-3) in 2023 (mean error 6.2 %, median 4.4 %)",
    "h100": f"fitted to 1,077 {VIDUR} in 2023 (mean error 7.5 %, median 5.4 %), with a peak of 860 TFLOP/s for the 1,033 of bursts: chosen of "
            "three values with rows of MLPerf Training v3.0 and NeMo 24.07 in sight, and met by the same products at the sustained clocks "
            "that the H200 has (1.03 to 1.19 times as long, by duration; median error 5.9 %, signed +3.5 %)",
}
DEVICES = {
    "h100": Device("h100-sxm-80gb", {"bf16": Products("bf16", KEPT, H200_BF16), "fp8": Products("fp8", BURST, H200_FP8)},
                   Attention(FA3, "FlashAttention-3", 132, FA3_BACKWARD, BY_RATIO_FA3, VIT_HOPPER)),
    "h200": Device("h200-sxm", {"bf16": Products("bf16", SUSTAINED), "fp8": Products("fp8", BURST, H200_FP8)},
                   Attention(FA3, "FlashAttention-3", 132, FA3_BACKWARD, BY_RATIO_FA3, VIT_HOPPER)),
    "a100": Device("a100-sxm-80gb", {"bf16": Products("bf16", KEPT)},
                   Attention((("vllm_flash_attn", BURST),), "FlashAttention-2", 108, "a100-pcie-80gb",
                             f"backward rows of the A100 PCIe ({SIMUMAX}): the same chip at the same clock", softmax=FA2_SOFTMAX), cast=False),
    "a100-pcie": Device("a100-pcie-80gb", {"bf16": Products("bf16", "simumax")},
                        Attention(None, "FlashAttention-2", 108, "a100-pcie-80gb", f"backward rows of the same ({SIMUMAX})", softmax=FA2_SOFTMAX),
                        cast=False),
    "b200": Device("b200-sxm", {"bf16": Products("bf16", SUSTAINED), "fp8": Products("fp8", CEILINGS, ("b200-sxm", *B200_FP8))},
                   Attention((("torch_flow", SUSTAINED),), TORCH_FLOW, 148, "b200-sxm", f"backward rows of the same ({SIMUMAX})")),
    "b300": Device("b300-sxm", {"bf16": Products("bf16", BURST, B200_BF16), "fp8": Products("fp8", CEILINGS, ("b300-sxm", *B200_FP8))},
                   Attention((("torch_flow", BURST),), TORCH_FLOW, 148, "b200-sxm", BY_B200, VIT_B200, like="b200")),
    "gb200": Device("gb200", {"bf16": Products("bf16", SUSTAINED), "fp8": Products("fp8", CEILINGS, ("gb200", "gb200", "fp8"))},
                    Attention((("torch_flow", SUSTAINED),), TORCH_FLOW, 148, "b200-sxm", BY_B200, like="b200")),
    "gb300": Device("gb300", {"bf16": Products("bf16", BURST, B200_BF16), "fp8": Products("fp8", CEILINGS, ("b300-sxm", *B200_FP8))},
                    Attention((("torch_flow", BURST),), TORCH_FLOW, 148, "b200-sxm", BY_B200, VIT_GB200, like="b200")),
    "l40s": Device("l40s", {"bf16": Products("bf16", BURST, H200_BF16), "fp8": Products("fp8", BURST, H200_FP8)},
                   Attention(FA2, "FlashAttention-2", 142, FA2_BACKWARD, BY_RATIO_FA2, VIT_HOPPER)),
    "rtx-pro-6000": Device("rtx-pro-6000-server", {"bf16": Products("bf16", BURST, H200_BF16), "fp8": Products("fp8", BURST, H200_FP8)},
                           Attention(FA2, "FlashAttention-2", 188, FA2_BACKWARD, BY_RATIO_FA2, VIT_HOPPER), cast=False),
}


class Tables:
    """The rows of the tables of a folder."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.known = {}

    def rows(self, name):
        if name not in self.known:
            path = self.folder / f"{name}.csv.gz"
            opened = gzip.open if path.exists() else open
            try:
                with opened(path if path.exists() else self.folder / f"{name}.csv", "rt", encoding="utf-8") as file:
                    self.known[name] = list(csv.DictReader(line for line in file if not line.startswith("#")))
            except OSError as error:
                stop(f"{error.filename}: {error.strerror}")
        return self.known[name]

    def products(self, device, precision, regime):
        """Times by shape as models/device/training_law.cpp has it: the weight's columns first."""
        if regime == "simumax":
            rows = [each for each in self.rows(f"products-{device}-simumax") if each["pass"] != "backward-weight"]
        else:  # a table with two sustained collections: the one that has all shapes
            rows = [each for each in self.rows(f"products-{device}")
                    if each["regime"] == regime and each["precision"] == precision and each["kernel"] != "torch_flow"]
        return {(int(each["n"]), int(each["m"]), int(each["k"])): float(each["time_us"]) * 1e-6 for each in rows}

    def attention(self, device, kernels):
        """(batch, heads, kv heads, size of scores, of values, tokens, causal, products) and times."""
        return {(int(each["batch"]), int(each["heads"]), int(each["kv_heads"]), int(each["head_dim"]), int(each["head_dim"]),
                 int(each["seq"]), int(each["causal"]), 2): float(each["time_us"]) * 1e-6
                for each in self.rows(f"attention-{device}")
                if each["precision"] == "bf16" and (each["kernel"], each["regime"]) in kernels
                and int(each["head_dim"]) <= COMPILED_HEADS[-1] and int(each["head_dim"]) % 16 == 0}

    def simumax_attention(self, device, direction):
        """The same. FlashAttention-2 has one size of heads, so that values are padded to that of scores."""
        value = "head_dim_qk" if device.startswith("a100") else "head_dim_v"
        return {(int(each["batch"]), int(each["heads"]), int(each["kv_heads"]), int(each["head_dim_qk"]), int(each[value]),
                 int(each["seq"]), 1, 2 if direction == "forward" else 5): float(each["time_us"]) * 1e-6
                for each in self.rows(f"attention-{device}-simumax") if each["pass"] == direction}

    def casts(self, device):
        """Elements and times of finding the scale and casting."""
        sums = collections.defaultdict(dict)
        for each in self.rows("casts-fp8"):
            if each["device"] == device and each["regime"] == BURST and int(each["k"]) >= SIDE:
                sums[int(each["m"]) * int(each["k"]), each["m"]][each["kind"]] = float(each["time_us"]) * 1e-6
        return sorted((key[0], kinds["scale"] + kinds["cast"]) for key, kinds in sums.items() if len(kinds) == 2)


def slower_by_duration(burst, sustained):
    """Octaves of the burst's time and how many times as long the same shape takes sustained, at least 1."""
    octaves = collections.defaultdict(list)
    for shape, time in burst.items():
        if shape in sustained:
            octaves[round(math.log2(time))].append(sustained[shape] / time)
    return [(octave, max(1.0, statistics.median(ratios))) for octave, ratios in sorted(octaves.items()) if len(ratios) >= 10]


def at_duration(points, time):
    octave = math.log2(time)
    if not points or octave <= points[0][0]:
        return points[0][1] if points else 1.0
    for (low, a), (high, b) in zip(points, points[1:]):
        if octave <= high:
            return a + (b - a) * (octave - low) / (high - low)
    return points[-1][1]


def gemm_time(law, shape):
    """As models/device/gemm_law.cpp has it, for aligned shapes."""
    launch, peak, bandwidth, slots, overhead, block, split, least, _, quantisation = law
    m, n, k = shape
    memory = (2 * (m * k + k * n) + 4 * m * n) / bandwidth
    best = math.inf
    for tile_m, tile_n in TILES:
        tiles = math.ceil(m / tile_m) * math.ceil(n / tile_n)
        share = max(1.0, m / tile_m) * max(1.0, n / tile_n) / slots
        multiply = 2 * tile_m * tile_n * k * (1 + overhead * (1 / tile_m + 1 / tile_n)) * slots / peak
        waves = quantisation * math.ceil(tiles / slots) + (1 - quantisation) * max(1.0, share)
        best = min(best, max((block + multiply) * waves, memory))
        for parts in SPLITS:
            if k / parts < least or tiles * parts / 2 >= slots:
                break
            waves = quantisation * math.ceil(tiles * parts / slots) + (1 - quantisation) * max(1.0, share * parts)
            best = min(best, max((block + multiply / parts) * waves, memory) + split + 8 * m * n * parts / bandwidth)
    return launch + best


def padded(size):
    return next(compiled for compiled in COMPILED_HEADS if size <= compiled)


def attention_time(law, shape, slots, bandwidth):
    """As models/device/attention_law.cpp has it, and what the tables add: keys and values are written into a cache."""
    launch, peak, softmax, block, quantisation, cache = law
    batch, heads, kv_heads, score, value, tokens, causal, products = shape
    score, value = padded(score), padded(value)
    numbers = score + value + 2 * softmax if products == 2 else 3 * score + 2 * value + 5 * softmax
    longest = block + 2 * numbers * ROWS * slots / peak * tokens
    tiles = batch * heads * math.ceil(tokens / ROWS) / slots
    if causal:
        seen = min(tokens, (tokens + ROWS) / 2)
        compute = max(longest, tiles * (block + 2 * numbers * ROWS * slots / peak * seen))
    else:
        compute = longest * (quantisation * math.ceil(tiles) + (1 - quantisation) * max(1.0, tiles))
    moved = 2 * batch * tokens * (heads + kv_heads) * (score + value) * (1 if products == 2 else 2.5)
    cached = 4 * batch * tokens * kv_heads * (score + value) / cache if causal else 0
    return launch + max(compute, moved / bandwidth) + cached


def search(points, time_of, low, high, known):
    """Differential evolution, as in models/device/gemm_law.cpp: the least mean of |log(time / measured)|."""
    draw = random.Random(1)
    low, high = [math.log(each) for each in low], [math.log(each) for each in high]

    def law_at(place):
        return [known.get(i, math.exp(each)) for i, each in enumerate(place)]

    def misfit(place):
        law = law_at(place)
        return sum(abs(math.log(time_of(law, shape) / time)) for shape, time in points) / len(points)

    places = [[a + draw.random() * (b - a) for a, b in zip(low, high)] for _ in range(40)]
    misfits = [misfit(place) for place in places]
    for _ in range(120):
        for i, place in enumerate(places):
            towards, start, end = places[misfits.index(min(misfits))], draw.choice(places), draw.choice(places)
            reach = 0.4 + 0.5 * draw.random()
            moved = [min(max(each + reach * (towards[j] - each) + reach * (end[j] - start[j]), low[j]), high[j])
                     if draw.random() < 0.8 else each for j, each in enumerate(place)]
            found = misfit(moved)
            if found < misfits[i]:
                places[i], misfits[i] = moved, found
    return law_at(places[misfits.index(min(misfits))])


def halves(points, operations):
    """Half of the shapes, equally many of each octave of operations and at most FITTED, and the other half."""
    ordered = sorted(points.items(), key=lambda each: (operations(each[0]), each[0]))
    octaves = collections.defaultdict(list)
    for each in ordered[::2]:
        octaves[int(math.log2(operations(each[0])))].append(each)
    share = max(1, FITTED // len(octaves))
    fitted = [each for octave in octaves.values() for each in octave[::-(-len(octave) // share)]]
    return fitted, ordered[1::2]


def errors(points, time_of):
    found = sorted(abs(time_of(shape) / time - 1) for shape, time in points)
    return statistics.median(found), found[int(0.9 * (len(found) - 1))]


def fit_products(points, misaligned, sheet, memory, least):
    """The law of one precision, errors on the other half, and how many were fitted and forecast.

    No rate exceeds the data sheet's, operations and bytes a second, unless it was measured. Shapes are of `least` columns and sums
    and of twice as many rows at least: larger ones for fp8, which are longer than the casts that are taken off."""
    points = {shape: time for shape, time in points.items() if min(shape) >= least and shape[1] >= 2 * least and max(shape) <= LARGEST * SIDE // least}
    fitted, others = halves(points, math.prod)
    shortest = min(time for _, time in fitted)
    peak = max(2 * math.prod(shape) / time for shape, time in fitted)
    low = [0.1 * shortest, peak, memory / 4, 16, 1, 0.01 * shortest, 0.1 * shortest, 32, 0.05, 0.01]
    high = [shortest, max(sheet, 1.02 * peak), memory, 512, 512, shortest, 10 * shortest, 1e9, 1, 1]
    law = search(fitted, gemm_time, low, high, {8: misaligned})
    return law, errors(others, lambda shape: gemm_time(law, shape)), len(fitted), len(others)


def fit_attention(points, slots, bandwidth, known, few=False):
    def operations(shape):
        return shape[0] * shape[1] * shape[3] * shape[5] ** 2

    fitted, others = (sorted(points.items()), sorted(points.items())) if few else halves(points, operations)

    def time_of(law, shape):
        return attention_time(law, shape, slots, bandwidth)

    low, high = [1e-6, 5e13, 1, 1e-8, 0.01, 2e11], [15e-6, 3e15, 300, 2e-5, 1, 2e14]
    law = search(fitted, time_of, low, high, known)
    return law, errors(others, lambda shape: time_of(law, shape)), len(fitted), 0 if few else len(others)


def fit_casts(points):
    """Launch and bandwidth of five bytes an element: the least mean of |log| on half of the shapes, and errors on the other."""
    def time_of(law, elements):
        return law[0] + 5 * elements / law[1]

    law = search(points[::2], time_of, [5e-7, 1e11], [2e-5, 2e13], {})
    return law, errors(points[1::2], lambda elements: time_of(law, elements))


def us(seconds):
    return f"{seconds * 1e6:.3g}us"


def gbps(bandwidth):
    return f"{bandwidth / 1e9:.0f}GBps"


def written_products(law):
    texts = {"launch": us, "bandwidth": gbps, "block": us, "split": us}
    values = {"peak_tflops" if name == "peak" else name: value / 1e12 if name == "peak" else value for name, value in zip(GEMM, law)}
    return {name: texts[name](value) if name in texts else float(f"{value:.4g}") for name, value in values.items()}


def read_products(written):
    """The numbers of a law of products as gemm_time takes them."""
    scale = {"launch": 1e-6, "block": 1e-6, "split": 1e-6, "bandwidth": 1e9}  # files have us and GBps
    values = {**written, "peak": written["peak_tflops"] * 1e12}
    return [float(re.match(r"[0-9.e+]+", values[name])[0]) * scale[name] if name in scale else values[name] for name in GEMM]


def written_pass(law):
    return {"launch": us(law[0]), "peak_tflops": float(f"{law[1] / 1e12:.4g}"), "softmax": float(f"{law[2]:.3g}"), "block": us(law[3])}


class Calibration:
    """The laws of one device, their errors and what its file says of them."""

    def __init__(self, name, tables):
        self.name, self.device, self.tables = name, DEVICES[name], tables
        self.path = ROOT / "configs/devices" / f"{name}.json"
        self.file = json_in(self.path)
        self.law = self.file["law"]
        self.bandwidth = float(re.match(r"[0-9.]+", self.file["memory_bandwidth"])[0]) * 1e9
        self.notes, self.table = [], []

    def add(self, what, found, fitted, others, text):
        """`others` 0: too few shapes to hold any out."""
        self.table.append(row(self.name, what, fitted, others, *map(percent, found)))
        held_out = f"held-out error of {others} others" if others else "error on the same"
        self.notes.append(f"{what}: {text} Fitted to {fitted} shapes; {held_out}: median {percent(found[0])}, "
                          f"90 % within {percent(found[1])}")

    def sustained(self, source, points):
        """Times at sustained clocks, and a sentence."""
        if not source:
            return points, "sustained times as measured." if self.device.table in ("h200-sxm", "b200-sxm", "gb200") else (
                "times as measured; the best product of a longer run (100 repetitions, stas00/ml-engineering) is as fast.")
        if len(source) == 2:
            slower = slower_by_duration(self.tables.products(*source, BURST), self.tables.products(*source, SUSTAINED))
        else:
            device, burst, sustained = source
            slower = slower_by_duration(self.tables.attention(device, ((burst, BURST),)),
                                        self.tables.attention(device, ((sustained, SUSTAINED),)))
        return ({shape: time * at_duration(slower, time) for shape, time in points.items()},
                f"bursts, multiplied by sustained over burst of the {source[0]} ({source[1]}) by duration "
                f"(1 to {max(ratio for _, ratio in slower):.2f}).")

    def fit_all_products(self):
        own = self.law.get("products", {})
        misaligned = own.get("bf16", {}).get("misaligned", 0.34)
        products = {precision: own[precision] for precision in ("fp32",) if precision in own}
        cast = self.fit_cast() if self.device.cast else None
        for precision, source in self.device.products.items():
            if source.regime == KEPT:
                products |= {name: own[name] for name in ("fp16", precision)}
                self.compare_kept(precision, source)
                continue
            if source.regime == CEILINGS:
                products[precision] = self.by_ceilings(products["bf16"], precision, *source.sustained_by)
                continue
            progress(f"{self.name}: products of {precision}")
            points = self.tables.products(self.device.table, source.precision, source.regime)
            points, text = self.sustained(source.sustained_by, points)
            if precision == "fp8" and cast:
                points = {shape: max(time - cast[0] - 5 * shape[1] * shape[2] / cast[1], 0.3 * time) for shape, time in points.items()}
                text += " The cast of the activations is taken off."
            law, found, fitted, others = fit_products(points, misaligned, self.law["peak_tflops"][precision] * 1e12, self.bandwidth,
                                                        2 * SIDE if precision == "fp8" else SIDE)
            self.add(f"products.{precision}", found, fitted, others, text)
            products |= {name: written_products(law) for name in (("fp16", "bf16") if precision == "bf16" else (precision,))}
        self.law["products"] = {key: products[key] for key in ("fp32", "fp16", "bf16", "fp8") if key in products}

    def compare_kept(self, precision, source):
        """Tells how far the law of the file is from the table, which is of a newer library."""
        law = read_products(self.law["products"][precision])
        points, _ = self.sustained(source.sustained_by, self.tables.products(self.device.table, precision, BURST))
        points = {shape: time for shape, time in points.items()
                  if min(shape) >= SIDE and shape[1] >= 2 * SIDE and max(shape) <= LARGEST}
        found = errors(points.items(), lambda shape: gemm_time(law, shape))
        signed = statistics.mean(gemm_time(law, shape) / time - 1 for shape, time in points.items())
        self.table.append(row(self.name, f"products.{precision}", 0, len(points), *map(percent, found)))
        self.notes.append(f"products.{precision}: {KEPT_LAWS[self.name]}. Held-out error of {len(points)} products of a library of 2026, sustained "
                          f"({TABLES_OF}): median {percent(found[0])}, 90 % within {percent(found[1])}, signed {percent(signed, '+')}")

    def slower_large(self, device, precision):
        """How many times as long products of 1e12 operations and more take sustained as in bursts: the median."""
        burst, sustained = (self.tables.products(device, precision, regime) for regime in (BURST, SUSTAINED))
        return statistics.median(sustained[shape] / time for shape, time in burst.items() if 2 * math.prod(shape) >= 1e12 and shape in sustained)

    def by_ceilings(self, bf16, precision, device, slower_device, slower_precision):
        best = {each["precision"]: float(each["tflops"]) for each in self.tables.rows("product-ceilings") if each["device"] == device}
        slower, slower_bf16 = self.slower_large(slower_device, slower_precision), self.slower_large(*B200_BF16)
        ratio = best[precision] / best["bf16"] * slower_bf16 / slower
        self.notes.append(f"products.{precision}: derived: those of bf16 with {ratio:.2f} times the peak, as the best products over a search of "
                          f"shapes on the {device} are apart ({best['bf16']:.0f} and {best[precision]:.0f} TFLOP/s, cuBLAS, 100 repetitions; "
                          f"stas00/ml-engineering), and as large products take {slower:.2f} times as long sustained as in bursts "
                          f"({slower_precision} on the {slower_device}), of bf16 {slower_bf16:.2f} times (b200-sxm)")
        return {**bf16, "peak_tflops": float(f"{bf16['peak_tflops'] * ratio:.4g}")}

    def fit_cast(self):
        points = self.tables.casts(self.device.table)
        law, found = fit_casts(points)
        self.law["cast"] = {"launch": us(law[0]), "bandwidth": gbps(law[1])}
        self.add("cast", found, len(points[::2]), len(points[1::2]), "finding the scale of a row and casting, five bytes an element; bursts.")
        return law

    def fit_forward(self):
        """The forward pass and its sentence; of few rows, those of SimuMax, all are fitted."""
        attention = self.device.attention
        known = {} if attention.softmax is None else {2: attention.softmax, 4: FEW[4]}
        if attention.kernels is None:
            points = self.tables.simumax_attention(self.device.table, "forward")
            return fit_attention(points, attention.slots, self.bandwidth, {**known, **FEW}, True), "as measured.", points
        points, text = self.sustained(attention.sustained_by, self.tables.attention(self.device.table, attention.kernels))
        return fit_attention(points, attention.slots, self.bandwidth, known), text, points

    def fit_backward(self, forward):
        attention = self.device.attention
        if not isinstance(attention.backward, str):
            return [2 * forward[0], forward[1] * attention.backward, forward[2], 2.5 * forward[3]]
        points = self.tables.simumax_attention(attention.backward, "backward")
        backward = fit_attention(points, attention.slots, self.bandwidth, {2: forward[2], **FEW}, True)[0]
        if attention.like:
            backward[1] *= forward[1] / Calibration(attention.like, self.tables).fit_forward()[0][0][1]
        return backward

    def fit_all_attention(self):
        progress(f"{self.name}: attention")
        attention = self.device.attention
        (forward, found, fitted, others), text, points = self.fit_forward()
        softmax = "" if attention.softmax is None else " The softmax is that of the same kernel on the L40S, where several sizes of heads were measured."
        self.add("attention.forward", found, fitted, others, f"{attention.kernel}; {text}{softmax}")
        self.notes.append(f"attention.backward: {attention.backward_source}")
        backward = self.fit_backward(forward)
        self.law["attention"] = {"slots": attention.slots, "rows": ROWS, "quantisation": float(f"{forward[4]:.3g}"),
                                 "bandwidth": self.file["memory_bandwidth"],
                                 "forward": written_pass(forward), "backward": written_pass(backward)}
        sizes = [shape[3] for shape in points] if attention.softmax is None else FA2_SIZES
        self.law["measured"] = {"seq": [min(s[5] for s in points), max(s[5] for s in points)], "head_size": [min(sizes), max(sizes)],
                                "side": [SIDE, LARGEST]}

    def text(self):
        provenance = self.law["provenance"]
        mine = ("products.", "attention.", "cast:", "flash:")
        kept = [note for note in provenance.get("notes", []) if not note.startswith(mine) or note.startswith(("products.fp32", "products.fp16.misaligned"))]
        provenance |= {"kind": "derived", "source": f"matrix products, attention and casts measured by {TABLES_OF}"
                       + (f" and {SIMUMAX}" if isinstance(self.device.attention.backward, str) else ""),
                       "method": "scripts/calibrate devices: numbers of laws by the least mean of |log(time / measured)| on half of the shapes",
                       "notes": self.notes + kept}
        self.law.pop("like", None)
        for old in ("flash_forward_tflops", "flash_backward_tflops"):
            self.law.pop(old, None)
        order = ("products", "peak_tflops", "attention", "cast", "measured", "elementwise", "kernel", "off_sector", "provenance")
        self.file["law"] = {key: self.law[key] for key in order if key in self.law}
        text = json.dumps(self.file, indent=2, ensure_ascii=False)
        text = re.sub(r"\[\s+(\d+),\s+(\d+)\s+\]", r"[\1, \2]", text)
        names = json.dumps(self.file["profiler_names"], ensure_ascii=False)
        return re.sub(r'("profiler_names": )\[[^]]*\]', lambda found: found[1] + names, text) + "\n"


def add_arguments(parser):
    parser.add_argument("tables", help="the folder of the tables")
    parser.add_argument("devices", nargs="*", help="names under configs/devices; default: all that have tables")
    parser.add_argument("--write", action="store_true", help="write configs/devices, not only print errors")


def main(options):
    tables = Tables(options.tables)
    for name in options.devices:
        if name not in DEVICES:
            stop(f"{name}: expected one of {', '.join(DEVICES)}")
    print(head("device", "law", ">fitted", ">forecast", ">median error", ">90 %"))
    for name in options.devices or DEVICES:
        calibration = Calibration(name, tables)
        calibration.fit_all_products()
        calibration.fit_all_attention()
        text = calibration.text()
        print("\n".join(calibration.table), flush=True)
        if options.write:
            calibration.path.write_text(text, encoding="utf-8")
