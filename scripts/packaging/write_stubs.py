#!/usr/bin/env python3
"""Writes the type stubs of the package from the commands' tables of options. Usage: write_stubs.py FILE"""
import sys

import stepcast
from stepcast import _commands

HEAD = '''"""Written by scripts/packaging/write_stubs.py from the tables of options."""
from os import PathLike
from typing import Any, Callable

from ._errors import InputError as InputError, SimulationError as SimulationError, StepcastError as StepcastError
from ._jobs import Job as Job, jobs as jobs, merge as merge, sweep as sweep
from ._results import Result as Result
from ._schedules import Option as Option, Schedule as Schedule, choice as choice, count as count, number as number
from ._schedules import schedule as schedule, size as size, time as time
from ._values import Cluster as Cluster, Workload as Workload

__version__: str
def names(kind: str) -> list[str]: ...
'''
RETURNS = {"import": "Workload", "derive": "Workload | Cluster"}


def stub_of(command):
    parameters = []
    star = False
    for each in command.signature().parameters.values():
        if each.kind is each.VAR_POSITIONAL:
            parameters.append(f"*{each.name}: str | PathLike[str]")
            star = True
        elif each.kind is each.VAR_KEYWORD:
            parameters.append(f"**{each.name}: Any")
        else:
            if each.kind is each.KEYWORD_ONLY and not star:
                parameters.append("*")
                star = True
            parameters.append(f"{each.name}: {each.annotation} | None = ...")
    if parameters and parameters[-1] == "*":
        parameters.pop()
    return f"def {command.function_name}({', '.join(parameters)}) -> {RETURNS.get(command.name, 'Result')}: ...\n"


def main():
    commands = [each for each in _commands.COMMANDS.values() if each.function_name in _commands.FUNCTIONS]
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write(HEAD + "".join(map(stub_of, commands)))
    assert stepcast.__version__


if __name__ == "__main__":
    main()
