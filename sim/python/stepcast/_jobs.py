"""Studies as lists of jobs: values that any process of the same version can do, and parts that are put together in order."""
import collections.abc
import contextlib
import hashlib
import json
import os
import pathlib
import re
import tempfile

from . import _core
from ._arguments import Texts
from ._commands import COMMANDS, FUNCTIONS, call
from ._errors import InputError, StepcastError
from ._results import Result

VERSION = 1
_IN_FLIGHT = 4  # for each worker; the parent keeps no more than these and what it is told of them
_SHARDS = 16  # for each worker, at least: what is lost is a shard
_LARGEST = 1000  # combinations of a shard, about; some 3 MB
_LISTS = ("--workload", "--cluster", "--nodes", "--gpus-per-node", "--schedules")


# What a job of somebody else may say: what is forecast, and nothing that names a file to write. Files that these name
# are in the job.
_OF_A_JOB = frozenset({"EXPERIMENT", "--workload", "--cluster", "--schedules", "--nodes", "--gpus-per-node", "--set",
                       "--fidelity", "--unfold", "--preset", "--without-gradients", "--slow", "--seeds", "--iterations",
                       "--workers", "--keep-going", "--shard"})
_LONGEST_NAME, _LONGEST_PATH = 255, 4096  # bytes, as the kernel of Linux has them
_OF_FILES = ("EXPERIMENT", "--workload", "--cluster")  # options whose values may be paths


class Job:
    """A shard of a study as a value: what to forecast, and with which inputs. Whoever does it gets the same text."""

    __slots__ = ("options", "files", "schedules", "foreign")

    def __init__(self, options, files=None, schedules=(), foreign=False):
        self.options = {name: list(texts) for name, texts in options.items()}
        self.files = dict(files or {})
        self.schedules = tuple(schedules)
        self.foreign = foreign

    @property
    def shard(self):
        return int(self.options["--shard"][0].split("/")[0])

    def to_json(self):
        """The job as text, with the files that its options name: whoever does it has no others."""
        if self.schedules:
            raise InputError("a job with a schedule written in Python is no JSON; pickle it")
        return json.dumps({"stepcast_job": VERSION, "program": _core.version, "options": self.options,
                           "files": {**_named_files(self.options, self.files), **self.files}})

    @classmethod
    def from_json(cls, text):
        """A job that somebody else may have written: it reads what it brings with it and StepCast's data, and writes
        nothing."""
        try:
            data = json.loads(text)
        except (TypeError, ValueError, RecursionError) as error:
            raise InputError(f"job: {error}") from None
        if not isinstance(data, dict) or data.get("stepcast_job") != VERSION:
            raise InputError(f"job: expected one of format {VERSION}")
        if data.get("program") != _core.version:
            raise InputError(f"job: expected one by stepcast {_core.version}, found one by {_short(data.get('program'))}")
        options, files = data.get("options"), data.get("files")
        if not isinstance(options, dict) or not isinstance(files, dict):
            raise InputError("job: expected options and files")
        _check_options(options)
        for name, content in files.items():
            if not _is_text(name) or not _is_text(content):
                raise InputError(f"job: files: {_short(name)}: expected a name and its text in UTF-8")
            if not _may_name_a_file(name):
                raise InputError(f"job: files: {_short(name)}: expected the name of a file, each part of at most {_LONGEST_NAME} bytes, without a NUL")
        return cls(options, files, foreign=True)

    def run(self):
        """The part of the study, as text for merge()."""
        text = call("compare", self.options, self.files, self.schedules, self.foreign)[1]
        return text if isinstance(text, str) else text.text()

    def write(self, path):
        """run() into a file, whole or not at all."""
        if self.foreign:
            _core.write_text(os.fspath(path), self.run())
        else:
            call("compare", {**self.options, "-o,--output": [os.fspath(path)]}, self.files, self.schedules)

    def __reduce__(self):
        return Job, (self.options, self.files, self.schedules, self.foreign)

    def __eq__(self, other):
        return isinstance(other, Job) and (self.options, self.files) == (other.options, other.files)

    __hash__ = None

    def __repr__(self):
        return f"<stepcast.Job {self.options['--shard'][0]}>"


def _short(value):
    text = repr(value)
    return text if len(text) < 60 else text[:57] + "..."


def _is_text(value):
    """Whether it is a text that other programs can read; JSON can write half of a character."""
    try:
        return isinstance(value, str) and value.encode("utf-8") is not None
    except UnicodeEncodeError:
        return False


def _may_name_a_file(path):
    """Messages name files: what no file can be named ends here, where it is shortened, and not in each of them."""
    return (path != "" and "\0" not in path and len(path.encode()) < _LONGEST_PATH
            and all(len(part.encode()) <= _LONGEST_NAME for part in path.split("/")))


def _check_options(options):
    for name, texts in options.items():
        if name not in _OF_A_JOB:
            raise InputError(f"job: options: expected options of what is forecast, found {_short(name)}")
        if not isinstance(texts, list) or not all(map(_is_text, texts)):
            raise InputError(f"job: options: {name}: expected a list of texts, found {_short(texts)}")
    shard = options.get("--shard")
    if shard is None or len(shard) != 1 or not re.fullmatch(r"[0-9]{1,7}/[0-9]{1,7}", shard[0]):
        raise InputError(f"job: options: --shard: expected one such as 1/8, found {_short(shard)}")


def _named_files(options, files):
    """The texts of the files that options name by their paths."""
    found = {}
    for name in _OF_FILES:
        for path in ",".join(options.get(name, [])).split(","):
            is_path = "/" in path or path.endswith(".json")
            if not is_path or path in files or ":" in path and not os.path.exists(path):
                continue
            try:
                with open(path, encoding="utf-8") as file:
                    found[path] = file.read()
            except (OSError, UnicodeDecodeError) as error:
                raise InputError(f"{path}: {error}") from None
    return found


class Jobs(collections.abc.Sequence):
    """The jobs of a study, each made when it is asked for."""

    def __init__(self, options, files, schedules, shards):
        self._study = options, files, schedules
        self._shards = shards

    def __len__(self):
        return self._shards

    def __getitem__(self, index):
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(len(self)))]
        number = range(1, self._shards + 1)[index]
        options, files, schedules = self._study
        return Job({**options, "--shard": [f"{number}/{self._shards}"]}, files, schedules)

    def study(self):
        """The same for the same study in as many shards, however many processes do each."""
        options, files, _ = self._study
        options = {name: texts for name, texts in options.items() if name != "--workers"}
        return hashlib.sha256(repr((options, files, self._shards)).encode()).hexdigest()


def jobs(*args, shards, **kwargs):
    """The study of compare(..) as a sequence of jobs, which may be done anywhere and in any order."""
    given, texts = COMMANDS["compare"].given(args, kwargs)
    given.setdefault("--workers", ["1"])
    return _jobs_of(given, texts, shards)


def _jobs_of(given, texts, shards):
    if isinstance(shards, bool) or not hasattr(shards, "__index__") or not 1 <= int(shards) <= 1_000_000:
        raise InputError(f"jobs: expected from 1 to 1000000 shards, found {shards!r}")
    return Jobs(given, texts.files, texts.schedules, int(shards))


def merge(*parts, partial=False, workers=None):
    """The study of which these are the parts: texts, files, or a folder with files named part-*."""
    files, names = {}, []
    for part in parts[0] if len(parts) == 1 and isinstance(parts[0], (list, tuple)) else parts:
        if not isinstance(part, (str, os.PathLike)):
            raise TypeError(f"merge: expected texts, files or a folder, found {part!r:.60}")
        if isinstance(part, str) and part.lstrip().startswith("{"):
            names.append(f"python:/part-{len(names) + 1}.json")
            files[names[-1]] = part
        elif os.path.isdir(part):
            names += [str(each) for each in sorted(pathlib.Path(part).glob("part-*"))]
        else:
            names.append(os.fspath(part))
    given = {"PART": names, "--json": [], **({"--partial": []} if partial else {}),
             **({"--workers": Texts().several(workers, "workers")} if workers is not None else {})}
    code, said = call("merge", given, files)
    return Result("merge", given, files, said, code)


def sweep(*args, client=None, shards=None, to=None, merged=True, retries=3, progress=None, **kwargs):
    """Every combination of lists of values, as compare(): on the cores of this machine, or on a Dask cluster.

    client: a distributed.Client, whose workers can import stepcast. What a worker that is lost was doing another does,
    up to `retries` times.
    shards: into how many jobs the study is cut (default: of about 1,000 forecasts at most); the result is the same for
        any number, to the last byte.
    to: a folder for the parts, which stay there; what it holds of the same study is not done again.
    merged: False leaves it at the parts in `to` and returns the folder, for merge().
    progress: called with the number of shards that are done, and of all.

    What this process takes of memory does not grow with the number of forecasts: a long result is in a file, see
    Result.each_row().
    """
    if client is None and to is None and shards is None:
        return FUNCTIONS["compare"](*args, **kwargs)
    if not merged and to is None:
        raise InputError("sweep: merged=False leaves the parts in a folder; name it with to=")
    given, texts = COMMANDS["compare"].given(args, kwargs)
    if client is not None:
        given.setdefault("--workers", ["1"])
    workers = _workers_of(client)
    if shards is None:
        shards = max(_SHARDS * workers, -(-_about(given) // _LARGEST))
    listed = _jobs_of(given, texts, shards)
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory()) if to is None else to)
        missing = _missing(listed, folder)
        done = len(listed) - len(missing)
        for _ in _written(listed, missing, folder, client, workers, retries):
            done += 1
            if progress is not None:
                progress(done, len(listed))
        if not merged:
            return folder
        return merge([str(_part(folder, number)) for number in range(1, len(listed) + 1)],
                     workers=kwargs.get("workers") if client is None else None)


def _workers_of(client):
    return max(1, sum(client.ncores().values())) if client is not None else 1


def _about(given):
    """How many combinations the study has; options that not all schedules have make it less."""
    count = 1
    for name in _LISTS:
        if name in given:
            count *= sum(text.count(",") + 1 for text in given[name])
    for setting in given.get("--set", []):
        count *= setting.count(",") + 1
    return count


def _part(folder, number):
    return folder / f"part-{number}"


def _missing(listed, folder):
    """The numbers of shards that the folder has no part of; it keeps parts of one study only."""
    mark = folder / "study"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not mark.exists():
            _core.write_text(str(mark), listed.study())
        if mark.read_text(encoding="utf-8") != listed.study():
            raise InputError(f"{folder}: holds the parts of another study; give another folder")
    except OSError as error:
        raise InputError(f"{folder}: {error.strerror}") from None
    return [number for number in range(1, len(listed) + 1) if not _part(folder, number).exists()]


def _written(listed, missing, folder, client, workers, retries):
    """Does the missing shards and writes their parts; yields after each."""
    if client is not None:
        for job, text in _done_by_dask((listed[number - 1] for number in missing), client, workers, retries):
            _core.write_text(str(_part(folder, job.shard)), text)
            yield
        return
    for number in missing:
        listed[number - 1].write(_part(folder, number))
        yield


def _run(job):
    return job.run()


def _done_by_dask(missing, client, workers, retries):
    import concurrent.futures
    from distributed import as_completed

    waiting = missing
    tries = {}
    at_work = {}
    completed = as_completed()

    def submit(job):
        tries[job.shard] = tries.get(job.shard, 0) + 1
        future = client.submit(_run, job, pure=False, retries=retries)
        at_work[future.key] = job
        completed.add(future)

    for _, job in zip(range(_IN_FLIGHT * workers), waiting):
        submit(job)
    try:
        while at_work:
            future = next(completed)
            job = at_work.pop(future.key)
            try:
                text = future.result()
            except StepcastError:
                raise
            except (concurrent.futures.CancelledError, Exception) as error:  # the scheduler or its workers are lost
                if tries[job.shard] > retries:
                    raise StepcastError(f"shard {job.options['--shard'][0]} failed {tries[job.shard]} times, the last "
                                        f"time: {type(error).__name__}: {error}") from error
                submit(job)
                continue
            tries.pop(job.shard)
            future.release()
            yield job, text
            for job in waiting:
                submit(job)
                break
    finally:
        client.cancel([future for future in list(completed.futures)], force=True)
