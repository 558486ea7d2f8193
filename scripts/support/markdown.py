"""Tables in Markdown."""


def head(*columns):
    """The first two lines of a table. A column whose name begins with ">" is aligned to the right."""
    names = "".join(f" {name.removeprefix('>')} |" if name else " |" for name in columns)
    return f"|{names}\n|{''.join('---:|' if name.startswith('>') else '---|' for name in columns)}"


def row(*cells):
    return f"| {' | '.join(map(str, cells))} |"


def write(text):
    """Prints at once: a table may take minutes."""
    print(text, flush=True)


def percent(value, sign=""):
    return f"{100 * value:{sign}.1f} %"


def error(predicted, measured):
    """The error of a prediction, as "+1.2 %"."""
    return percent(predicted / measured - 1, "+")
