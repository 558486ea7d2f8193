"""What results, clusters and workloads have in common: objects of JSON whose keys are attributes."""
import copy


class Fields:
    """A dict whose keys are attributes. Inner dicts are what `_inner` makes of them, lists are tuples."""

    __slots__ = ("_data",)

    def __init__(self, data):
        object.__setattr__(self, "_data", data)

    def _inner(self, data):
        return type(self)(data)

    def _seen(self, value):
        if isinstance(value, dict):
            return self._inner(value)
        if isinstance(value, list):
            return tuple(self._seen(each) for each in value)
        return value

    def _lacks(self, name):
        return f"there is no {name!r} here; there are {', '.join(self._data)}"

    def __getattr__(self, name):
        if name.startswith("__") or name in ("_data", "_root"):
            raise AttributeError(name)
        try:
            return self._seen(self._data[name])
        except KeyError:
            raise AttributeError(self._lacks(name)) from None

    def __getitem__(self, name):
        return self._seen(self._data[name])

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
        return isinstance(other, Fields) and self._data == other._data

    __hash__ = None

    def __repr__(self):
        return repr(self._data)

    def to_dict(self):
        return copy.deepcopy(self._data)
