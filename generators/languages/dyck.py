"""Dyck languages: well-nested strings over n kinds of brackets.

    S -> ( S )  [p/n]  | [ S ]  [p/n]  | ...  | S S  [q]  | (nothing)  [1-p-q]

Drawn by this grammar, conditioned on length (Suzgun et al. 2019, section 5.1). Labelled by a pushdown automaton that
remembers the closing brackets it is owed: after every symbol any bracket may open, and only the one owed last may
close.

>>> Dyck(2).show_next("( [ ] )")
'(/)/[ (/[/] (/)/[ (/[/END'
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property, lru_cache
from math import comb, log

import numpy as np
from numpy.typing import NDArray

from marnn_bench.generators import kernels
from marnn_bench.generators.alphabet import Alphabet
from marnn_bench.generators.devices.envelope import regular_envelope
from marnn_bench.generators.devices.finite_automaton import DFA
from marnn_bench.generators.devices.pushdown import Pushdown, Rule
from marnn_bench.generators.errors import LanguageError
from marnn_bench.generators.keys import Key, key_words
from marnn_bench.generators.language import Language
from marnn_bench.generators.languages.enclosed import EnclosedLaw, UniformStringsLaw
from marnn_bench.generators.laws import Draws, Law, TwoStageLaw, format_spec, parse_spec
from marnn_bench.generators.strings import Strings, offsets_of
from marnn_bench.generators.thresholds import EXACT, Weight, decimal, thresholds, total
from marnn_bench.generators.window import Window

BRACKETS = ("()", "[]", "{}", "<>", "+-", "ab", "xo")
"""The first seven pairs, in the order of Suzgun et al.; the eighth is `(8 )8`, and so on."""

LONGEST_DERIVED = 4_000
"""Symbols of a string that the grammar's law is for: its tables grow with the square of the length."""

RAREST = 1e-6
"""Of derivations that are drawn until one fits the window, the share that must do so."""

HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)


@dataclass(frozen=True)
class Dyck(Language):
    """The well-nested strings over `pairs` kinds of brackets; the empty string is one of them.

    The alphabet's order is open, close, open, close.

    >>> [Dyck(1).count(length) for length in range(0, 12, 2)]
    [1, 1, 2, 5, 14, 42]
    """

    pairs: int
    law_names = (
        "uniform",
        "pcfg:p=1/2,q=1/4",
        "suzgun-truncated",
        "uniform-strings",
        "enclosed:outer=1,parts=2,pool=1000",
    )

    def __post_init__(self) -> None:
        if self.pairs < 1:
            raise LanguageError(f"A Dyck language needs at least one kind of bracket, not {self.pairs}.")

    @property
    def name(self) -> str:
        return f"dyck{self.pairs}"

    @property
    def brackets(self) -> list[tuple[str, str]]:
        """The pairs (open, close)."""
        return [
            (BRACKETS[i][0], BRACKETS[i][1]) if i < len(BRACKETS) else (f"({i + 1}", f"){i + 1}")
            for i in range(self.pairs)
        ]

    @cached_property
    def alphabet(self) -> Alphabet:
        return Alphabet.of(bracket for pair in self.brackets for bracket in pair)

    @cached_property
    def automaton(self) -> Pushdown:
        opening = [Rule("q", left, push=right) for left, right in self.brackets]
        closing = [Rule("q", right, pop=right) for _, right in self.brackets]
        return Pushdown(self.alphabet, "q", frozenset("q"), (*opening, *closing))

    @cached_property
    def envelope(self) -> DFA:
        """Of the open brackets the innermost are remembered: 8 of one or two kinds, fewer of more."""
        return regular_envelope(self.automaton)

    def count(self, length: int) -> int:
        half, odd = divmod(length, 2)
        return 0 if odd else comb(2 * half, half) // (half + 1) * self.pairs**half

    def enumerate(self, length: int) -> Iterator[tuple[int, ...]]:
        if length == 0:
            yield ()
        for inside in range(0, length - 1, 2):
            for kind in range(self.pairs):
                for inner in self.enumerate(inside):
                    for rest in self.enumerate(length - 2 - inside):
                        yield (2 * kind, *inner, 2 * kind + 1, *rest)

    def sample(self, lengths: NDArray[np.int64], key: Key, draws: Draws) -> Strings:
        offsets = offsets_of(lengths)
        ids = np.empty(offsets[-1], self.alphabet.dtype)
        kernels.dyck.sample_uniform(key_words(key), draws, self.pairs, offsets, ids)
        return Strings(ids, offsets)

    def depths(self, strings: Strings) -> NDArray[np.int64]:
        # Every member has as many opening as closing brackets, so that the sum starts anew at each string.
        return np.cumsum(1 - 2 * (strings.ids & 1).astype(np.int8), dtype=np.int64)

    def law(self, spec: str) -> Law:
        name, parameters = parse_spec(spec)
        if name not in LAWS:
            return super().law(spec)
        law, defaults = LAWS[name]
        if unknown := set(parameters) - set(defaults):
            known = ", ".join(defaults) or "none"
            raise LanguageError(f"Law {name} of {self.name} has no parameter {min(unknown)}; it has {known}.")
        return law(self, **defaults | parameters)


@dataclass(frozen=True)
class DyckGrammarLaw(TwoStageLaw):
    """The law of S -> open S close [p], S S [q], nothing [r = 1-p-q], exactly, given the window.

    A string has many derivations, since S S may put the empty string anywhere. Without the empty string the grammar
    is, with s = sqrt(1 - 4qr) and P(empty) = e = (1 - s) / 2q,

        S -> N | nothing [e]        N -> open close [pe/s] | open N close [p/s] | N N [q/s]

    (1/s sums up the ways to wrap an N in S S with an empty neighbour). A derivation of N with n pairs of brackets
    and b binary rules has b+1 leaves and n-b-1 nodes with one child, so its weight depends on n and b alone,

        e (p/s)^n t^b,    t = qe/s = 2qr / (s (1 + s)),

    and there are (n+b-1)! / ((b+1)! (n-b-1)! b!) of them: draw n, then b, then one of these trees.
    """

    language: Dyck
    p: Fraction
    q: Fraction

    def __post_init__(self) -> None:
        if self.p <= 0 or self.q < 0 or self.p + self.q >= 1:
            raise LanguageError(f"Law {self.spec} needs p > 0, q >= 0 and p + q < 1, else no string ends.")

    @property
    def spec(self) -> str:
        return format_spec("pcfg", {"p": self.p, "q": self.q})

    @cached_property
    def _root(self) -> Decimal:
        """s = sqrt(1 - 4qr)"""
        return EXACT.sqrt(decimal(1 - 4 * self.q * (1 - self.p - self.q)))

    @cached_property
    def _empty(self) -> Decimal:
        """e = P(empty) = (1 - s) / 2q = 2r / (1 + s)"""
        return EXACT.divide(decimal(2 * (1 - self.p - self.q)), EXACT.add(1, self._root))

    def branch_weights(self, half: int) -> list[Decimal]:
        """For b = 0, 1, ...: the number of trees with `half` pairs of brackets and b binary rules, times t^b."""
        t = EXACT.divide(EXACT.multiply(decimal(self.q), self._empty), self._root)
        weights, power, trees = [], Decimal(1), 1
        for b in range(max(half, 1)):
            weights.append(EXACT.multiply(EXACT.create_decimal(trees), power))
            power = EXACT.multiply(power, t)
            trees = trees * (half + b) * (half - b - 1) // ((b + 2) * (b + 1))
        return weights

    def size_weights(self, window: Window) -> Mapping[int, Weight]:
        """P(length), to 100 digits."""
        if window.high > LONGEST_DERIVED:
            raise LanguageError(
                f"Law {self.spec} has tables for strings of up to {LONGEST_DERIVED:,} symbols, beyond which they take "
                f"minutes: the window {window} is too wide. Try {min(window.low, 2)}:{LONGEST_DERIVED}."
            )
        per_pair, pairs, chain = EXACT.divide(decimal(self.p), self._root), 0, self._empty
        weights: dict[int, Weight] = {}
        for length in self.language.sizes(window):
            while pairs < length // 2:
                chain, pairs = EXACT.multiply(chain, per_pair), pairs + 1
            weights[length] = EXACT.multiply(chain, total(self.branch_weights(pairs)))
        return weights

    def sample(self, lengths: NDArray[np.int64], key: Key, draws: Draws) -> Strings:
        halves = np.unique(lengths // 2)
        table = np.zeros(
            (int(halves.max(initial=0)) + 1,) * 2, np.uint64
        )  # [pairs of brackets, binary rules]
        for half in halves:
            table[half, : max(half, 1)] = _branch_thresholds(self, int(half))
        offsets = offsets_of(lengths)
        ids = np.empty(offsets[-1], self.language.alphabet.dtype)
        kernels.dyck.sample_derivations(key_words(key), draws, self.language.pairs, table, offsets, ids)
        return Strings(ids, offsets)

    def log_prob(self, strings: Strings, window: Window) -> NDArray[np.float64]:
        # A bracket with k > 0 children stands for catalan(k-1) binary trees of weight (q/s)^(k-1); the grammar's
        # choices among the strings of one length are these, the kinds of brackets, and e for each childless one.
        degrees = np.arange(int(strings.lengths.max(initial=0)) // 2 + 1)
        per_node = np.array([float(EXACT.ln(self._degree_weight(int(k)))) for k in degrees])
        member = self.language.accepts(strings)
        result = np.full(len(strings), -np.inf)
        kept = strings.take(member)
        normaliser = total(self.size_weights(window).values())
        per_pair = EXACT.divide(EXACT.divide(decimal(self.p), self._root), self.language.pairs)
        result[member] = (
            kernels.dyck.sum_over_nodes(kept.ids, kept.offsets, per_node)
            + kept.lengths // 2 * float(EXACT.ln(per_pair))
            - float(EXACT.ln(normaliser))
        )
        result[(strings.lengths < window.low) | (strings.lengths > window.high)] = -np.inf
        return result

    def _degree_weight(self, children: int) -> Decimal:
        """The weight of a node with this many children: e without any, catalan(k-1) (q/s)^(k-1) with k."""
        if children == 0:
            return self._empty
        trees = EXACT.create_decimal(comb(2 * children - 2, children - 1) // children)
        for _ in range(children - 1):
            trees = EXACT.multiply(trees, EXACT.divide(decimal(self.q), self._root))
        return trees


@lru_cache(maxsize=2048)
def _branch_thresholds(law: DyckGrammarLaw, half: int) -> NDArray[np.uint64]:
    return thresholds(law.branch_weights(half))


@dataclass(frozen=True)
class TruncatedDerivationsLaw(Law):
    """The law of the program published with Suzgun et al. 2019, which is not their grammar's.

    It derives S recursively; where a bracketed or concatenated part comes out longer than the window allows, or is
    begun beneath brackets that fill the window already, that part becomes the empty string. Strings that are too
    short are drawn again. Offered so that the effect can be measured; it has no exact probabilities.
    """

    language: Dyck
    p: Fraction
    q: Fraction

    @property
    def spec(self) -> str:
        is_default = (self.p, self.q) == (HALF, QUARTER)
        return format_spec("suzgun-truncated", {} if is_default else {"p": self.p, "q": self.q})

    def __post_init__(self) -> None:
        DyckGrammarLaw(self.language, self.p, self.q)
        if self.q >= HALF:
            raise LanguageError(f"Law {self.spec} needs q < 1/2, else derivations do not end.")

    def can_draw(self, strings: Strings, window: Window) -> NDArray[np.bool_]:
        # A derivation of a string that fits the window is never cut off.
        return DyckGrammarLaw(self.language, self.p, self.q).can_draw(strings, window)

    def draw(self, window: Window, key: Key, draws: Draws) -> Strings:
        _check_derivations(self, window)
        longest = self.language.sizes(window)[-1]
        rules = thresholds([decimal(self.p), decimal(self.q), decimal(1 - self.p - self.q)])
        ids = np.empty((len(draws), longest), self.language.alphabet.dtype)
        lengths = kernels.dyck.sample_truncated(
            key_words(key), draws, self.language.pairs, rules, window.low, window.high, ids
        )
        return Strings(ids[np.arange(longest) < lengths[:, None]], offsets_of(lengths))


@lru_cache(maxsize=64)
def _check_derivations(law: TruncatedDerivationsLaw, window: Window) -> None:
    """LanguageError if a draw would take millions of derivations, or one of millions of rules."""
    mass = total(DyckGrammarLaw(law.language, law.p, law.q).size_weights(window).values())
    if mass < RAREST:
        raise LanguageError(
            f"Law {law.spec} draws until a length is in the window {window}, which has the probability {mass:.1e}: "
            "take a wider window, or the law pcfg."
        )
    # beneath each bracket there are p / (1 - 2q) more on average, as deep as the window allows
    growth = float(law.p / (1 - 2 * law.q))
    if growth > 1 and window.high / 2 * log(growth) > log(1 / RAREST):
        raise LanguageError(
            f"Law {law.spec} has derivations of millions of brackets, of which the window {window} cuts off nearly all: "
            "choose p + 2q near 1 or below, or the law pcfg."
        )


LAWS: dict[str, tuple[Callable[..., Law], dict[str, Fraction]]] = {
    "pcfg": (DyckGrammarLaw, {"p": HALF, "q": QUARTER}),
    "suzgun-truncated": (TruncatedDerivationsLaw, {"p": HALF, "q": QUARTER}),
    "uniform-strings": (UniformStringsLaw, {}),
    "enclosed": (EnclosedLaw, {"outer": Fraction(1), "parts": Fraction(2), "pool": Fraction(1000)}),
}
"""Laws beside `uniform`, and the parameters that they have if none are given."""
