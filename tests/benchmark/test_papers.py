"""The bibliography, and what tasks say of the papers that they come from."""

import re

import pytest
import yaml

from helpers.paths import ROOT
from marnn_bench.papers import Paper, benchmark_bibtex
from marnn_bench.store.content import contents
from marnn_bench.tasks.registry import builtin_tasks, find_task, paper_of, papers

THIN = [name for name, task in builtin_tasks().items() if any("balanced accuracy" in n for n in task.notes)]


def test_every_task_comes_from_a_listed_paper() -> None:
    found = [paper_of(task.paper) for task in builtin_tasks().values()]
    assert {paper.key if paper else None for paper in found} == set(papers())


@pytest.mark.parametrize("paper", papers().values(), ids=lambda paper: paper.key)
def test_an_entry_has_what_bibtex_asks_for(paper: Paper) -> None:
    fields = dict(re.findall(r"^  (\w+) = \{(.*)\},$", paper.bibtex(), re.MULTILINE))
    assert {"author", "title", "year", "journal" if paper.kind == "article" else "booktitle"} <= set(fields)
    assert paper.bibtex().count("{") == paper.bibtex().count("}")
    assert paper.key.startswith(paper.authors[0].split()[-1].lower())
    assert paper.url == "" or fields["url"] == paper.url
    assert fields.get("eprint", paper.url) in paper.url or "aclanthology.org" in paper.url


@pytest.mark.parametrize("name", THIN)
def test_notes_say_how_far_no_gets_in_every_split_of_few_members(name: str) -> None:
    (said,) = [note for note in find_task(name).notes if "balanced accuracy" in note]
    shares = {}
    for split, content in contents(find_task(name)).items():
        rows = content.labelled_rows
        assert rows is not None
        shares[split] = f"{1 - rows.label.mean():.1%}".replace("%", " %")
    stated = {split: share for share, split in re.findall(r"([\d.]+ %) of (\w+)", said)}
    assert stated == {split: share for split, share in shares.items() if share != "50.0 %"}


def test_the_benchmark_is_cited_as_its_citation_file_says() -> None:
    said = (ROOT / "CITATION.cff").read_text()
    fields = dict(re.findall(r"^  (\w+) = \{+(.*?)\}+,$", benchmark_bibtex(), re.MULTILINE))
    assert set(fields) == {"author", "title", "version"}
    assert all(value in said for value in fields.values())


def test_the_citation_file_names_the_papers_of_all_tasks_with_their_links() -> None:
    said = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    kinds = {"article": "article", "conference-paper": "inproceedings"}
    found = [
        Paper(
            paper.key,
            tuple(f"{author['given-names']} {author['family-names']}" for author in entry["authors"]),
            *(entry["year"], entry["title"], entry.get("url", ""), kinds[entry["type"]], paper.fields),
        )
        for entry, paper in zip(said["references"], papers().values(), strict=True)
    ]
    assert found == [*papers().values()]


def test_notes_are_no_part_of_what_fixes_strings() -> None:
    task = find_task("anbn-recognition")
    assert all("notes" not in task.parameters(split) for split in task.splits)
