"""What there is to say of a task: alphabet, rule, two examples, splits, what trivial answers reach, a picture."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from marnn_bench.fresh import fresh_strings
from marnn_bench.generators.keys import derive_key
from marnn_bench.generators.strings import Strings
from marnn_bench.scoring.runs import trivial_scores
from marnn_bench.store.cache import cached_data
from marnn_bench.store.columns import max_depths
from marnn_bench.store.content import Content, contents
from marnn_bench.store.read import read_split, read_train
from marnn_bench.task import Split, Task
from marnn_bench.views import LanguageModelling, NextSymbol, Recognition, SetView, Transduce

KEY = derive_key({"gallery": 1})
SHORTEST = {"length": 5, "n": 3}
"""Examples are of the first two sizes from here on."""

Splits = Mapping[str, Mapping[str, NDArray[Any]]]
"""For each split and column, such as `length`, a number for each of its strings."""

COLUMNS = 80
"""Of a terminal."""

MANY = 10_000
"""So many strings of an endless split stand for all."""

Example = list[tuple[str, list[str]]]
"""Titled rows of cells; cells of the same place belong together."""


def describe(task: Task) -> dict[str, Any]:
    """A task as a record."""
    return {
        "name": task.name,
        "version": task.version,
        "summary": task.summary,
        "view": task.view.name,
        "language_class": task.language_class,
        "paper": task.paper,
        "notes": list(task.notes),
        "alphabet": list(task.language.alphabet),
        "columns": list(task.columns),
        "splits": {name: _said(split) for name, split in task.splits.items()},
    }


def _said(split: Split) -> dict[str, Any]:
    """A split as a record; a key is nobody's business."""
    return {
        **{name: value for name, value in vars(split).items() if name != "secret"},
        "window": str(split.window),
    }


def examples(task: Task) -> list[Example]:
    """Two short strings with the right answers."""
    if isinstance(task.view, Recognition):
        return [_recognition_example(task)]
    if isinstance(task.view, LanguageModelling):
        return _weighted_examples(task)
    language = task.language
    sizes = [size for size in range(SHORTEST[language.measure], 100) if language.count(size)][:2]
    return [
        _labelled_example(task, language.sample(np.array([size]), KEY, np.array([size], np.uint64)))
        for size in sizes
    ]


def _labelled_example(task: Task, string: Strings) -> Example:
    symbols = string.texts(task.language.alphabet)[0].split()
    view = task.view
    if isinstance(view, Transduce):
        target = view.targets(task.language, string).texts(view.outputs(task.language))[0]
        return [("source", symbols), ("target", target.split())]
    if not isinstance(view, SetView):
        return [("string", symbols)]
    answers = view.answers(task.language, string)
    sets = ["/".join(name for i, name in enumerate(task.columns) if int(mask) >> i & 1) for mask in answers]
    if isinstance(view, NextSymbol):
        scored_places = view.scored_mask(task.language, answers)
        sets = [
            answer if scored else f"({answer})" for answer, scored in zip(sets, scored_places, strict=True)
        ]
    return [("string", symbols), ("answer", sets)]


def _weighted_examples(task: Task) -> list[Example]:
    """Two of the shortest strings that say something, with the natural log of their probability in the first split."""
    language, name = task.language, next(iter(task.splits))
    sizes = language.sizes(window := task.split(name).window)
    chosen = ([size for size in sizes if size >= SHORTEST[language.measure]] or sizes)[:2]
    strings = language.sample(np.array(chosen), KEY, np.array(chosen, np.uint64))
    log_probs = task.law(name).log_prob(strings, window)
    texts = strings.texts(language.alphabet)
    return [
        [("string", [text]), ("log_prob", [f"{log_prob:.6f}"])]
        for text, log_prob in zip(texts, log_probs, strict=True)
    ]


def _recognition_example(task: Task) -> Example:
    """Of each kind, one of the shortest negatives of the first split from six symbols on, and the member it is made from."""
    rows = next(iter(contents(task).values())).labelled_rows
    if rows is None:
        return []
    texts = rows.strings.texts(task.language.alphabet)
    lengths = np.where(rows.label, 1 << 30, rows.strings.lengths)
    found: Example = []
    for place, kind in enumerate(rows.kinds):
        made = np.flatnonzero((rows.negative == place + 1) & (lengths >= 6))
        if len(made):
            row = int(made[np.argmin(lengths[made])])
            found += [("member", texts[int(rows.source[row])].split()), (kind, texts[row].split())]
    return found


def scores(task: Task) -> dict[str, list[dict[str, Any]]]:
    """What the trivial answers reach on each split, fitted on train."""
    if not contents(task):
        return {}
    folder = cached_data(task)
    train = read_train(folder, task)
    return {name: trivial_scores(train, read_split(folder, task, name)) for name in contents(task)}


def distributions(task: Task) -> Splits:
    """Lengths, and where they are defined depths, of the strings of each split."""
    found: dict[str, dict[str, NDArray[Any]]] = {}
    for name, content in contents(task).items():
        strings = content.strings(0, len(content))
        found[name] = {"length": strings.lengths}
        if isinstance(task.view, SetView | LanguageModelling):
            found[name]["depth"] = max_depths(task, strings)
    return found


def worth_drawing(splits: Splits) -> bool:
    """Whether some split has more than one string of a length; equal bars for all lengths say nothing."""
    return any(len(np.unique(numbers["length"])) < len(numbers["length"]) for numbers in splits.values())


def split_headers(task: Task) -> list[str]:
    """What the cells of `split_rows` are: a window is of lengths, or of the n of the definition."""
    return [
        "split",
        "rows",
        "window" if task.language.measure == "length" else "n",
        "lengths",
        "law",
        "distinct",
    ]


def split_rows(task: Task) -> Iterator[list[str]]:
    """A row of cells for each split: name, how many rows, window, the lengths that occur, law, distinct or not."""
    written = contents(task)
    for name, split in task.splits.items():
        rows = f"{len(written[name]):,}" if name in written else "endless"
        shortest, longest = _length_range(task, name, written.get(name))
        law, distinct = task.law(name).spec, "yes" if split.distinct else "no"
        yield [name, rows, str(split.window), f"{shortest}-{longest}", law, distinct]


def length_range(task: Task, split: str) -> tuple[int, int]:
    """The least and the greatest length of a split's strings; of an endless one's, as far as `MANY` strings tell."""
    return _length_range(task, split, contents(task).get(split))


def _length_range(task: Task, split: str, content: Content | None) -> tuple[int, int]:
    if content is None:
        lengths = fresh_strings(task, split, epoch=0, first=0, rows=MANY).lengths
    else:
        lengths = content.strings(0, len(content)).lengths
    return int(lengths.min()), int(lengths.max())


def overlaps(task: Task) -> list[str]:
    """Which splits may share strings with earlier ones, and why."""
    shared = {name: split.overlaps for name, split in task.splits.items() if split.overlaps}
    return [
        f"`{name}` may share strings with the splits before it: {reason}." for name, reason in shared.items()
    ]


def shortened(symbols: tuple[str, ...]) -> str:
    """The symbols, or the first and the last of many."""
    return " ".join(
        symbols if len(symbols) <= 24 else (*symbols[:6], "...", symbols[-1], f"({len(symbols)})")
    )


def aligned(example: Example) -> Iterator[str]:
    """The rows of an example with cells of one place below each other, in blocks that fit a terminal."""
    titles = max(len(title) for title, _ in example)
    places = max(len(cells) for _, cells in example)
    widths = [max(len(cells[i]) for _, cells in example if i < len(cells)) for i in range(places)]
    room = COLUMNS - titles - 1
    fitting = places if sum(widths) + places <= room else max(1, room // (max(widths) + 1))
    for first in range(0, places, fitting):
        if first:
            yield ""
        for title, cells in example:
            shown = zip(cells[first : first + fitting], widths[first:], strict=False)
            yield f"{title:<{titles}}  {' '.join(cell.ljust(width) for cell, width in shown)}".rstrip()
