"""Every metric against its definition in the papers, in plain Python, on whatever a model may answer."""

from collections import defaultdict
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import entropy

from helpers.answered import examples_of
from helpers.brute_force import members
from marnn_bench.asking.protocol import TIE
from marnn_bench.examples import LanguageModellingExamples, RecognitionExamples, TransductionExamples
from marnn_bench.generators.strings import Strings, offsets_of
from marnn_bench.generators.window import Window
from marnn_bench.scoring.metrics import Breakdown, Correctness, Scorer
from marnn_bench.scoring.predictions import Predictions
from marnn_bench.scoring.runs import scorer_of
from marnn_bench.tasks.registry import find_task

DYCK5, ANBN, MEMORIZATION, COPY, RECOGNITION, MODELLING = map(
    find_task, ("dyck5", "anbn", "memorization", "sequence-copy", "dyck2-recognition", "dyck1--lm")
)
CLOSING = [column for column in DYCK5.columns if column in {")", "]", "}", ">", "-"}]

Marks = dict[Any, list[bool]]


def texts_of(name: str, window: Window) -> list[str]:
    """Every string of a task's language in a window."""
    language = find_task(name).language
    return members(language, window).texts(language.alphabet)


def share(marks: Iterable[bool]) -> float:
    listed = list(marks)
    return sum(listed) / len(listed) if listed else np.nan


def assert_cells(breakdown: Breakdown, expected: Marks) -> None:
    """The same groups, and as many right answers in each."""
    found = {cell[breakdown.by]: (cell["n"], cell["correct"]) for cell in breakdown.cells()}
    assert found == {group: (len(marks), sum(marks)) for group, marks in expected.items()}


def assert_marked(found: Correctness, rows: list[list[bool]]) -> None:
    assert found.correct.tolist() == [all(row) for row in rows]
    assert found.first_error.tolist() == [row.index(False) if False in row else -1 for row in rows]


def values(scorer: Scorer, predictions: Predictions) -> dict[str, float]:
    return {name: ratio.value for name, ratio in scorer.metrics(predictions).items()}


def drawn_answers(data: st.DataObject, count: int, *kinds: st.SearchStrategy[Any]) -> list[tuple[Any, ...]]:
    """So many answers, each with whether it came."""
    return data.draw(st.lists(st.tuples(*kinds, st.booleans()), min_size=count, max_size=count))


# -- sets and closing brackets (Bernardy 2018)


@given(st.lists(st.sampled_from(texts_of("dyck5", Window(2, 6))), min_size=1, max_size=4), st.data())
def test_closing_brackets_as_bernardy_counts_them(texts: list[str], data: st.DataObject) -> None:
    """Given that a closing bracket comes: is it the likeliest of all? After a complete string: is none predicted?"""
    examples = examples_of(DYCK5, texts)
    gold = examples.answers.tolist()
    some_sets = st.sampled_from([*sorted(set(gold)), 0, 1])
    answers = [
        (data.draw(st.sampled_from([mask, other])), choice, came)
        for mask, (other, choice, came) in zip(
            gold, drawn_answers(data, len(gold), some_sets, st.integers(TIE, len(CLOSING) - 1)), strict=True
        )
    ]
    masks, choices, came = map(np.array, zip(*answers, strict=True))
    predictions = Predictions(
        {"predicted": masks.astype(np.uint64), "closing": choices}, came, examples.strings.offsets
    )
    rows: list[list[bool]] = []
    by_position, by_distance, by_depth = (defaultdict[int, list[bool]](list) for _ in range(3))
    complete: list[bool] = []
    rest = iter(zip(gold, answers, strict=True))
    for text in texts:
        symbols, opened, row = text.split(), [], []
        for place, symbol in enumerate(symbols):
            right, (mask, choice, came_here) = next(rest)
            row.append(bool(came_here) and mask == right)
            opened.pop() if symbol in CLOSING else opened.append(place)
            if not opened:
                predicted = {column for i, column in enumerate(DYCK5.columns) if mask >> i & 1}
                complete.append(bool(came_here) and predicted.isdisjoint(CLOSING))
            if symbols[place + 1 : place + 2] and symbols[place + 1] in CLOSING:
                mark = bool(came_here) and choice >= 0 and CLOSING[choice] == symbols[place + 1]
                by_position[place + 1].append(mark)
                by_distance[place + 1 - opened[-1]].append(mark)
                by_depth[len(opened)].append(mark)
        rows.append(row)
    scorer = scorer_of(examples)
    assert values(scorer, predictions) == pytest.approx(
        {
            "sequence_accuracy": share(all(row) for row in rows),
            "position_accuracy": share(mark for row in rows for mark in row),
            "closing_accuracy": share(mark for marks in by_position.values() for mark in marks),
            "complete_accuracy": share(complete),
        }
    )
    assert_marked(scorer.correctness(predictions), rows)
    found = scorer.breakdowns(predictions)
    assert_cells(found["closing_by_position"], by_position)
    assert_cells(found["closing_by_distance"], by_distance)
    assert_cells(found["closing_by_depth"], by_depth)


# -- deterministic positions and n solved (Joulin & Mikolov 2015)


@pytest.mark.parametrize("task", [ANBN, MEMORIZATION], ids=lambda task: task.name)
@given(data=st.data())
def test_deterministic_positions_and_n_solved_as_joulin_and_mikolov_count_them(
    task: Any, data: st.DataObject
) -> None:
    """What counts are positions where one symbol alone can follow; END only where the task's text says so."""
    pool = texts_of(task.name, Window(1, 3))
    texts = data.draw(st.lists(st.sampled_from(pool), min_size=1, max_size=5))
    examples = examples_of(task, texts)
    gold = [[c for i, c in enumerate(task.columns) if mask >> i & 1] for mask in examples.answers.tolist()]
    chosen = [
        (answer if right is None else right, came)
        for answer, right, came in (
            (answer, task.columns.index(one[0]) if repeat and one else None, came)
            for one, (answer, repeat, came) in zip(
                gold,
                drawn_answers(data, len(gold), st.integers(TIE, len(task.columns) - 1), st.booleans()),
                strict=True,
            )
        )
    ]
    predicted, came = map(np.array, zip(*chosen, strict=True))
    predictions = Predictions({"predicted": predicted}, came, examples.strings.offsets)
    sizes: defaultdict[int, list[bool]] = defaultdict(list)
    rows, scored = [], []
    rest = iter(zip(gold, chosen, strict=True))
    for text in texts:
        row = []
        for _ in text.split():
            allowed, (column, came_here) = next(rest)
            counts = len(allowed) == 1 and allowed[0] not in task.view.unscored
            right = bool(came_here) and column >= 0 and [task.columns[column]] == allowed
            row.append(right or not counts)
            scored += [right] if counts else []
        rows.append(row)
        sizes[text.split().count("a") if task is ANBN else text.split().index("#")].append(all(row))
    scorer = scorer_of(examples)
    assert values(scorer, predictions) == pytest.approx(
        {
            "solved_sizes": share(all(marks) for marks in sizes.values()),
            "sequence_accuracy": share(all(row) for row in rows),
            "position_accuracy": share(scored),
        },
        nan_ok=True,
    )
    assert_marked(scorer.correctness(predictions), rows)
    assert_cells(scorer.breakdowns(predictions)["by_size"], sizes)


# -- coarse and fine accuracy (Grefenstette et al. 2015)


@given(st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=5), min_size=1, max_size=6), st.data())
def test_coarse_and_fine_accuracy_as_grefenstette_et_al_define_them(
    sources: list[list[int]], data: st.DataObject
) -> None:
    """Coarse: the share of targets that are wholly right. Fine: the mean share that is right before the first error."""
    strings = Strings(
        np.array([i for source in sources for i in source]), offsets_of(np.array(list(map(len, sources))))
    )
    targets = COPY.view.targets(COPY.language, strings)
    examples = TransductionExamples(COPY, "test", strings, targets, "d")
    end, outputs, fine, rows = len(COPY.columns) - 1, [], [], []
    for target in targets:
        wanted = [*target.tolist(), end]
        right = data.draw(st.integers(0, len(wanted)))
        output = [(column, True) for column in wanted[:right]]
        if right < len(wanted):
            wrong = data.draw(st.integers(TIE, end).filter(lambda column, gold=wanted[right]: column != gold))
            output.append(data.draw(st.sampled_from([(wrong, True), (wanted[right], False)])))
        outputs.append(output)
        fine.append(right / len(wanted))
        rows.append([True] * right + [False] * (right < len(wanted)))
    flat = [answer for output in outputs for answer in output]
    predicted, came = map(np.array, zip(*flat, strict=True))
    predictions = Predictions({"predicted": predicted}, came, offsets_of(np.array(list(map(len, outputs)))))
    scorer = scorer_of(examples)
    assert values(scorer, predictions) == pytest.approx(
        {"sequence_accuracy": share(map(all, rows)), "fine_accuracy": sum(fine) / len(fine)}
    )
    assert_marked(scorer.correctness(predictions), rows)
    by_length = defaultdict(list)
    for source, value in zip(sources, fine, strict=True):
        by_length[len(source)].append(value)
    cells = scorer.breakdowns(predictions)["fine_by_length"].cells()
    assert {cell["length"]: cell["value"] for cell in cells} == pytest.approx(
        {length: sum(found) / len(found) for length, found in by_length.items()}
    )


# -- recognition

NEGATIVES = RECOGNITION.view.negatives
LABELLED = st.tuples(
    st.integers(0, 4),  # length
    st.integers(0, len(NEGATIVES)),  # 0 for a member, else how it was made
    st.integers(1, 3),  # edits
    st.sampled_from([0.0, 0.3, np.nextafter(0.5, 0), 0.5, 1.0]),
    st.booleans(),  # whether an answer came
)


@given(st.lists(LABELLED, min_size=1, max_size=20))
def test_recognition_is_balanced_and_broken_down_by_kind_of_negative_and_edits(rows: list[Any]) -> None:
    """A probability of one half says yes; no answer is wrong, whatever the label."""
    lengths, kinds, edits, said, came = map(np.array, zip(*rows, strict=True))
    label = kinds == 0
    strings = Strings(np.zeros(lengths.sum(), np.uint8), offsets_of(lengths))
    examples = RecognitionExamples(
        RECOGNITION, "test_60", strings, label, kinds.astype(np.uint8), np.where(label, 0, edits), "d"
    )
    predictions = Predictions({"predicted": said}, came, np.arange(len(rows) + 1))
    by_kind, by_edits = defaultdict(list), defaultdict(list)
    right = []
    for _, kind, distance, probability, came_here in rows:
        right.append(came_here and (probability >= 0.5) == (kind == 0))
        by_kind[["member", *NEGATIVES][kind]].append(right[-1])
        if kind:
            by_edits[distance].append(right[-1])
    classes = [
        share(mark for mark, is_member in zip(right, label, strict=True) if is_member == wanted)
        for wanted in (True, False)
    ]
    scorer = scorer_of(examples)
    assert values(scorer, predictions) == pytest.approx(
        {
            "balanced_accuracy": np.nanmean(classes),
            "accuracy": share(right),
            "member_accuracy": classes[0],
            "negative_accuracy": classes[1],
        },
        nan_ok=True,
    )
    found = scorer.correctness(predictions)
    assert found.first_error.tolist() == [
        -1 if mark else row[0] for mark, row in zip(right, rows, strict=True)
    ]
    assert_cells(scorer.breakdowns(predictions)["by_negative"], by_kind)
    assert_cells(scorer.breakdowns(predictions)["by_edits"], by_edits)


# -- language modelling


def modelling_examples(texts: list[str], log_probs: Any) -> LanguageModellingExamples:
    strings = Strings.from_texts(MODELLING.language.alphabet, texts)
    return LanguageModellingExamples(MODELLING, "test", strings, np.array(log_probs, np.float64), "d")


@given(st.lists(st.sampled_from(texts_of("dyck1", Window(2, 6))), min_size=1, max_size=5), st.data())
def test_excess_cross_entropy_is_nats_above_the_bound_for_each_symbol_and_end(
    texts: list[str], data: st.DataObject
) -> None:
    bounds = data.draw(st.lists(st.floats(-20, 0), min_size=len(texts), max_size=len(texts)))
    tokens = [len(text.split()) + 1 for text in texts]
    log_p = st.floats(-5, 0) | st.just(-np.inf)
    drawn = drawn_answers(data, sum(tokens), log_p)
    predicted, came = map(np.array, zip(*drawn, strict=True))
    predictions = Predictions({"predicted": predicted}, came, offsets_of(np.array(tokens)))
    nats = -sum(value if here else -np.inf for value, here in drawn)
    ends = [sum(tokens[:i]) for i in range(len(tokens) + 1)]
    rows = [[bool(here) and value > -np.inf for value, here in drawn[a:b]] for a, b in pairwise(ends)]
    scorer = scorer_of(modelling_examples(texts, bounds))
    assert values(scorer, predictions) == pytest.approx(
        {
            "excess_cross_entropy": (nats + sum(bounds)) / sum(tokens),
            "cross_entropy": nats / sum(tokens),
            "possible": share(map(all, rows)),
        }
    )
    assert_marked(scorer.correctness(predictions), rows)


@given(st.lists(st.floats(0.05, 0.95), min_size=64, max_size=64))
def test_the_mean_excess_over_all_strings_is_the_relative_entropy(shares: list[float]) -> None:
    """Of a uniform law over the 14 strings of 8 brackets, from a model that gives each prefix its own bet on `(`."""
    texts = texts_of("dyck1", Window(8, 8))
    uniform = np.full(len(texts), 1 / len(texts))
    bets = {
        prefix: share
        for prefix, share in zip(
            sorted({tuple(text.split()[:i]) for text in texts for i in range(8)}), shares, strict=False
        )
    }
    assert len(bets) < len(shares)
    log_p = []
    for text in texts:
        symbols = text.split()
        bet = [bets[tuple(symbols[:i])] for i in range(8)]
        log_p.append([np.log(p if s == "(" else 1 - p) for p, s in zip(bet, symbols, strict=True)] + [0.0])
    predictions = Predictions.of(np.concatenate(log_p), np.arange(len(texts) + 1) * 9)
    q = np.exp(np.sum(log_p, axis=1))
    # scipy scales q to a sum of 1; what the model gives to strings that are none is lost, too.
    relative = entropy(uniform, q) - np.log(q.sum())
    excess = values(scorer_of(modelling_examples(texts, np.log(uniform))), predictions)[
        "excess_cross_entropy"
    ]
    assert excess == pytest.approx(relative / 9)
