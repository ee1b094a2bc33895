"""Tasks: a language, the question asked of its strings, and the splits that ask it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from marnn_bench.errors import UsageError
from marnn_bench.generators.keys import Key, derive_key
from marnn_bench.generators.language import Language
from marnn_bench.generators.laws import Law
from marnn_bench.generators.sampling.distinct import MAX_DISTINCT_ROWS
from marnn_bench.generators.window import Window
from marnn_bench.views import LanguageModelling, NextSymbol, SetView, Transduce, View

LANGUAGE_CLASSES = ("regular", "counter", "deterministic context-free", "context-free", "beyond")


@dataclass(frozen=True)
class Split:
    """One named set of strings of a task.

    rows:      how many; `all` for every string of the window; `fresh` for an endless split, to train on
    window:    their sizes, which are lengths, or the n of the language's definition (`Language.measure`)
    law:       what they are drawn from, as its language spells it
    distinct:  no string twice, and none of an earlier split whose window overlaps
    per_size:  so many rows of each size of the window (fewer where fewer strings exist), not in all
    overlaps:  why the split may share strings with earlier ones, if it may
    secret:    a maintainer's key, of a hidden split: who lacks it cannot draw the same strings
    """

    rows: int | Literal["all", "fresh"]
    window: Window
    law: str = "uniform"
    distinct: bool = True
    per_size: bool = False
    overlaps: str = ""
    secret: bytes = field(default=b"", repr=False)

    def __post_init__(self) -> None:
        if isinstance(self.rows, int) and self.rows < 1:
            raise UsageError(f"A split needs at least one row, not {self.rows}.")
        if self.per_size and not (self.distinct and isinstance(self.rows, int)):
            raise UsageError("Rows of each size are a number of distinct ones.")
        if self.rows == "fresh" and self.distinct:
            raise UsageError("A fresh split is endless, so that its strings repeat: distinct must be False.")


@dataclass(frozen=True)
class Task:
    """What is asked: language + view + splits, with a version X.Y (X changes when strings or labels change).

    paper:  the key of its `PAPER`, then the place in it
    notes:  sentences on what differs from the paper, and on what to beware of
    """

    name: str
    version: str
    language: Language
    view: View
    splits: Mapping[str, Split]
    language_class: str
    paper: str
    summary: str
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[a-z0-9]+(-{1,2}[a-z0-9]+)*", self.name):
            raise UsageError(f"Task name {self.name!r}: use lower-case letters, digits and hyphens.")
        if not re.fullmatch(r"\d+\.\d+", self.version):
            raise UsageError(f"{self.name}: version {self.version!r} is not of the form X.Y.")
        if self.language_class not in LANGUAGE_CLASSES:
            raise UsageError(
                f"{self.name}: language class {self.language_class!r} is none of {LANGUAGE_CLASSES}."
            )
        for split in self.splits:
            if not split.isidentifier():
                raise UsageError(f"{self.name}: split name {split!r} is not an identifier.")
        if isinstance(self.view, LanguageModelling):
            self._require_exact_laws()

    @property
    def columns(self) -> tuple[str, ...]:
        """What a model's answer has one score for, in order."""
        return self.view.columns(self.language)

    @property
    def symbols(self) -> tuple[str, ...]:
        """What the prefixes that a model is asked about are made of."""
        return (
            self.view.symbols(self.language)
            if isinstance(self.view, Transduce)
            else tuple(self.language.alphabet)
        )

    @property
    def headline(self) -> str:
        """The metric that it is known by."""
        return self.view.headline

    @property
    def default_split(self) -> str:
        """The split that is asked if none is named: `test`, else the first test split, else the last one."""
        tests = [name for name in self.splits if name.startswith("test")]
        return "test" if "test" in tests else [*tests, [*self.splits][-1]][0]

    def split(self, name: str) -> Split:
        """The split of this name."""
        try:
            return self.splits[name]
        except KeyError:
            known = ", ".join(self.splits)
            raise UsageError(f"{self.name} has no split {name!r}; it has {known}.") from None

    def law(self, split: str) -> Law:
        """The law that a split is drawn from."""
        return self.language.law(self.split(split).law)

    @property
    def asks_sets(self) -> bool:
        """Whether every answer is a set, and all of them count."""
        partly = isinstance(self.view, NextSymbol) and self.view.scored != "all"
        return isinstance(self.view, SetView) and not partly

    def row_count(self, split: str) -> int:
        """The number that a split asks for, in all or of each size; UsageError if it names none."""
        rows = self.split(split).rows
        if rows == "fresh":
            raise UsageError(f"{self.name} {split} is endless: say how many rows with --rows {split}=N.")
        if rows == "all":
            raise UsageError(f"{self.name} {split} has every string of its window.")
        return rows

    def parameters(self, split: str) -> dict[str, Any]:
        """All that fixes the strings of a split but their number."""
        chosen = self.split(split)
        return {
            "task": self.name,
            "major_version": int(self.version.split(".")[0]),
            "split": split,
            "law": self.law(split).spec,
            "window": str(chosen.window),
            "distinct": chosen.distinct,
        }

    def key(self, split: str, size: int | None = None) -> Key:
        """The key of a split's draws, or of those of one size.

        The number of rows is not in it: a longer split begins with the shorter one (unless an earlier split takes more
        of the strings that both could have).
        """
        by_size = {} if size is None else {"size": size}
        return derive_key(self.parameters(split) | by_size, self.split(split).secret)

    def _require_exact_laws(self) -> None:
        for split in self.splits:
            if not self.law(split).is_exact:
                exact = [name for name in self.language.law_names if self.language.law(name).is_exact]
                raise UsageError(
                    f"{self.name} {split}: law {self.law(split).spec} has no exact probabilities, which language modelling "
                    f"needs. Use one that has: {', '.join(exact)}."
                )

    def with_splits(
        self,
        rows: Mapping[str, int] | None = None,
        law: str | None = None,
        windows: Mapping[str, Window] | None = None,
    ) -> "Task":
        """The same task with other sizes or windows for some splits, or another law for all.

        A split too large to be kept distinct becomes one of independent draws.
        """
        rows, windows, changed = rows or {}, windows or {}, {}
        for name in (*rows, *windows):
            self.split(name)
        for name, split in self.splits.items():
            wanted = rows.get(name, split.rows)
            changed[name] = replace(
                split,
                rows=wanted,
                window=windows.get(name, split.window),
                law=self.language.law(law).spec if law else split.law,
                distinct=split.distinct and not (isinstance(wanted, int) and wanted > MAX_DISTINCT_ROWS),
            )
        return replace(self, splits=changed)
