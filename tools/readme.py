"""The table of tasks in the README.

    python tools/readme.py

writes it anew.
"""

from collections.abc import Iterator
from pathlib import Path

from generated import with_part
from marnn_bench.tasks.registry import builtin_modules

README = Path(__file__).parents[1] / "README.md"


def rows() -> Iterator[str]:
    """The lines of the table."""
    yield "| paper | tasks |"
    yield "|---|---|"
    for module in builtin_modules():
        yield f"| {module.PAPER.name} | {' '.join(f'`{task.name}`' for task in module.TASKS)} |"


def readme() -> str:
    """README.md with the table as it is now."""
    return with_part(README, "tasks", "\n".join(rows()))


if __name__ == "__main__":
    README.write_text(readme())
