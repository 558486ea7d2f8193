#!/usr/bin/env python3
"""The program opens no connection and starts no other program: it asks the system for nothing of the kind. What SimGrid's
library could do is not looked at; StepCast calls nothing of it that does. The one file that the program may load is the
module that calls SimGrid, which is looked at as well."""
import subprocess
import sys

FORBIDDEN = ("socket", "connect", "bind", "listen", "accept", "getaddrinfo", "gethostbyname", "system", "popen", "exec",
             "posix_spawn", "dlopen")


def imports(file):
    listed = subprocess.run(["nm", "-D", "--undefined-only", file], capture_output=True, text=True, check=True)
    return [line.split()[-1].split("@")[0] for line in listed.stdout.splitlines()]


def main() -> int:
    names = imports(sys.argv[1])
    if len(names) < 50 or not any(name == "fork" for name in names):
        print(f"expected the imports of stepcast, which forks workers; found {len(names)}")
        return 1
    names.remove("dlopen")
    names += imports(sys.argv[2])
    found = [name for name in names if name in FORBIDDEN or name.startswith(("exec", "posix_spawn"))]
    print("\n".join(f"{name}: is imported" for name in found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
