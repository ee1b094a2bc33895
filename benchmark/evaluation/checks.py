"""What `marnn-bench check` tries on a model, in seconds: a wave of the size that an evaluation has, of short questions."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from marnn_bench.asking.answers import THRESHOLD
from marnn_bench.asking.failures import model_error, show_prefix
from marnn_bench.asking.protocol import Failure, Loaded, ModelTask
from marnn_bench.asking.scripts import script_of, sent_symbols
from marnn_bench.asking.waves import WAVE_ROWS, Model, WaveFailure, run_wave
from marnn_bench.evaluation.audits import Audit, Check, cut
from marnn_bench.examples import Examples

FEW: Final = 2
"""Answers about most of the strings."""

WHOLE: Final = 24
"""Strings that are asked about to their end."""


@dataclass(frozen=True)
class Checker:
    """Tries a model on strings of a task. Raises ModelError or LimitError where it does not answer at all."""

    model: Model
    model_name: str

    def run(self, examples: Examples) -> Iterator[Check]:
        """Every check, in order."""
        started = time.perf_counter()
        loaded = self._load(examples)
        detail = f"asked by {loaded.interface}, {time.perf_counter() - started:.1f} s"
        yield Check("loads", True, detail)
        asked = examples.take(range(min(WAVE_ROWS, len(examples))))
        script = cut(script_of(asked, loaded), FEW, WHOLE)
        started = time.perf_counter()
        predictions = run_wave(self.model, script, lambda failed: self._stop(asked, failed))
        count = len(predictions.answered)
        each = 1e6 * (time.perf_counter() - started) / max(count, 1)
        yield Check("answers", True, f"{count:,} answers, {each:.1f} µs each")
        limits = script.wanted.sum(axis=0)
        yield from Audit(self.model, loaded, asked, predictions, THRESHOLD, FEW, WHOLE, limits).checks()

    def _load(self, examples: Examples) -> Loaded:
        try:
            return self.model.load(ModelTask.of(examples.task))
        except Failure as failure:
            raise model_error(failure, self.model_name, "") from None

    def _stop(self, asked: Examples, failed: WaveFailure) -> None:
        prefix = (
            show_prefix(" ".join(sent_symbols(asked, failed.rows[0])[: failed.sent])) if failed.rows else ""
        )
        raise model_error(failed.failure, self.model_name, f"prefix {prefix}" if prefix else "")
