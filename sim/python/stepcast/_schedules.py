"""Schedules written in Python: functions with the verbs of the Builder."""
import functools
import inspect
import sys
from typing import NamedTuple

from . import _core
from ._errors import InputError


class Layer(NamedTuple):
    """A layer of the workload, as ``b.layers`` lists them in forward order."""
    index: int
    name: str
    kind: str
    forward_s: float
    backward_s: float
    size: float  # of its parameters, in bytes
    parameters: list  # (name, bytes) of each


class Option(NamedTuple):
    kind: str
    default: str
    words: tuple = ()
    meaning: str = ""


def size(default, meaning=""):
    """An option of bytes: ``fusion_buffer=stepcast.size("25MiB")``; the function gets a number of bytes."""
    return Option("size", str(default), (), meaning)


def time(default, meaning=""):
    """An option of time: ``cycle=stepcast.time("5ms")``; the function gets seconds."""
    return Option("time", str(default), (), meaning)


def count(default, meaning=""):
    """An option that counts; the function gets an int."""
    return Option("count", str(default), (), meaning)


def number(default, meaning=""):
    """An option that is a number."""
    return Option("number", str(default), (), meaning)


def choice(*words, meaning=""):
    """An option that is one of these words; the first is the default."""
    if not words or not all(isinstance(word, str) and word for word in words):
        raise TypeError("choice: expected words")
    return Option("choice", words[0], words, meaning)


class Schedule:
    """A schedule written in Python. Pass it as ``schedule=``, or its name once it was made."""

    _registered = {}

    def __init__(self, function, name=None):
        if not callable(function):
            raise TypeError(f"schedule: expected a function, found {function!r}")
        self.function = function
        self.name = name or function.__name__.replace("_", "-")
        self.options = _options_of(function, self.name)
        self.register()
        functools.update_wrapper(self, function)

    def register(self):
        """Makes the name known to the engine of this process."""
        if Schedule._registered.get(self.name) is self:
            return
        told = [{"name": name, "kind": option.kind, "default": option.default, "words": list(option.words),
                 "meaning": option.meaning or name.replace("_", " ")} for name, option in self.options.items()]
        summary = (inspect.getdoc(self.function) or "a schedule written in Python").splitlines()[0]
        _core.add_schedule(self.name, summary, told, self.function)
        Schedule._registered[self.name] = self

    def __call__(self, *args, **kwargs):
        return self.function(*args, **kwargs)

    def __repr__(self):
        return f"<stepcast.schedule {self.name!r}>"

    def __reduce__(self):
        module = sys.modules.get(self.function.__module__)
        if self.function.__module__ != "__main__" and getattr(module, self.function.__qualname__, None) is self:
            return self.function.__qualname__
        return Schedule, (self.function, self.name)

    @staticmethod
    def added_names():
        return list(Schedule._registered)


def _options_of(function, name):
    options = {}
    parameters = list(inspect.signature(function).parameters.values())
    if not parameters or parameters[0].kind not in (inspect.Parameter.POSITIONAL_ONLY,
                                                    inspect.Parameter.POSITIONAL_OR_KEYWORD):
        raise InputError(f"schedule {name}: expected a function of a builder and of options, as in f(b, *, buffer=...)")
    for parameter in parameters[1:]:
        option = parameter.default
        if isinstance(option, int) and not isinstance(option, bool):
            option = count(option)
        elif isinstance(option, float):
            option = number(option)
        if not isinstance(option, Option):
            raise InputError(f"schedule {name}: option {parameter.name}: expected a default such as "
                             'stepcast.size("25MiB"), time, count, number or choice')
        options[parameter.name] = option
    return options


def schedule(function=None, *, name=None):
    """Makes a schedule of a function::

        @stepcast.schedule
        def halves(b, *, buffer=stepcast.size("25MiB")):
            ...

    The function is called with a builder and the values of its options, and writes one iteration with the builder's
    verbs, in the order of the program: ``b.forward(layer)``, ``b.backward(layer)``, ``b.update()``, ``b.compute(..)``,
    ``b.all_reduce(label, size, stream=, after=, next_after=, algorithm=, ..)`` and its like. Options are its keyword
    arguments.
    """
    if function is None:
        return functools.partial(schedule, name=name)
    return Schedule(function, name)
