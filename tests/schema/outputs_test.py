#!/usr/bin/env python3
"""Every command's --json fits the schema that the program prints for it. Usage: outputs_test.py PROGRAM"""
import json
import pathlib
import re
import tempfile
import unittest

from schemas import ROOT, faults, merged, run

JOB = ["--workload", "resnet50-rtx2080ti-bs32", "--cluster", "rtx2080ti-16x4-10gbe", "--fidelity", "analytic"]
GOLDEN = ROOT / "tests/golden/data"
LOGS = [ROOT / f"tests/data/benchmarks/allreduce-{nodes}-nodes.log" for nodes in (2, 4, 8)]

# One command line at least for every command, more where the output has several forms.
COMMANDS = [
    ["run", "--schedule", "spd-kfac", *JOB],
    ["run", "--schedule", "topka2a", "--set", "straggler.3=1.5", *JOB],
    ["run", "--schedule", "hop", "--slow", "lognormal:sigma=0.1", "--seeds", "80", *JOB],
    ["compare", "--schedules", "ddp,dear", *JOB],
    ["compare", "--schedules", "ddp,dear", "--nodes", "2,4", *JOB],
    ["tune", "--schedule", "dear", "--option", "fusion_buffer", "--trials", "2", *JOB],
    ["compare", "--schedules", "ddp,topk-allgather,topka2a", "--set", "density=0.01,0.1", "--map", "density", *JOB],
    ["run", "--schedule", "dp-kfac", "--parts", "ablation", *JOB],
    ["compare", "--steps", "ddp=100,dear=100", *JOB],
    ["compare", "--goal", "resnet50-imagenet", "--schedules", "horovod", *JOB],
    ["collective", "--cluster", "ideal-2x4", "--kind", "send"],
    ["collective", "--cluster", "ideal-2x4", "--size", "1MiB"],
    ["goodput", "--mtbf", "3h", "--checkpoint", "30s", "--restart", "10min"],
    ["goodput", "--faults", GOLDEN / "faults.csv", "--checkpoint", "30s", "--restart", "10min"],
    ["goodput", "--fail", "link:mtbf=50d,share=0.5,repair=6h", "--schedule", "ddp", "--spares", "auto", "--samples", "1e9",
     "--price", "2", "--seeds", "80", "--checkpoint", "30s", "--restart", "10min", *JOB],
    ["run", "--edge", GOLDEN / "edge-devices.csv"],
    ["optimise", *JOB],
    ["optimise", "--schedule", "1f1b", "--layout", "pp=4", "--edit", "scale stage=3 work=compute by=0.5", *JOB],
    ["plan", *JOB, "--gpus", "8,16", "--schedules", "ddp,dear", "--deadline", "20h", "--budget", "9000"],
    ["plan", "--workload", "transformer:layers=8,hidden=1024,heads=16,seq=1024,vocab=50304", "--clusters", "dgx-a100", "--gpus", "8",
     "--global-batch", "16", "--simulate", "8"],
    ["list"],
    ["show", "dear"],
    ["show", "rtx2080ti-16x4-10gbe"],
    ["show", "deepseek-v3"],
    ["show", "transformer:model=llama-2-70b,seq=8192"],
    ["explain", "busbw"],
    ["validate", "--fidelity", "analytic"],
    ["validate", ROOT / "tests/data/hardware/madeup-kernels.json"],
    ["inspect", GOLDEN / "small-trace.json"],
    ["diagnose", GOLDEN / "job.csv"],
    ["diagnose", GOLDEN / "ranks", "--against", GOLDEN / "ranks"],
    ["replay", GOLDEN / "small-trace.json"],
    ["replay", GOLDEN / "small-trace.json", "--without", "all-reduce"],
    ["replay", GOLDEN / "ranks", "--cluster", "rtx2080ti-16x4-10gbe", "--ranks", "16"],
    ["replay", GOLDEN / "ranks", "--cluster", "rtx2080ti-16x4-10gbe", "--ranks", "2", "--ideal"],
    ["replay", GOLDEN / "pipeline.csv", "--job", GOLDEN / "pipeline-job.json", "--cluster", "dgx-a100", "--ranks", "8"],
    ["calibrate", *LOGS],
    ["version"],
    ["gate", GOLDEN / "results-before.json", "--baseline", GOLDEN / "results-before.json"],
]


# Options whose answer has a schema of its own.
OTHER_ANSWERS = {"--parts": "parts", "--edge": "edge", "--goal": "ways", "--steps": "ways"}


def schema_of(command):
    return next((schema for option, schema in OTHER_ANSWERS.items() if option in command), command[0])


def printed(*arguments):
    done = run(*arguments, "--json")
    assert done.returncode == 0, f"{arguments}: {done.stderr}"
    return json.loads(done.stdout)


class Outputs(unittest.TestCase):
    def test_fit_their_schema(self):
        for command in COMMANDS:
            with self.subTest(command=command):
                self.assertEqual(faults(schema_of(command), printed(*command)), [])

    def test_lines_of_studies_fit_theirs(self):
        studies = [["compare", "--schedules", "ddp,dear", "--nodes", "2,4", *JOB],
                   ["tune", "--schedule", "dear", "--option", "fusion_buffer", "--trials", "2", *JOB]]
        with tempfile.TemporaryDirectory() as folder:
            lines = pathlib.Path(folder) / "lines.jsonl"
            for command in studies:
                printed(*command, "--json-lines", lines)
                for line in lines.read_text(encoding="utf-8").splitlines():
                    self.assertEqual(faults("study", json.loads(line)), [], command)

    def test_parts_and_what_they_are_merged_to_fit_their_schemas(self):
        study = ["compare", "--schedules", "ddp,dear", "--nodes", "2,4", *JOB]
        with tempfile.TemporaryDirectory() as folder:
            parts = [pathlib.Path(folder) / f"part-{number}" for number in (1, 2)]
            for number, part in enumerate(parts, 1):
                self.assertEqual(run(*study, "--shard", f"{number}/2", "-o", part).returncode, 0)
                for line in part.read_text(encoding="utf-8").splitlines():
                    self.assertEqual(faults("part", json.loads(line)), [])
            merged_parts = printed("merge", *parts)
        self.assertEqual(faults("merge", merged_parts), [])
        self.assertEqual(merged_parts, printed(*study))

    def test_every_command_that_prints_json_has_a_schema_and_is_tested(self):
        schemas = run("schema").stdout.split()
        tested = {"merge", *(command[0] for command in COMMANDS)}
        commands = re.findall(r"^  ([a-z]+)  ", run("--help").stdout.split("Subcommands:")[1], re.MULTILINE)
        self.assertIn("run", commands)
        for command in commands:
            if re.search(r"^  --json\b", run(command, "--help").stdout, re.MULTILINE):
                self.assertIn(command, schemas)
                self.assertIn(command, tested)

    def test_other_outputs_are_refused(self):
        forecast = printed("run", "--schedule", "dear", *JOB)
        self.assertEqual(faults("run", forecast), [])
        for patch in ({"iteration_time_s": None}, {"iteration_time_s": "1 s"}, {"gpus": 0}, {"new_key": 1},
                      {"breakdown": {"forward_s": -1}}, {"notes": "one"}):
            wrong = merged(forecast, patch)
            self.assertNotEqual(faults("run", wrong), [], patch)
            self.assertNotEqual(faults("compare", {"results": [wrong]}), [], patch)

    def test_schemas_are_printed_whole(self):
        compare = run("schema", "compare").stdout
        self.assertNotIn('.schema.json"', compare)
        self.assertEqual(len(json.loads(compare)["definitions"]), 3)


class Options(unittest.TestCase):
    """The schema of schedules' options takes every default, and no other words."""

    @staticmethod
    def takes(rule, text):
        if "anyOf" in rule:
            return any(Options.takes(each, text) for each in rule["anyOf"])
        if "enum" in rule:
            return text in rule["enum"]
        return "pattern" not in rule or re.fullmatch(rule["pattern"], text) is not None  # a text of the schedule's own form

    def test_defaults_and_other_words(self):
        schema = json.loads(run("schema", "options").stdout)["properties"]
        self.assertIn("dear", schema)
        for schedule, rules in schema.items():
            options = {each["name"]: each["default"] for each in printed("show", schedule).get("options", [])}
            self.assertEqual(set(rules["properties"]), set(options))
            for option, default in options.items():
                self.assertTrue(self.takes(rules["properties"][option], default), f"{schedule} {option}={default}")
                if {"enum", "pattern", "anyOf"} & set(rules["properties"][option]):
                    self.assertFalse(self.takes(rules["properties"][option], "nonsense"), f"{schedule} {option}")


if __name__ == "__main__":
    unittest.main()
