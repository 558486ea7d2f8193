"""Results in a notebook: a table and a picture (SVG), and pictures by matplotlib."""
import html as _html

_COLOURS = ("#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#b07aa1", "#76b7b2", "#edc948", "#9c755f")
_MOST_ROWS = 60
_COLUMNS = ("schedule.name", "gpus", "iteration_time_s", "speedup", "throughput_samples_per_s", "scaling_efficiency",
            "bytes_sent_per_gpu", "memory.total_bytes")


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


def parts_of(row):
    """Where the time of a step goes: (name, seconds)."""
    parts = []
    for key, value in row.get("breakdown", {}).items():
        if isinstance(value, dict):
            parts += [(f"{key.removesuffix('_s').replace('_', ' ')}: {each}", time) for each, time in value.items()]
        else:
            parts.append((key.removesuffix("_s").replace("_", " "), value))
    return [(name, time) for name, time in parts if time > 0]


def name_of(row):
    if "combination" in row:
        return ", ".join(map(str, row["combination"].values()))
    for key in ("schedule", "algorithm", "trial", "name", "what"):
        if key in row:
            return str(row[key]["name"] if isinstance(row[key], dict) else row[key])
    return ""


def bars_of(result):
    """(name of the bar, its parts) for each row that has a time."""
    bars = []
    for row in result.first_rows(_MOST_ROWS):
        time = row.get("iteration_time_s", row.get("time_s"))
        if isinstance(time, (int, float)):
            bars.append((name_of(row), parts_of(row) or [("time", time)]))
    return bars


def svg(bars):
    """Horizontal bars, stacked of their parts, with a legend."""
    if not bars:
        return ""
    longest = max(sum(time for _, time in parts) for _, parts in bars) or 1
    names = list(dict.fromkeys(name for _, parts in bars for name, _ in parts))
    colours = {name: _COLOURS[i % len(_COLOURS)] for i, name in enumerate(names)}
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
                  **{key: row[key] for key in _COLUMNS if key in row}} for row in rows]
    else:
        shown = rows
    if list(shown[0]) == ["text"]:
        return f"<pre>{_html.escape(result.text)}</pre>"
    rest = f"<p>the first {len(rows)} rows; each_row() gives all</p>" if result.is_long else ""
    return table(shown) + rest + svg(bars_of(result))


def plot(result, axes=None):
    import matplotlib.pyplot
    if axes is None:
        axes = matplotlib.pyplot.subplots()[1]
    rows = result.first_rows(_MOST_ROWS) if result.is_long else result.rows
    if rows and "value" in rows[0] and "iteration_time_s" in rows[0]:
        axes.plot([row["value"] for row in rows], [row["iteration_time_s"] * 1e3 for row in rows], "o")
        axes.set_xlabel(result.to_dict().get("option", "value"))
        axes.set_ylabel("ms")
        return axes
    bars = bars_of(result)
    labels = [f"{number + 1} {name}" for number, (name, _) in enumerate(bars)]
    left = [0.0] * len(bars)
    for number, part in enumerate(dict.fromkeys(name for _, parts in bars for name, _ in parts)):
        times = [dict(parts).get(part, 0) * 1e3 for _, parts in bars]
        axes.barh(labels, times, left=left, label=part, color=_COLOURS[number % len(_COLOURS)])
        left = [a + b for a, b in zip(left, times)]
    axes.invert_yaxis()
    axes.set_xlabel("ms")
    if bars:
        axes.legend()
    return axes
