"""Run by ctest with the package of the build folder on PYTHONPATH, and every warning an error."""
import os
import pathlib

import pytest

import stepcast

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORKLOAD = "resnet50-rtx2080ti-bs64"
CLUSTER = "rtx2080ti-16x4-10gbe"
JOB = {"workload": WORKLOAD, "cluster": CLUSTER}


@pytest.fixture(scope="session")
def program():
    """The command line of the same build."""
    path = os.environ.get("STEPCAST_PROGRAM", "")
    if not os.access(path, os.X_OK):
        pytest.skip("STEPCAST_PROGRAM names no program")
    return path


@pytest.fixture
def run_dear():
    return stepcast.run(**JOB, schedule="dear", fusion_buffer="10MiB", fidelity="analytic")
