"""Every checked case: measured steps that nothing was fitted to, the forecasts and the errors, by family.

Writes tests/accuracy.md and traces/published/checked/cases.json, from which the program takes the likely range of a forecast.
With --check nothing is written: ends with status 1 if the median error of a family has grown by more than a point since the
files were written."""
import json
import statistics

from published_tables import kfac
from support.markdown import head, percent, row
from support.program import ROOT, json_in, json_of

PUBLISHED = ROOT / "traces/published"
PAGE, CASES = ROOT / "tests/accuracy.md", PUBLISHED / "checked/cases.json"
LAYOUTS = PUBLISHED / "checked/layouts.json"
SLOW = 2e9  # bytes/s of a node's adapters, as in likely_range.cpp
POINT = 0.01

OTHERS = """Other simulators publish, for their own cases on their own testbeds (abstracts and project pages; not comparable case by case):

| simulator | error | of |
|---|---|---|
| dPRO (MLSys 2022) | below 5 % in most cases | data-parallel training, replayed from profiles of the same run |
| vTrain (MICRO 2024) | 8.37 % in the mean | GPT on 8 A100 of one node |
| vTrain (MICRO 2024) | 14.73 % in the mean | GPT on up to 512 A100 |
| SimAI (NSDI 2025) | 1.9 % in the mean | LLM training (98.1 % alignment) |
"""


def bandwidth(text):
    """Bytes/s of "1.15GBps" or "100Gbps"."""
    units = {"GBps": 1e9, "MBps": 1e6, "Gbps": 1e9 / 8, "Mbps": 1e6 / 8}
    unit = next(unit for unit in units if text.endswith(unit))
    return float(text.removesuffix(unit)) * units[unit]


def with_place(case):
    """The case with its device and kind of network."""
    cluster = json_in(ROOT / "configs/clusters" / f"{case['cluster']}.json")
    is_slow = bandwidth(cluster["nic"]["bandwidth"]) * cluster.get("nics", 1) <= SLOW
    network = "node" if case["gpus"] <= cluster["gpus_per_node"] else "slow" if is_slow else "fast"
    return {**case, "device": cluster["device"], "network": network}


def published(program):
    for path in sorted(PUBLISHED.rglob("*.json")):
        if json_in(path).get("format") != "stepcast-measurements":
            continue
        for case in json_of(program, "validate", path)["cases"]:
            if case["use"] == "check":
                yield {"source": path.stem, **{key: case[key] for key in ("workload", "cluster", "schedule", "gpus")},
                       "label": case.get("label", ""), "measured_s": case["measured_s"], "predicted_s": case["predicted_s"]}


def second_order(program):
    """Whole iterations of the published K-FAC bars, as the table kfac has them."""
    bars = json_in(kfac.PUBLISHED)

    def case(schedule, label, settings, measured):
        return {"source": "kfac-" + kfac.PUBLISHED.stem, "workload": bars["workload"], "cluster": bars["cluster"],
                "schedule": schedule, "gpus": 64, "label": label, "measured_s": measured,
                "predicted_s": sum(kfac.parts(program, bars, schedule, settings))}

    for system in bars["bars"]:
        yield case(system["schedule"], "", {}, system["sums_s"][-1])
    for variant in bars["iterations"][:-1]:  # the last is SPD-KFAC as it is
        yield case("spd-kfac", variant["name"], variant["set"], variant["measured_s"])


def error_of(case):
    return case["predicted_s"] / case["measured_s"] - 1


def families(cases):
    """(source, schedule) -> sizes of errors, in the order of the cases."""
    found = {}
    for case in cases:
        found.setdefault((case["source"], case["schedule"]), []).append(abs(error_of(case)))
    return found


def summary(cases):
    yield head("measured in", "schedule", ">cases", ">median error", ">90 %", ">worst")
    for family, errors in sorted(families(cases).items()):
        ninety = sorted(errors)[-(-9 * len(errors) // 10) - 1]
        yield row(*family, len(errors), percent(statistics.median(errors)), percent(ninety), percent(max(errors)))
    everything = [abs(error_of(case)) for case in cases]
    yield row("all", "all", len(everything), percent(statistics.median(everything)), "", percent(max(everything)))


def page(cases):
    yield ("# Every checked case\n`scripts/published accuracy` writes this page and `traces/published/checked/cases.json`. Each line "
           "is a step that others measured and that\nnothing was fitted to; where a form was chosen with rows in sight, "
           "[the tests' page](README.md) says so. A test fails when the median of\na family grows by more than a point. "
           "Sources and settings: the files of that name in `traces/published`.\n")
    yield from summary(cases)
    yield "\n" + OTHERS
    yield "## The cases"
    yield head("measured in", "workload", "cluster", "schedule", ">GPUs", ">measured s", ">predicted s", ">error")
    for case in cases:
        name = case["schedule"] + (f": {case['label']}" if case["label"] else "")
        yield row(case["source"], case["workload"], case["cluster"], name, case["gpus"], f"{case['measured_s']:.4f}",
                  f"{case['predicted_s']:.4f}", percent(error_of(case), "+"))


def write_cases(path, cases):
    """Writes the cases of a file; what it says of their sources stays as it is."""
    head_of_file = {key: value for key, value in json_in(path).items() if key != "cases"}
    rounded = [{key: round(value, 6) if key.endswith("_s") else value for key, value in case.items() if value != ""}
               for case in cases]
    lines = ",\n".join("    " + json.dumps(case) for case in rounded)
    path.write_text(json.dumps(head_of_file, indent=2)[:-2] + ',\n  "cases": [\n' + lines + "\n  ]\n}\n", encoding="utf-8")


def layouts(program, tables):
    """Steps of measured layouts (tables as of `validate --cases`), and what StepCast says of them."""
    found = json_of(program, "validate", *(word for table in tables for word in ("--cases", table)))
    return [{"source": case["set"], "workload": case["model"],
             **({"experts": case["experts"]} if case["experts"] > 1 else {}),
             **{key: case[key] for key in ("cluster", "schedule", "gpus", "measured_s", "predicted_s", "device", "network")}}
            for case in found["cases"]]


def grown(cases):
    """What to say of families whose median has grown."""
    before = families(json_in(CASES)["cases"])
    now = families(cases)
    for family in sorted({*before, *now}):
        if family not in before or family not in now:
            yield f"{': '.join(family)}: {'new' if family in now else 'gone'}: run scripts/published accuracy"
        elif statistics.median(now[family]) > statistics.median(before[family]) + POINT:
            yield (f"{': '.join(family)}: median error {percent(statistics.median(before[family]))} -> "
                   f"{percent(statistics.median(now[family]))}")


def add_arguments(parser):
    parser.add_argument("--check", action="store_true", help="compare with the files instead of writing them")
    parser.add_argument("--layouts", metavar="TABLE.csv", nargs="+", help="write traces/published/checked/layouts.json instead: "
                        "measured layouts, of which models/schedule/model_parallel/README.md names the sets")


def main(options):
    if options.layouts:
        return write_cases(LAYOUTS, layouts(options.program, options.layouts))
    cases = [with_place(case) for case in (*published(options.program), *second_order(options.program))]
    if not options.check:
        PAGE.write_text("\n".join(page(cases)) + "\n", encoding="utf-8")
        return write_cases(CASES, cases)
    worse = list(grown(cases))
    print("\n".join(worse) or f"{len(cases)} cases: no family's median error has grown by more than a point")
    return 1 if worse else 0
