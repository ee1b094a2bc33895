"""The folder of the site: pages, one copy of what draws their pictures, and all that they show as files to download."""

import json
import shutil
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import jinja2

from marnn_bench import __version__
from marnn_bench.errors import UsageError
from marnn_bench.evaluation.records import RESULT
from marnn_bench.leaderboard.site.documentation import INDEX, Documentation
from marnn_bench.leaderboard.site.pages import Names, Page, index, model_page, task_page
from marnn_bench.leaderboard.standings.entries import Entry
from marnn_bench.leaderboard.standings.rankings import Ranking
from marnn_bench.leaderboard.standings.tables import LEGEND, numbers_table
from marnn_bench.store.manifest import write_text

RANKINGS: Final = "leaderboard.json"
"""Whoever replaces a site asks for this file, so that no other folder is replaced."""

ASSETS: Final = ("board.js", "site.css")


@dataclass(frozen=True, eq=False)
class Site:
    """What is to be shown.

    rankings:  of all tasks together, of classes, views, and of each task
    docs:      what lies beside them
    """

    entries: Sequence[Entry]
    rankings: Sequence[Ranking]
    docs: Documentation | None = None

    def pages(self) -> dict[str, tuple[str, Page]]:
        """The template and the values of each page, by its place."""
        names = Names.of(self.entries)
        of_tasks = {it.group.tasks[0].name: it for it in self.rankings if it.group.kind == "task"}
        tasks = [ranking.group.tasks[0] for ranking in of_tasks.values()]
        found = {INDEX: ("index.html", index(self.rankings, self.entries, tasks, names))}
        for task in tasks:
            said = task_page(task, of_tasks[task.name], self.entries, names)
            found[f"tasks/{task.name}.html"] = ("task.html", said)
        for entry in self.entries:
            found[f"models/{names[entry]}.html"] = ("model.html", model_page(entry, tasks, names))
        return found


def write_site(site: Site, out: Path, overwrite: bool = False) -> int:
    """Write the folder, whole or not at all; how many pages it has.

    UsageError if it is there, unless it is a site and is to be replaced.
    """
    if out.exists() and not (overwrite and (out / RANKINGS).is_file()):
        raise UsageError(f"{out} is there. Choose another --out, or replace a site with --overwrite.")
    out.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(dir=out.parent, prefix=".site-"))
    try:
        written = temporary / "site"
        with ThreadPoolExecutor() as pool:  # files are copied while pages are made
            others = [pool.submit(_write_assets, written), pool.submit(_write_downloads, site, written)]
            count = _write_pages(site, written)
            for other in others:
                other.result()
        if site.docs:
            shutil.copytree(site.docs.folder, written / "docs")
        if out.exists():
            out.rename(temporary / "before")
        written.rename(out)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return count


def _write_pages(site: Site, folder: Path) -> int:
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(lambda name: (files(__package__) / name).read_text("utf-8")),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    pages = site.pages()
    for place, (template, values) in pages.items():
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        root = "../" * place.count("/")
        shared = {"root": root, "version": __version__, "legend": LEGEND, "docs": site.docs}
        write_text(folder / place, environment.get_template(template).render(shared | dict(values)))
    return len(pages)


def _write_assets(folder: Path) -> None:
    """Ours, and what draws: Vega in one file, which comes with vl-convert."""
    import vl_convert

    drawing: Any = vl_convert  # its stubs say that the snippet has no default

    (folder / "assets").mkdir(parents=True)
    for name in ASSETS:
        write_text(folder / "assets" / name, (files(__package__) / name).read_text("utf-8"))
    write_text(folder / "assets" / "vega.js", drawing.javascript_bundle())


def _write_downloads(site: Site, folder: Path) -> None:
    """The tables as data, and the records that they were made of."""
    folder.mkdir(parents=True, exist_ok=True)
    records = [ranking.record() for ranking in site.rankings]
    write_text(folder / RANKINGS, json.dumps(records, indent=1) + "\n")
    write_text(folder / "leaderboard.csv", numbers_table(site.rankings).formatted("csv") + "\n")
    names = Names.of(site.entries)
    for entry in site.entries:
        for cell in entry.cells.values():
            target = folder / "results" / names[entry] / cell.task / cell.split
            target.mkdir(parents=True)
            shutil.copyfile(cell.folder / RESULT, target / RESULT)
