"""The notebooks of the docs run from the first cell to the last, and link to what is there."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

FOLDER = Path(__file__).parent.parent / "docs" / "notebooks"
NAMES = sorted(path.name for path in FOLDER.glob("*.ipynb"))


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_runs(name, tmp_path, monkeypatch):
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    # short: the path of a socket has at most 107 bytes
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(FOLDER.parent.parent))
    notebook = nbformat.read(FOLDER / name, as_version=4)
    client = NotebookClient(notebook, timeout=120, kernel_name="python3")
    client.create_kernel_manager()
    client.km.transport = "ipc"  # no ports: tests have no network
    client.km.ip = str(tmp_path / "k")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of Jupyter's own
        client.execute()
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(cell.execution_count for cell in cells)
    said = [output for cell in cells for output in cell.outputs]
    assert not [output for output in said if output.output_type == "error"]
    assert not [output for output in said if output.get("name") == "stderr"]


@pytest.mark.parametrize("name", NAMES)
def test_links_lead_somewhere_and_outputs_are_not_kept(name):
    notebook = nbformat.read(FOLDER / name, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            for target in re.findall(r"\]\(([^)#]+)\)", cell.source):
                assert (FOLDER / target).exists(), target
        else:
            assert cell.outputs == []


def test_there_are_notebooks():
    assert len(NAMES) == 4
