"""How fast negatives are made, on one thread, beside plain Python doing the same.

    python perf/negatives.py

Symbols of the members that they are made from, a second of processor time; every proposal decided by the automaton.
The last rows are whole recognition splits: distinct members, negatives of every kind in turn, distances.
"""

import random
import sys
from pathlib import Path

import numpy as np
from timing import median_seconds, print_table

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from helpers.edit_distance import edit_distance
from marnn_bench.generators.keys import derive_key
from marnn_bench.generators.language import Language
from marnn_bench.generators.languages.counter_languages import anbncbmam
from marnn_bench.generators.languages.dyck import Dyck
from marnn_bench.generators.languages.even_palindromes import EvenPalindromes
from marnn_bench.generators.sampling.edits import levenshtein
from marnn_bench.generators.sampling.negatives import kinds_of, make_negatives
from marnn_bench.generators.sampling.recognition import recognition_rows
from marnn_bench.generators.strings import Strings
from marnn_bench.generators.window import Window

KEY = derive_key({"perf": "negatives"})
LONG, LONGEST = Window(52, 100), Window(1, 960)
ROWS = {LONG: 50_000, LONGEST: 5_000}
DYCK2, PALINDROMES, BLOCKS = Dyck(2), EvenPalindromes(), anbncbmam()


def main() -> None:
    """Print the table."""
    rows = [("swap, plain Python", plain_swaps())]
    rows += [(kind, negatives(DYCK2, kind, LONG)) for kind in kinds_of(DYCK2)]
    rows += [(f"{kind}, of 1-960 symbols", negatives(DYCK2, kind, LONGEST)) for kind in kinds_of(DYCK2)]
    rows += [
        (f"blocks of a^i b^j c b^k a^l, {window}", negatives(BLOCKS, "blocks", window)) for window in ROWS
    ]
    rows += [(f"{kind}, of palindromes", negatives(PALINDROMES, kind, LONG)) for kind in ("edit", "permuted")]
    rows += [
        ("Levenshtein distance, plain Python", plain_distances()),
        ("Levenshtein distance", distances(LONG)),
        ("Levenshtein distance, of 1-960 symbols", distances(LONGEST)),
        ("split of 100,000 rows", split(LONG)),
        ("split of 10,000 rows of 1-960 symbols", split(LONGEST)),
    ]
    cells = [[name, f"{rate / 1e6:,.3g}"] for name, rate in rows]
    print_table(cells, ["negatives of dyck2, symbols 52-100", "million symbols/s"])


def members(language: Language, window: Window) -> Strings:
    """Members of all lengths of the window."""
    return language.law("uniform").draw(window, KEY, draws(window))


def draws(window: Window) -> np.ndarray:
    """Numbers of draws."""
    return np.arange(ROWS[window], dtype=np.uint64)


def negatives(language: Language, kind: str, window: Window) -> float:
    """Negatives of one kind."""
    sources = members(language, window)
    return len(sources.ids) / median_seconds(
        lambda: make_negatives(language, kind, sources, KEY, draws(window))
    )


def distances(window: Window) -> float:
    """Distances to permuted strings."""
    sources = members(DYCK2, window)
    made = make_negatives(DYCK2, "permuted", sources, KEY, draws(window))
    return len(sources.ids) / median_seconds(lambda: levenshtein(sources.take(made.rows), made.strings))


def split(window: Window) -> float:
    """A split as `generate` asks for it; symbols of all its rows."""
    law, rows = DYCK2.law("uniform"), ROWS[window]
    symbols = len(recognition_rows(DYCK2, law, window, KEY, rows, rows).strings.ids)
    return symbols / median_seconds(lambda: recognition_rows(DYCK2, law, window, KEY, rows, rows), repeats=3)


def plain_swaps() -> float:
    """Two unequal symbols exchanged until a stack says no."""
    sources = members(DYCK2, LONG).take(range(2_000))
    texts = [text.split() for text in sources.texts(DYCK2.alphabet)]
    closing, rng = dict(DYCK2.brackets), random.Random(1)

    def is_member(string: list[str]) -> bool:
        owed: list[str] = []
        for symbol in string:
            if symbol in closing:
                owed.append(closing[symbol])
            elif not owed or owed.pop() != symbol:
                return False
        return not owed

    def run() -> None:
        for text in texts:
            made = text
            while is_member(made):
                made = text.copy()
                here, there = (rng.randrange(len(made)) for _ in range(2))
                made[here], made[there] = made[there], made[here]

    return len(sources.ids) / median_seconds(run)


def plain_distances() -> float:
    """The table of distances, row by row."""
    sources = members(DYCK2, LONG).take(range(50))
    made = make_negatives(DYCK2, "permuted", sources, KEY, draws(LONG)[:50]).strings
    pairs = [(a.tolist(), b.tolist()) for a, b in zip(sources, made, strict=True)]

    def run() -> None:
        for one, other in pairs:
            edit_distance(one, other)

    return len(sources.ids) / median_seconds(run)


if __name__ == "__main__":
    main()
