"""A grammar in binary form, and the two things that a textbook removes first: empty rules and unit rules.

Binary form. A right side A B C becomes the pair (A, (B, C)): what a derivation goes through are *nodes*, which are the
symbols, the empty string, the nonterminals (one of their alternatives) and the pairs (the first part, then the rest).
Empty and unit rules stay; instead of rewriting the grammar, the weight of their derivations is summed up once.

Inside weights. I(v, n) is the probability that node v derives a string of n symbols:

    nonterminal    I(v, n) = sum over alternatives a of p(a) I(a, n)
    pair           I(v, n) = sum over k = 0..n of I(first, k) I(rest, n - k)

Empty strings. For n = 0 the equations read e = F(e), of degree two in e(v) = I(v, 0). Their least solution is what is
asked for. Newton's method, started at zero, approaches it from below (Esparza, Kiefer & Luttenberger 2010).

Unit steps. For n > 0 a node can *turn into* another, which goes on to derive all n symbols: a nonterminal into an
alternative a, weight p(a); a pair into one of its parts where the other derives the empty string, weight e(other). Let
M be the matrix of these weights (Stolcke 1995, section 4.5, has it for unit rules), and b(n) what is derived without
such a step: 1 for a symbol if n = 1, the terms 0 < k < n of the sum for a pair. Then

    I(., n) = M I(., n) + b(n) = (1 + M + M^2 + ...) b(n)

The series converges, although a grammar may have cycles of unit steps, and derivations that never end. Let
u = 1 - e: the probability that a node does not derive the empty string. Of a nonterminal it is the sum of p(a) u(a).
Of a pair it is 1 - e(first) e(rest) = e(rest) u(first) + e(first) u(rest) + u(first) u(rest). So

    u = M u + d    with d = 1 for a symbol, u(first) u(rest) for a pair, 0 elsewhere,

and putting this equation into itself, u = (1 + M + ... + M^k) d + M^(k+1) u, which is at least (1 + M + ... + M^k) d.
Since b(n) <= d, the series is at most u, for every n. (For a pair, b(n) is part of the probability that neither part
is empty, which is d.)

Precision. All of this is done with 300 digits. That e is not above some vector y follows from F(y) <= y
(Knaster-Tarski): such a y is exhibited for each grammar, above Newton's result by less than one part in 10^100. There
is one subtraction, in 1 / (1 - loop). A loop is 1 only at nodes that derive nothing but the empty string, where b is
zero; next to that, 200 digits may be lost.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from graphlib import CycleError, TopologicalSorter
from operator import mul

from marnn_bench.generators.alphabet import Alphabet
from marnn_bench.generators.devices.grammar_text import Part, Rule
from marnn_bench.generators.errors import LanguageError
from marnn_bench.generators.thresholds import EXACT, Weight

EXTENDED = Context(prec=300, Emax=EXACT.Emax, Emin=EXACT.Emin)
MAX_NEWTON_STEPS = 2_000
"""Of Newton's method. It takes about ten; 400 where critical rules derive nothing but the empty string."""
NEWTON_TOLERANCE, ERROR_BOUND = Decimal("1e-105"), Decimal("1e-100")

MAX_CLOSURE_WORK = 10_000_000
"""Multiplications behind the unit derivations of a grammar, a minute or less; a dozen nonterminals take thousands."""
MAX_EMPTY_BITS = 1_000_000
"""Of the number of derivations of the empty string."""

RuleWeights = Sequence[Sequence[Weight]]
"""Of each nonterminal, the weights of its alternatives: probabilities, or ones to count derivations."""


@dataclass(frozen=True)
class BinarisedGrammar:
    """A grammar as numbered nodes: the symbols, the empty string, the nonterminals (the start first), the pairs.

    nonterminals:  the alternatives of each, as nodes
    pairs:         the first part and the rest of each, as nodes
    """

    symbols: int
    nonterminals: tuple[tuple[int, ...], ...]
    pairs: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, rules: Sequence[Rule], alphabet: Alphabet) -> "BinarisedGrammar":
        """The binary form of these rules, whose first left side is the start."""
        names = [*dict.fromkeys(rule.left for rule in rules)]
        nodes = {Part(symbol, True): i for i, symbol in enumerate(alphabet)}
        nodes |= {Part(name, False): len(alphabet) + 1 + i for i, name in enumerate(names)}
        pairs: dict[tuple[int, int], int] = {}

        def node(parts: tuple[Part, ...]) -> int:
            if not parts:
                return len(alphabet)
            whole = nodes[parts[-1]]
            for part in reversed(parts[:-1]):
                whole = pairs.setdefault((nodes[part], whole), len(nodes) + 1 + len(pairs))
            return whole

        alternatives: dict[str, list[int]] = {name: [] for name in names}
        for rule in rules:
            alternatives[rule.left].append(node(rule.right))
        return cls(len(alphabet), tuple(map(tuple, alternatives.values())), tuple(pairs))

    @property
    def start(self) -> int:
        """The start of the grammar, the first of the nonterminals."""
        return self.symbols + 1

    @property
    def first_pair(self) -> int:
        """The first of the pairs."""
        return self.start + len(self.nonterminals)

    @property
    def size(self) -> int:
        """The number of nodes."""
        return self.first_pair + len(self.pairs)

    def unit_steps(self, weights: RuleWeights, empty: Sequence[Weight]) -> list[dict[int, Weight]]:
        """The matrix M by rows: which nodes each can turn into, and with what weight."""
        rows: list[dict[int, Weight]] = [{} for _ in range(self.size)]
        for row, alternatives, chances in zip(rows[self.start :], self.nonterminals, weights, strict=False):
            for alternative, chance in zip(alternatives, chances, strict=True):
                row[alternative] = row.get(alternative, 0) + chance
        for row, (first, rest) in zip(rows[self.first_pair :], self.pairs, strict=True):
            for part, other in ((first, rest), (rest, first)):
                if empty[other]:
                    row[part] = row.get(part, 0) + empty[other]
        return rows

    def empty_weights(self, weights: RuleWeights, empty: Sequence[Weight]) -> list[Weight]:
        """F: the weight of the empty string in each node, from those of its parts."""
        found: list[Weight] = [0] * self.symbols
        found.append(1)
        for alternatives, chances in zip(self.nonterminals, weights, strict=True):
            found.append(sum(map(mul, chances, (empty[a] for a in alternatives))))
        found += [empty[first] * empty[rest] for first, rest in self.pairs]
        return found


class Work:
    """What may still be multiplied before a grammar is refused."""

    def __init__(self, grammar: BinarisedGrammar) -> None:
        self.nodes, self.left = grammar.size, MAX_CLOSURE_WORK

    def spend(self, products: int) -> None:
        """Take off so many products. LanguageError if nothing is left."""
        self.left -= products
        if self.left < 0:
            raise LanguageError(
                f"The unit and empty rules of this grammar, {self.nodes:,} symbols, nonterminals and pairs of them, take "
                f"more than {MAX_CLOSURE_WORK:,} products: use fewer nonterminals that can turn into one another."
            )


def unit_closure(rows: Sequence[Mapping[int, Weight]], work: Work) -> list[dict[int, Weight]]:
    """M + M^2 + M^3 + ... by rows: the ways through one node after another are added (Kleene)."""
    sums = [dict(row) for row in rows]
    columns: list[dict[int, None]] = [{} for _ in sums]  # by node, the rows that have it
    for i, row in enumerate(sums):
        for j in row:
            columns[j][i] = None
    for k, through in enumerate(sums):
        if not through:
            continue
        if loop := through.get(k):
            star = Decimal(1) / (1 - loop)
            through = sums[k] = {j: star * weight for j, weight in through.items()}
        work.spend(1 + len(through) * len(columns[k]))
        for i in columns[k]:
            if i != k:
                factor, row = sums[i][k], sums[i]
                for j, weight in through.items():
                    row[j] = row.get(j, 0) + factor * weight
                    if j != k:
                        columns[j][i] = None
    return sums


def empty_probabilities(grammar: BinarisedGrammar, weights: RuleWeights) -> list[Weight]:
    """The least solution of e = F(e) for probabilities: Newton's method, and the proof of its result."""
    empty: list[Weight] = [0] * grammar.size
    work = Work(grammar)
    for _ in range(MAX_NEWTON_STEPS):
        gap = [
            after - before for after, before in zip(grammar.empty_weights(weights, empty), empty, strict=True)
        ]
        sums = unit_closure(grammar.unit_steps(weights, empty), work)
        step = _apply(sums, gap)
        work.spend(grammar.size + sum(map(len, sums)))
        empty = [weight + more for weight, more in zip(empty, step, strict=True)]
        if all(more <= NEWTON_TOLERANCE * weight for more, weight in zip(step, empty, strict=True)):
            break
    margin = [NEWTON_TOLERANCE * weight for weight in _apply(sums, empty)]
    above = [min(Decimal(1), weight + more) for weight, more in zip(empty, margin, strict=True)]
    images = grammar.empty_weights(weights, above)
    proved = all(y == 1 or image <= y for image, y in zip(images, above, strict=True))  # F(1) <= 1
    if not proved or any(y > weight * (1 + ERROR_BOUND) for weight, y in zip(empty, above, strict=True)):
        raise LanguageError(
            "The probability of the empty string is beyond 300 digits of Newton's method; leave out the nonterminals "
            "that derive nothing but the empty string."
        )
    return empty


def empty_counts(grammar: BinarisedGrammar, weights: RuleWeights) -> list[Weight]:
    """How often each node derives the empty string. LanguageError where there is no end of derivations.

    Passes are made until nothing changes: as many as derivations of the empty string are high.
    """
    work = Work(grammar)
    possible = _repeated(
        lambda empty: [min(weight, 1) for weight in grammar.empty_weights(weights, empty)], work
    )
    try:
        TopologicalSorter(dict(enumerate(grammar.unit_steps(weights, possible)))).prepare()
    except CycleError:
        raise LanguageError(
            "A nonterminal of this grammar derives itself, so that a string has infinitely many derivations."
        ) from None
    return _repeated(lambda empty: grammar.empty_weights(weights, empty), work)


def _repeated(change: Callable[[list[Weight]], list[Weight]], work: Work) -> list[Weight]:
    """What a change leads to, made again and again from zeros on."""
    before: list[Weight] = []
    here: list[Weight] = [0] * work.nodes
    while here != before:
        before, here = here, change(here)
        work.spend(work.nodes)
        if max(int(weight).bit_length() for weight in here) > MAX_EMPTY_BITS:
            raise LanguageError(
                f"The empty string has more than 2^{MAX_EMPTY_BITS:,} derivations by this grammar: leave out "
                "nonterminals that derive nothing else."
            )
    return here


def _apply(sums: Sequence[Mapping[int, Weight]], vector: Sequence[Weight]) -> list[Weight]:
    """(1 + M + M^2 + ...) times a vector."""
    return [
        vector[i] + sum(weight * vector[j] for j, weight in row.items() if vector[j])
        for i, row in enumerate(sums)
    ]
