"""Gives stepcast wrong inputs of every kind (seeded) and prints how it took them.

Each is refused (exit code 2 or 3, one line), answered or crashed; the table has the longest time and the most memory, too."""
import gzip
import json
import os
import pathlib
import random
import re
import resource
import subprocess
import tempfile
import time

from support.requests import BENCHMARKS, DATA, JOB as PLAIN_JOB
from support import markdown
from support.program import ENVIRONMENT, ROOT

JOB = [*PLAIN_JOB, "--fidelity", "analytic"]
NUMBERS = ["1", "7", "0.5", "1e15", "1e308", "-1e308", "1e-308", "5e-324", "0", "-0", "-1", "nan", "inf", "1e400", "4294967296", "18446744073709551616",
           "9" * 400, "", " ", "x", "0x10", "1,2", "\x1b[2J"]
SETTINGS = ["step_time={}s", "update_time={}s", "batch={}", "global_batch={}", "batch_fixed_part={}", "straggler.0={}", "straggler.{}=2",
            "cluster.nodes={}", "cluster.gpus_per_node={}", "cluster.nic.bandwidth={}Gbps", "cluster.nic.startup={}us",
            "cluster.overlap.compute_slowdown={}", "cluster.software.jitter={}", "cluster.device_memory={}GiB",
            "fusion_buffer={}MiB", "accumulation={}", "cluster.nics={}"]


def values_of(document, path=()):
    yield path
    items = document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    for key, value in items:
        yield from values_of(value, (*path, key))


def with_value(document, path, value):
    if not path:
        return value
    copy = json.loads(json.dumps(document))
    place = copy
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return copy


def with_word(text: str, chance: random.Random) -> str:
    """With one word, between commas or blanks, replaced by a number of NUMBERS."""
    words = re.split(r"([,\s]+)", text)
    words[2 * chance.randrange((len(words) + 1) // 2)] = chance.choice(NUMBERS)
    return "".join(words)


def changed_files(text: str, chance: random.Random, count: int):
    """The text cut, with bytes changed, and with values of its JSON, or else words, replaced."""
    try:
        document = json.loads(text)
    except ValueError:
        document = None
    paths = list(values_of(document))
    strange = [1e308, -1, 0, 2**64, 2**32, None, True, "", "\x1b[2J", "=1+1", [], {}, [[[]]], 1e-320, 1e15]
    for number in range(count):
        if number % 4 == 0:
            yield text[: chance.randrange(len(text))].encode()
        elif number % 4 == 1:
            data = bytearray(text.encode())
            for _ in range(1 + chance.randrange(8)):
                data[chance.randrange(len(data))] = chance.randrange(256)
            yield bytes(data)
        elif document is None:
            yield with_word(text, chance).encode()
        else:
            yield json.dumps(with_value(document, chance.choice(paths), chance.choice(strange))).encode()


def llama_shape(folder: pathlib.Path) -> pathlib.Path:
    """A model's shape as Hugging Face keeps it."""
    path = folder / "config.json"
    path.write_text(json.dumps({"model_type": "llama", "hidden_size": 4096, "intermediate_size": 11008, "num_hidden_layers": 32,
                                "num_attention_heads": 32, "num_key_value_heads": 32, "vocab_size": 32000,
                                "max_position_embeddings": 4096}))
    return path


def shard_file(program: str, folder: pathlib.Path) -> pathlib.Path:
    """What a comparison in one shard writes."""
    path = folder / "shard.json"
    output_of(program, "compare", *JOB, "--nodes", "1,2", "--schedules", "wfbp", "--shard", "1/1", "-o", str(path))
    return path


def output_of(program, *words):
    """The text that a command prints; it must succeed."""
    return subprocess.run([program, *words], capture_output=True, text=True, check=True, env=ENVIRONMENT).stdout


def options_of(program: str, command: str) -> list:
    """(option, whether it takes a value) as the help lists them; not those that write or run long by themselves."""
    found = re.findall(r"^  (?:-\w,)?(--[\w-]+|-o)(?:,--[\w-]+)? ?([A-Z]\S*)?", output_of(program, command, "--help"), re.M)
    return [(name, value) for name, value in found if "FILE" not in value and value != "OUT" and name != "--help"]


def command_lines(program: str, chance: random.Random, count: int):
    """Commands with a few of their options, each with a value of NUMBERS or a word that is right somewhere."""
    words = [*JOB, "dear", "kaisa", "analytic", "4", "1,2", "tp=2", "resnet50-imagenet", "fusion_buffer", "10h", "batch=16", "/dev/null"]
    commands = re.findall(r"^  ([a-z]+)  ", output_of(program, "--help").split("Subcommands:")[1], re.M)
    known = {name: options_of(program, name) for name in commands}
    for _ in range(count):
        name = chance.choice(sorted(known))
        line = [name] + JOB * (chance.random() < 0.5)
        for option, value in chance.sample(known[name], min(len(known[name]), 1 + chance.randrange(4))):
            line += [option, chance.choice(NUMBERS + words)] if value else [option]
        yield "command lines", line + [chance.choice(words)] * (chance.random() < 0.2)


FILES = {
    "workload": (ROOT / "traces/workloads/resnet50-rtx2080ti-bs64.json", ["run", "--workload", "{}", *JOB[2:], "--schedule", "dear"]),
    "cluster": (ROOT / "configs/clusters/rtx2080ti-16x4-10gbe.json", ["run", *JOB[:2], "--cluster", "{}", *JOB[4:], "--schedule", "wfbp"]),
    "experiment": (ROOT / "configs/experiments/dear-64gpu-10gbe.json", ["run", "{}", "--schedule", "dear", "--fidelity", "analytic"]),
    "trace": (DATA / "small-trace.json", ["import", "{}", "--batch", "8"]),
    "measurements": (ROOT / "traces/published/rtx2080ti-64-gpus-horovod.json", ["validate", "{}"])}


def other_files(program: str, folder: pathlib.Path) -> dict:
    """More files and the commands that read them, by kind."""
    faults = ["--checkpoint", "30s", "--restart", "10min"]
    cut = ["run", "--workload", "transformer:model=gpt-3.6b,device=a100", "--cluster", "dgx-a100", "--nodes", "1", "--layout", "tp=4,pp=2"]
    return {
        "device": (ROOT / "configs/devices/a100.json", ["derive", "--hf", str(llama_shape(folder)), "--batch", "8", "--device", "{}"]),
        "model": (llama_shape(folder), ["derive", "--hf", "{}", "--batch", "8", "--device", "a100"]),
        "kernels": (ROOT / "tests/data/hardware/madeup-kernels.json", ["validate", "{}"]),
        "results": (DATA / "results-before.json", ["gate", "{}", "--baseline", str(DATA / "results-before.json")]),
        "prices": (ROOT / "configs/prices/rented-2024.json", ["plan", *JOB[:2], "--clusters", JOB[3], "--gpus", "4,8", "--schedules",
                                                             "ddp", "--prices", "{}", "--fidelity", "analytic"]),
        "job": (DATA / "job.csv", ["diagnose", "{}"]),
        "job, optimised": (DATA / "job.csv", ["optimise", "{}"]),
        "trace, replayed": (DATA / "small-trace.json", ["replay", "{}"]),
        "order": (DATA / "two_stages.order", [*cut, "--schedule", "pipeline", "--set", "order=@{}"]),
        "faults": (DATA / "faults.csv", ["goodput", "--faults", "{}", "--servers", "12", "--days", "30", "--nodes", "8", *faults]),
        "devices of an edge": (DATA / "edge-devices.csv", ["run", "--edge", "{}"]),
        "layouts": (DATA / "layouts.csv", ["validate", "--cases", "{}", "--cluster", "dgx-a100"]),
        "benchmark log": (BENCHMARKS / "allreduce-4-nodes.log", ["calibrate", str(BENCHMARKS / "allreduce-2-nodes.log"), "{}"]),
        "shards": (shard_file(program, folder), ["merge", "{}"])}


def edges_of_numbers():
    for setting in SETTINGS:
        for number in NUMBERS:
            yield "--set", ["run", *JOB, "--schedule", "dear", "--set", setting.format(number)]
    for option in ("--nodes", "--gpus-per-node", "--fidelity", "--schedule", "--workload", "--cluster", "--max-memory", "--max-time"):
        for number in NUMBERS:
            yield "options", ["run", *JOB, "--schedule", "dear", option, number]


def with_changed_files(files: dict, folder: pathlib.Path, chance: random.Random, count: int):
    for kind, (path, command) in files.items():
        yield "unchanged", [word.replace("{}", str(path)) for word in command]
        for number, data in enumerate(changed_files(path.read_text(), chance, count)):
            file = folder / f"{kind}{number}{path.suffix}"
            file.write_bytes(data)
            yield kind, [word.replace("{}", str(file)) for word in command]


def deep_nesting(folder: pathlib.Path):
    for levels in (255, 257, 20000, 2_000_000):
        for kind, (_, command) in FILES.items():
            file = folder / f"deep-{kind}-{levels}.json"
            file.write_text('{"format": ' + "[" * levels + "]" * levels + "}")
            yield "deep nesting", [word.format(file) if word == "{}" else word for word in command]


def odd_files(folder: pathlib.Path):
    bomb = folder / "bomb.json.gz"
    with gzip.open(bomb, "wb", compresslevel=9) as stream:
        for _ in range(2000):
            stream.write(b" " * (1 << 20))
    values = folder / "values.json"
    values.write_text("[" + "0," * 30_000_000 + "0]")
    for path in (bomb, values, "/dev/zero", "/dev/null", folder, "/proc/self/mem", folder / "none.json"):
        for command in (["import", str(path)], ["inspect", str(path)], ["replay", str(path)],
                        ["run", "--workload", str(path), *JOB[2:], "--schedule", "dear"]):
            yield "endless, packed, odd", command


def cases(program: str, folder: pathlib.Path, chance: random.Random, count: int):
    """(kind, arguments) of each."""
    yield from edges_of_numbers()
    yield from with_changed_files({**FILES, **other_files(program, folder)}, folder, chance, count)
    yield from command_lines(program, chance, 10 * count)
    yield from deep_nesting(folder)
    yield from odd_files(folder)
    yield from (("large jobs", command) for command in large_jobs())
    lists = ["--nodes", ",".join(str(i) for i in range(1, 2001)), "--set", "batch=" + ",".join(str(i) for i in range(1, 2001)),
             "--set", "fusion_buffer=" + ",".join(f"{i}kB" for i in range(1, 2001))]
    yield "lists", ["compare", *JOB, "--schedules", "dear", *lists]
    yield "lists", ["run", *JOB, "--schedule", "hop", "--iterations", "4000000000"]
    yield "lists", ["run", *JOB, "--schedule", "dear", "--nodes", "65536", "--fidelity", "step"]
    yield "lists", ["tune", *JOB, "--schedule", "dear", "--option", "fusion_buffer", "--trials", "4000000000"]


def large_jobs():
    """Small texts that ask for work without bound: each is answered or refused within the limits."""
    job, ways = JOB[:4], ["--workload", "transformer:layers=8,hidden=1024,heads=8,seq=1024,vocab=1000,experts=100000,top_k=2,batch=1"]
    yield ["plan", *ways, "--clusters", "dgx-a100", "--gpus", "8", "--global-batch", "64"]
    yield ["run", *job, "--schedule", "ok-topk", "--set", "accumulation=1000"]
    yield ["run", *job, "--schedule", "bytescheduler", "--set", "partition=1KiB", "--set", "accumulation=1000", "--fidelity", "analytic"]
    for schedule in ("d-psgd", "sgp", "prague-static"):
        yield ["run", *job, "--nodes", "750", "--schedule", schedule, "--fidelity", "analytic"]
    for nodes in ("750", "16385"):
        for schedule in ("hop", "local-sgd", "ssp"):
            yield ["run", *job, "--nodes", nodes, "--schedule", schedule, "--fidelity", "analytic"]
        for schedule in ("hop", "d-psgd", "sgp"):
            yield ["run", *job, "--nodes", nodes, "--schedule", schedule, "--set", "graph=complete", "--max-memory", "256MiB"]
    for schedule in ("ad-psgd", "prague-random", "prague-smart", "first-k"):
        yield ["run", *job, "--nodes", "750", "--schedule", schedule, "--fidelity", "analytic"]
        for nodes in ("750", "16385"):  # what takes more than three times that long is not begun
            yield ["run", *job, "--nodes", nodes, "--schedule", schedule, "--max-time", "1s"]
    for schedule in ("hop", "d-psgd", "sgp"):
        yield ["run", *job, "--nodes", "16385", "--schedule", schedule, "--max-time", "1s"]
    for schedule in ("topka2a", "dear", "bsp", "kaisa"):
        yield ["run", *job, "--nodes", "4096", "--schedule", schedule, "--fidelity", "step", "--max-memory", "256MiB"]


def measured(program: str, arguments: list) -> tuple:
    """Exit code, seconds, MiB, lines of errors."""
    begin = time.monotonic()
    process = subprocess.Popen([program, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=ENVIRONMENT,
                               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (30, 30)))
    errors = process.stderr.read().decode(errors="replace")
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    cpu = usage.ru_utime + usage.ru_stime
    return process.returncode, min(cpu, time.monotonic() - begin), usage.ru_maxrss / 1024, errors


def add_arguments(parser):
    parser.add_argument("--files", type=int, default=60, help="changed files of each kind (default: 60)")
    parser.add_argument("--seed", type=int, default=1)


def main(options):
    table = {}
    faults = 0
    with tempfile.TemporaryDirectory() as folder:
        for kind, command in cases(options.program, pathlib.Path(folder), random.Random(options.seed), options.files):
            if any("\0" in word for word in command):
                continue
            code, seconds, memory, errors = measured(options.program, command)
            row = table.setdefault(kind, {"tried": 0, "refused": 0, "answered": 0, "crashed": 0, "s": 0.0, "MiB": 0.0})
            row["tried"] += 1
            ours = [line for line in errors.splitlines() if line.startswith("stepcast: ") and not line.endswith(" taken once")]
            answered = code in (0, 4)  # 4: an answer that is not as it was wanted
            fine = answered or code in (2, 3) and len(ours) == 1 and kind != "unchanged"
            row["refused" if code in (2, 3) else "answered" if answered else "crashed"] += 1
            row["s"], row["MiB"] = max(row["s"], seconds), max(row["MiB"], memory)
            if not fine or seconds > 2 or memory > 256:
                faults += not fine
                print(f"{' '.join(command)[:300]}: exit code {code}, {seconds:.2f} s, {memory:.0f} MiB: {errors.strip()[:300]!r}")
    print("\n" + markdown.head("inputs", ">tried", ">refused", ">answered", ">crashed", ">worst time", ">worst memory"))
    for kind, (*counts, seconds, memory) in ((kind, row.values()) for kind, row in table.items()):
        print(markdown.row(kind, *counts, f"{seconds:.2f} s", f"{memory:.0f} MiB"))
    return 1 if faults else 0
