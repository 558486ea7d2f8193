"""Clusters and workloads as values: read, changed, checked with every change, saved."""
import copy
import json
import os

from . import _core
from ._errors import InputError
from ._fields import Fields


def _plain(value):
    """What JSON holds of a value of Python or numpy."""
    if isinstance(value, Section):
        return value._data
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:
        return value.item()
    return value


class Section(Fields):
    """An object of a file. Its fields are attributes; a change is checked at once, and undone where it is refused."""

    __slots__ = ("_root",)

    def __init__(self, data, root):
        super().__init__(data)
        object.__setattr__(self, "_root", root)

    def _inner(self, data):
        return Section(data, self._root)

    def _lacks(self, name):
        return f"{self._root.origin} has no field {name!r}; it has {', '.join(self._data)}"

    def __setattr__(self, name, value):
        before = copy.deepcopy(self._data)
        self._data[name] = copy.deepcopy(_plain(value))
        self._checked(before)

    def __delattr__(self, name):
        if name not in self._data:
            raise AttributeError(self._lacks(name))
        before = copy.deepcopy(self._data)
        del self._data[name]
        self._checked(before)

    __setitem__ = __setattr__

    def _checked(self, before):
        try:
            self._root._check()
        except BaseException:
            self._data.clear()
            self._data.update(before)
            raise


class Document(Section):
    """A file as a value."""

    __slots__ = ("origin",)
    _kind = "document"

    def __init__(self, name):
        if isinstance(name, Document):
            data, origin = name.to_dict(), name.origin
        elif isinstance(name, dict):
            data, origin = copy.deepcopy(name), f"python:/{name.get('name', 'unnamed')}.json"
        else:
            name = os.fspath(name)
            if not isinstance(name, str):
                raise TypeError(f"expected a name, a path or a dict, found {name!r}")
            data = json.loads(self._read(name))
            is_path = "/" in name or name.endswith(".json")
            origin = name if is_path else f"python:/{data.get('name', name)}.json"
        super().__init__(data, self)
        object.__setattr__(self, "origin", origin)
        self._check()

    def to_json(self):
        try:
            return json.dumps(self._data, indent=2, allow_nan=False) + "\n"
        except (TypeError, ValueError, RecursionError) as error:
            raise InputError(f"{self.origin}: {error}") from None

    def save(self, path):
        """Writes the file, whole or not at all."""
        _core.write_text(os.fspath(path), self.to_json())

    def copy(self):
        return type(self)(self)

    def __deepcopy__(self, memo):
        return self.copy()

    def __copy__(self):
        return self.copy()

    def __reduce__(self):
        return _restored, (type(self), self.to_dict(), self.origin)

    def __repr__(self):
        return f"<stepcast.{type(self).__name__} {self._data.get('name')!r}>"

    def _repr_html_(self):
        from ._pictures import table
        rows = [{"field": key, "value": value if not isinstance(value, (dict, list)) else json.dumps(value)[:120]}
                for key, value in self._data.items()]
        return table(rows)


def _restored(kind, data, origin):
    value = kind(data)
    object.__setattr__(value, "origin", origin)
    return value


class Cluster(Document):
    """A cluster: by name (``stepcast.names("clusters")``), from a file, or from a dict of one.

    ``cluster.nic.bandwidth = "25Gbps"`` changes it; ``cluster.save("mine.json")`` writes a file that the command line
    reads.
    """

    __slots__ = ()
    _kind = "cluster"

    @staticmethod
    def _read(name):
        return _core.cluster_text(name)

    def _check(self):
        _core.check_cluster(self.to_json(), self.origin)


class Workload(Document):
    """A workload: by name (``stepcast.names("workloads")``), in line (``transformer:...``), from a file or a dict.

    ``workload.layers[3].forward_s = 0.002`` changes it.
    """

    __slots__ = ()
    _kind = "workload"

    @staticmethod
    def _read(name):
        return _core.workload_text(name)

    def _check(self):
        if self._data.get("format") != "stepcast-transformer":
            _core.check_workload(self.to_json(), self.origin)
