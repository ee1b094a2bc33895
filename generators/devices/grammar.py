"""Probabilistic context-free grammars: exact laws on strings, given their length.

>>> dyck2 = Grammar.parse(\"\"\"
...     S -> '(' S ')' [1/4] | '[' S ']' [1/4]
...     S -> S S [1/4] | [1/4]
... \"\"\")
>>> [f"{float(dyck2.probability(length)):.4f}" for length in (0, 1, 2)]
['0.2679', '0.0000', '0.1547']

A string is drawn in two steps: its length, then its derivation from the top down, every choice with the probability
that the inside weights of `marnn_bench.generators.devices.inside` give it for this length. Only finite tables are used, so a
grammar whose derivations seldom or never end is drawn from as exactly as any other. Which of its derivations a string
came from is forgotten: the law is that of the strings, and `log_prob` sums over all of them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from marnn_bench.generators import kernels
from marnn_bench.generators.alphabet import Alphabet
from marnn_bench.generators.devices.binarised_grammar import BinarisedGrammar
from marnn_bench.generators.devices.grammar_text import Rule, read_rules, read_rules_without_probabilities
from marnn_bench.generators.devices.inside import Inside
from marnn_bench.generators.errors import LanguageError
from marnn_bench.generators.keys import Key, key_words
from marnn_bench.generators.laws import Draws, TwoStageLaw
from marnn_bench.generators.strings import Strings, offsets_of
from marnn_bench.generators.thresholds import EXACT, Weight
from marnn_bench.generators.window import Window

MAX_CHART_CELLS, MAX_CHART_STEPS = 1 << 26, 7 * 10**9
"""Of the inside algorithm for one string: a gigabyte, a minute."""


@dataclass(frozen=True)
class Grammar:
    """Rules with probabilities, the start the first left side.

    unambiguous:  declares that no string has two derivations. No procedure can decide that, so it is not checked.
                  Derivations can then be counted and drawn in the place of strings
    """

    rules: tuple[Rule, ...]
    alphabet: Alphabet
    unambiguous: bool = False

    @classmethod
    def parse(cls, text: str, alphabet: Alphabet | None = None, unambiguous: bool = False) -> "Grammar":
        """The grammar of a text in the notation of `marnn_bench.generators.devices.grammar_text`.

        Without an alphabet, it is that of the symbols in the order in which the text names them.
        """
        return cls.of(read_rules(text), alphabet, unambiguous)

    @classmethod
    def without_probabilities(cls, text: str, alphabet: Alphabet | None = None) -> "Grammar":
        """An unambiguous grammar that gives no probabilities, to count its strings and to draw them uniformly."""
        return cls.of(read_rules_without_probabilities(text), alphabet, True)

    @classmethod
    def of(
        cls, rules: tuple[Rule, ...], alphabet: Alphabet | None = None, unambiguous: bool = False
    ) -> "Grammar":
        """The grammar of these rules."""
        used = dict.fromkeys(part.name for rule in rules for part in rule.right if part.is_symbol)
        if alphabet is None and not used:
            raise LanguageError("The grammar derives no string but the empty one: name its alphabet.")
        alphabet = alphabet or Alphabet.of(used)
        known = frozenset(alphabet)
        for rule in rules:
            for part in rule.right:
                if part.is_symbol and part.name not in known:
                    raise rule.error(f"{part} is not in the alphabet {' '.join(alphabet)}.")
        return cls(rules, alphabet, unambiguous)

    # -- lengths and numbers

    def probability(self, length: int) -> Decimal:
        """The probability that a derivation ends, in a string of this length; to 90 digits and more."""
        return Decimal(self.inside.by_length(length)[self._binarised.start][length])

    def derivations(self, length: int) -> int:
        """How many derivations the strings of this length have together. LanguageError where there is no end of them."""
        return int(self._counts.by_length(length)[self._binarised.start][length])

    @property
    def largest(self) -> int:
        """The length of the longest strings that are counted within a minute."""
        return self._counts.longest

    def count(self, length: int) -> int:
        """How many strings of this length there are, by an unambiguous grammar."""
        self._require_unambiguous()
        return self.derivations(length)

    def enumerate(self, length: int) -> Iterator[tuple[int, ...]]:
        """Every string of this length as symbol ids, by an unambiguous grammar."""
        return (self._ranked(length, rank) for rank in range(self.count(length)))

    def _ranked(self, length: int, rank: int) -> tuple[int, ...]:
        """The string of this length before which there are `rank`."""
        grammar, counts = self._binarised, self._counts.by_length(length)
        string: list[int] = []
        todo = [(grammar.start, length, rank)]
        while todo:
            node, n, rank = todo.pop()
            if node < grammar.start:
                string += [node] * n
            elif node < grammar.first_pair:
                for alternative in grammar.nonterminals[node - grammar.start]:
                    if rank < counts[alternative][n]:
                        todo.append((alternative, n, rank))
                        break
                    rank -= int(counts[alternative][n])
            else:
                first, rest = grammar.pairs[node - grammar.first_pair]
                for k in range(n + 1):
                    begun, ended = int(counts[first][k]), int(counts[rest][n - k])
                    if rank < begun * ended:
                        todo += [(rest, n - k, rank % ended), (first, k, rank // ended)]
                        break
                    rank -= begun * ended
        return tuple(string)

    def _require_unambiguous(self) -> None:
        if not self.unambiguous:
            raise LanguageError(
                "A string may have many derivations: count derivations, or declare the grammar unambiguous."
            )

    # -- strings

    def sample(self, lengths: NDArray[np.int64], key: Key, draws: Draws) -> Strings:
        """For each draw, a string of the given length, by the probabilities of the rules."""
        return self._draw(self.inside, lengths, key, draws)

    def sample_uniform(self, lengths: NDArray[np.int64], key: Key, draws: Draws) -> Strings:
        """For each draw, a string of the given length, every one equally likely, by an unambiguous grammar."""
        self._require_unambiguous()
        return self._draw(self._counts, lengths, key, draws)

    def _draw(self, inside: Inside, lengths: NDArray[np.int64], key: Key, draws: Draws) -> Strings:
        offsets = offsets_of(lengths)
        ids = np.empty(offsets[-1], self.alphabet.dtype)
        kernels.grammar.sample(inside.tables(lengths), key_words(key), draws, offsets, ids)
        return Strings(ids, offsets)

    def log_prob(self, strings: Strings) -> NDArray[np.float64]:
        """Natural log of the probability that a derivation ends in this string, by the inside algorithm: [n].

        Time grows with the cube of the length; -inf for a string that the grammar does not derive.
        """
        self._check_chart(int(strings.lengths.max(initial=0)))
        empty = Decimal(self.inside.empty[self._binarised.start])
        result = np.full(len(strings), float(EXACT.ln(empty)) if empty else -np.inf)
        filled = strings.lengths > 0
        kept = strings.take(filled)
        result[filled] = kernels.grammar.log_inside(self.inside.chart, kept.ids, kept.offsets)
        return result

    def _check_chart(self, longest: int) -> None:
        """LanguageError if the inside algorithm would take minutes, or gigabytes, for a string of this length."""
        pairs, inner = len(self._binarised.pairs), self._binarised.size - self._binarised.start
        cells = inner * max(longest**2, self._binarised.start + pairs)
        steps = pairs * longest**2 * (longest + 3 * inner) // 6
        if cells > MAX_CHART_CELLS or steps > MAX_CHART_STEPS:
            raise LanguageError(
                f"The probability of a string of {longest:,} symbols takes {steps:,} steps and {cells:,} cells by this "
                f"grammar, more than {MAX_CHART_STEPS:,} or {MAX_CHART_CELLS:,}: ask about shorter strings."
            )

    def law(self, spec: str = "pcfg", balanced: bool = False) -> "GrammarLaw":
        """The law of this grammar restricted to windows; `balanced`: every length in a window equally likely."""
        return GrammarLaw(self, spec, balanced)

    # -- devices

    @cached_property
    def _binarised(self) -> BinarisedGrammar:
        return BinarisedGrammar.of(self.rules, self.alphabet)

    @cached_property
    def inside(self) -> Inside:
        """The weights of its derivations, as probabilities."""
        chances: dict[str, list[Fraction]] = {}
        for rule in self.rules:
            chances.setdefault(rule.left, []).append(rule.probability)
        return Inside.from_probabilities(self._binarised, [*chances.values()])

    @cached_property
    def _counts(self) -> Inside:
        return Inside.from_counts(self._binarised)


@dataclass(frozen=True)
class GrammarLaw(TwoStageLaw):
    """The length by the grammar restricted to the window, or `balanced` over the lengths that it has, then the grammar."""

    grammar: Grammar
    spec: str
    balanced: bool

    def size_weights(self, window: Window) -> Mapping[int, Weight]:
        self.grammar.inside.check_length(window.high)
        weights = {n: p for n in window if (p := self.grammar.probability(n))}
        if not weights:
            raise LanguageError(f"The grammar derives no string with a length in the window {window}.")
        return dict.fromkeys(weights, 1) if self.balanced else weights

    def sample(self, sizes: NDArray[np.int64], key: Key, draws: Draws) -> Strings:
        return self.grammar.sample(sizes, key, draws)

    def log_prob(self, strings: Strings, window: Window) -> NDArray[np.float64]:
        result = self.size_log_prob(strings.lengths, window)
        possible = np.isfinite(result)
        kept = strings.take(possible)
        of_length = np.zeros(window.high + 1)
        for length in np.unique(kept.lengths):
            of_length[length] = float(EXACT.ln(self.grammar.probability(int(length))))
        result[possible] += self.grammar.log_prob(kept) - of_length[kept.lengths]
        return result
