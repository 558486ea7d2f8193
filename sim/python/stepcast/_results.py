"""What a command found, as an object."""
import copy
import json

from ._errors import InputError

# Where the rows of a result are, in the order in which they are looked for.
_ROWS = ("results", "trials", "cases", "parts", "stages", "curves", "accepted", "networks", "steps")


class Part:
    """An object inside a result, read-only: its keys are attributes."""

    __slots__ = ("_data",)

    def __init__(self, data):
        object.__setattr__(self, "_data", data)

    def __getattr__(self, name):
        if name.startswith("__") or name == "_data":
            raise AttributeError(name)
        try:
            return _seen(self._data[name])
        except KeyError:
            raise AttributeError(f"there is no {name!r} here; there are {', '.join(self._data)}") from None

    def __setattr__(self, name, value):
        raise AttributeError("results do not change; take to_dict()")

    def __getitem__(self, name):
        return _seen(self._data[name])

    def __contains__(self, name):
        return name in self._data

    def __iter__(self):
        return iter(self._data)

    def __len__(self):
        return len(self._data)

    def keys(self):
        return self._data.keys()

    def __dir__(self):
        return [*super().__dir__(), *(key for key in self._data if key.isidentifier())]

    def __eq__(self, other):
        return isinstance(other, Part) and self._data == other._data

    __hash__ = None

    def __reduce__(self):
        return Part, (self._data,)

    def __repr__(self):
        return repr(self._data)

    def to_dict(self):
        return copy.deepcopy(self._data)


def _seen(value):
    if isinstance(value, dict):
        return Part(value)
    if isinstance(value, list):
        return tuple(_seen(each) for each in value)
    return value


def flat(row):
    """A row of a table: numbers and words, those of inner objects as "breakdown.forward_s"."""
    cells = {}

    def add(prefix, value):
        if isinstance(value, dict):
            for key, each in value.items():
                add(f"{prefix}.{key}" if prefix else key, each)
        elif not isinstance(value, list):
            cells[prefix] = value

    add("", row)
    return cells


class Result(Part):
    """The result of a command: its attributes are the keys of `--json` (`stepcast explain KEY` says what they mean).

    ``text`` is what the command printed, ``ok`` whether all went well (a gate or a validation may be out of
    tolerance), ``seconds`` how long it took.
    """

    __slots__ = ("command", "text", "exit_code", "seconds", "_given", "_files", "_schedules", "_parsed")

    def __init__(self, command, given, files, text, exit_code=0, schedules=(), seconds=0.0):
        for name, value in (("command", command), ("_given", given), ("_files", files), ("text", text),
                            ("exit_code", exit_code), ("_schedules", tuple(schedules)), ("seconds", seconds),
                            ("_parsed", None)):
            object.__setattr__(self, name, value)

    @property
    def _data(self):
        if self._parsed is None:
            try:
                parsed = json.loads(self.text)
            except ValueError:
                parsed = {"text": self.text}
            object.__setattr__(self, "_parsed", parsed if isinstance(parsed, dict) else {"results": parsed})
        return self._parsed

    @property
    def ok(self):
        return self.exit_code == 0

    @property
    def rows(self):
        """The table that the result is, as plain dicts."""
        for key in _ROWS:
            rows = self._data.get(key)
            if isinstance(rows, list) and rows and all(isinstance(each, dict) for each in rows):
                return copy.deepcopy(rows)
        return [self.to_dict()]

    def to_dataframe(self):
        """The rows as a table of pandas, inner objects as columns such as "breakdown.forward_s"."""
        import pandas
        return pandas.DataFrame([flat(row) for row in self.rows])

    def timeline(self, path):
        """Writes the timeline for https://ui.perfetto.dev (compressed if the name ends in .gz)."""
        return self._again("--timeline", path)

    def page(self, path):
        """Writes a page of pictures and tables."""
        return self._again("--page", path)

    def _again(self, option, path):
        from ._commands import COMMANDS, call
        from ._arguments import Texts
        if all(each["name"] != option for each in COMMANDS[self.command].table["options"]):
            raise InputError(f"{self.command} writes no {option.lstrip('-')}")
        call(self.command, {**self._given, option: [Texts().one(path, option)]}, self._files, self._schedules)
        return path

    def plot(self, axes=None):
        """Draws with matplotlib: where the time of a step goes, or the rows side by side. Returns the axes."""
        from ._pictures import plot
        return plot(self, axes)

    def _repr_html_(self):
        from ._pictures import html
        return html(self)

    def __repr__(self):
        rows = self.rows
        if "iteration_time_s" in self._data:
            return (f"<stepcast {self.command}: {self._data['schedule']['name']} of {self._data['workload']} on "
                    f"{self._data['gpus']} GPUs: {self._data['iteration_time_s'] * 1e3:.2f} ms>")
        return f"<stepcast {self.command}: {len(rows)} row{'' if len(rows) == 1 else 's'}>"

    __str__ = __repr__

    def __reduce__(self):
        return Result, (self.command, self._given, self._files, self.text, self.exit_code, self._schedules,
                        self.seconds)
