"""Synchronous grammars: pairs of a source and a target, derived together.

A rule rewrites a nonterminal on two sides at once; nonterminals of the same name and number are one and the same
(Aho & Ullman 1972; inversion transduction grammars: Wu 1997).

    A -> S1 VT2 O3 | S1 O3 VT2 [1]
    S -> S1 'rpi' S2 VT3 | S1 'rpo' S2 VT3 [1/5]

A pair is drawn in one go: a derivation of the source given its length, and what the same derivation writes on the
other side. An automaton that knows nothing of the grammar then looks at every pair, so that generation stops before a
source with two targets. The translations themselves are in `marnn_bench.generators.languages.svo_sov`.
"""

import re
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from marnn_bench.generators import kernels
from marnn_bench.generators.alphabet import Alphabet
from marnn_bench.generators.devices.grammar import Grammar
from marnn_bench.generators.devices.grammar_text import Line, Part, Rule, read_lines, validate_rules
from marnn_bench.generators.keys import Key, key_words
from marnn_bench.generators.laws import Draws
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
        sources = Grammar.of(validate_rules(rules))
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
        of_nonterminal: dict[str, list[tuple[str | int, ...]]] = {}
        for rule, target in zip(self.sources.rules, self.targets, strict=True):
            of_nonterminal.setdefault(rule.left, []).append(target)
        order = [*chain.from_iterable(of_nonterminal.values())]
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
