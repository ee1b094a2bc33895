"""How fast grammars, translations and rearrangements are drawn, on one thread, beside plain Python doing the same.

    python perf/grammars.py

Medians of processor time, kernels compiled. Tables are computed once for a window; the last column says in what time.
"""

import random
import time
from collections import defaultdict
from collections.abc import Callable

import numpy as np
from timing import median_seconds, print_table

from marnn_bench.generators.devices.grammar import Grammar
from marnn_bench.generators.keys import derive_key
from marnn_bench.generators.languages.copying import BigramFlip, Rearrangement, SequenceCopy, SequenceReversal
from marnn_bench.generators.languages.gender import Gender
from marnn_bench.generators.languages.svo_sov import SvoSov
from marnn_bench.generators.laws import Law
from marnn_bench.generators.window import Window

KEY, ROWS = derive_key({"perf": "grammars"}), 20_000
LONG, BRACKETS = Window(65, 128), Window(52, 100)
DYCK2 = "S -> '(' S ')' [1/4] | '[' S ']' [1/4] | S S [1/4] | [1/4]"
EXPRESSIONS = """
    E -> E '+' T [1/3] | T [2/3]
    T -> T '*' F [1/3] | F [2/3]
    F -> '(' E ')' [1/4] | '-' F [1/4] | 'x' [1/2]
"""

Row = tuple[str, float, float | None]
"""What, symbols a second, seconds for the tables."""


def main() -> None:
    """Print the table."""
    draw(SvoSov(words=1).law("itg"), LONG, 1)
    draw(Grammar.parse("S -> 'a' S [1/2] | [1/2]").law(), LONG, 1)
    rows = []
    for name, text, window in (("dyck2", DYCK2, BRACKETS), ("expressions", EXPRESSIONS, LONG)):
        rows.append(ours(f"PCFG: {name} in {window}", Grammar.parse(text).law(), window))
        rows.append(plain(name, rejection(Grammar.parse(text), window)))
    for language in (SvoSov(), Gender()):
        for spec in ("itg", "length-balanced"):
            rows.append(
                ours(f"{language.name}, {spec}, in {LONG}, every pair checked", language.law(spec), LONG)
            )
        rows.append(plain(f"{language.name}, sources only", rejection(language.grammar.sources, LONG)))
    for copying in (SequenceCopy(), SequenceReversal(), BigramFlip()):
        rows.append(ours(f"{copying.name} in {LONG}, with targets", copying.law("uniform"), LONG, copying))
        rows.append(plain(copying.name, lists(copying)))
    cells = [
        [name, f"{rate / 1e6:.3f}", "" if tables is None else f"{tables:.2f}"] for name, rate, tables in rows
    ]
    print_table(cells, ["what", "million symbols/s", "tables, s"])


def draw(law: Law, window: Window, rows: int, copying: Rearrangement | None = None) -> int:
    """Draw so many sources, and write their targets; how many symbols the sources have."""
    sources = law.draw(window, KEY, np.arange(rows, dtype=np.uint64))
    if copying:
        copying.transduce(sources)
    return len(sources.ids)


def ours(name: str, law: Law, window: Window, copying: Rearrangement | None = None) -> Row:
    """Symbols of sources in a second."""
    start = time.process_time()
    draw(law, window, 100, copying)
    tables = time.process_time() - start
    symbols = draw(law, window, ROWS, copying)
    return name, symbols / median_seconds(lambda: draw(law, window, ROWS, copying)), tables


def plain(name: str, run: Callable[[], int]) -> Row:
    """The same by plain Python, for two seconds."""
    start, symbols = time.process_time(), 0
    while time.process_time() < start + 2:
        symbols += run()
    return f"    plain Python: {name}", symbols / (time.process_time() - start), None


def rejection(grammar: Grammar, window: Window) -> Callable[[], int]:
    """Derivations from the start, given up where they grow too long, thrown away where they end too short."""
    rng = random.Random(1)
    sides, weights = defaultdict(list), defaultdict(list)
    for rule in grammar.rules:
        sides[rule.left].append([(part.name, part.is_symbol) for part in reversed(rule.right)])
        weights[rule.left].append(float(rule.probability))

    def run() -> int:
        out: list[str] = []
        todo = [(grammar.rules[0].left, False)]
        while todo and len(out) <= window.high and len(todo) <= 1_000:
            name, is_symbol = todo.pop()
            if is_symbol:
                out.append(name)
            else:
                todo += rng.choices(sides[name], weights[name])[0]
        return len(out) if not todo and len(out) in window else 0

    return run


def lists(copying: Rearrangement) -> Callable[[], int]:
    """A list of random symbols and the same in another order."""
    rng, symbols = random.Random(1), copying.alphabet.symbols

    def run() -> int:
        source = rng.choices(symbols, k=rng.choice(copying.sizes(LONG)))
        if isinstance(copying, BigramFlip):
            target = [symbol for i in range(0, len(source), 2) for symbol in (source[i + 1], source[i])]
        else:
            target = source[::-1] if isinstance(copying, SequenceReversal) else source[:]
        return len(target)

    return run


if __name__ == "__main__":
    main()
