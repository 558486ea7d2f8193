#!/usr/bin/env python3
"""The program opens no connection and starts no other program: it asks the system for nothing of the kind. What SimGrid's
library could do is not looked at; StepCast calls nothing of it that does."""
import subprocess
import sys

FORBIDDEN = ("socket", "connect", "bind", "listen", "accept", "getaddrinfo", "gethostbyname", "system", "popen", "exec",
             "posix_spawn", "dlopen")


def main() -> int:
    imported = subprocess.run(["nm", "-D", "--undefined-only", sys.argv[1]], capture_output=True, text=True, check=True)
    names = [line.split()[-1].split("@")[0] for line in imported.stdout.splitlines()]
    if len(names) < 50 or not any(name == "fork" for name in names):
        print(f"expected the imports of stepcast, which forks workers; found {len(names)}")
        return 1
    found = [name for name in names if name in FORBIDDEN or name.startswith(("exec", "posix_spawn"))]
    print("\n".join(f"{name}: is imported" for name in found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
