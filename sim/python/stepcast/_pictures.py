"""Results in a notebook: a table and a picture (SVG), and pictures by matplotlib."""
import html as _html
import itertools

from . import _core
from ._errors import InputError

_COLOURS = _core.palette
_MOST_ROWS = 60
# Parts of the time of a rank or a device, which add up, where a row has no breakdown.
_PARTS = ("compute_s", "upload_s", "computing_s", "exposed_communication_s", "copies_alone_s", "waiting_s", "idle_for_host_s")


def _shown(value):
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def table(rows):
    """Rows (dicts) as a table of HTML."""
    columns = list(dict.fromkeys(key for row in rows for key in row))
    head = "".join(f"<th>{_html.escape(str(each))}</th>" for each in columns)
    body = "".join("<tr>" + "".join(f"<td>{_html.escape(_shown(row.get(each, '')))}</td>" for each in columns) + "</tr>"
                   for row in rows[:_MOST_ROWS])
    rest = f"<p>and {len(rows) - _MOST_ROWS} more rows</p>" if len(rows) > _MOST_ROWS else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{rest}"


def colour_of(kind, number):
    """The colour of a kind of work, or of its part or whole in a label such as "other compute: packing"; of an unknown kind
    that of the number."""
    whole, _, part = kind.partition(": ")
    known = (_core.colours.get(each) for each in (kind, part, whole))
    return next(filter(None, known), _COLOURS[number % len(_COLOURS)])


def parts_of(row):
    """Where the time of a step goes: (name, seconds)."""
    parts = []
    for key, value in row.get("breakdown", {}).items():
        name = _core.step_parts.get(key, key)
        parts += [(f"{name}: {each}", time) for each, time in value.items()] if isinstance(value, dict) else [(name, value)]
    for key in _PARTS if not parts else ():
        if isinstance(row.get(key), (int, float)):
            parts.append((key.removesuffix("_s").replace("_", " "), row[key]))
    return [(name, time) for name, time in parts if time > 0]


def name_of(row):
    if "combination" in row:
        return ", ".join(map(str, row["combination"].values()))
    for key in ("schedule", "algorithm", "trial", "name", "what", "part", "device", "rank"):
        if key in row:
            return str(row[key]["name"] if isinstance(row[key], dict) else row[key])
    return ""


def bars_of(result):
    """(name of the bar, its parts) for each row that has a time."""
    bars = []
    for row in result.first_rows(_MOST_ROWS):
        time = row.get("iteration_time_s", row.get("time_s"))
        parts = parts_of(row)
        if parts or isinstance(time, (int, float)):
            bars.append((name_of(row), parts or [("time", time)]))
    return bars


def svg(bars):
    """Horizontal bars, stacked of their parts, with a legend."""
    if not bars:
        return ""
    longest = max(sum(time for _, time in parts) for _, parts in bars) or 1
    names = list(dict.fromkeys(name for _, parts in bars for name, _ in parts))
    colours = {name: colour_of(name, i) for i, name in enumerate(names)}
    lines = []
    for number, (label, parts) in enumerate(bars):
        top, left = 4 + 22 * number, 220.0
        lines.append(f'<text x="214" y="{top + 13}" text-anchor="end">{_html.escape(label[:34])}</text>')
        for name, time in parts:
            width = 420 * time / longest
            lines.append(f'<rect x="{left:.2f}" y="{top}" width="{width:.2f}" height="17" fill="{colours[name]}">'
                         f"<title>{_html.escape(name)}: {time * 1e3:.3f} ms</title></rect>")
            left += width
        total = sum(time for _, time in parts)
        lines.append(f'<text x="{left + 6:.2f}" y="{top + 13}">{total * 1e3:.2f} ms</text>')
    top = 14 + 22 * len(bars)
    for number, name in enumerate(names):
        y = top + 18 * number
        lines.append(f'<rect x="220" y="{y}" width="11" height="11" fill="{colours[name]}"/>'
                     f'<text x="237" y="{y + 10}">{_html.escape(name)}</text>')
    height = top + 18 * len(names) + 4
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="760" height="{height}" font-family="sans-serif" '
            f'font-size="12">{"".join(lines)}</svg>')


def html(result):
    from ._results import flat
    rows = [flat(row) for row in (result.first_rows(_MOST_ROWS) if result.is_long else result.rows)]
    if any("iteration_time_s" in row for row in rows):
        shown = [{**{key: row[key] for key in row if key.startswith("combination.")},
                  **{key: row[key] for key in _core.columns if key in row}} for row in rows]
    else:
        shown = rows
    if list(shown[0]) == ["text"]:
        return f"<pre>{_html.escape(result.text)}</pre>"
    rest = f"<p>the first {len(rows)} rows; each_row() gives all</p>" if result.is_long else ""
    return table(shown) + rest + svg(bars_of(result))


def _plot_tuning(axes, result, rows):
    axes.plot([row["value"] for row in rows], [row["iteration_time_s"] * 1e3 for row in rows], "o")
    axes.set_xlabel(result.to_dict().get("option", "value"))
    axes.set_ylabel("ms")


def _asked(result, option):
    """The key that a view of a study asks for, if its picture has one: "nodes" of --across."""
    given = result._given.get(option)
    return given[0] if given else None


def _plot_across(axes, result, rows):
    key = _asked(result, "--across")
    lines = {}
    for row in rows:
        cells = [value for name, value in row["combination"].items() if name != key]
        lines.setdefault(" ".join(cells), []).append(row)
    for name, of in lines.items():
        axes.plot([row["combination"][key] for row in of], [row["iteration_time_s"] * 1e3 for row in of], "o-", label=name)
    axes.set_xlabel(key)
    axes.set_ylabel("ms")
    axes.legend()


def _plot_map(axes, result, rows):
    key = _asked(result, "--map")
    of_job = [name for name in itertools.takewhile(lambda name: name != "schedule", rows[0]["combination"])
              if name != key and len({row["combination"][name] for row in rows}) > 1]
    best = {}
    values = [value for value in dict.fromkeys(row["combination"][key] for row in rows) if value != "-"]
    for row in rows:
        job = " ".join(row["combination"][name] for name in of_job)
        for value in values if row["combination"][key] == "-" else [row["combination"][key]]:
            if (job, value) not in best or row["throughput_samples_per_s"] > best[job, value]["throughput_samples_per_s"]:
                best[job, value] = row
    for number, name in enumerate(dict.fromkeys(row["schedule"]["name"] for row in best.values())):
        of = [place for place, row in best.items() if row["schedule"]["name"] == name]
        axes.scatter([value for _, value in of], [job for job, _ in of], label=name, color=_COLOURS[number % len(_COLOURS)])
    axes.set_xlabel(key)
    axes.legend(title="fastest")


def _plot_validation(axes, _result, rows):
    measured, predicted = ([row[key] * 1e3 for row in rows] for key in ("measured_s", "predicted_s"))
    axes.scatter(measured, predicted)
    ends = [min(measured + predicted), max(measured + predicted)]
    axes.plot(ends, ends, color="grey")
    axes.set(xscale="log", yscale="log", xlabel="measured, ms", ylabel="predicted, ms")


def _plot_gate(axes, _result, rows):
    labels = [str(row.get("case", number)) for number, row in enumerate(rows)]
    for offset, key in ((-0.2, "before_s"), (0.2, "now_s")):
        axes.barh([number + offset for number in range(len(rows))], [(row.get(key) or 0) * 1e3 for row in rows], height=0.4,
                  label=key.removesuffix("_s"))
    axes.set_yticks(range(len(rows)), labels)
    axes.invert_yaxis()
    axes.set_xlabel("ms")
    axes.legend()


def _plot_goodput(axes, _result, rows):
    shares = {"useful": rows[0]["efficiency"], **rows[0]["shares"]}
    axes.barh(list(shares), [100 * share for share in shares.values()])
    axes.invert_yaxis()
    axes.set_xlabel("% of the time")


# What rows of a shape of their own are drawn by: the keys that tell, and the function.
_PLOTS = (
    (("value", "iteration_time_s"), _plot_tuning),
    (("measured_s", "predicted_s"), _plot_validation),
    (("before_s", "now_s"), _plot_gate),
    (("efficiency", "shares"), _plot_goodput),
)


def _plot_bars(axes, bars):
    labels = [f"{number + 1} {name}" for number, (name, _) in enumerate(bars)]
    left = [0.0] * len(bars)
    for number, part in enumerate(dict.fromkeys(name for _, parts in bars for name, _ in parts)):
        times = [dict(parts).get(part, 0) * 1e3 for _, parts in bars]
        axes.barh(labels, times, left=left, label=part, color=colour_of(part, number))
        left = [a + b for a, b in zip(left, times)]
    axes.invert_yaxis()
    axes.set_xlabel("ms")
    axes.legend()


def plot(result, axes=None):
    import matplotlib.pyplot
    rows = result.first_rows(_MOST_ROWS) if result.is_long else result.rows
    views = {"--across": _plot_across, "--map": _plot_map}
    shape = next((draw for option, draw in views.items() if _asked(result, option) in rows[0].get("combination", ())), None)
    shape = shape or next((draw for keys, draw in _PLOTS if rows and all(key in rows[0] for key in keys) and
                  not isinstance(rows[0].get("schedule"), dict)), None)
    bars = bars_of(result) if shape is None else []
    if shape is None and not bars:
        raise InputError(f"plot: there is no picture of a result of {result.command}; to_dataframe() gives its numbers")
    if axes is None:
        axes = matplotlib.pyplot.subplots()[1]
    if shape is None:
        _plot_bars(axes, bars)
    else:
        shape(axes, result, rows)
    return axes
