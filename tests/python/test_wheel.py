"""`pip install .` into an empty virtual environment that sees the system's packages."""
import os
import pathlib
import subprocess
import sys

import pytest

import stepcast
from conftest import JOB, ROOT


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The Python of a virtual environment in which the package is."""
    pytest.importorskip("ensurepip", reason="needs python3-venv")
    folder = tmp_path_factory.mktemp("venv")
    subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", folder], check=True)
    build = pathlib.Path(stepcast.__file__).parents[2]
    done = subprocess.run([folder / "bin/python", "-m", "pip", "install", "--no-index", "--disable-pip-version-check",
                           f"--config-settings=build-dir={build}", ROOT], capture_output=True, text=True, check=False,
                          env={"PATH": os.environ["PATH"], "HOME": str(folder)})
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "bin/python"


def test_the_installed_package_forecasts_with_its_own_data(installed, tmp_path):
    code = f"""
import stepcast
assert stepcast.__file__.startswith({str(installed.parents[1])!r}), stepcast.__file__
print(stepcast.run(**{JOB!r}, schedule="dear", fidelity="analytic").text, end="")
"""
    found = subprocess.run([installed, "-W", "error", "-c", code], capture_output=True, text=True, check=True,
                           cwd=tmp_path, env={"PATH": os.environ["PATH"]}).stdout
    assert found == stepcast.run(**JOB, schedule="dear", fidelity="analytic").text


def test_the_wheel_holds_stubs_data_and_a_record(installed):
    shown = subprocess.run([installed, "-m", "pip", "show", "-f", "stepcast"], capture_output=True, text=True,
                           check=True, env={"PATH": os.environ["PATH"]}).stdout
    for name in ("stepcast/__init__.pyi", "stepcast/py.typed", "dist-info/RECORD", "stepcast/data/configs/glossary.json",
                 "stepcast/data/configs/clusters/rtx2080ti-16x4-10gbe.json"):
        assert name in shown
    assert "Version: " + stepcast.__version__ in shown
