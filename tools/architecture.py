"""What imports what, room by room: the rules, the picture, and the table of docs/architecture.md.

    python tools/architecture.py

draws docs/pictures/architecture.svg and writes the table anew.
"""

import ast
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

from generated import with_part

ROOT = Path(__file__).parents[1]
SETUPTOOLS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
FOLDERS: Mapping[str, str] = {folder: package for package, folder in SETUPTOOLS["package-dir"].items()}
PICTURE = ROOT / "docs" / "pictures" / "architecture.svg"
PAGE = ROOT / "docs" / "architecture.md"


@dataclass(frozen=True)
class Room:
    """A folder of source files.

    above:  what it may import, and with it all that those may import
    first:  the file to open first
    """

    above: tuple[str, ...]
    first: str


ROOMS = {
    "generators/kernels": Room((), "philox.py"),
    "generators": Room(("generators/kernels",), "language.py"),
    "generators/devices": Room(("generators",), "pushdown.py"),
    "generators/sampling": Room(("generators",), "distinct.py"),
    "generators/languages": Room(("generators/devices", "generators/sampling"), "dyck.py"),
    "benchmark": Room(("generators/sampling",), "task.py"),
    "benchmark/tasks": Room(("benchmark", "generators/languages"), "suzgun2019.py"),
    "benchmark/scoring": Room(("benchmark", "generators/languages"), "metrics.py"),
    "benchmark/store": Room(("benchmark/tasks", "benchmark/scoring"), "write.py"),
    "benchmark/processes": Room(("benchmark",), "launch.py"),
    "benchmark/asking": Room(("benchmark/store", "benchmark/processes"), "protocol.py"),
    "benchmark/adapters": Room(("benchmark/asking",), "torch_module.py"),
    "benchmark/evaluation": Room(("benchmark/asking",), "evaluator.py"),
    "benchmark/rescoring": Room(("benchmark/evaluation",), "rescore.py"),
    "benchmark/gallery": Room(("benchmark/store",), "description.py"),
    "benchmark/hub": Room(("benchmark/gallery",), "release.py"),
    "benchmark/commands": Room(("benchmark/rescoring", "benchmark/hub"), "generate.py"),
    "benchmark/library": Room(("benchmark/commands",), "evaluate.py"),
    "baselines/cells": Room(("generators",), "cell.py"),
    "baselines": Room(("baselines/cells", "benchmark"), "baseline.py"),
    "baselines/automata": Room(("baselines", "generators/devices"), "machine.py"),
    "baselines/models": Room(("baselines/automata",), "suzgun2019.py"),
    "baselines/engine/codegen": Room(("baselines",), "trace.py"),
    "baselines/engine": Room(("baselines/engine/codegen",), "program.py"),
    "baselines/stream": Room(("baselines/engine",), "rule.py"),
    "baselines/rules": Room(("baselines",), "rules.py"),
    "baselines/training": Room(
        ("baselines/models", "baselines/rules", "baselines/stream", "benchmark/evaluation"), "loop.py"
    ),
    "baselines/traces": Room(("baselines/training", "benchmark/commands"), "recording.py"),
    "baselines/pruning": Room(("baselines/training",), "search.py"),
    "baselines/commands": Room(("baselines/pruning", "baselines/traces"), "train.py"),
    "leaderboard": Room(("benchmark/commands",), "boards.py"),
    "leaderboard/pictures": Room(("leaderboard",), "curves.py"),
    "leaderboard/report": Room(("leaderboard/pictures",), "page.py"),
    "leaderboard/exchange": Room(
        ("leaderboard", "baselines/training", "benchmark/adapters"), "every_eval_ever.py"
    ),
    "leaderboard/standings": Room(("leaderboard",), "rankings.py"),
    "leaderboard/validation": Room(("leaderboard/standings",), "checking.py"),
    "leaderboard/site": Room(("leaderboard/pictures", "leaderboard/standings"), "pages.py"),
    "leaderboard/commands": Room(
        ("leaderboard/report", "leaderboard/exchange", "leaderboard/site", "leaderboard/validation"),
        "leaderboard.py",
    ),
    "leaderboard/reproduce": Room(("leaderboard/pictures", "baselines/traces"), "tables.py"),
}
"""From below to above. The command line finds commands by name, so that nothing imports them."""


# -- the imports


def sources() -> list[Path]:
    """Every source file of the package."""
    return [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]


def module_of(path: Path) -> str:
    """The name that a source file is imported by."""
    folder, *rest = path.relative_to(ROOT).with_suffix("").parts
    return ".".join([FOLDERS[folder], *(part for part in rest if part != "__init__")])


def room_of(path: Path) -> str:
    """The room that a source file lies in."""
    return str(path.relative_to(ROOT).parent)


@cache
def imports() -> dict[Path, frozenset[Path]]:
    """The source files that each one imports, type checking included; packages that hand out names lazily are left out."""
    files = {module_of(path): path for path in sources()}
    return {
        path: frozenset(files[name] for name in _imported(path, files) if files[name] != path)
        for path in files.values()
        if path.name != "__init__.py"
    }


def _imported(path: Path, files: Mapping[str, Path]) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in files)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                module = f"{node.module}.{alias.name}"
                yield from [module] if module in files else [node.module] if node.module in files else []


def room_imports() -> dict[str, set[str]]:
    """The other rooms that each room imports."""
    found: dict[str, set[str]] = {room_of(path): set() for path in imports()}
    for path, imported in imports().items():
        found[room_of(path)] |= {room_of(other) for other in imported} - {room_of(path)}
    return found


def allowed(room: str) -> set[str]:
    """All rooms that a room may import."""
    return {above for direct in ROOMS[room].above for above in {direct, *allowed(direct)}}


# -- the picture

COLOURS = {"generators": "#009E73", "benchmark": "#0072B2", "baselines": "#D55E00", "leaderboard": "#CC79A7"}
BOX, STEP, MARGIN = (168, 44), (196, 84), 20  # pixels: width, height
SVG = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" \
font-family="Helvetica, Arial, sans-serif" text-anchor="middle" fill="white">
<defs><marker id="head" markerWidth="6" markerHeight="6" refX="5" refY="3" orient="auto">\
<path d="M0,0 L6,3 L0,6 z" fill="#666666"/></marker></defs>
<rect width="{width:.0f}" height="{height:.0f}"/>
{content}
</svg>
"""
ARROW = """\
<path d="M{x:.0f},{y:.0f} C{x:.0f},{out:.0f} {to_x:.0f},{into:.0f} {to_x:.0f},{to_y:.0f}" \
fill="none" stroke="#666666" stroke-width="1.3" marker-end="url(#head)"/>"""
ROOM_BOX = f"""\
<rect x="{{x:.0f}}" y="{{y:.0f}}" width="{BOX[0]}" height="{BOX[1]}" rx="6" fill="{{colour}}"/>
<text x="{{middle:.0f}}" y="{{title:.0f}}" font-size="14" font-weight="bold">{{room}}/</text>
<text x="{{middle:.0f}}" y="{{subtitle:.0f}}" font-size="11">{{files}}</text>"""


def layers(edges: Mapping[str, set[str]]) -> dict[str, int]:
    """How far above the rooms that import nothing each room lies; graphlib.CycleError for a circle."""
    found: dict[str, int] = {}
    for room in TopologicalSorter(edges).static_order():
        found[room] = 1 + max((found[other] for other in edges[room]), default=-1)
    return found


def direct(edges: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """The edges without those that follow from others."""

    def reached(room: str) -> set[str]:
        return edges[room].union(*(reached(other) for other in edges[room]))

    return {room: others.difference(*map(reached, others)) for room, others in edges.items()}


def places(edges: Mapping[str, set[str]]) -> dict[str, tuple[float, int]]:
    """Column and layer of each room: below the middle of what imports it, side by side in its layer."""
    layer, columns = layers(edges), dict[str, float]()
    for level in range(max(layer.values()), -1, -1):
        wanted = {}
        for room in (room for room in ROOMS if layer.get(room) == level):
            above = [columns[other] for other in edges if room in edges[other]]
            wanted[room] = sum(above) / len(above) if above else 3.0 * (room.split("/")[0] != "baselines")
        right = -1.0
        for room in sorted(wanted, key=lambda room: (wanted[room], [*ROOMS].index(room))):
            columns[room] = right = max(wanted[room], right + 1)
    return {room: (columns[room], layer[room]) for room in columns}


def draw() -> str:
    """The picture as SVG: boxes for rooms, arrows for imports, all of which point down."""
    edges = direct(room_imports())
    at = places(edges)
    top = max(layer for _, layer in at.values())
    corner = {
        room: (MARGIN + column * STEP[0], MARGIN + (top - layer) * STEP[1])
        for room, (column, layer) in at.items()
    }
    arrows = [_arrow(corner[room], corner[other]) for room in edges for other in sorted(edges[room])]
    boxes = [_box(room, *corner[room]) for room in corner]
    return SVG.format(
        width=max(x for x, _ in corner.values()) + BOX[0] + MARGIN,
        height=max(y for _, y in corner.values()) + BOX[1] + MARGIN,
        content="\n".join(arrows + boxes),
    )


def _arrow(importer: tuple[float, float], imported: tuple[float, float]) -> str:
    """From the lower edge of one box to the upper edge of another."""
    (x, y), (to_x, to_y) = importer, imported
    x, to_x, y = x + BOX[0] / 2, to_x + BOX[0] / 2, y + BOX[1]
    bend = (to_y - y) / 2
    return ARROW.format(x=x, y=y, to_x=to_x, to_y=to_y, out=y + bend, into=to_y - bend)


def _box(room: str, x: float, y: float) -> str:
    files = sum(room_of(path) == room for path in imports())
    return ROOM_BOX.format(
        room=room,
        files="1 file" if files == 1 else f"{files} files",
        colour=COLOURS[room.split("/")[0]],
        x=x,
        y=y,
        middle=x + BOX[0] / 2,
        title=y + 19,
        subtitle=y + 35,
    )


# -- the table


def table() -> str:
    """For each room what it says, what it may import, which file to open first."""
    lines = ["| room | what it says | may import | open first |", "|---|---|---|---|"]
    for name, room in ROOMS.items():
        text = ast.get_docstring(ast.parse((ROOT / name / "__init__.py").read_text())) or ""
        says = re.split(r"\.(?:\s|$)", text.replace("\n", " "))[0]
        above = ", ".join(f"`{other}`" for other in room.above) or "nothing of ours"
        lines.append(f"| `{name}/` | {says} | {above} | [{room.first}](../{name}/{room.first}) |")
    return "\n".join(lines)


def page() -> str:
    """docs/architecture.md with the table as it is now."""
    return with_part(PAGE, "rooms", table())


if __name__ == "__main__":
    PICTURE.write_text(draw())
    PAGE.write_text(page())
