#!/usr/bin/env python3
"""Fails where the tree is not as it is meant to be: a file includes a header of a layer above its own or a library
reserved to other places, a function is too long, a study speaks of the command line, or a family of
schedules is named outside its folder."""
import pathlib
import re
import sys

from support.program import Parser

# From the bottom up; of a folder and one inside it the inner counts. A file under tests/ counts as part of the layer
# that it mirrors, so that the tests of a layer need nothing above it; tests/fuzz, tests/bench and the like may include
# everything. Tests of schedules build plans by a schedule's name, for which they need the list.
LAYERS = ["models/base", "models/graph", "models/network", "models/device", "models/collective", "models/workload",
          "models/schedule", "models/schedule/data_parallel", "models/schedule/kfac", "models/schedule/sparse",
          "models/schedule/model_parallel", "models/schedule/passes", "models/schedule/decentralised", "models/schedule/more",
          "models/schedule/list", "traces", "sim/timeline", "sim/workers", "sim/engine", "sim/asynchronous",
          "sim/forecast", "sim/jobs", "sim/study", "sim/search", "sim/report", "sim/probe", "sim/cli", "sim/python",
          "tests"]

# The probe is built where there is no SimGrid: of sim/ it may include only this. (Its tests may: they compare.)
PROBE_STANDS_ON = ("sim/probe/", "sim/timeline/")

MOST_IN_A_FUNCTION = 45  # lines

# Studies serve other callers than the command line: their errors name `low`, and the command line writes --low.
WITHOUT_FLAGS = ("sim/workers/", "sim/forecast/", "sim/jobs/", "sim/study/", "sim/search/")

# They return a subrange.
SUBRANGE = re.compile(r"std::ranges::(?:unique|remove|remove_if|partition|stable_partition|rotate|equal_range|search|search_n|find_end)\b")

# Families of schedules, by folder: words of which code elsewhere (not comments) may use none, so that a family is added
# and changed in one place. A quoted word must stand alone where it is an everyday word too.
FAMILIES = {
    "models/schedule/data_parallel": ["bsp", "wfbp", "ddp", "horovod", "dear", "mg-wfbp", "asc-wfbp", "bytescheduler",
                                      '"zero"', '"delayed"', '"ps"', '"ideal"'],
    "models/schedule/kfac": ["kfac", "k-fac", "d-kfac", "mpd-kfac", "kaisa", "spd-kfac", "pad-kfac", "dp-kfac"],
    "models/schedule/sparse": ["sparse::", "schedule/sparse/", "topk-allgather", "topka2a", "gtopk", "ok-topk",
                               "omgs", "dgc", "sidco", "dct", "topk-dsa", "powersgd", "acp-sgd"],
    "models/schedule/passes": ["gpipe", "zb-h1", "zb-h2", "zb-v", "dualpipe", '"interleaved"', '"1f1b"',
                               '"pipeline"'],
    "models/schedule/decentralised": ['"hop"', '"prague"', '"ad-psgd"', '"local-sgd"'],
    "models/schedule/more": ['"dlrm"', '"salient"'],
}

# Where they are named nevertheless: the help of commands and their examples are documents.
DOCUMENTS = ("sim/cli/commands/", "sim/cli/command_line.cpp", "sim/cli/subcommand.cpp", "sim/cli/typed_counts.cpp",
             "sim/probe/arguments.cpp")

# And what is still to be mended or has to be so, with the reason: a file, or a folder. What names no family any more has
# to leave this list.
_COSTS = "the costs of K-FAC's kernels are data of a device; their format bears the name"
_SOFTWARE = "costs that a cluster's software adds are named after it in the cluster's file"
_FORMAT = "a trace format is named after the program that writes it"
NAMED_ELSEWHERE = {
    "traces/job/read_job.cpp": _FORMAT,
    "traces/job/job_formats.hpp": _FORMAT,
    "traces/job/spans/": _FORMAT,
    "models/device/kernel_point.cpp": _COSTS,
    "models/device/kfac_cost.cpp": _COSTS,
    "models/device/kfac_cost.hpp": _COSTS,
    "models/workload/device_costs.cpp": _COSTS,
    "models/workload/workload.hpp": _COSTS,
    "traces/catalog.cpp": _COSTS,
    "traces/catalog.hpp": _COSTS,
    "traces/formats/stepcast/device_costs_reader.cpp": _COSTS,
    "traces/formats/stepcast/device_costs_reader.hpp": _COSTS,
    "models/schedule/model_parallel/": "an option says the stage of ZeRO and bears its name",
    "sim/study/validate/cases/cases.cpp": "sets that option",
    "sim/search/plan/": "chooses values of that option",
    "sim/forecast/hybrid/fit_advice.cpp": "tries values of that option",
    "models/schedule/kfac/": "Horovod starts their communication; what they share could stand in a core file",
    "models/schedule/list/presets.cpp": "a preset is the option set of a paper, and the list of them is one table",
    "models/network/layout.cpp": "an axis of a layout bears the name of the schedule of a user's order",
    "sim/asynchronous/": "what decentralised schedules do at run time is there",
    "models/network/cluster.hpp": _SOFTWARE,
    "models/network/free_software.hpp": _SOFTWARE,
    "traces/formats/stepcast/cluster_fields.cpp": _SOFTWARE,
    "traces/formats/horovod_timeline/": _FORMAT,
    "traces/formats/ddp_logging/": _FORMAT,
    "traces/formats/recognition/recognised_file.cpp": _FORMAT,
    "traces/formats/recognition/recognised_file.hpp": _FORMAT,
}

# Libraries by header prefix, and the folders that may include them.
RESERVED = {"simgrid/": ["sim/engine", "tests"], "xbt/": ["sim/engine", "tests"], "CLI/": ["sim/cli"],
            "boost/graph/": ["models/graph"], "valijson/": ["tests"], "benchmark/": ["tests/bench"],
            "nlopt": ["sim/forecast/tuning"], "simdjson": ["traces/formats"], "pybind11/": ["sim/python"]}

# Headers that cost seconds in every file that includes them: never in a header of ours.
ONLY_IN_SOURCES = ("nlohmann/json.hpp", "simdjson.h", "spdlog/")

# models/ reads and writes no files.
FILE_INPUT_OUTPUT = ("fstream", "filesystem", "iostream", "cstdio", "stdio.h", "fcntl.h", "unistd.h")

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
FLAG = re.compile(r"--[a-z]")
# The last line of a head, and what begins one that is no function's.
HEAD = re.compile(r".*\)( const| noexcept| override| &&| try| -> [\w:<>]+)* \{")
STATEMENT = re.compile(r"\s*(if|for|while|switch|\}) |.* = ")
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.M)
OWN_FOLDERS = ("models", "traces", "sim", "tests")


def layer_of(name):
    """Index of the layer of a file, or None; tests/models/base/x_test.cpp is of layer models/base."""
    if name.startswith("tests/models/schedule/"):
        return LAYERS.index("models/schedule/list")
    mirrored = name.removeprefix("tests/")
    for candidate in (mirrored, name):
        matching = [layer for layer in LAYERS if candidate == layer or candidate.startswith(layer + "/")]
        if matching:
            return LAYERS.index(max(matching, key=len))
    return None


def faults_of_include(name, header):
    mine, theirs = layer_of(name), layer_of(header)
    helper_of_tests = name.startswith("tests/") and header.startswith("tests/support/")
    if theirs is not None and theirs > mine and not helper_of_tests:
        yield f"includes {header}, which is a layer above"
    if header.split("/")[0] in OWN_FOLDERS and theirs is None:
        yield f"includes {header}, which is in no layer"
    if name.startswith("sim/probe/") and header.startswith("sim/") and not header.startswith(PROBE_STANDS_ON):
        yield f"includes {header}, but the probe stands on sim/timeline"
    for prefix, folders in RESERVED.items():
        if header.startswith(prefix) and not name.startswith(tuple(f + "/" for f in folders)):
            yield f"only {', '.join(folders)} may include {prefix}"
    if name.endswith(".hpp") and header.startswith(ONLY_IN_SOURCES):
        yield f"{header} belongs into .cpp files only"
    if name.startswith("models/") and header in FILE_INPUT_OUTPUT:
        yield f"includes <{header}>, but models/ has no file input and output"


def uses(code, word):
    """Whether code has the word: in any case and beside "_", or, if it is quoted, as the whole of a string."""
    if word.startswith('"'):
        return word in code
    if word == "kfac":
        return re.search("kfac(?!tor)", code, re.I) is not None  # also KfacCosts; not kFactor
    if not word[-1].isalnum():
        return word in code.lower()
    letter = "[a-z0-9-]" if "-" in word else "[a-z0-9]"
    return re.search(f"(?<!{letter}){word}(?!{letter})", code, re.I) is not None


def foreign_families(name, code):
    """The words of families that a file outside their folders uses."""
    if name.startswith(("tests/", *DOCUMENTS)):
        return []
    return [word.strip('"') for folder, words in FAMILIES.items() if not name.startswith(folder + "/")
            for word in words if uses(code, word)]


def may_name(entry, name):
    return name == entry or entry.endswith("/") and name.startswith(entry)


def faults_of_words(name, text):
    code = COMMENT.sub("", text)
    if name.startswith(WITHOUT_FLAGS) and any(FLAG.search(string) for string in STRING.findall(code)):
        yield "names a flag of the command line; write `flag` and let the command line write --flag"
    for subrange in SUBRANGE.findall(code):
        yield f"calls {subrange}, which clang 14 cannot compile with g++ 12's library: call it with iterators (scripts/fuzz needs clang)"
    named = foreign_families(name, code)
    if named and not any(may_name(entry, name) for entry in NAMED_ELSEWHERE):
        yield f"names {', '.join(named)}, which only the folder of that family of schedules may"


def faults_of_list(texts):
    """Entries of NAMED_ELSEWHERE that no file needs any more."""
    needed = [name for name, text in texts.items() if foreign_families(name, COMMENT.sub("", text))]
    return [f"{entry}: names no family of schedules: strike it from NAMED_ELSEWHERE in scripts/check_layers.py"
            for entry in NAMED_ELSEWHERE if not any(may_name(entry, name) for name in needed)]


def begin_of_head(lines, last):
    """Where what ends with line `last` begins: there as many brackets are open as are closed."""
    closed = 0
    for begin in range(last, -1, -1):
        closed += lines[begin].count(")") - lines[begin].count("(")
        if closed <= 0:
            return begin
    return last


def long_functions(text):
    """(line, lines) of functions that are too long. Reads code as clang-format leaves it: a function ends with the first
    brace that stands as far left as it begins; what is further in than a method is a part of another."""
    lines = text.splitlines()
    for last, line in enumerate(lines):
        if not HEAD.fullmatch(line):
            continue
        begin = begin_of_head(lines, last)
        indent = len(lines[begin]) - len(lines[begin].lstrip())
        if indent > 2 or STATEMENT.match(lines[begin]):
            continue
        close = " " * indent + "}"
        end = next((i for i in range(last + 1, len(lines)) if lines[i].startswith(close)), begin)
        if end - begin + 1 > MOST_IN_A_FUNCTION:
            yield begin + 1, end - begin + 1


def faults_of_file(name, text):
    if layer_of(name) is None:
        return [f"{name}: is in no layer; add its folder to LAYERS in scripts/check_layers.py"]
    headers = INCLUDE.findall(text)
    faults = [fault for header in headers for fault in faults_of_include(name, header)]
    faults += [f"the function at line {line} has {count} lines, more than {MOST_IN_A_FUNCTION}"
               for line, count in long_functions(text)]
    return [f"{name}: {fault}" for fault in [*faults, *faults_of_words(name, text)]]


def check(root):
    files = sorted(p for folder in OWN_FOLDERS for p in (root / folder).rglob("*") if p.suffix in {".hpp", ".cpp", ".cu"})
    texts = {p.relative_to(root).as_posix(): p.read_text(encoding="utf-8") for p in files}
    faults = [fault for name, text in texts.items() for fault in faults_of_file(name, text)]
    return faults + faults_of_list(texts)


if __name__ == "__main__":
    parser = Parser(description=__doc__)
    parser.add_argument("root", nargs="?", default=pathlib.Path(__file__).parents[1], type=pathlib.Path, help="of the tree")
    found = check(parser.parse_args().root)
    print("\n".join(found) or "every include points down")
    sys.exit(1 if found else 0)
