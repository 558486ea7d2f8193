"""The notebooks run: their cells everywhere, and as a notebook where Jupyter's packages are."""
import json
import warnings

import pytest

from conftest import ROOT

NOTEBOOKS = sorted((ROOT / "sim/python/notebooks").glob("*.ipynb"))


def test_there_are_three():
    assert len(NOTEBOOKS) == 3


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_its_cells_run_and_show_something(path):
    names = {"__name__": "__main__"}
    shown = 0
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] != "code":
            continue
        assert cell["outputs"] == [], "clear the outputs before you commit a notebook"
        *body, last = "".join(cell["source"]).split("\n")
        lines = "\n".join(body)
        try:
            compile(last, str(path), "eval")
            compile(lines, str(path), "exec")
        except SyntaxError:
            exec(compile("\n".join([*body, last]), str(path), "exec"), names)
            continue
        exec(compile(lines, str(path), "exec"), names)
        value = eval(last, names)
        shown += hasattr(value, "_repr_html_") and "<table" in value._repr_html_()
    assert shown >= 1


@pytest.mark.filterwarnings("default")  # Jupyter's own
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_runs_as_a_notebook(path, tmp_path, monkeypatch):
    nbclient = pytest.importorskip("nbclient", reason="needs python3-nbclient")
    pytest.importorskip("ipykernel", reason="needs python3-ipykernel")
    nbformat = pytest.importorskip("nbformat")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PYTHONWARNINGS", "default")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        done = nbclient.NotebookClient(nbformat.read(path, as_version=4), timeout=240, kernel_name="python3").execute()
    pages = [output["data"]["text/html"] for cell in done.cells for output in cell.get("outputs", [])
             if "text/html" in output.get("data", {})]
    assert any("<table" in page for page in pages)
