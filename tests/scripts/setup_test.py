#!/usr/bin/env python3
"""Tests of scripts/run, setup and configure, with stand-ins for the programs that would install or build something."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).parents[2]
PROGRAM = sys.argv.pop(1)


def run(*words, **more):
    return subprocess.run(words, capture_output=True, text=True, check=False, **more)


# apt-get makes the descriptor of its status non-blocking; what it installs writes more than a pipe holds.
APT_GET = """#!/usr/bin/env python3
import os, re, subprocess, sys
status = int(re.search(r"APT::Status-Fd=([0-9]+)", " ".join(sys.argv)).group(1))
os.set_blocking(status, False)
os.write(status, b"pmstatus:ccache:50.0:Unpacking\\n")
sys.exit(subprocess.run(["seq", "100000"]).returncode if "install" in sys.argv else 0)
"""


def write_programs(folder, **programs):
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in programs.items():
        file = folder / name.replace("_", "-")
        file.write_text(text if text.startswith("#!") else f"#!/bin/sh\n{text}\n", encoding="utf-8")
        file.chmod(0o755)


class Scripts(unittest.TestCase):
    @staticmethod
    def tree(folder, script):
        root = pathlib.Path(folder).resolve()
        (root / "scripts").mkdir()
        shutil.copy(ROOT / "scripts" / script, root / "scripts")
        return root

    def test_unknown_arguments_are_told_first(self):
        for script, wrong in (("run", "--timline"), ("setup", "--pages"), ("test", "--fast")):
            done = run(ROOT / "scripts" / script, wrong, env={"PATH": "/usr/bin:/bin"})
            self.assertEqual(done.returncode, 2, script)
            self.assertNotIn("Installing", done.stderr)

    # A build that had found no librsvg never looked for it again.
    def test_builds_look_again_for_libraries_that_were_installed(self):
        with tempfile.TemporaryDirectory() as folder:
            root = self.tree(folder, "setup")
            write_programs(root / "bin", apt_get="true", dpkg_query="false", id="echo 0")
            lists = root / "CMakeLists.txt"
            lists.touch()
            os.utime(lists, (1, 1))
            done = run(root / "scripts/setup", env={"PATH": f"{root}/bin:/usr/bin:/bin"})
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertGreater(lists.stat().st_mtime, 1)

    # "echo: I/O error" of ccache's script ended the installation: its output went where apt-get wrote its status.
    def test_what_is_installed_may_write_more_than_a_pipe_holds(self):
        with tempfile.TemporaryDirectory() as folder:
            root = self.tree(folder, "setup")
            write_programs(root / "bin", apt_get=APT_GET, dpkg_query="false", id="echo 0")
            done = run(root / "scripts/setup", env={"PATH": f"{root}/bin:/usr/bin:/bin"})
            self.assertEqual(done.returncode, 0, done.stderr[-200:])
            self.assertNotIn("pmstatus", done.stderr)

    def test_what_a_failed_installation_said_is_shown(self):
        with tempfile.TemporaryDirectory() as folder:
            root = self.tree(folder, "setup")
            write_programs(root / "bin", apt_get="echo the disk is full; exit 100", dpkg_query="false", id="echo 0")
            done = run(root / "scripts/setup", env={"PATH": f"{root}/bin:/usr/bin:/bin"})
            self.assertEqual(done.returncode, 2)
            self.assertEqual(done.stderr, "the disk is full\nscripts/setup: apt-get update failed\n")

    # Its "Next" lines named a program that the newcomer's shell did not find.
    def test_run_tells_what_it_takes_and_calls_the_program_as_it_can_be_typed(self):
        with tempfile.TemporaryDirectory() as folder:
            root = self.tree(folder, "run")
            write_programs(root / "scripts", setup="true", configure="mkdir -p build/release/bin")
            write_programs(root / "bin", ninja="printf '#!/bin/sh\\necho $0 $*\\n' >bin/stepcast; chmod +x bin/stepcast")
            environment = {"PATH": f"{root}/bin:/usr/bin:/bin", "LC_ALL": "C"}
            first = run(root / "scripts/run", cwd=root, env=environment)
            self.assertRegex(first.stderr, "about [0-9]+ minutes on two cores .*; up to [0-9]+ MB")
            self.assertEqual(first.stdout.splitlines()[0], "build/release/bin/stepcast compare five-dnns --across schedule")
            self.assertEqual(first.stdout.splitlines()[-1], "  build/release/bin/stepcast list")
            again = run(root / "scripts/run", "--timeline", "t.json", cwd="/", env=environment)
            self.assertEqual(again.stdout.splitlines()[0], f"{root}/build/release/bin/stepcast compare five-dnns --across schedule")

    # A warning of a compiler that we have not met is no reason why somebody could not build.
    def test_warnings_are_errors_only_beside_the_tests(self):
        with tempfile.TemporaryDirectory() as folder:
            root = self.tree(folder, "configure")
            cache = root / "build/release/CMakeCache.txt"
            write_programs(root / "bin", cmake='echo "$*" >>called')
            configure, environment = root / "scripts/configure", {"PATH": f"{root}/bin:/usr/bin:/bin"}
            self.assertEqual(run(configure, "release", "--without-tests", env=environment).returncode, 0)
            self.assertEqual(run(configure, "release", env=environment).returncode, 0)
            cache.parent.mkdir(parents=True)
            (cache.parent / "build.ninja").touch()
            for tests, errors in (("ON", "OFF"), ("ON", "ON")):
                cache.write_text(f"CMAKE_HOME_DIRECTORY:INTERNAL={root}\nSTEPCAST_TESTS:BOOL={tests}\n"
                                 f"STEPCAST_WERROR:BOOL={errors}\n", encoding="utf-8")
                self.assertEqual(run(configure, "release", env=environment).returncode, 0)
            called = (root / "called").read_text(encoding="utf-8").splitlines()
        self.assertEqual([re.findall(r"-DSTEPCAST_(\w+=\w+)", line) for line in called],
                         [["TESTS=OFF", "WERROR=OFF"], ["TESTS=ON", "WERROR=ON"], ["TESTS=ON", "WERROR=ON"]])

    def test_run_names_the_value_that_is_missing(self):
        done = run(ROOT / "scripts/run", "--timeline")
        self.assertEqual((done.returncode, done.stderr), (2, "scripts/run: --timeline needs a value; see scripts/run --help\n"))

    def test_reasons_of_skipped_tests(self):
        results = """<testsuite>
<testcase name="A.B" status="run"><system-out>fine</system-out></testcase>
<testcase name="c_test.1" status="run"><system-out>[ RUN      ] C.D
x_test.cpp:3: Skipped
"/home/me/tree/../shared/data/x" is not there
[  SKIPPED ] C.D (0 ms)
[ RUN      ] C.E
x_test.cpp:9: Skipped
"/home/me/tree/../shared/data/x" is not there
[  SKIPPED ] C.E (0 ms)
2 of 2 tests passed or were skipped
</system-out></testcase>
<testcase name="page" status="notrun"><skipped message=""/><system-out>skipped: no Chromium</system-out></testcase>
</testsuite>"""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "tests.xml"
            path.write_text(results, encoding="utf-8")
            done = run(sys.executable, ROOT / "tests/scripts/skipped.py", path)
        self.assertEqual(done.stdout, 'Skipped 2, such as C.D: ../shared/data/x" is not there\n'
                                      "Skipped 1, such as page: no Chromium\n", done.stderr)


if __name__ == "__main__":
    unittest.main()
