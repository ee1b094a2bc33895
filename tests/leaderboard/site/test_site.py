"""The folder of the site: complete, escaped, and never half written."""

import csv
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import pytest

from helpers.command_line import marnn, succeed
from helpers.synthetic_results import read_record, write_record, write_result

from .conftest import MARKUP, MODELS, TASKS


class Page(HTMLParser):
    """Addresses, tags, and the text of specifications."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path, self.addresses, self.tags, self.specs = path, list[str](), list[str](), list[str]()
        self.inside = False
        self.feed(path.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.addresses += [value or "" for name, value in attrs if name in ("href", "src")]
        self.inside = tag == "script" and ("type", "application/json") in attrs

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.specs.append(data)
            self.inside = False


def pages(site: Path) -> list[Page]:
    return [Page(path) for path in sorted(site.rglob("*.html"))]


def test_there_is_a_page_for_all_for_each_task_and_for_each_model(site: Path) -> None:
    names = {str(page.path.relative_to(site)) for page in pages(site)}
    assert {"index.html", *(f"tasks/{name}.html" for name in TASKS)} < names
    assert len(names) == 1 + len(TASKS) + len(MODELS)


def test_every_address_leads_to_a_file_of_the_site(site: Path) -> None:
    for page in pages(site):
        for address in page.addresses:
            parts = urlsplit(address)
            assert not parts.netloc and parts.scheme in ("", "data")
            if parts.path and not parts.scheme:
                assert (page.path.parent / parts.path).is_file(), (page.path, address)


def test_what_would_be_markup_is_text_everywhere(site: Path) -> None:
    for page in pages(site):
        assert "img" not in page.tags and MARKUP not in page.path.read_text()
        for spec in page.specs:
            json.loads(spec)
    assert any(MARKUP in json.dumps(json.loads(spec)) for page in pages(site) for spec in page.specs)


def test_the_downloads_are_what_the_pages_show(board: Path, site: Path) -> None:
    rankings = json.loads((site / "leaderboard.json").read_text())
    overall = rankings[0]
    assert [line["entry"] for line in overall["lines"]] == [*MODELS]
    assert [line["standing"] for line in overall["lines"]] == ["retrained"] * 3
    assert overall["lines"][0]["rank"] == [1, 1] and overall["lines"][0]["score"]["value"] == 1.0
    rows = [*csv.DictReader((site / "leaderboard.csv").open())]
    assert len(rows) == sum(len(ranking["lines"]) for ranking in rankings)
    assert read_record(site / "results/good/anbncn/test") == read_record(board / "results/0/anbncn")


def test_curves_have_every_length_of_the_result_with_its_interval(board: Path, site: Path) -> None:
    specs = [json.loads(spec) for spec in Page(site / "tasks/anbncn.html").specs]
    (curves,) = (layer for layer in specs[0]["layer"] if "layer" in layer)
    drawn = [point for point in curves["data"]["values"] if point["model"] == "good"]
    asked = read_record(board / "results/0/anbncn")["runs"][0]["by_length"]
    assert [point["group"] for point in drawn] == [cell["length"] for cell in asked]
    assert all(point["lower"] <= point["mean"] == 100 <= point["upper"] for point in drawn)


def test_a_site_is_replaced_only_when_asked_and_nothing_else_ever(board: Path, tmp_path: Path) -> None:
    arguments = ("leaderboard", "build", "--results", board, "--task", "anbncn", "--out", "site")
    assert marnn(*arguments, cwd=tmp_path).code == 0
    assert "is there" in marnn(*arguments, cwd=tmp_path).error
    (tmp_path / "site" / "mine.txt").write_text("old")
    assert marnn(*arguments, "--overwrite", cwd=tmp_path).code == 0
    assert not (tmp_path / "site" / "mine.txt").exists()
    other = tmp_path / "other"
    other.mkdir()
    (other / "thesis.tex").write_text("years")
    refused = marnn(*arguments[:-1], "other", "--overwrite", cwd=tmp_path)
    assert refused.code == 2 and (other / "thesis.tex").read_text() == "years"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other", "site"]


@pytest.mark.parametrize("name", ["-", "Über <b>", "a/../b", "x" * 200])
def test_pages_of_models_have_plain_names_of_their_own(name: str) -> None:
    from marnn_bench.leaderboard.site.pages import Names
    from marnn_bench.leaderboard.standings.entries import Entry, Standing

    entries = [Entry(name, standing, {}) for standing in Standing]
    found = [Names.of(entries)[entry] for entry in entries]
    assert len({*found}) == len(found)
    assert all(re.fullmatch(r"[a-z0-9][a-z0-9-]{0,63}", page) for page in found)


def test_a_model_of_ours_has_what_the_documentation_says_of_it(tmp_path: Path) -> None:
    """The picture of its memory, and the equations of its paper; nothing but a page of models is taken for one."""
    docs = tmp_path / "docs"
    (docs / "_images").mkdir(parents=True)
    (docs / "models").mkdir()
    equations = (
        '<section id="equations"><h2>Equations</h2><pre>h = 1</pre><a href="controls.html">c</a></section>'
    )
    for place in ("index.html", "secret.html", "models/suzgun2019.html", "models/controls.html"):
        (docs / place).write_text(equations)
    (docs / "_images" / "trace-stack-rnn.svg").write_text("")
    rng = np.random.default_rng(0)
    for name, model, paper in (
        ("one", "stack-rnn", "suzgun2019"),
        ("two", "baby-ntm", "../secret"),
        ("three", ["stack-rnn"], ["suzgun2019"]),
    ):
        said = {"name": name, "interface": "step", "training": {"model": model, "paper": paper}}
        folder = write_result(tmp_path / "results" / name, rng.random((5, 100)) < 0.5)
        write_record(folder, {**read_record(folder), "model": said})
    succeed(
        "leaderboard",
        "build",
        "--results",
        ".",
        "--task",
        "dyck2",
        "--docs",
        "docs",
        "--out",
        "site",
        cwd=tmp_path,
    )
    shown = {
        page.path.name: [it for it in page.addresses if "/docs/" in it and "index" not in it]
        for page in pages(tmp_path / "site")
        if page.path.parent.name == "models" and page.path.parent.parent.name == "site"
    }
    assert "<pre>h = 1</pre>" in (tmp_path / "site" / "models" / "one.html").read_text()
    assert sorted(shown.pop("one.html")) == [
        "../docs/_images/trace-stack-rnn.svg",
        "../docs/models/controls.html",
        "../docs/models/suzgun2019.html",
    ]
    assert len(shown) == 2 and not any(shown.values())
