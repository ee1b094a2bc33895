"""The tasks of Joulin & Mikolov 2015: the examples that the paper prints, and what each split holds."""

import numpy as np
import pytest
from scipy import stats

from marnn_bench.examples import SetExamples
from marnn_bench.generators.strings import Strings
from marnn_bench.generators.window import Window
from marnn_bench.store.content import contents
from marnn_bench.streams import Stream, as_stream
from marnn_bench.task import Task
from marnn_bench.tasks import joulin2015 as tasks

TABLE_1 = [
    (tasks.ANBN, "aabbaaabbbabaaaaabbbbb", "aabb aaabbb ab aaaaabbbbb"),
    (tasks.ANBNCN, "aaabbbcccabcaaaaabbbbbccccc", "aaabbbccc abc aaaaabbbbbccccc"),
    (tasks.ANBNCNDN, "aabbccddaaabbbcccdddabcd", "aabbccdd aaabbbcccddd abcd"),
    (tasks.ANB2N, "aabbbbaaabbbbbbabb", "aabbbb aaabbbbbb abb"),
    (tasks.UNARY_ADDITION, "aabcccaaabbcccccabcc", "aabccc aaabbccccc abcc"),
    (tasks.MEMORIZATION, "12=212122=221211121=12111", "12=21 2122=2212 11121=12111"),
]
every_task = pytest.mark.parametrize("task", tasks.TASKS, ids=lambda task: task.name)


def stream_of(task: Task, *texts: str) -> Stream:
    strings = Strings.from_texts(task.language.alphabet, map(" ".join, texts))
    assert task.language.accepts(strings).all()
    return as_stream(SetExamples(task, "test", strings, task.view.answers(task.language, strings), digest=""))


@pytest.mark.parametrize(("task", "printed", "strings"), TABLE_1, ids=lambda x: getattr(x, "name", ""))
def test_the_examples_of_table_1(task: Task, printed: str, strings: str) -> None:
    """Each is a stream of members; in memorization their 1 2 = are our a b #."""
    ours = str.maketrans("12=", "ab#")
    stream = stream_of(task, *strings.translate(ours).split())
    letters = np.array(list(task.language.alphabet))
    assert "".join(letters[stream.inputs[1:]]) == printed.translate(ours)


def test_the_example_of_table_3() -> None:
    """a^n b^2n with n = 6: what is fed, what comes next, and predictions that count as right, as printed."""
    stream, ids = stream_of(tasks.ANB2N, "a" * 6 + "b" * 12), {"a": 0, "b": 1}
    assert stream.inputs.tolist() == [ids[s] for s in "baaaaaabbbbbbbbbbbb"]
    assert stream.targets.tolist() == [ids[s] for s in "aaaaaabbbbbbbbbbbba"]
    assert stream.correct(np.array([ids[s] for s in "aaaaaaabbbbbbbbbbba"])).all()
    assert not stream.correct(np.array([ids[s] for s in "aaaaaaaabbbbbbbbbba"])).any()


@pytest.mark.parametrize(
    ("task", "text", "scored"),
    [
        (tasks.ANBN, "aaabbb", "000111"),
        (tasks.ANBNCNDN, "aabbccdd", "00111111"),
        (tasks.ANB3N, "aabbbbbb", "00111111"),
        (tasks.UNARY_ADDITION, "aabccc", "000111"),
        (tasks.ANBMCNDM, "aabccd", "000111"),
        (tasks.UNARY_MULTIPLICATION, "aabbcccc", "00001111"),
        (tasks.MEMORIZATION, "abb#bba", "0001110"),
        (tasks.BINARY_ADDITION, "101+1=011.", "0000011110"),
        (tasks.BINARY_ADDITION, "0+1=1.", "000110"),
    ],
    ids=lambda x: getattr(x, "name", ""),
)
def test_scored_is_what_is_determined(task: Task, text: str, scored: str) -> None:
    """After which symbols one symbol alone can come: that of the next string too, but not where it is random."""
    assert stream_of(task, text).scored.tolist() == [False, *(s == "1" for s in scored)]


@every_task
def test_every_string_of_n_up_to_60_is_in_the_test_or_200_different_ones(task: Task) -> None:
    language, content = task.language, contents(task)["test"]
    strings = content.strings(0, len(content))
    assert language.accepts(strings).all()
    sizes = language.sizes_of(strings)
    most = 200 if task.split("test").per_size else 10**9
    expected = [min(language.count(n), most) for n in range(1, 61)]
    assert np.bincount(sizes, minlength=61)[1:].tolist() == expected
    assert len(set(strings.texts(language.alphabet))) == len(strings)


def test_counting_tasks_have_one_string_for_each_n_or_1770_for_two_numbers() -> None:
    rows = {task.name: len(contents(task)["test"]) for task in tasks.TASKS}
    assert [rows[name] for name in ("anbn", "anbncn", "anbncndn", "anb2n", "anb3n")] == [60] * 5
    assert [rows[name] for name in ("unary-addition", "anbmcndm", "unary-multiplication")] == [1770] * 3


@every_task
def test_training_strings_have_n_uniform_in_2_to_19(task: Task) -> None:
    split = task.split("train")
    assert (split.rows, split.window) == ("fresh", Window(2, 19))
    strings = task.law("train").draw(split.window, task.key("train"), np.arange(20_000, dtype=np.uint64))
    counts = np.bincount(task.language.sizes_of(strings), minlength=20)
    assert counts[:2].sum() == 0
    assert stats.chisquare(counts[2:]).pvalue > 1e-4


@pytest.mark.parametrize("task", [tasks.UNARY_ADDITION, tasks.ANBMCNDM, tasks.UNARY_MULTIPLICATION])
def test_two_numbers_share_n_uniformly(task: Task) -> None:
    """Their program draws m in 1..N-1."""
    window, rows = Window(19, 19), 20_000
    strings = task.law("train").draw(window, task.key("train"), np.arange(rows, dtype=np.uint64))
    a = task.language.alphabet.id("a")
    firsts = np.add.reduceat(strings.ids == a, strings.offsets[:-1])
    assert stats.chisquare(np.bincount(firsts, minlength=19)[1:]).pvalue > 1e-4
