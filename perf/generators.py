"""How fast strings are drawn, labelled and written, on one thread, beside plain Python doing the same.

    python perf/generators.py

Kernels are compiled and tables computed before the clock starts. Medians of processor time; ratios within one run.
"""

import random
import tempfile
import time
from pathlib import Path

import numpy as np
from timing import median_seconds, print_table

from marnn_bench.generators.keys import derive_key
from marnn_bench.generators.languages.dyck import Dyck
from marnn_bench.generators.languages.palindromes import StringReversal, homomorphic_palindromes
from marnn_bench.generators.laws import Law
from marnn_bench.generators.window import Window
from marnn_bench.store.write import generate
from marnn_bench.tasks.registry import find_task

LONG, KEY, ROWS = Window(52, 100), derive_key({"perf": "generators"}), 100_000
GRAMMAR = "pcfg:p=1/2,q=1/4"


def main() -> None:
    """Print the table."""
    dyck2, palindromes, reversal = Dyck(2), homomorphic_palindromes(), StringReversal()
    plain = plain_sampler()
    rows = [("sample dyck2, plain recursion, rejection", plain, 1.0)]
    for name, law in (
        ("sample dyck2, grammar's law", dyck2.law(GRAMMAR)),
        ("sample dyck2, uniform law", dyck2.law("uniform")),
        ("sample hom-palindrome", palindromes.law("uniform")),
        ("sample string-reversal", reversal.law("uniform")),
    ):
        rate = sampler(law)
        rows.append((name, rate, rate / plain))
    plain = plain_labeller(dyck2)
    rows.append(("label dyck2, plain Python", plain, 1.0))
    for language in (dyck2, palindromes):
        rate = labeller(language)
        rows.append((f"label {language.name}", rate, rate / plain))
    for workers in (1, 2):
        rate = written(workers)
        rows.append(
            (f"generate 200,000 rows of dyck2, end to end, workers {workers}, wall", rate, rate / plain)
        )
    cells = [[name, f"{rate / 1e6:.2f}", f"{ratio:,.0f}"] for name, rate, ratio in rows]
    print_table(cells, ["what, symbols 52-100", "million symbols/s", "x plain"])


def sampler(law: Law) -> float:
    """Symbols drawn in a second."""
    draws = np.arange(ROWS, dtype=np.uint64)
    symbols = len(law.draw(LONG, KEY, draws).ids)
    return symbols / median_seconds(lambda: law.draw(LONG, KEY, draws))


def labeller(language: Dyck) -> float:
    """Symbols given their next-symbol set in a second."""
    strings = language.law("uniform").draw(LONG, KEY, np.arange(ROWS, dtype=np.uint64))
    return len(strings.ids) / median_seconds(lambda: language.next_symbols(strings))


def written(workers: int) -> float:
    """Symbols a second from key to Parquet: distinct, labelled, digested."""
    task = find_task("dyck2").with_splits({"train": 1, "test": 200_000})
    seconds = []
    for _ in range(3):
        with tempfile.TemporaryDirectory() as folder:
            start = time.perf_counter()
            generate(task, Path(folder), workers=workers)
            seconds.append(time.perf_counter() - start)
    return 200_000 * 71.8 / sorted(seconds)[1]


def plain_sampler() -> float:
    """The grammar written down as a recursive function; what falls outside the window is thrown away."""
    rng = random.Random(1)

    def derive(out: list[str], depth: int) -> None:
        if len(out) > LONG.high or depth > LONG.high:
            raise OverflowError
        rule = rng.random()
        if rule < 0.5:
            pair = rng.choice(["()", "[]"])
            out.append(pair[0])
            derive(out, depth + 1)
            out.append(pair[1])
        elif rule < 0.75:
            derive(out, depth)
            derive(out, depth)

    def run() -> int:
        symbols = 0
        for _ in range(20_000):
            out: list[str] = []
            try:
                derive(out, 0)
            except (OverflowError, RecursionError):
                continue
            if len(out) in LONG:
                symbols += len(out)
        return symbols

    start = time.process_time()
    return run() / (time.process_time() - start)


def plain_labeller(language: Dyck) -> float:
    """The stack as a list, the sets as Python sets."""
    strings = language.law("uniform").draw(LONG, KEY, np.arange(2_000, dtype=np.uint64))
    texts = [text.split() for text in strings.texts(language.alphabet)]
    closing = dict(language.brackets)

    def run() -> None:
        for text in texts:
            owed: list[str] = []
            labels = []
            for symbol in text:
                if symbol in closing:
                    owed.append(closing[symbol])
                else:
                    owed.pop()
                labels.append({*closing, *owed[-1:]})

    return len(strings.ids) / median_seconds(run)


if __name__ == "__main__":
    main()
