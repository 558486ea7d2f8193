"""Studies as lists of jobs: values that any process of the same version can do, and parts that are put together in order."""
import contextlib
import hashlib
import json
import os
import pathlib
import tempfile

from . import _core
from ._commands import COMMANDS, FUNCTIONS, call
from ._errors import InputError, StepcastError
from ._results import Result

VERSION = 1
_IN_FLIGHT = 4  # for each worker; the parent keeps no more than these and what it is told of them
_SHARDS = 16  # for each worker: a shard plans the whole study anew


class Job:
    """A shard of a study as a value: what to forecast, and with which inputs. Whoever does it gets the same text."""

    __slots__ = ("options", "files", "schedules")

    def __init__(self, options, files=None, schedules=()):
        self.options = {name: list(texts) for name, texts in options.items()}
        self.files = dict(files or {})
        self.schedules = tuple(schedules)

    @property
    def shard(self):
        return int(self.options["--shard"][0].split("/")[0])

    def to_json(self):
        if self.schedules:
            raise InputError("a job with a schedule written in Python is no JSON; pickle it")
        return json.dumps({"stepcast_job": VERSION, "program": _core.version, "options": self.options,
                           "files": self.files})

    @classmethod
    def from_json(cls, text):
        try:
            data = json.loads(text)
        except (TypeError, ValueError) as error:
            raise InputError(f"job: {error}") from None
        if not isinstance(data, dict) or data.get("stepcast_job") != VERSION:
            raise InputError(f"job: expected one of format {VERSION}")
        if data.get("program") != _core.version:
            raise InputError(f"job: expected one by stepcast {_core.version}, found one by {data.get('program')!r}")
        options, files = data.get("options"), data.get("files")
        if not isinstance(options, dict) or not isinstance(files, dict):
            raise InputError("job: expected options and files")
        return cls(options, files)

    def run(self):
        """The part of the study, as text for merge()."""
        return call("compare", self.options, self.files, self.schedules)[1]

    def __reduce__(self):
        return Job, (self.options, self.files, self.schedules)

    def __eq__(self, other):
        return isinstance(other, Job) and (self.options, self.files) == (other.options, other.files)

    __hash__ = None

    def __repr__(self):
        return f"<stepcast.Job {self.options['--shard'][0]}>"


def jobs(*args, shards, **kwargs):
    """The study of compare(..) as a list of jobs, which may be done anywhere and in any order."""
    if isinstance(shards, bool) or not hasattr(shards, "__index__") or not 1 <= int(shards) <= 1_000_000:
        raise InputError(f"jobs: expected from 1 to 1000000 shards, found {shards!r}")
    given, texts = COMMANDS["compare"].given(args, kwargs)
    given.setdefault("--workers", ["1"])
    return [Job({**given, "--shard": [f"{number}/{int(shards)}"]}, texts.files, texts.schedules)
            for number in range(1, int(shards) + 1)]


def merge(*parts, partial=False):
    """The study of which these are the parts: texts, files, or a folder with files named part-*."""
    files, names = {}, []
    for part in parts[0] if len(parts) == 1 and isinstance(parts[0], (list, tuple)) else parts:
        if isinstance(part, str) and part.lstrip().startswith("{"):
            names.append(f"python:/part-{len(names) + 1}.json")
            files[names[-1]] = part
        elif os.path.isdir(part):
            names += [str(each) for each in sorted(pathlib.Path(part).glob("part-*"))]
        else:
            names.append(os.fspath(part))
    given = {"PART": names, "--json": [], **({"--partial": []} if partial else {})}
    code, said = call("merge", given, files)
    return Result("merge", given, files, said, code)


def sweep(*args, client=None, shards=None, to=None, merged=True, retries=3, progress=None, **kwargs):
    """Every combination of lists of values, as compare(): on the cores of this machine, or on a Dask cluster.

    client: a distributed.Client, whose workers can import stepcast. What a worker that is lost was doing another does,
    up to `retries` times.
    shards: into how many jobs the study is cut; the result is the same for any number, to the last byte.
    to: a folder for the parts, which stay there; what it holds of the same study is not done again.
    merged: False leaves it at the parts in `to` and returns the folder: nothing of the results is held in memory.
    progress: called with the number of shards that are done, and of all.
    """
    if client is None and to is None and shards is None:
        return FUNCTIONS["compare"](*args, **kwargs)
    if not merged and to is None:
        raise InputError("sweep: merged=False leaves the parts in a folder; name it with to=")
    workers = _workers_of(client)
    listed = jobs(*args, shards=shards or _SHARDS * workers, **kwargs)
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory()) if to is None else to)
        missing = _missing(listed, folder)
        done = len(listed) - len(missing)
        for job, text in _done(missing, client, workers, retries):
            _core.write_text(str(folder / f"part-{job.shard}"), text)
            done += 1
            if progress is not None:
                progress(done, len(listed))
        if not merged:
            return folder
        return merge([str(folder / f"part-{job.shard}") for job in listed])


def _workers_of(client):
    return max(1, sum(client.ncores().values())) if client is not None else 1


def _missing(listed, folder):
    """The jobs that the folder has no part of; it keeps parts of one study only."""
    study = hashlib.sha256(repr([(job.options, job.files) for job in listed]).encode()).hexdigest()
    mark = folder / "study"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not mark.exists():
            _core.write_text(str(mark), study)
        if mark.read_text(encoding="utf-8") != study:
            raise InputError(f"{folder}: holds the parts of another study; give another folder")
    except OSError as error:
        raise InputError(f"{folder}: {error.strerror}") from None
    return [job for job in listed if not (folder / f"part-{job.shard}").exists()]


def _done(missing, client, workers, retries):
    """(job, its part) as they end."""
    if client is None:
        for job in missing:
            yield job, job.run()
        return
    yield from _done_by_dask(missing, client, workers, retries)


def _run(job):
    return job.run()


def _done_by_dask(missing, client, workers, retries):
    import concurrent.futures
    from distributed import as_completed

    waiting = iter(missing)
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
