"""Views: the question that a task asks of a string, and its right answers."""

from dataclasses import dataclass
from typing import ClassVar, Final, Literal

import numpy as np
from numpy.typing import NDArray

from marnn_bench.answer_kinds import AnswerKind
from marnn_bench.errors import UsageError
from marnn_bench.generators.alphabet import END, Alphabet
from marnn_bench.generators.language import Language, Masks, Transduction
from marnn_bench.generators.strings import Strings

SEPARATOR: Final = "|||"
"""Between a source and its target (Grefenstette et al. 2015, section 4)."""


@dataclass(frozen=True)
class NextSymbol:
    """After symbols 1..n: which symbols can come next? A set, as a mask: one bit a column.

    end:       whether END is a column
    scored:    which answers count: all of them, or those where one symbol alone is right
    unscored:  symbols that do not count where they alone are right; END stands for the first symbol of the next string
    closing:   closing brackets, if the one with the highest score among them is looked at, too (Bernardy 2018)
    """

    end: bool
    scored: Literal["all", "deterministic"] = "all"
    unscored: tuple[str, ...] = ()
    closing: tuple[str, ...] = ()
    name: ClassVar = "next-symbol"

    @property
    def answer(self) -> AnswerKind:
        """What is read from an answer."""
        if self.scored == "deterministic":
            return "choices"
        return "scores" if self.closing else "sets"

    @property
    def headline(self) -> str:
        """The metric that the task is known by."""
        return "solved_sizes" if self.scored == "deterministic" else "sequence_accuracy"

    def columns(self, language: Language) -> tuple[str, ...]:
        """What a model's answer has one score for, in order."""
        return (*language.alphabet, END) if self.end else tuple(language.alphabet)

    def answers(self, language: Language, strings: Strings) -> Masks:
        """The right set after each symbol: [symbols]."""
        masks = language.next_symbols(strings)
        return masks if self.end else masks & np.uint64((1 << len(language.alphabet)) - 1)

    def scored_mask(self, language: Language, answers: Masks) -> NDArray[np.bool_]:
        """Which answers count: [symbols]."""
        if self.scored == "all":
            return np.ones(len(answers), np.bool_)
        single: NDArray[np.bool_] = np.bitwise_count(answers) == 1
        for symbol in self.unscored:
            single &= answers != np.uint64(language.alphabet.mask([symbol]))
        return single


@dataclass(frozen=True)
class _Targets:
    """What the views of transductions share."""

    def outputs(self, language: Language) -> Alphabet:
        """The alphabet of the targets."""
        return self._transduction(language).outputs

    def targets(self, language: Language, strings: Strings) -> Strings:
        """The target of each string."""
        return self._transduction(language).transduce(strings)

    def _transduction(self, language: Language) -> Transduction:
        if not isinstance(language, Transduction):
            raise UsageError(f"{language.name} is no transduction: it has no targets.")
        return language


@dataclass(frozen=True)
class Synchronous(_Targets):
    """After input symbols 1..n: which output symbol belongs to this step? Nothing is fed back."""

    name: ClassVar = "synchronous"
    answer: ClassVar[AnswerKind] = "sets"
    headline: ClassVar = "sequence_accuracy"

    def columns(self, language: Language) -> tuple[str, ...]:
        """The output alphabet."""
        return tuple(self.outputs(language))

    def answers(self, language: Language, strings: Strings) -> Masks:
        """The set of the one right output at each step: [symbols]."""
        return np.uint64(1) << self.targets(language, strings).ids.astype(np.uint64)


@dataclass(frozen=True)
class Transduce(_Targets):
    """After the source, a separator and the target so far: which output symbol comes next, and END at last?"""

    name: ClassVar = "transduction"
    answer: ClassVar[AnswerKind] = "choices"
    headline: ClassVar = "sequence_accuracy"

    def symbols(self, language: Language) -> tuple[str, ...]:
        """What a prefix is made of: the source alphabet, the separator, and what of the output alphabet is new."""
        return tuple(dict.fromkeys((*language.alphabet, SEPARATOR, *self.outputs(language))))

    def columns(self, language: Language) -> tuple[str, ...]:
        """The output alphabet, then END."""
        return (*self.outputs(language), END)


NEGATIVES = ("random", "edit", "swap", "permuted", "guided")
"""Kinds of strings that are no members, each made from a member of the same length, that most languages have."""


@dataclass(frozen=True)
class Recognition:
    """After nothing and after symbols 1..n: is it a member?"""

    negatives: tuple[str, ...] = NEGATIVES
    name: ClassVar = "recognition"
    answer: ClassVar[AnswerKind] = "membership"
    headline: ClassVar = "balanced_accuracy"

    def columns(self, language: Language) -> tuple[str, ...]:
        """One column: the probability that the string so far is a member."""
        return ("member",)


@dataclass(frozen=True)
class LanguageModelling:
    """After nothing and after symbols 1..n: how likely is each symbol to come next, and END?

    The string itself is the right answer; its exact probability under the split's law bounds what a model can reach.
    """

    name: ClassVar = "language-modelling"
    answer: ClassVar[AnswerKind] = "distributions"
    headline: ClassVar = "excess_cross_entropy"

    def columns(self, language: Language) -> tuple[str, ...]:
        """The alphabet, then END: a model's answer is a distribution over these."""
        return (*language.alphabet, END)


SetView = NextSymbol | Synchronous
"""Views whose right answers are masks, one for each symbol."""

View = SetView | Transduce | Recognition | LanguageModelling
