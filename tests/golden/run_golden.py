#!/usr/bin/env python3
"""Golden tests: a command line as a user types it, and what it must print.

A case is tests/golden/NAME.cmd, NAME.txt (stdout) and, if something is expected on stderr, NAME.err.
The .cmd file holds lines of directives, then the command (a shell command line, which may go on over
several lines with a backslash):

    # exit 2                    expected exit status; default 0
    # copy data/broken.json     a file of tests/golden to lay into the working folder first
    # root                      the command reads files of the repository by their paths from its root
    # before stepcast derive ...  a command to run first; it must succeed, its output does not count
    # replace REGEX => TEXT     applied to the output (not to the expectation) before the comparison
    stepcast run --workload resnet50-rtx2080ti-bs64

Commands run in an empty folder with the build's bin/ first in PATH. A case that exits with another
status than 0 needs a NAME.err, and no NAME.txt if it prints nothing to stdout.

With --pages every `$ stepcast ...` of a ```console block in these documents must be the command of a case,
and what the page shows below it that case's stdout; a line `...` on the page stands for any number
of lines left out. The files that these commands read must lie in the repository, or be written by a
command before, so that the examples can be pasted into a shell at its root. Links must lead somewhere.
"""
import argparse
import dataclasses
import difflib
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
ROOT_FOLDERS = ("configs", "scripts", "tests", "traces")
READING = ("inspect", "import", "replay", "calibrate", "diagnose")  # whose bare words are files
WRITING = ("-o", "--output", "--timeline", "--figure", "--svg", "--plot", "--csv", "--export-plan")
TIMEOUT_S = 100
HEARTBEAT = r"^stepcast [a-z]+: \d+ s(, .*)?\n"  # "still at work", where the machine is slow
MOST_LINES = 250  # of the first page, which is to be read


@dataclasses.dataclass
class Case:
    path: pathlib.Path
    command: str = ""
    status: int = 0
    copies: list = dataclasses.field(default_factory=list)
    before: list = dataclasses.field(default_factory=list)
    replacements: list = dataclasses.field(default_factory=list)
    at_root: bool = False

    def file(self, suffix):
        return self.path.with_suffix(suffix)

    def expected(self, suffix):
        file = self.file(suffix)
        return file.read_text(encoding="utf-8") if file.exists() else ""


def read_case(path):
    case = Case(path)
    lines = path.read_text(encoding="utf-8").splitlines()
    command = [line for line in lines if not line.startswith("#")]
    case.command = "\n".join(command).strip()
    for line in lines[:len(lines) - len(command)]:
        word, _, rest = line[1:].strip().partition(" ")
        add_directive(case, word, rest.strip())
    if not case.command:
        sys.exit(f"{path}: holds no command")
    return case


def add_directive(case, word, rest):
    if word == "exit":
        case.status = int(rest)
    elif word == "copy":
        case.copies.append(rest)
    elif word == "root":
        case.at_root = True
    elif word == "before":
        case.before.append(rest)
    elif word == "replace":
        pattern, _, text = rest.partition(" => ")
        case.replacements.append((pattern, text))
    else:
        sys.exit(f"{case.path}: unknown directive '# {word}' (exit, copy, root, before, replace)")


def environment(bin_folder, home):
    return {"PATH": f"{bin_folder}:{os.environ.get('PATH', '/usr/bin:/bin')}", "HOME": home, "LC_ALL": "C.UTF-8"}


def execute(command, folder, bin_folder):
    return subprocess.run(["bash", "-c", command], cwd=folder, env=environment(bin_folder, folder), text=True,
                          encoding="utf-8", errors="backslashreplace", stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=TIMEOUT_S)


def run_case(case, bin_folder):
    """Returns (status, stdout, stderr) with the case's replacements applied."""
    with tempfile.TemporaryDirectory(prefix="golden-") as folder:
        for name in ROOT_FOLDERS if case.at_root else ():
            os.symlink(ROOT / name, pathlib.Path(folder) / name)
        for name in case.copies:
            shutil.copy(FOLDER / name, folder)
        for command in case.before:
            first = execute(command, folder, bin_folder)
            if first.returncode != 0:
                sys.exit(f"{case.path.name}: `{command}` exits with {first.returncode}:\n{first.stderr}")
        result = execute(case.command, folder, bin_folder)
    told = re.sub(HEARTBEAT, "", result.stderr, flags=re.M)
    return result.returncode, replaced(case, result.stdout), replaced(case, told)


def replaced(case, text):
    for pattern, replacement in case.replacements:
        text = re.sub(pattern, replacement, text, flags=re.M)
    return text


def difference(name, expected, actual):
    lines = difflib.unified_diff(expected.splitlines(), actual.splitlines(), f"{name} (expected)", "actual", lineterm="")
    return "\n".join(lines) or f"{name}: differs in its last line end"


def check_case(case, bin_folder):
    """Returns the list of faults."""
    status, out, err = run_case(case, bin_folder)
    faults = []
    if status != case.status:
        faults.append(f"{case.path.name}: exits with {status}, expected {case.status}\n{err}")
    if case.status == 0 and not case.file(".txt").exists():
        faults.append(f"{case.file('.txt').name} is missing; write it with --update")
    elif out != case.expected(".txt"):
        faults.append(difference(case.file(".txt").name, case.expected(".txt"), out))
    if case.file(".err").exists() and err != case.expected(".err"):
        faults.append(difference(case.file(".err").name, case.expected(".err"), err))
    if case.status != 0 and not case.file(".err").exists():
        faults.append(f"{case.file('.err').name} is missing; write it with --update")
    return faults


def update_case(case, bin_folder):
    status, out, err = run_case(case, bin_folder)
    if status != case.status:
        return [f"{case.path.name}: exits with {status}, expected {case.status}; not updated\n{err}"]
    if case.status == 0 or out or case.file(".txt").exists():
        case.file(".txt").write_text(out, encoding="utf-8")
    if case.status != 0 or case.file(".err").exists():
        case.file(".err").write_text(err, encoding="utf-8")
    return []


def page_examples(text):
    """The (command, shown output) of every `$ stepcast ...` in the ```console blocks."""
    examples = []
    for block in re.findall(r"^```console\n(.*?)^```", text, re.M | re.S):
        for example in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, shown = split_command(example)
            if command.startswith("stepcast"):
                examples.append((command, shown))
    return examples


def split_command(example):
    lines = example.splitlines(keepends=True)
    length = next((i + 1 for i, line in enumerate(lines) if not line.endswith("\\\n")), len(lines))
    return "".join(lines[:length]).strip(), "".join(lines[length:])


def shows(shown, output):
    """Whether `shown`, where a line `...` stands for any number of lines, is `output`."""
    parts = re.split(r"^\.\.\.\n", shown.rstrip() + "\n", flags=re.M)
    pattern = r"(?:.*\n)*".join(re.escape(part) for part in parts)
    return re.fullmatch(pattern, output.rstrip() + "\n") is not None


def is_read(word, command):
    if word.startswith("-") or "=" in word or word == command:
        return False
    return command in READING or re.search(r"/|\.(json|log|gz|txt|csv|svg)$", word)


def files_of(command):
    """What the command reads and what it writes, as far as a word tells that it is a file."""
    read, written = [], []
    words = shlex.split(command.replace("\\\n", " "))
    for before, word in zip(words, words[1:]):
        if before in WRITING:
            written.append(word)
        elif is_read(word, words[1]) and not before.startswith("-"):
            read.append(word)
    return read, written


def check_files(page, examples, root):
    """The faults of examples that read what is neither below `root` nor written before."""
    faults, there = [], set()
    for command, _ in examples:
        read, written = files_of(command)
        faults += [f"{page}: `{command}`: there is no {name}" for name in read
                   if name not in there and not (root / name).exists()]
        there.update(written)
    return faults


def anchors_of(page):
    titles = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def check_links(page):
    """The faults of links to files and headings that are not there; others' pages are not looked at."""
    faults = []
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        if link.startswith(("https://", "http://")):
            continue
        if not target.exists() or (anchor and anchor not in anchors_of(target)):
            faults.append(f"{page}: the link {link} leads nowhere")
    return faults


def check_length(page, root):
    lines = len(page.read_text(encoding="utf-8").splitlines())
    return [f"{page}: {lines} lines, more than {MOST_LINES}"] if page == root / "README.md" and lines > MOST_LINES else []


def check_page(page, cases, root=ROOT):
    outputs = {case.command: case.expected(".txt") for case in cases}
    examples = page_examples(page.read_text(encoding="utf-8"))
    faults = check_files(page, examples, root) + check_links(page) + check_length(page.resolve(), root)
    for command, shown in examples:
        if command not in outputs:
            faults.append(f"{page}: no case in tests/golden has the command\n  {command}")
        elif not shows(shown, outputs[command]):
            faults.append(f"{page}: `{command}`\n" + difference(page.name, outputs[command], shown))
    return faults


def check_pages(pages, cases):
    shown = any(page_examples(page.read_text(encoding="utf-8")) for page in pages)
    faults = [] if shown else ["the pages show no `$ stepcast ...` in a ```console block"]
    return faults + [fault for page in pages for fault in check_page(page, cases)]


def faults_of(check, case, bin_folder):
    """One that cannot be run does not hide those behind it."""
    try:
        return check(case, bin_folder)
    except subprocess.TimeoutExpired as expired:
        return [f"{case.path.name}: not over after {expired.timeout:g} s"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="cases (default: all)")
    parser.add_argument("--bin", type=pathlib.Path, help="folder of the stepcast program to test",
                        default=FOLDER.parents[1] / "build/release/bin")
    parser.add_argument("--update", action="store_true", help="write what is printed now as the expectation")
    parser.add_argument("--pages", "--readme", type=pathlib.Path, nargs="+",
                        help="check these documents against the cases, and run nothing")
    arguments = parser.parse_args()
    names = arguments.names or sorted(p.stem for p in FOLDER.glob("*.cmd"))
    cases = [read_case(FOLDER / f"{name}.cmd") for name in names]
    if arguments.pages:
        faults = check_pages(arguments.pages, cases)
    else:
        check = update_case if arguments.update else check_case
        faults = [fault for case in cases for fault in faults_of(check, case, arguments.bin.resolve())]
    print("\n".join(faults) or "all agree")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
