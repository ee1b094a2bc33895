"""A grammar as a graph, and what its nodes do without writing anything: empty rules, unit rules, cycles.

The nodes are the symbols, the empty string, *choices* (a nonterminal is one of its alternatives) and *joins* (a right
side of two parts or more is its first part followed by the rest). I(v, n) is the weight of a node v and a length n: the
sum over the derivations of strings of n symbols from v of the product of the probabilities of their rules. So

    choice    I(v, n) = sum over alternatives a of p(a) I(a, n)
    join      I(v, n) = sum over k = 0..n of I(first, k) I(rest, n-k)

For n = 0 these are equations x = F(x) of degree two. The weights are their least solution, which Newton's method
started at zero approaches from below (Esparza, Kiefer & Luttenberger 2010). For n > 0 they are linear in the weights
of this n, b(n) standing for what the smaller lengths give (0 < k < n; and 1 for a symbol where n = 1):

    I(., n) = M I(., n) + b(n) = (1 + M + M^2 + ...) b(n)

M says how a node turns into another while nothing is written: a choice into an alternative, weight p(a); a join into
one part, weight I(other, 0). The sum is finite. For let x be the weights at n = 0 of nodes that turn into one another,
some of which can also write a symbol. There weight is lost: F(1) <= 1, not with equality throughout, so that x < 1,
and since F is convex 1 - x >= F(1) - F(x) >= M (1 - x): a positive vector that M does not stretch and somewhere
shrinks, whence its radius is below one (Perron-Frobenius). Nodes that only derive the empty string may have radius
one, but b is zero there.

Errors. All this is done with 300 digits. That the weights are not above y follows from F(y) <= y (Knaster-Tarski), and
such a y is exhibited for each grammar, above the result of Newton's method by less than one part in 10^100. The sum of
powers subtracts only in 1 / (1 - loop), where 200 digits may be lost.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from operator import mul

from marnn_bench.generators.alphabet import Alphabet
from marnn_bench.generators.devices.grammar_text import Part, Rule
from marnn_bench.generators.errors import LanguageError
from marnn_bench.generators.thresholds import EXACT, Weight

EXTENDED = Context(prec=300, Emax=EXACT.Emax, Emin=EXACT.Emin)
STEPS = 2_000
"""Of Newton's method. It takes about ten; 400 where critical rules derive nothing but the empty string."""
CLOSE, PROVED = Decimal("1e-105"), Decimal("1e-100")

Chances = Sequence[Sequence[Weight]]
"""Of each choice, the weights of its alternatives: probabilities, or ones to count derivations."""


@dataclass(frozen=True)
class Graph:
    """A grammar as numbered nodes: the symbols, the empty string, the choices (the start first), the joins.

    choices:  the alternatives of each, as nodes
    joins:    the first part and the rest of each, as nodes
    """

    symbols: int
    choices: tuple[tuple[int, ...], ...]
    joins: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, rules: Sequence[Rule], alphabet: Alphabet) -> "Graph":
        """The graph of these rules, whose first left side is the start."""
        nonterminals = [*dict.fromkeys(rule.left for rule in rules)]
        nodes = {Part(symbol, True): i for i, symbol in enumerate(alphabet)}
        nodes |= {Part(name, False): len(alphabet) + 1 + i for i, name in enumerate(nonterminals)}
        joins: dict[tuple[int, int], int] = {}

        def node(parts: tuple[Part, ...]) -> int:
            if not parts:
                return len(alphabet)
            whole = nodes[parts[-1]]
            for part in reversed(parts[:-1]):
                whole = joins.setdefault((nodes[part], whole), len(nodes) + 1 + len(joins))
            return whole

        choices: dict[str, list[int]] = {name: [] for name in nonterminals}
        for rule in rules:
            choices[rule.left].append(node(rule.right))
        return cls(len(alphabet), tuple(map(tuple, choices.values())), tuple(joins))

    @property
    def start(self) -> int:
        """The start of the grammar, the first of the choices."""
        return self.symbols + 1

    @property
    def first_join(self) -> int:
        """The first of the joins."""
        return self.start + len(self.choices)

    @property
    def size(self) -> int:
        """The number of nodes."""
        return self.first_join + len(self.joins)

    def silent_steps(self, weights: Chances, empty: Sequence[Weight]) -> list[dict[int, Weight]]:
        """The matrix M by rows: which nodes each can turn into while nothing is written, and with what weight."""
        rows: list[dict[int, Weight]] = [{} for _ in range(self.size)]
        for row, alternatives, chances in zip(rows[self.start :], self.choices, weights, strict=False):
            for alternative, chance in zip(alternatives, chances, strict=True):
                row[alternative] = row.get(alternative, 0) + chance
        for row, (first, rest) in zip(rows[self.first_join :], self.joins, strict=True):
            for part, other in ((first, rest), (rest, first)):
                if empty[other]:
                    row[part] = row.get(part, 0) + empty[other]
        return rows

    def empty_weights(self, weights: Chances, empty: Sequence[Weight]) -> list[Weight]:
        """F: the weight of the empty string in each node, from those of its parts."""
        found: list[Weight] = [0] * self.symbols
        found.append(1)
        for alternatives, chances in zip(self.choices, weights, strict=True):
            found.append(sum(map(mul, chances, (empty[a] for a in alternatives))))
        found += [empty[first] * empty[rest] for first, rest in self.joins]
        return found


def closure(rows: Sequence[Mapping[int, Weight]]) -> list[dict[int, Weight]]:
    """M + M^2 + M^3 + ... by rows: the ways through one node after another are added (Kleene)."""
    sums = [dict(row) for row in rows]
    inner = [i for i, row in enumerate(sums) if row]
    for k in inner:
        if loop := sums[k].get(k):
            star = Decimal(1) / (1 - loop)
            sums[k] = {j: star * weight for j, weight in sums[k].items()}
        for i in inner:
            if i != k and k in sums[i]:
                factor, row = sums[i][k], sums[i]
                for j, weight in sums[k].items():
                    row[j] = row.get(j, 0) + factor * weight
    return sums


def least_solution(graph: Graph, weights: Chances) -> list[Weight]:
    """The weight of the empty string in each node, for probabilities: Newton's method, and the proof of its result."""
    empty: list[Weight] = [0] * graph.size
    for _ in range(STEPS):
        gap = [
            after - before for after, before in zip(graph.empty_weights(weights, empty), empty, strict=True)
        ]
        sums = closure(graph.silent_steps(weights, empty))
        step = _applied(sums, gap)
        empty = [weight + more for weight, more in zip(empty, step, strict=True)]
        if all(more <= CLOSE * weight for more, weight in zip(step, empty, strict=True)):
            break
    margin = [CLOSE * weight for weight in _applied(sums, empty)]
    above = [min(Decimal(1), weight + more) for weight, more in zip(empty, margin, strict=True)]
    images = graph.empty_weights(weights, above)
    proved = all(y == 1 or image <= y for image, y in zip(images, above, strict=True))  # F(1) <= 1
    if not proved or any(y > weight * (1 + PROVED) for weight, y in zip(empty, above, strict=True)):
        raise LanguageError(
            "The probability of the empty string is beyond 300 digits of Newton's method; leave out the nonterminals "
            "that derive nothing but the empty string."
        )
    return empty


def _applied(sums: Sequence[Mapping[int, Weight]], vector: Sequence[Weight]) -> list[Weight]:
    """(1 + M + M^2 + ...) times a vector."""
    return [
        vector[i] + sum(weight * vector[j] for j, weight in row.items() if vector[j])
        for i, row in enumerate(sums)
    ]
