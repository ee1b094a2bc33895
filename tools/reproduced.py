"""The tables of docs/baselines.md, of what `marnn-bench reproduce` wrote as table.json.

    cp runs/suzgun2019-table2/table.json docs/reproduced/suzgun2019-table2.json
    python tools/reproduced.py

writes them anew, and the pictures of grids and of the matrix.
"""

import json
from collections.abc import Iterator
from pathlib import Path

from generated import with_part
from marnn_bench.leaderboard.reproduce.printing import is_grid, is_matrix, section_of, title_of
from marnn_bench.leaderboard.reproduce.tables import REPRODUCTIONS
from marnn_bench.scoring.metrics import Record

DOCS = Path(__file__).parents[1] / "docs"
PAGE, RECORDS, PICTURES = DOCS / "baselines.md", DOCS / "reproduced", DOCS / "pictures"


def records() -> Iterator[Record]:
    """What is there, in the order in which the command lists them."""
    for reproduction in REPRODUCTIONS:
        if (path := RECORDS / f"{reproduction.folder}.json").exists():
            yield json.loads(path.read_bytes())


def section(record: Record) -> str:
    """A table, or the picture of a grid, or both of a matrix."""
    title, name = title_of(record), record["name"]
    picture = f"![{title}](pictures/{name}.svg)"
    shown = picture if is_grid(record) else section_of(record)
    if is_matrix(record):
        shown = f"{shown}\n\n{picture}"
    preset = f"--preset {record['preset']} " if "preset" in record else ""
    return f"## {title}\n\n`marnn-bench reproduce {name} {preset}--runs {record['options']['runs']}`\n\n{shown}\n"


def page() -> str:
    """docs/baselines.md with the tables as they are now."""
    return with_part(PAGE, "reproduced", "\n".join(map(section, records())))


def draw_pictures() -> None:
    """Those of grids and of the matrix."""
    from marnn_bench.leaderboard.reproduce import matrix_picture, picture

    for record in records():
        if is_grid(record) or is_matrix(record):
            draw = picture.draw if is_grid(record) else matrix_picture.draw
            draw(record, PICTURES / f"{record['name']}.svg")


if __name__ == "__main__":
    draw_pictures()
    PAGE.write_text(page())
