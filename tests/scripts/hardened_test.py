#!/usr/bin/env python3
"""The built program, and the module that it loads, cannot be written over where it is bound to libraries (full RELRO: all names are bound at the start, then
read-only), lies where it is put by chance (PIE), has no stack that can be executed, and, where it is compiled so, checks its stack."""
import argparse
import subprocess
import sys


def tool(*arguments) -> str:
    return subprocess.run(arguments, capture_output=True, text=True, check=True).stdout


def faults_of(program: str, compiled: bool):
    header, segments, dynamic = tool("readelf", "-hW", program), tool("readelf", "-lW", program), tool("readelf", "-dW", program)
    names = {line.split()[-1].split("@")[0] for line in tool("nm", "-D", "--undefined-only", program).splitlines()}
    if "DYN (" not in header:
        yield "is not position-independent"
    if "GNU_RELRO" not in segments:
        yield "has no segment that becomes read-only (RELRO)"
    flags = [line for line in dynamic.splitlines() if "(FLAGS" in line or "(BIND_NOW)" in line]
    if not any("NOW" in line for line in flags):
        yield "binds names late (no BIND_NOW), so that its table of them stays writable"
    stack = next((line for line in segments.splitlines() if "GNU_STACK" in line), "GNU_STACK RWE")
    if "RWE" in stack:
        yield "has a stack that can be executed"
    if compiled and "__stack_chk_fail" not in names:
        yield "has no stack protector"
    if compiled and not any(name.startswith("__") and name.endswith("_chk") for name in names):
        yield "has no checked copies (_FORTIFY_SOURCE)"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--module", help="that it loads, compiled without")
    parser.add_argument("--compiled", action="store_true", help="the program is compiled with a stack protector and checked copies")
    typed = parser.parse_args()
    looked_at = {typed.program: typed.compiled, **({typed.module: False} if typed.module else {})}
    faults = [f"{each}: {fault}" for each, compiled in looked_at.items() for fault in faults_of(each, compiled)]
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
