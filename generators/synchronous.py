"""Synchronous grammars: pairs of a source and a target, derived together.

A rule rewrites a nonterminal on two sides at once; nonterminals of the same name and number are one and the same
(Aho & Ullman 1972; inversion transduction grammars: Wu 1997).

    A -> S1 VT2 O3 | S1 O3 VT2 [1]
    S -> S1 'rpi' S2 VT3 | S1 'rpo' S2 VT3 [1/5]

A pair is drawn in one go: a derivation of the source given its length, and what the same derivation writes on the
other side. An automaton that knows nothing of the grammar then looks at every pair, so that generation stops before a
source with two targets. The translations themselves are in `marnn_bench.generators.translations`.
"""

import re
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from marnn_bench.generators import kernels
from marnn_bench.generators.alphabet import Alphabet
from marnn_bench.generators.errors import LanguageError
from marnn_bench.generators.grammar import Grammar, GrammarLaw
from marnn_bench.generators.grammar_text import Line, Part, Rule, checked, read_lines
from marnn_bench.generators.keys import Key, key_words
from marnn_bench.generators.language import Masks, Transduction
from marnn_bench.generators.laws import Draws, Law
from marnn_bench.generators.pushdown import Pushdown
from marnn_bench.generators.strings import Strings, offsets_of

if TYPE_CHECKING:
    from marnn_bench.generators.kernels.grammar import Targets

NUMBERED = re.compile(r"(.*\D)(\d+)")
"""A nonterminal and its number."""


@dataclass(frozen=True)
class SynchronousGrammar:
    """Rules with a source side and a target side; their probabilities are those of the source grammar.

    targets:  of each rule of the source grammar, what its target side is: a symbol, or the place of a nonterminal
              among those of the source side
    """

    sources: Grammar
    targets: tuple[tuple[str | int, ...], ...]
    outputs: Alphabet

    @classmethod
    def parse(cls, text: str) -> "SynchronousGrammar":
        """The grammar of a text: one rule a line, its sides divided by a bar, its probability last."""
        rules, targets = [], []
        for line in read_lines(text):
            rule, target = _read_pair(line)
            rules.append(rule)
            targets.append(target)
        used = dict.fromkeys(part for target in targets for part in target if isinstance(part, str))
        sources = Grammar.of(checked(rules))
        sources.derivations(1)  # says so if there is no end of derivations
        return cls(sources, tuple(targets), Alphabet.of(used))

    def sample(self, lengths: NDArray[np.int64], key: Key, draws: Draws) -> tuple[Strings, Strings]:
        """For each draw, a source of the given length and its target."""
        offsets = offsets_of(lengths)
        ids = np.empty(offsets[-1], self.sources.alphabet.dtype)
        room = np.empty(len(ids) + 1, self.outputs.dtype)
        tables = self.sources.inside.tables(lengths)
        targets = kernels.grammar.sample_pairs(tables, self._sides, key_words(key), draws, offsets, ids, room)
        return Strings(ids, offsets), Strings(*targets)

    @cached_property
    def _sides(self) -> "Targets":
        """The target sides as arrays."""
        nonterminals = dict.fromkeys(rule.left for rule in self.sources.rules)
        order = [
            target
            for left in nonterminals
            for rule, target in zip(self.sources.rules, self.targets, strict=True)
            if rule.left == left
        ]
        parts = [~p if isinstance(p, int) else self.outputs.id(p) for target in order for p in target]
        links = max(sum(isinstance(p, int) for p in target) for target in order)
        begins = offsets_of(np.array([len(target) for target in order]))
        return kernels.grammar.Targets(links, begins, np.array(parts, np.int32))


def _read_pair(line: Line) -> tuple[Rule, tuple[str | int, ...]]:
    """The source rule of a line, and its target side."""
    if len(line.sides) != 2:
        raise line.place.error("a rule has a source side and a target side, divided by one bar.")
    (source, early), (target, probability) = line.sides
    if probability is None or early is not None:
        raise line.place.error("the probability stands behind the target side, like [1/3].")
    if not source:
        raise line.place.error("the source side is empty; every rule must write something on it.")
    links = [_numbered(line, part) for part in source if not part.is_symbol]
    linked = [_numbered(line, part) for part in target if not part.is_symbol]
    if sorted(links) != sorted(linked) or len({*links}) < len(links):
        raise line.place.error("each nonterminal, with its number, stands once on either side.")
    right = tuple(part if part.is_symbol else Part(_numbered(line, part)[0], False) for part in source)
    places = [part.name if part.is_symbol else links.index(_numbered(line, part)) for part in target]
    return Rule(line.left, right, probability, line.place.line), tuple(places)


def _numbered(line: Line, part: Part) -> tuple[str, str]:
    """A nonterminal's name and number."""
    match = NUMBERED.fullmatch(part.name)
    if match is None:
        raise line.place.error(f"number the nonterminal {part}, like {part}1, so that the sides are linked.")
    return match[1], match[2]


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
    def members(self) -> Grammar:
        """The sources, without ambiguity: what counts, enumerates and draws them uniformly."""

    @property
    @abstractmethod
    def reader(self) -> Pushdown:
        """What decides whether a string is a source."""

    law_names = ("uniform", "itg", "length-balanced")

    @property
    def alphabet(self) -> Alphabet:
        return self.grammar.sources.alphabet

    @property
    def outputs(self) -> Alphabet:
        return self.grammar.outputs

    @abstractmethod
    def kind(self, word: str) -> str:
        """What the automaton reads for a word."""

    def count(self, length: int) -> int:
        return self.members.count(length)

    def enumerate(self, length: int) -> Iterator[tuple[int, ...]]:
        return self.members.enumerate(length)

    def sample(self, lengths: NDArray[np.int64], key: Key, draws: Draws) -> Strings:
        return self.members.sample_uniform(lengths, key, draws)

    def law(self, spec: str) -> Law:
        if spec in ("itg", "length-balanced"):
            return TranslationLaw(self.grammar.sources, spec, spec == "length-balanced", self)
        return super().law(spec)

    def accepts(self, strings: Strings) -> NDArray[np.bool_]:
        return self.reader.accepts(self.kinds(strings))

    def next_symbols(self, strings: Strings) -> Masks:
        raise LanguageError(f"{self.name} is asked for targets; it has no next-symbol sets.")

    def kinds(self, strings: Strings) -> Strings:
        """The kinds of the words of each string, as the automaton reads them."""
        return Strings(self._kinds[strings.ids], strings.offsets)

    @cached_property
    def _kinds(self) -> NDArray[np.uint8]:
        return np.array([self.reader.alphabet.id(self.kind(word)) for word in self.alphabet], np.uint8)

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
