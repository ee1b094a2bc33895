"""How fast strings are drawn, labelled and written, on one thread, beside plain Python doing the same.

    python perf/generators.py

Kernels are compiled and tables computed before the clock starts. Medians of processor time; ratios within one run.
"""

import io
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from timing import median_seconds, print_table

from marnn_bench.generators.keys import derive_key
from marnn_bench.generators.languages.dyck import Dyck
from marnn_bench.generators.languages.palindromes import StringReversal, homomorphic_palindromes
from marnn_bench.generators.laws import Law
from marnn_bench.generators.window import Window
from marnn_bench.store.columns import to_batch
from marnn_bench.store.digest import BLOCK_ROWS, block_digest
from marnn_bench.store.verify import verify
from marnn_bench.store.write import generate, parquet_options
from marnn_bench.tasks.registry import find_task

LONG, KEY, ROWS, WRITTEN = Window(52, 100), derive_key({"perf": "generators"}), 100_000, 2_000_000
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
    joined = joined_by_pyarrow(dyck2)
    rows.append(("spell dyck2, pyarrow's take and join", joined, 1.0))
    for name, rate in columns():
        rows.append((name, rate, rate / joined))
    for workers in (1, 2):
        generated, verified = end_to_end(workers)
        what = f"{WRITTEN:,} rows of dyck2, end to end, workers {workers}, wall"
        rows.append((f"generate {what}", generated, generated / plain))
        rows.append((f"verify {what}", verified, verified / plain))
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


def joined_by_pyarrow(language: Dyck) -> float:
    """Symbols spelt in a second by Arrow's own functions: a list of texts, joined."""
    strings = language.law("uniform").draw(LONG, KEY, np.arange(BLOCK_ROWS, dtype=np.uint64))
    alphabet, space = pa.array(language.alphabet.symbols), pa.scalar(" ")
    ids, starts = pa.array(strings.ids), pa.array(strings.offsets, pa.int32())

    def join() -> None:
        pc.binary_join(pa.ListArray.from_arrays(starts, alphabet.take(ids)), space)

    return len(strings.ids) / median_seconds(join)


def columns() -> list[tuple[str, float]]:
    """Symbols a second through each step from a block of strings to a file."""
    task = find_task("dyck2")
    strings = task.law("test").draw(LONG, KEY, np.arange(BLOCK_ROWS, dtype=np.uint64))
    batch = to_batch(task, "test", strings)

    def write() -> None:
        with pq.ParquetWriter(io.BytesIO(), batch.schema, **parquet_options(batch.schema)) as writer:
            writer.write_batch(batch, row_group_size=BLOCK_ROWS)

    steps: dict[str, Callable[[], object]] = {
        "spell dyck2": lambda: to_batch(task, "test", strings, ["input"]),
        "masks of dyck2": lambda: to_batch(task, "test", strings, ["next"]),
        "depths of dyck2": lambda: to_batch(task, "test", strings, ["depth"]),
        "all columns of dyck2": lambda: to_batch(task, "test", strings),
        "digest of dyck2": lambda: block_digest(batch),
        "Parquet of dyck2, in memory": write,
    }
    return [(name, len(strings.ids) / median_seconds(step)) for name, step in steps.items()]


def end_to_end(workers: int) -> tuple[float, float]:
    """Symbols a second from key to Parquet (distinct, labelled, digested), and in verifying that."""
    task = find_task("dyck2").with_splits({"train": 1, "test": WRITTEN})
    seconds: list[tuple[float, float]] = []
    for _ in range(3):
        with tempfile.TemporaryDirectory() as folder:
            start = time.perf_counter()
            generate(task, Path(folder), workers=workers)
            middle = time.perf_counter()
            (*_, test) = verify(Path(folder), workers)
            seconds.append((middle - start, time.perf_counter() - middle))
    generating, verifying = (sorted(each)[1] for each in zip(*seconds, strict=True))
    return test.symbols / generating, test.symbols / verifying


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
