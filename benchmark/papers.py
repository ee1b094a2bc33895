"""The papers that the tasks come from, as data: for citations, links and tables. `Task.paper` begins with a key.

>>> PAPERS["suzgun2019b"].name, PAPERS["joulin2015"].name, PAPERS["bernardy2018"].name
('Suzgun et al. 2019b', 'Joulin & Mikolov 2015', 'Bernardy 2018')
"""

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


SUZGUN_AND_OTHERS = ("Mirac Suzgun", "Sebastian Gehrmann", "Yonatan Belinkov", "Stuart M. Shieber")


def _arxiv(identifier: str) -> dict[str, str]:
    return {"eprint": identifier, "archivePrefix": "arXiv"}


_LISTED = (
    Paper(
        "suzgun2019", SUZGUN_AND_OTHERS, 2019,
        "Memory-Augmented Recurrent Neural Networks Can Learn Generalized Dyck Languages",
        "https://arxiv.org/abs/1911.03329",
        fields={"journal": "arXiv preprint arXiv:1911.03329", **_arxiv("1911.03329")},
    ),
    Paper(
        "suzgun2019b", SUZGUN_AND_OTHERS, 2019,
        "LSTM Networks Can Perform Dynamic Counting",
        "https://aclanthology.org/W19-3905", "inproceedings",
        {
            "booktitle": "Proceedings of the Workshop on Deep Learning and Formal Languages: Building Bridges",
            "pages": "44--54", "publisher": "Association for Computational Linguistics", **_arxiv("1906.03648"),
        },
    ),
    Paper(
        "joulin2015", ("Armand Joulin", "Tomas Mikolov"), 2015,
        "Inferring Algorithmic Patterns with Stack-Augmented Recurrent Nets",
        "https://arxiv.org/abs/1503.01007", "inproceedings",
        {"booktitle": "Advances in Neural Information Processing Systems 28", **_arxiv("1503.01007")},
    ),
    Paper(
        "grefenstette2015",
        ("Edward Grefenstette", "Karl Moritz Hermann", "Mustafa Suleyman", "Phil Blunsom"), 2015,
        "Learning to Transduce with Unbounded Memory",
        "https://arxiv.org/abs/1506.02516", "inproceedings",
        {"booktitle": "Advances in Neural Information Processing Systems 28", **_arxiv("1506.02516")},
    ),
    Paper(
        "bernardy2018", ("Jean-Philippe Bernardy",), 2018,
        "Can Recurrent Neural Networks Learn Nested Recursion?",
        "https://aclanthology.org/2018.lilt-16.1",
        fields={"journal": "Linguistic Issues in Language Technology", "volume": "16", "number": "1"},
    ),
    Paper(
        "mali2019", ("Ankur Mali", "Alexander Ororbia", "C. Lee Giles"), 2019,
        "The Neural State Pushdown Automata",
        "https://arxiv.org/abs/1909.05233",
        fields={"journal": "arXiv preprint arXiv:1909.05233", **_arxiv("1909.05233")},
    ),
    Paper(
        "tomita1982", ("Masaru Tomita",), 1982,
        "Dynamic Construction of Finite-State Automata from Examples Using Hill-Climbing", "", "inproceedings",
        {
            "booktitle": "Proceedings of the Fourth Annual Conference of the Cognitive Science Society",
            "pages": "105--108",
        },
    ),
)  # fmt: skip

PAPERS: Mapping[str, Paper] = {paper.key: paper for paper in _LISTED}
"""By key, in the order in which papers are listed."""


def paper_of(source: str) -> Paper | None:
    """The paper that a `Task.paper` names, such as `joulin2015, Table 2`; None for one that is not listed."""
    return PAPERS.get(source.partition(",")[0])


def cited(source: str, link: bool = False) -> str:
    """A `Task.paper` as a text cites it, in Markdown with a link.

    >>> cited("joulin2015, Table 2"), cited("mali2019", link=True)
    ('Joulin & Mikolov 2015, Table 2', '[Mali et al. 2019](https://arxiv.org/abs/1909.05233)')
    """
    paper = paper_of(source)
    if paper is None:
        return source
    return (f"[{paper.name}]({paper.url})" if link and paper.url else paper.name) + source.removeprefix(
        paper.key
    )
