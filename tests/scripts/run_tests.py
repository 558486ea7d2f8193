#!/usr/bin/env python3
"""Runs the tests of a GoogleTest program in one process and prints what they say, but not each that passes.

A test that ends the process (a crash, an exit) takes nobody along: those behind it run in a process of their own. At the end every test
that failed or died is named.

Usage: run_tests.py PROGRAM [PART/PARTS], PART from 1: every PARTS-th test only
"""
import re
import subprocess
import sys
import tempfile

RUNS = re.compile(r"\[ RUN      \] (\S+)")
ENDS = re.compile(r"\[ +(OK|FAILED|SKIPPED) +\] ([^\s,]+)")
FRAME = re.compile(r"\[[-=]{10}\]|\[  PASSED  \]|Note: Google Test filter|Running main\(\) from|^\s*$")


def tests_of(program):
    listed = subprocess.run([program, "--gtest_list_tests"], capture_output=True, text=True, check=True).stdout
    suite = ""
    for line in listed.splitlines():
        name = line.split("#")[0].strip()
        if not line.startswith(" "):
            suite = name
        elif "DISABLED_" not in suite + name:
            yield suite + name


def run(program, names, ended):
    """Adds how each test ended; what was running when the process did, and how that went."""
    running = None
    with tempfile.NamedTemporaryFile("w", suffix=".flags") as flags:
        flags.write("--gtest_filter=" + ":".join(names))
        flags.flush()
        process = subprocess.Popen([program, "--gtest_flagfile=" + flags.name], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   text=True, errors="replace")
        told = False
        for line in process.stdout:
            begins, ends = RUNS.search(line), ENDS.search(line)
            if begins:
                running, told = begins[1], False
            elif ends and ends[2] == running:
                ended[running] = ends[1]
                if told or ends[1] != "OK":
                    print(line, end="")
                running = None
            elif running and not FRAME.match(line):
                if not told:
                    print(f"[ RUN      ] {running}")
                told = True
                print(line, end="")
        return running, process.wait()


def main():
    program = sys.argv[1]
    part, parts = map(int, sys.argv[2].split("/")) if len(sys.argv) > 2 else (1, 1)
    left = names = list(tests_of(program))[part - 1::parts]
    ended = {}
    while left:
        died, code = run(program, left, ended)
        if died:
            ended[died] = f"DIED ({'signal' if code < 0 else 'exit'} {abs(code)})"
            print(f"[ DIED     ] {died}", flush=True)
        left = [name for name in left if name not in ended]
        if not died:
            break
    ended.update((name, "NOT RUN") for name in left)
    if code != 0 and not any(how not in ("OK", "SKIPPED") for how in ended.values()):
        print(f"the program ended with {code}")
        return 1
    wrong = {name: how for name, how in ended.items() if how not in ("OK", "SKIPPED")}
    for name, how in wrong.items():
        print(f"{how}: {name}")
    print(f"{len(names) - len(wrong)} of {len(names)} tests passed or were skipped")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
