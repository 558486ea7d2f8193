#!/usr/bin/env python3
"""The module that calls SimGrid imports nothing of it but what its installed headers declare: of the kernel no more than timers and
the shares of a flow. Usage: public_simgrid_test.py stepcast_simgrid.so"""
import subprocess
import sys

KERNEL = "_ZN7simgrid6kernel"
DECLARED = (f"{KERNEL}5timer5Timer", f"{KERNEL}8resource6Action")


def main() -> int:
    listed = subprocess.run(["nm", "-D", "--undefined-only", sys.argv[1]], capture_output=True, text=True, check=True).stdout
    names = [line.split()[-1] for line in listed.splitlines() if "simgrid" in line]
    if not any("s4u6Engine" in name for name in names):
        print(f"expected the imports of a module that makes SimGrid's engine; found {len(names)}")
        return 1
    found = [name for name in names if KERNEL in name.replace("_ZNK", "_ZN") and not name.replace("_ZNK", "_ZN").startswith(DECLARED)]
    print("\n".join(f"{name}: is not part of SimGrid's public interface" for name in found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
