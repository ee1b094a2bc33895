"""Views: the question that a task asks of a string, and its right answers.

Both views here ask for a set after every symbol, so the right answers are masks: one bit a column.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from marnn_bench.errors import UsageError
from marnn_bench.generators.alphabet import END, Alphabet
from marnn_bench.generators.language import Language, Masks, Transduction
from marnn_bench.generators.strings import Strings


@dataclass(frozen=True)
class NextSymbol:
    """After symbols 1..n: which symbols can come next? With END among the columns only if the task says so."""

    end: bool
    name: ClassVar = "next-symbol"

    def columns(self, language: Language) -> tuple[str, ...]:
        """What a model's answer has one score for, in order."""
        return (*language.alphabet, END) if self.end else tuple(language.alphabet)

    def answers(self, language: Language, strings: Strings) -> Masks:
        """The right set after each symbol: [symbols]."""
        masks = language.next_symbols(strings)
        return masks if self.end else masks & np.uint64((1 << len(language.alphabet)) - 1)


@dataclass(frozen=True)
class Synchronous:
    """After input symbols 1..n: which output symbol belongs to this step? Nothing is fed back."""

    name: ClassVar = "synchronous"

    def columns(self, language: Language) -> tuple[str, ...]:
        """The output alphabet."""
        return tuple(self.outputs(language))

    def answers(self, language: Language, strings: Strings) -> Masks:
        """The set of the one right output at each step: [symbols]."""
        return np.uint64(1) << self.targets(language, strings).ids.astype(np.uint64)

    def targets(self, language: Language, strings: Strings) -> Strings:
        """The output of each string, as long as the string."""
        return self._transduction(language).transduce(strings)

    def outputs(self, language: Language) -> Alphabet:
        """The alphabet of the targets."""
        return self._transduction(language).outputs

    def _transduction(self, language: Language) -> Transduction:
        if not isinstance(language, Transduction):
            raise UsageError(f"{language.name} is no transduction: it cannot be asked synchronously.")
        return language


View = NextSymbol | Synchronous
