"""The pictures of trained memories in the documentation.

    python tools/traced.py

trains each model once and draws what it does with a string as docs/pictures/trace-MODEL.svg.
"""

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

PICTURES = Path(__file__).parents[1] / "docs" / "pictures"

SHOWN = {
    "stack-rnn": ("dyck2", "( [ ( ) ] ) [ ]"),
    "baby-ntm": ("dyck2", "( [ ( ) ] ) [ ]"),
}
"""Model -> the task that it is trained on, and the string."""


def marnn(*arguments: object) -> None:
    """Run a command of the program."""
    subprocess.run([sys.executable, "-m", "marnn_bench", *map(str, arguments)], check=True)


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        for model, (task, string) in SHOWN.items():
            trained = Path(folder, model)
            marnn("train", model, "--task", task, "--runs", 1, "--out", trained)
            marnn("trace", trained, string, "--out", PICTURES / f"trace-{model}.svg")
