"""The table of tasks in the README.

    python tools/readme.py

writes it anew. A paper is named by the first words of its module's docstring: its authors and the year.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from marnn_bench.tasks.registry import builtin_modules

README = Path(__file__).parents[1] / "README.md"


def cited(docstring: str) -> str:
    """A paper as a text cites it.

    >>> cited("Suzgun, Gehrmann, Belinkov & Shieber 2019: six tasks"), cited("Joulin & Mikolov 2015: patterns")
    ('Suzgun et al. 2019', 'Joulin & Mikolov 2015')
    """
    begins = re.match(r"(?P<authors>\D+) (?P<year>\d{4}[a-z]?)\b", docstring)
    if begins is None:
        sys.exit(
            f"`{docstring.splitlines()[0]}`: a module of tasks begins with authors and year: Name & Name 2020: ..."
        )
    authors = re.split(r", | & ", begins["authors"])
    return f"{authors[0] + ' et al.' if len(authors) > 2 else begins['authors']} {begins['year']}"


def rows() -> Iterator[str]:
    """The lines of the table."""
    yield "| paper | tasks |"
    yield "|---|---|"
    for module in builtin_modules():
        yield f"| {cited(module.__doc__ or '')} | {' '.join(f'`{task.name}`' for task in module.TASKS)} |"


def readme() -> str:
    """README.md with the table as it is now."""
    marked = re.compile(r"(?<=<!-- tasks -->\n).*?(?=\n<!-- /tasks -->)", re.DOTALL)
    return marked.sub(lambda _: "\n".join(rows()), README.read_text())


if __name__ == "__main__":
    README.write_text(readme())
