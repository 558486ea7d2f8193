"""StepCast forecasts the step time of distributed deep-learning training.

Every command of the command line is a function of the same name, which takes the same options::

    import stepcast
    result = stepcast.run(workload="resnet50-rtx2080ti-bs64", cluster="rtx2080ti-16x4-10gbe",
                          schedule="dear", fusion_buffer="10MiB")
    result.iteration_time_s

What is no option of a command is a setting (``--set`` of the command line): ``fusion_buffer="10MiB"``, or
``set={"cluster.nic.bandwidth": "25Gbps"}`` where a name is none of Python's. Results are objects: attributes are the
keys of ``--json``.
"""
import os as _os
import pathlib as _pathlib

from . import _core

__version__ = _core.version

_data = _pathlib.Path(__file__).with_name("data")
if "STEPCAST_DATA" not in _os.environ and _data.is_dir():
    _core.set_data_root(str(_data))

from ._errors import InputError, SimulationError, StepcastError  # noqa: E402  the data comes first
from ._results import Result  # noqa: E402
from ._values import Cluster, Workload  # noqa: E402
from ._schedules import choice, count, number, schedule, size, time  # noqa: E402
from ._commands import FUNCTIONS as _functions  # noqa: E402
from ._commands import names  # noqa: E402
from ._jobs import Job, jobs, merge, sweep  # noqa: E402

globals().update(_functions)

# What functions of an earlier version are now, for one version.
_MOVED = {"breakdown": "run(..., parts=\"exposed\")", "crossover": "compare(..., map=\"density\")", "edge": "run(edge=...)",
          "scaling": "compare(..., nodes=[1, 2, 4, 8], across=\"nodes\")", "solve": "compare(..., goal=...)"}


def __getattr__(name):
    now = f"; it is now stepcast.{_MOVED[name]}" if name in _MOVED else ""
    raise AttributeError(f"module 'stepcast' has no attribute {name!r}{now}")


__all__ = ["Cluster", "InputError", "Job", "Result", "SimulationError", "StepcastError", "Workload", "choice", "count", "jobs",
           "merge", "names", "number", "schedule", "size", "sweep", "time", *_functions]
__all__ = sorted(set(__all__))
