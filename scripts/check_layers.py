#!/usr/bin/env python3
"""Fails if a file includes a header of a layer above its own or a library reserved to other places, or a folder is full."""
import argparse
import collections
import pathlib
import re
import sys

# From the bottom up; of a folder and one inside it the inner counts. A file under tests/ counts as part of the layer
# that it mirrors, so that the tests of a layer need nothing above it; tests/fuzz, tests/bench and the like may include
# everything.
LAYERS = ["models/base", "models/graph", "models/network", "models/device", "models/collective", "models/workload",
          "models/schedule", "models/schedule/data_parallel", "models/schedule/kfac", "models/schedule/sparse",
          "models/schedule/registry.cpp", "traces", "sim/timeline", "sim/engine", "sim/study", "sim/report", "sim/probe",
          "sim/cli", "tests"]

# The probe is built where there is no SimGrid: of sim/ it may include only this. (Its tests may: they compare.)
PROBE_STANDS_ON = ("sim/probe/", "sim/timeline/")

# So many sources a folder holds at most.
MOST_IN_A_FOLDER = 30

# Libraries by header prefix, and the folders that may include them.
RESERVED = {"simgrid/": ["sim/engine", "tests"], "xbt/": ["sim/engine", "tests"], "CLI/": ["sim/cli"],
            "boost/graph/": ["models/graph"], "valijson/": ["tests"], "benchmark/": ["tests/bench"],
            "nlopt": ["sim/study/tuning"]}

# Headers that cost seconds in every file that includes them: never in a header of ours.
ONLY_IN_SOURCES = ("nlohmann/json.hpp", "spdlog/")

# models/ reads and writes no files.
FILE_INPUT_OUTPUT = ("fstream", "filesystem", "iostream", "cstdio", "stdio.h", "fcntl.h", "unistd.h")

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.M)
OWN_FOLDERS = ("models", "traces", "sim", "tests")


def layer_of(name):
    """Index of the layer of a file, or None; tests/models/base/x_test.cpp is of layer models/base."""
    mirrored = name.removeprefix("tests/")
    for candidate in (mirrored, name):
        matching = [layer for layer in LAYERS if candidate == layer or candidate.startswith(layer + "/")]
        if matching:
            return LAYERS.index(max(matching, key=len))
    return None


def faults_of_include(name, header):
    mine, theirs = layer_of(name), layer_of(header)
    helper_of_tests = name.startswith("tests/") and header.startswith("tests/")
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


def faults_of_file(name, text):
    if layer_of(name) is None:
        return [f"{name}: is in no layer; add its folder to LAYERS in scripts/check_layers.py"]
    headers = INCLUDE.findall(text)
    return [f"{name}: {fault}" for header in headers for fault in faults_of_include(name, header)]


def faults_of_folders(names):
    """Folders that hold too many files, to be split into folders of one idea each."""
    counts = collections.Counter(name.rsplit("/", 1)[0] for name in names)
    return [f"{folder}: holds {count} sources, more than {MOST_IN_A_FOLDER}"
            for folder, count in sorted(counts.items()) if count > MOST_IN_A_FOLDER]


def check(root):
    files = sorted(p for folder in OWN_FOLDERS for p in (root / folder).rglob("*") if p.suffix in {".hpp", ".cpp", ".cu"})
    names = [p.relative_to(root).as_posix() for p in files]
    faults = [fault for p, name in zip(files, names) for fault in faults_of_file(name, p.read_text(encoding="utf-8"))]
    return faults + faults_of_folders(names)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", nargs="?", default=pathlib.Path(__file__).parents[1], type=pathlib.Path, help="of the tree")
    found = check(parser.parse_args().root)
    print("\n".join(found) or "every include points down")
    sys.exit(1 if found else 0)
