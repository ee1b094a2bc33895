"""Texts: what is regular is predicted, what is random is not, and what is seldom is unknown."""

import json
from pathlib import Path

import numpy as np
import pytest

from helpers.command_line import marnn, succeed
from marnn_bench.baselines.stream.text import Vocabulary, as_stream, words_of
from marnn_bench.errors import UsageError

SMALL = ("--characters", "--hidden", "8", "--epochs", "4")


def perplexity(text: str, folder: Path, *options: str) -> dict[str, object]:
    """What is found of a text."""
    (folder / "corpus.txt").write_text(text)
    printed = succeed("text", "joulin-rnn-40", "corpus.txt", *SMALL, *options, "--format", "json", cwd=folder)
    found: dict[str, object] = json.loads(printed)
    return found


def test_what_repeats_is_predicted(tmp_path: Path) -> None:
    found = perplexity("abcd" * 500, tmp_path)
    assert (found["symbols"], found["learned"], found["unknown"]) == (5, 1800, 0)
    assert 1 <= found["validation"] < 1.1


def test_what_is_random_is_not(tmp_path: Path) -> None:
    """Of four letters that are all as likely none can be told: a perplexity of 4, but for what is learned by heart."""
    letters = np.random.default_rng(1).integers(0, 4, 3_000)
    found = perplexity("".join("abcd"[place] for place in letters), tmp_path)
    assert 3.95 < found["validation"] < 4.5


def test_another_text_is_tested(tmp_path: Path) -> None:
    """One without a word that is known has nothing but the unknown."""
    (tmp_path / "other.txt").write_text("xyxyxyxy")
    found = perplexity("abcd" * 200, tmp_path, "--test", "other.txt")
    assert found["unknown"] == 1
    assert found["test"] > 10 * found["validation"]


def test_the_most_frequent_words_are_known() -> None:
    words = words_of("a b b\nc b a <unk>\n", characters=False)
    vocabulary = Vocabulary.of(words, 3)
    assert vocabulary.symbols == ("<unk>", "b", "a")
    assert vocabulary.ids(words).tolist() == [2, 1, 1, 0, 0, 1, 2, 0, 0]


def test_each_symbol_is_asked_for_after_the_one_before() -> None:
    ids = np.arange(250, dtype=np.int32)
    places, first = as_stream(ids)
    assert places.ids.tolist() == [*range(249)]
    assert places.answers.tolist() == [*range(1, 250)]
    assert first.tolist() == [0, 100, 200, 249]
    with pytest.raises(UsageError, match="less than two symbols"):
        as_stream(ids[:1])


def test_only_models_of_streams_learn_texts(tmp_path: Path) -> None:
    (tmp_path / "corpus.txt").write_text("ab" * 100)
    refused = marnn("text", "lstm", "corpus.txt", *SMALL, cwd=tmp_path)
    assert refused.code == 2
    assert "does not learn from a stream" in refused.error
