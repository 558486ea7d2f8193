"""The commands as functions, made from their tables of options."""
import inspect
import json
import keyword
import logging
import time

from . import _core
from ._arguments import KINDS, LISTS, Texts
from ._errors import InputError
from ._results import Result
from ._schedules import Schedule
from ._spooled import Spooled
from ._values import Cluster, Workload

# Not functions of Python: what prints about the program itself, and `list`, which is names().
_LEFT_OUT = {"help", "version", "schema", "list", "merge"}
_RENAMED = {"import": "import_trace"}
_TEXTS = {"show", "explain"}
_WITHOUT_JSON = {"--against", "--shard"}  # options that print something else

_log = logging.getLogger("stepcast")


def _arguments_of(option):
    """Names that an option has here: of "-o,--output" output, of "--clusters,--cluster" both, the first in signatures."""
    long = [each for each in option["name"].split(",") if each.startswith("--")] or [option["name"]]
    names = [each.lstrip("-").replace("-", "_").lower() for each in long]
    return [name + "_" if keyword.iskeyword(name) else name for name in names]


def _is_positional(option):
    return not option["name"].startswith("-")


class Command:
    """What a command's table says, as Python needs it."""

    def __init__(self, table):
        self.name = table["name"]
        self.table = table
        options = [each for each in table["options"] if each["name"] != "--json"]
        self.gives_json = len(options) < len(table["options"])
        self.positional = [each for each in options if _is_positional(each)]
        self.options = {_arguments_of(each)[0]: each for each in options}
        self._by_name = {name: each for each in options for name in _arguments_of(each)}
        self.takes_settings = "set" in self.options

    def given(self, args, kwargs):
        """The options of a call as (name, texts), the texts of files, and schedules written in Python."""
        texts = Texts()
        given = {}
        self._take_positional(args, texts, given)
        settings = []
        for name, value in kwargs.items():
            if value is None:
                continue
            option = self._by_name.get(name)
            if name == "set" and self.takes_settings:
                settings.extend(texts.of_settings(value))
            elif option is not None:
                if option["name"] in given:
                    raise TypeError(f"{self.name}: {name} is given twice")
                found = texts.of_option(option, value)
                if found is not None:
                    given[option["name"]] = found
            elif self.takes_settings:
                settings.append(texts.of_setting(name, value))
            else:
                raise InputError(f"unknown option {name!r} (see help(stepcast.{self.function_name})); "
                                 f"expected one of {', '.join(self.options)}")
        if settings:
            given["--set"] = settings
        return given, texts

    @property
    def function_name(self):
        return _RENAMED.get(self.name, self.name.replace("-", "_"))

    def _take_positional(self, args, texts, given):
        if not args:
            return
        if not self.positional:
            raise TypeError(f"{self.function_name}() takes keyword arguments only; see help(stepcast.{self.function_name})")
        *firsts, last = self.positional
        if len(args) > len(self.positional) and last["type"] not in LISTS:
            raise TypeError(f"{self.function_name}() takes at most {len(self.positional)} positional arguments")
        for option, value in zip(firsts, args):
            given[option["name"]] = texts.of_option(option, value)
        rest = args[len(firsts):]
        if rest:
            given[last["name"]] = texts.of_option(last, rest[0] if len(rest) == 1 else rest)

    def signature(self):
        parameters = [inspect.Parameter(_arguments_of(each)[0], inspect.Parameter.VAR_POSITIONAL if each["type"] in LISTS
                                        else inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=KINDS[each["type"]][0],
                                        **({} if each["type"] in LISTS else {"default": None}))
                      for each in self.positional]
        parameters += [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None,
                                         annotation=annotation_of(name, option))
                       for name, option in self.options.items() if not _is_positional(option)]
        if self.takes_settings:
            parameters.append(inspect.Parameter("settings", inspect.Parameter.VAR_KEYWORD))
        return inspect.Signature(parameters)

    def doc(self):
        lines = [self.table["summary"] + ".", "", self.table["description"], "", "Arguments:"]
        for name, option in self.options.items():
            meaning = " ".join(option["meaning"].split())
            lines.append(f"    {name} ({annotation_of(name, option)}): {meaning}")
        if self.takes_settings:
            lines.append("    Any other name is a setting, as of `set`.")
        lines += ["", "On the command line:", *(f"    {each}" for each in self.table["examples"])]
        return "\n".join(lines)


def annotation_of(name, option):
    if name == "set":
        return "dict[str, object] | list[str]"
    if "--cluster" in option["name"].split(","):
        return "str | Cluster" if option["type"] == "str" else "list[str | Cluster] | str | Cluster"
    if "--workload" in option["name"].split(","):
        return "str | Workload" if option["type"] == "str" else "list[str | Workload] | str | Workload"
    return KINDS[option["type"]][0]


def call(name, given, files, schedules=(), foreign=False):
    """(exit code, output) of a command; what it tells on standard error goes to logging. Long output is Spooled.

    foreign: the job is somebody else's, which reads and writes no files of this machine.
    """
    for schedule in schedules:
        schedule.register()
    code, said, told, file = _core.call(name, list(given.items()), files, foreign)
    for line in told.splitlines():
        _log.info("%s", line)
    return code, said if file is None else Spooled(file)


def _function_of(command):
    def function(*args, **kwargs):
        given, texts = command.given(args, kwargs)
        if command.gives_json and command.name not in _TEXTS and not given.keys() & _WITHOUT_JSON:
            given["--json"] = []
        began = time.perf_counter()
        code, said = call(command.name, given, texts.files, texts.schedules)
        if command.name in ("import", "derive"):
            return _document_of(said, given)
        return Result(command.name, given, texts.files, said, code, texts.schedules, time.perf_counter() - began)

    function.__name__ = function.__qualname__ = command.function_name
    function.__module__ = "stepcast"
    function.__doc__ = command.doc()
    function.__signature__ = command.signature()
    return function


def _document_of(said, given):
    """What `import` and `derive` write: a workload or a cluster."""
    if not said:
        with open(given["-o,--output"][0], encoding="utf-8") as file:
            said = file.read()
    data = json.loads(said)
    return (Cluster if data.get("format") == "stepcast-cluster" else Workload)(data)


COMMANDS = {each.name: each for each in map(Command, _core.commands())}
FUNCTIONS = {each.function_name: _function_of(each) for each in COMMANDS.values() if each.name not in _LEFT_OUT}


def names(kind):
    """The names of a kind: workloads, clusters, schedules, devices, architectures, experiments, collectives, goals."""
    if not isinstance(kind, str):
        raise TypeError(f"names: expected a kind such as \"workloads\", found {kind!r}")
    _, said = call("list", {"KIND": [kind], "--json": []}, {})
    return json.loads(said)[kind] + (Schedule.added_names() if kind == "schedules" else [])
