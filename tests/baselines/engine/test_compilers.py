"""One program by every compiler of this machine."""

import pytest

from helpers.c_programs import compilers
from helpers.short_trainings import assert_equal, trained
from marnn_bench.baselines.engine.program import Program
from marnn_bench.baselines.models.registry import find_baseline
from marnn_bench.baselines.recipes import SUZGUN2019
from marnn_bench.tasks.registry import find_task


@pytest.mark.skipif(len(compilers()) < 2, reason="needs a second compiler: the extra `compiler`")
@pytest.mark.parametrize("name", ["lstm", "stack-rnn-gumbel", "baby-ntm"])
def test_a_training_has_the_same_bits_by_every_compiler(name, monkeypatch, tmp_path):
    monkeypatch.setenv("MARNN_CACHE", str(tmp_path))
    cell = find_baseline(name).cell(find_task("dyck2"))
    results = []
    for command in compilers().values():
        monkeypatch.setenv("CC", " ".join(command))
        results.append(trained(Program(cell), cell, SUZGUN2019))
    assert len([*(tmp_path / "engine").glob("*.so")]) == len(results)
    for other in results[1:]:
        assert_equal(results[0], other)
