"""Values of Python as texts of the command line, which reads all of them the same way."""
import math
import numbers
import os

from ._errors import InputError
from ._schedules import Schedule
from ._values import Document

# What a value of an option may be, by the type that the command's table gives: an annotation, and the unit of numbers.
KINDS = {"bool": ("bool", ""), "str": ("str", ""), "int": ("int", ""), "float": ("float", ""),
         "time": ("str | float", "s"), "texts": ("list[str] | str", ""), "names": ("list[str] | str", ""),
         "ints": ("list[int] | int | str", ""), "size": ("str | float", "B"), "bandwidth": ("str | float", "Bps"),
         "sizes": ("list[str] | str | float", "B")}
LISTS = ("texts", "names", "ints", "sizes")
LONGEST_LIST = 1_000_000


def number_text(value, name, unit=""):
    if isinstance(value, numbers.Integral):
        return f"{int(value)}{unit}"
    value = float(value)
    if not math.isfinite(value):
        raise InputError(f"{name}: expected a finite number, found {value}")
    return f"{value!r}{unit}"


class Texts:
    """Gathers texts, and the values in memory that stand for files among them."""

    def __init__(self):
        self.files = {}
        self.schedules = []

    def one(self, value, name, unit=""):
        if hasattr(value, "item") and getattr(value, "ndim", None) == 0:
            value = value.item()  # of numpy
        if isinstance(value, Document):
            return self._file(value)
        if isinstance(value, Schedule):
            self.schedules.append(value)
            return value.name
        if isinstance(value, str):
            return value
        if isinstance(value, os.PathLike):
            path = os.fspath(value)
            if isinstance(path, str):
                return path if "/" in path or path.endswith(".json") else f"./{path}"
        if isinstance(value, numbers.Real) and not isinstance(value, bool):
            return number_text(value, name, unit)
        raise TypeError(f"{name}: expected a text or a number, found {_shown(value)}")

    def _file(self, document):
        origin = document.origin
        text = document.to_json()
        count = 2
        while self.files.get(origin, text) != text:  # two values of one name
            origin = f"{document.origin.removesuffix('.json')}-{count}.json"
            count += 1
        self.files[origin] = text
        return origin

    def several(self, value, name, unit=""):
        if isinstance(value, (str, os.PathLike, Document, Schedule, numbers.Real)) or getattr(value, "ndim", None) == 0:
            return [self.one(value, name, unit)]
        if isinstance(value, (dict, bytes)):
            raise TypeError(f"{name}: expected a list, found {_shown(value)}")
        try:
            items = iter(value)
        except TypeError:
            raise TypeError(f"{name}: expected a list, found {_shown(value)}") from None
        texts = []
        for item in items:
            texts.append(self.one(item, name, unit))
            if len(texts) > LONGEST_LIST:
                raise InputError(f"{name}: expected at most {LONGEST_LIST} values")
        if not texts:
            raise InputError(f"{name}: expected at least one value, found an empty list")
        return texts

    def of_option(self, option, value):
        """The texts of an option as the command's table describes it; none for a flag that is not set."""
        name, kind = option["name"].split(",")[-1], option["type"]
        if kind == "bool":
            if hasattr(value, "item"):
                value = value.item()
            if not isinstance(value, bool):
                raise TypeError(f"{name}: expected True or False, found {_shown(value)}")
            return [] if value else None
        unit = KINDS[kind][1]
        return self.several(value, name, unit) if kind in LISTS else [self.one(value, name, unit)]

    def of_settings(self, value, name="--set"):
        """The texts of --set: "key=value", of a dict or a list."""
        if isinstance(value, dict):
            return [self.of_setting(key, each) for key, each in value.items()]
        return self.several(value, name)

    def of_setting(self, key, value):
        if not isinstance(key, str):
            raise TypeError(f"--set: expected a name, found {_shown(key)}")
        if isinstance(value, bool):
            value = "yes" if value else "no"
        return f"{key}={','.join(self.several(value, f'--set {key}'))}"


def _shown(value):
    text = repr(value)
    return f"{text if len(text) < 60 else text[:57] + '...'} ({type(value).__name__})"
