"""Run docs/quickstart.ipynb and keep what it prints.

python tools/quickstart.py
"""

import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).parents[1] / "docs" / "quickstart.ipynb"


def executed() -> nbformat.NotebookNode:
    """The notebook with its outputs, run in an empty folder."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        NotebookClient(notebook, timeout=120, resources={"metadata": {"path": folder}}).execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # when each cell was run
    return notebook


if __name__ == "__main__":
    nbformat.write(executed(), NOTEBOOK)
