"""Translations: the pairs of a synchronous grammar whose sources have one target each.

An automaton that knows nothing of the grammar looks at every pair that is drawn, so that generation stops before a
source with two targets.
"""

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from marnn_bench.generators.alphabet import Alphabet
from marnn_bench.generators.devices.grammar import Grammar, GrammarLaw
from marnn_bench.generators.devices.pushdown import Pushdown
from marnn_bench.generators.devices.synchronous_grammar import SynchronousGrammar
from marnn_bench.generators.errors import LanguageError
from marnn_bench.generators.keys import Key
from marnn_bench.generators.language import Masks, Transduction
from marnn_bench.generators.laws import Draws, Law
from marnn_bench.generators.strings import Strings


class Translation(Transduction):
    """The pairs of a synchronous grammar whose sources have one target each.

    Three devices: the synchronous grammar draws pairs (laws `itg`, and `length-balanced` with every length of a window
    equally likely); a grammar of the sources without ambiguity counts, enumerates and draws sources uniformly; an
    automaton over the kinds of words decides membership, and what it reads settles the target.
    """

    @property
    @abstractmethod
    def grammar(self) -> SynchronousGrammar:
        """What draws the pairs."""

    @property
    @abstractmethod
    def source_grammar(self) -> Grammar:
        """The sources, without ambiguity: what counts, enumerates and draws them uniformly."""

    @property
    @abstractmethod
    def recogniser(self) -> Pushdown:
        """What decides whether a string is a source."""

    law_names = ("uniform", "itg", "length-balanced")

    @property
    def alphabet(self) -> Alphabet:
        return self.grammar.sources.alphabet

    @property
    def outputs(self) -> Alphabet:
        return self.grammar.outputs

    @abstractmethod
    def word_class(self, word: str) -> str:
        """What the automaton reads for a word."""

    @property
    def largest(self) -> int:
        return min(super().largest, self.source_grammar.largest)

    def count(self, length: int) -> int:
        return self.source_grammar.count(length)

    def enumerate(self, length: int) -> Iterator[tuple[int, ...]]:
        return self.source_grammar.enumerate(length)

    def sample(self, lengths: NDArray[np.int64], key: Key, draws: Draws) -> Strings:
        return self.source_grammar.sample_uniform(lengths, key, draws)

    def law(self, spec: str) -> Law:
        if spec in ("itg", "length-balanced"):
            return TranslationLaw(self.grammar.sources, spec, spec == "length-balanced", self)
        return super().law(spec)

    def accepts(self, strings: Strings) -> NDArray[np.bool_]:
        return self.recogniser.accepts(self.word_classes(strings))

    def next_symbols(self, strings: Strings) -> Masks:
        raise LanguageError(f"{self.name} is asked for targets; it has no next-symbol sets.")

    def word_classes(self, strings: Strings) -> Strings:
        """The kinds of the words of each string, as the automaton reads them."""
        return Strings(self._word_classes[strings.ids], strings.offsets)

    @cached_property
    def _word_classes(self) -> NDArray[np.uint8]:
        return np.array(
            [self.recogniser.alphabet.id(self.word_class(word)) for word in self.alphabet], np.uint8
        )

    def check(self, sources: Strings, targets: Strings) -> None:
        """LanguageError if a source is no member or its target is not the one that the automaton gives."""
        member = self.accepts(sources)
        if not member.all():
            text = sources.take(~member).texts(self.alphabet)[0]
            raise LanguageError(f"{self.name}: the grammar derives `{text}`, which the automaton rejects.")
        expected = self.transduce(sources)
        if np.array_equal(expected.ids, targets.ids) and np.array_equal(expected.offsets, targets.offsets):
            return
        row = [next(i for i in range(len(sources)) if not np.array_equal(expected[i], targets[i]))]
        source = sources.take(row).texts(self.alphabet)[0]
        drawn, other = (strings.take(row).texts(self.outputs)[0] for strings in (targets, expected))
        raise LanguageError(
            f"{self.name}: `{source}` has two targets, `{drawn}` by the grammar and `{other}` by the automaton."
        )


@dataclass(frozen=True)
class TranslationLaw(GrammarLaw):
    """The law of a synchronous grammar on its sources; every pair that is drawn is checked."""

    translation: Translation

    def sample(self, sizes: NDArray[np.int64], key: Key, draws: Draws) -> Strings:
        sources, targets = self.translation.grammar.sample(sizes, key, draws)
        self.translation.check(sources, targets)
        return sources
