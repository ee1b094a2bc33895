"""What can be reproduced: papers' tables, and grids of learning rates and epochs around them. All of it is data."""

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import product
from pathlib import PurePosixPath
from typing import Final

from marnn_bench.errors import UsageError

MODELS: Final = (
    "rnn",
    "lstm",
    "stack-rnn-joulin-mikolov",
    "stack-rnn",
    "stack-rnn-temperature",
    "stack-rnn-gumbel",
    "stack-lstm",
    "stack-lstm-temperature",
    "stack-lstm-gumbel",
    "baby-ntm",
    "baby-ntm-temperature",
    "baby-ntm-gumbel",
)
"""The rows of Tables 2 to 6 of Suzgun et al. 2019."""

FAMILIES: Final = ("rnn", "lstm", "stack-rnn-joulin-mikolov", "stack-rnn", "stack-lstm", "baby-ntm")
"""One of each kind of controller and memory, those with gates by softmax."""

COUNTING: Final = (
    "joulin-rnn-40",
    "joulin-lstm-1x50",
    "joulin-list-rnn",
    "joulin-stack-rnn",
    "joulin-stack-rnn-rounded",
)
"""The rows of Table 2 of Joulin & Mikolov 2015, which has the best of several sizes of RNN and LSTM."""

TRANSDUCERS: Final = (
    *(f"deep-lstm-{layers}" for layers in (1, 2, 4, 8)),
    "neural-stack-lstm",
    "neural-queue-lstm",
    "neural-deque-lstm",
)
"""The rows of appendix E of Grefenstette et al. 2015."""

TASKS: Final = ("dyck2", "dyck3", "dyck6", "hom-palindrome", "marked-palindrome", "string-reversal")
RATES: Final = (0.001, 0.002, 0.003, 0.005, 0.01, 0.02)


@dataclass(frozen=True)
class Entry:
    """A model on a task, trained by its paper's recipe or with these values instead."""

    model: str
    task: str
    learning_rate: float | None = None
    epochs: int | None = None

    @property
    def place(self) -> PurePosixPath:
        """Its folder, below that of the whole.

        >>> Entry("lstm", "dyck2").place, Entry("lstm", "dyck2", 0.003, 5).place
        (PurePosixPath('lstm/dyck2'), PurePosixPath('lstm/dyck2/rate-0.003-epochs-5'))
        """
        values = {"rate": self.learning_rate, "epochs": self.epochs}
        named = "-".join(f"{name}-{value}" for name, value in values.items() if value is not None)
        return PurePosixPath(self.model, self.task, named)


@dataclass(frozen=True)
class Reproduction:
    """Models on tasks: a table by the recipes as they are, a grid if it has learning rates and epochs.

    source:  what it stands in, as published rows say it
    runs:    trainings of each row, unless others are asked for
    stream:  whether strings are asked one behind the other
    """

    name: str
    source: str
    tasks: tuple[str, ...]
    models: tuple[str, ...] = MODELS
    learning_rates: tuple[float, ...] = ()
    epochs: tuple[int, ...] = ()
    runs: int = 100
    stream: bool = False

    @property
    def is_grid(self) -> bool:
        """Whether it varies the recipes."""
        return bool(self.learning_rates)

    def entries(self) -> Iterator[Entry]:
        """All that is trained, task by task in the order of the rows."""
        for task, model in product(self.tasks, self.models):
            for rate, epochs in product(self.learning_rates or (None,), self.epochs or (None,)):
                yield Entry(model, task, rate, epochs)


REPRODUCTIONS: Final = (
    Reproduction("suzgun2019-table2", "Suzgun et al. 2019, Table 2", ("dyck2",)),
    Reproduction("suzgun2019-table3", "Suzgun et al. 2019, Table 3", ("dyck3",)),
    Reproduction("suzgun2019-table4", "Suzgun et al. 2019, Table 4", ("dyck6",)),
    Reproduction("suzgun2019-table5", "Suzgun et al. 2019, Table 5", ("hom-palindrome",)),
    Reproduction("suzgun2019-section6.2", "Suzgun et al. 2019, section 6.2", ("marked-palindrome",)),
    Reproduction("suzgun2019-table6", "Suzgun et al. 2019, Table 6", ("string-reversal",)),
    Reproduction("suzgun2019-dyck1", "Models of Suzgun et al. 2019", ("dyck1",)),
    Reproduction(
        "joulin2015-table2",
        "Joulin & Mikolov 2015, Table 2",
        ("anbn", "anbncn", "anbncndn", "anb2n", "unary-addition"),
        COUNTING,
        runs=10,
        stream=True,
    ),
    Reproduction(
        "grefenstette2015-appendixe",
        "Grefenstette et al. 2015, Appendix E",
        ("sequence-copy", "sequence-reversal", "bigram-flip", "svo-sov", "gender"),
        TRANSDUCERS,
        runs=1,
    ),
    Reproduction(
        "suzgun2019-learning-rates",
        "Suzgun et al. 2019, by rate and epochs",
        TASKS,
        FAMILIES,
        RATES,
        (1, 2, 3, 4, 5),
    ),
)


def find_reproduction(name: str) -> Reproduction:
    """The one of this name; UsageError if there is none."""
    known = {reproduction.name: reproduction for reproduction in REPRODUCTIONS}
    if name in known:
        return known[name]
    near = get_close_matches(name, known, n=3, cutoff=0.5)
    hint = f"Did you mean {' or '.join(near)}?" if near else "`marnn-bench reproduce` lists them."
    raise UsageError(f"There is no {name!r} to reproduce. {hint}")
