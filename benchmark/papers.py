"""Papers as data: for citations, links and tables. Every module of tasks has its PAPER."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from marnn_bench import __version__


@dataclass(frozen=True)
class Paper:
    """A publication as BibTeX knows it.

    key:      the first author's surname and the year, with a letter where there are several
    authors:  first names first
    url:      empty for a paper that is not on the web
    fields:   where it appeared, beside author, title, year and url
    """

    key: str
    authors: tuple[str, ...]
    year: int
    title: str
    url: str
    kind: str = "article"
    fields: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Authors and year, as a text cites them."""
        surnames = [author.split()[-1] for author in self.authors]
        authors = f"{surnames[0]} et al." if len(surnames) > 2 else " & ".join(surnames)
        return f"{authors} {self.key[len(surnames[0]) :]}"

    def bibtex(self) -> str:
        """The entry for a bibliography; braces keep the capitals of the title."""
        entries = {
            "author": " and ".join(self.authors),
            "title": f"{{{self.title}}}",
            "year": str(self.year),
            **self.fields,
            **({"url": self.url} if self.url else {}),
        }
        return _bibtex(self.kind, self.key, entries)


def benchmark_bibtex() -> str:
    """The entry for this benchmark: what CITATION.cff says."""
    title = "marnn-bench: a formal-language benchmark for sequence models"
    entries = {"author": "{The marnn-bench authors}", "title": f"{{{title}}}", "version": __version__}
    return _bibtex("software", "marnn-bench", entries)


def _bibtex(kind: str, key: str, entries: Mapping[str, str]) -> str:
    lines = [f"  {name} = {{{value}}}," for name, value in entries.items()]
    return "\n".join([f"@{kind}{{{key},", *lines, "}"])


def arxiv(identifier: str) -> dict[str, str]:
    """The fields of a paper with this identifier."""
    return {"eprint": identifier, "archivePrefix": "arXiv"}
