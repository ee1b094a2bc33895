"""The pictures of trained memories in the documentation.

    python tools/traced.py [MODEL...]

trains each model, by default all, and draws what the best of its runs does with a string as docs/pictures/trace-MODEL.svg. Each
takes less than a minute of a core: sizes, rates and rows are not the papers'.
"""

import json
import shlex
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

PICTURES = Path(__file__).parents[1] / "docs" / "pictures"

SHOWN = {
    "stack-rnn": ("dyck2", "( [ ( ) ] ) [ ]", "--runs 1"),
    "baby-ntm": ("dyck2", "( [ ( ) ] ) [ ]", "--runs 1"),
    "joulin-stack-rnn-20-2": ("anbncn", "a a a a b b b b c c c c", "--runs 8 --epochs 20 --rows 1000"),
    "neural-stack-lstm": (
        "dyck2--lm",
        "( [ ( ) ] ) [ ]",
        "--runs 8 --epochs 6 --hidden 8 --memory-width 4 --learning-rate 0.01",
    ),
    "russ": ("dyck5", "( [ ( ) ] ) [ ]", "--runs 8 --rows 10240 --epochs 20 --batch 32 --learning-rate 0.01"),
}
"""Model -> the task that it is trained on, the string, and how it is trained."""


def marnn(*arguments: object) -> None:
    """Run a command of the program."""
    subprocess.run([sys.executable, "-m", "marnn_bench", *map(str, arguments)], check=True)


def draw(model: str, folder: Path) -> None:
    """Train a model into a folder, and draw what it does."""
    task, string, options = SHOWN[model]
    marnn("train", model, "--task", task, *shlex.split(options), "--out", folder)
    selected = json.loads((folder / "training.json").read_bytes())["selected"] or {"best_run": 0}
    run = selected["best_run"]
    marnn("trace", folder, string, "--run", run, "--out", PICTURES / f"trace-{model}.svg")


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        for model in sys.argv[1:] or SHOWN:
            draw(model, Path(folder, model))
