"""Joint sequences of source and target."""

import numpy as np

from marnn_bench.baselines.joint import InputIds, input_symbols
from marnn_bench.baselines.models.registry import find_baseline
from marnn_bench.tasks.registry import find_task


def test_source_and_target_symbols_have_ids_of_their_own():
    """sequence-copy: START, 128 source symbols, the separator, 128 target symbols of the same names."""
    task = find_task("sequence-copy")
    assert len(input_symbols(task)) == 1 + 128 + 1 + 128
    ids = InputIds(task.view.name, task.language.alphabet.symbols, task.columns)
    fed = [task.symbols.index(symbol) for symbol in ("s1", "s128", "|||", "s1", "s128")]
    begun = ids.begin(1).tolist()
    assert begun + [ids.of(np.array([symbol])).item() for symbol in fed] == [0, 1, 128, 129, 130, 257]
    assert find_baseline("neural-queue-lstm").cell(task).symbols == 258


def test_strings_of_other_views_keep_their_ids():
    assert [symbol for _, symbol in input_symbols(find_task("string-reversal"))] == ["a", "b", "c", "#"]
    assert find_baseline("rnn").cell(find_task("dyck2")).symbols == 4
