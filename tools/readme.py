"""The table of tasks in the README.

    python tools/readme.py

writes it anew.
"""

import re
from collections.abc import Iterator
from pathlib import Path

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
    marked = re.compile(r"(?<=<!-- tasks -->\n).*?(?=\n<!-- /tasks -->)", re.DOTALL)
    return marked.sub(lambda _: "\n".join(rows()), README.read_text())


if __name__ == "__main__":
    README.write_text(readme())
