"""What a command found, as an object."""
import copy
import itertools
import json

from ._errors import InputError
from ._fields import Fields
from ._spooled import Spooled

# Where the rows of a result are, in the order in which they are looked for.
_ROWS = ("results", "trials", "cases", "parts", "stages", "accepted", "steps", "devices", "ranks")


def _rows_of_parts(data):
    return [{"part": name, "time_s": time} for name, time in data["parts_s"].items()]


# Rows that are no list of objects in JSON: the key that tells, and what makes rows of it.
_MADE_ROWS = {"parts_s": _rows_of_parts}


class Part(Fields):
    """An object inside a result, read-only: its keys are attributes."""

    __slots__ = ()

    def _inner(self, data):
        return Part(data)

    def __setattr__(self, name, value):
        raise AttributeError("results do not change; take to_dict()")

    def __reduce__(self):
        return Part, (self._data,)


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
    tolerance), ``seconds`` how long it took. Of a long study the text is in a file until it is asked for:
    ``each_row()`` and ``save()`` hold no more than a row of it.
    """

    __slots__ = ("command", "exit_code", "seconds", "_text", "_given", "_files", "_schedules", "_parsed")

    def __init__(self, command, given, files, text, exit_code=0, schedules=(), seconds=0.0):
        for name, value in (("command", command), ("_given", given), ("_files", files), ("_text", text),
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
    def text(self):
        return self._text.text() if self.is_long else self._text

    @property
    def is_long(self):
        """Whether the text is in a file."""
        return isinstance(self._text, Spooled)

    def save(self, path):
        """Writes the text."""
        with open(path, "wb") as file:
            file.writelines(self._text.pieces() if self.is_long else [self._text.encode()])

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
        for key, made in _MADE_ROWS.items():
            if self._data.get(key) and (rows := made(self._data)):
                return copy.deepcopy(rows)
        return [self.to_dict()]

    def each_row(self):
        """The rows, one after the other."""
        if not self.is_long or self._parsed is not None:
            yield from self.rows
            return
        row = []
        for line in self._text.lines():
            if line == b"    {\n" or row:
                row.append(line)
            if line in (b"    }\n", b"    },\n"):
                yield json.loads(b"".join(row).rstrip(b",\n"))
                row.clear()
            if line.startswith(b"  ]"):
                return  # what follows is refused

    def first_rows(self, count):
        return list(itertools.islice(self.each_row(), count))

    def to_dataframe(self):
        """The rows as a table of pandas, inner objects as columns such as "breakdown.forward_s"."""
        import pandas
        return pandas.DataFrame([flat(row) for row in self.each_row()])

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
        """Draws with matplotlib: where the time of a step goes, or the rows side by side. Returns the axes.

        Raises InputError for a result of which there is no picture.
        """
        from ._pictures import plot
        return plot(self, axes)

    def _repr_html_(self):
        from ._pictures import html
        return html(self)

    def __repr__(self):
        if self.is_long:
            return f"<stepcast {self.command}: {len(self._text) / 2**20:.0f} MiB of rows>"
        rows = self.rows
        if "iteration_time_s" in self._data:
            schedule = self._data.get("schedule")
            name = schedule["name"] if isinstance(schedule, dict) else schedule
            return (f"<stepcast {self.command}: {name} of {self._data['workload']} on "
                    f"{self._data['gpus']} GPUs: {self._data['iteration_time_s'] * 1e3:.2f} ms>")
        return f"<stepcast {self.command}: {len(rows)} row{'' if len(rows) == 1 else 's'}>"

    __str__ = __repr__

    def __reduce__(self):
        return Result, (self.command, self._given, self._files, self.text, self.exit_code, self._schedules,
                        self.seconds)
