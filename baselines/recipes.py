"""Recipes: the papers' training procedures, as data. `marnn_bench.baselines.training.loop` carries them out."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

from marnn_bench.errors import UsageError

FRESH_ROWS: Final = 10_000
"""Strings an epoch of an endless split, where a paper says nothing."""

Learns = Literal["sets", "next symbols", "targets", "labels at every step"]
"""What the loss compares answers with: `marnn_bench.baselines.lessons` says what that is in each view."""

EVERY_STEP: Final = "labels at every step"

Order = Literal["given", "by length", "two stages"]
"""`marnn_bench.baselines.orders` says what they are."""

ORDERS: Final[tuple[Order, ...]] = get_args(Order)

Loss = Literal["squared error", "cross-entropy", "binary cross-entropy"]
"""The second is of distributions, the third of numbers between 0 and 1, column by column."""

LOSSES: Final[tuple[Loss, ...]] = get_args(Loss)

RuleName = Literal["bptt", "rtrl", "uoro"]
RULES: Final[tuple[RuleName, ...]] = get_args(RuleName)


@dataclass(frozen=True)
class Annealing:
    """A temperature that starts from 1, is multiplied by exp(-rate) before each update, and stays above a floor."""

    rate: float
    floor: float

    def after(self, updates: int) -> float:
        """The temperature of so manyeth update, counted from 1, and of what follows it.

        >>> annealing = Annealing(rate=1e-4, floor=0.5)
        >>> round(annealing.after(6_931), 6), annealing.after(6_932)
        (0.500024, 0.5)
        """
        return max(math.exp(-self.rate * updates), self.floor)


@dataclass(frozen=True)
class Clipping:
    """No number above the bound and none below its negative: of gradients, or of what is propagated back in every step."""

    bound: float
    of: Literal["gradients", "errors"]


@dataclass(frozen=True)
class Halving:
    """The learning rate is halved, and the best parameters are taken up again, after each epoch whose validation loss is no
    new minimum, from the epoch `patient` (counted from 0) on; below the floor training ends.
    """

    patient: int
    floor: float


@dataclass(frozen=True)
class Rounding:
    """After the training the best parameters are tuned on, so many epochs at a rate, and before each of these those of one map
    are multiplied by a factor: of scores that grow so, a softmax goes towards whole numbers.
    """

    epochs: int
    factor: float
    learning_rate: float
    of: str = "action"


@dataclass(frozen=True)
class Curriculum:
    """Sizes grow by one an epoch: from `least` to `first + epoch`, but not beyond `most`."""

    least: int
    first: int
    most: int

    def sizes(self, epoch: int) -> range:
        """Those of an epoch, counted from 0.

        >>> [*Curriculum(least=2, first=2, most=4).sizes(1)], [*Curriculum(2, 2, 4).sizes(9)]
        ([2, 3], [2, 3, 4])
        """
        return range(self.least, min(self.first + epoch, self.most) + 1)


@dataclass(frozen=True)
class Stream:
    """Strings follow each other without a sign between them; an update after every symbol (`marnn_bench.baselines.stream`).

    steps:         how many steps back errors are propagated
    strings:       an epoch
    emptied:       after so many strings the state begins anew, and errors are propagated no further back
    validated:     strings of the validation after an epoch
    answers_only:  whether only the positions that count are learned from
    """

    steps: int
    strings: int
    emptied: int
    validated: int
    answers_only: bool = False


@dataclass(frozen=True)
class Recipe:
    """How a paper trains. Every run sees the same strings.

    procedure:      in words: what all recipes of this kind have in common
    learns:         the right set after each symbol; the symbol that comes next, and END; the next symbol of the target; in
                    recognition, whether the whole string is a member, after each of its symbols
    epochs:         passes over the train split
    learning_rate:  of the optimiser
    betas, epsilon: of Adam; of RMSProp the same epsilon
    decay:          of RMSProp's average of squares (.9 in Tieleman & Hinton 2012)
    annealing:      of the gates' temperature, which is 1 without; the last one holds at evaluation
    balanced:       whether members and negatives of a finite split come equally often: the fewer of them come again
    order:          of the strings of a finite split in each epoch
    random_rate:    in each epoch, in two stages of the first, the rate is multiplied by a number drawn evenly from here to 1
    weight_noise:   share of the matrices of each tensor of higher order that is disturbed while a gradient is found, in two stages
                    in the second: `marnn_bench.baselines.rules.regulariser`
    batch:          strings an update: consecutive ones; the loss is averaged over all that is asked about them
    fresh_rows:     strings an epoch, where the train split is endless
    learning_rates: what the paper searched, the best on its selection criterion being reported
    restarts:       trainings of which the best is reported: these are runs
    selection:      the parameters that are kept: the last, or those of the epoch that is best in validation, in training, or on the
                    test splits
    rule:           by what the gradient is found: `marnn_bench.baselines.rules`
    steps_back:     of bptt, how many steps errors go back, in stretches of so many; by default through all of the string
    patience:       epochs in a row without a gain in what is selected by, after which a run ends
    inferred:       fields whose values are ours, inferred from the paper's results, since the paper gives none
    """

    name: str
    procedure: str
    epochs: int
    learning_rate: float
    betas: tuple[float, float] = (0.9, 0.999)
    epsilon: float = 1e-8
    decay: float = 0.9
    learns: Learns = "sets"
    optimiser: Literal["adam", "sgd", "rmsprop"] = "adam"
    loss: Loss = "squared error"
    annealing: Annealing | None = None
    balanced: bool = False
    order: Order = "given"
    random_rate: float | None = None
    weight_noise: float | None = None
    batch: int = 1
    fresh_rows: int = FRESH_ROWS
    selection: Literal["last", "validation loss", "training loss", "test accuracy"] = "last"
    patience: int | None = None
    rule: RuleName = "bptt"
    steps_back: int | None = None
    clipping: Clipping | None = None
    schedule: Halving | None = None
    curriculum: Curriculum | None = None
    stream: Stream | None = None
    rounding: Rounding | None = None
    learning_rates: tuple[float, ...] = ()
    restarts: int = 1
    inferred: tuple[str, ...] = ()

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Recipe":
        """The recipe that `dataclasses.asdict` made this of; TypeError or KeyError if it is none."""
        fields = dict(data)
        fields |= {name: tuple(of) for name, of in fields.items() if isinstance(of, list)}
        fields |= {name: PARTS[name](**of) for name, of in fields.items() if name in PARTS and of is not None}
        return cls(**fields)

    @property
    def most_epochs(self) -> int:
        """With those of the rounding."""
        return self.epochs + (self.rounding.epochs if self.rounding else 0)

    @property
    def measured(self) -> tuple[str, ...]:
        """What is measured after each epoch. Beside a selection on the test splits stands that in validation."""
        if self.selection == "test accuracy":
            return "test accuracy", "validation loss"
        return () if self.selection == "last" else (self.selection,)

    @property
    def validates(self) -> bool:
        """Whether strings are held out of training."""
        return "validation loss" in self.measured

    def require_procedure(self, model: str) -> None:
        """UsageError unless all of the procedure can be carried out."""
        if self.rounding and self.selection == "last":
            raise UsageError(
                f"The rounding of {model}'s recipe begins from the best parameters: select by validation loss."
            )
        if self.stream:
            self._require_stream(model)
            return
        if self.clipping and self.clipping.of == "errors":
            raise UsageError(
                f"The clipping of errors in {model}'s recipe is for streams: clip gradients, or nothing."
            )
        if self.schedule and self.selection != "validation loss":
            raise UsageError(
                f"The schedule of {model}'s recipe follows the validation loss: select by it, too."
            )
        if self.patience and self.selection == "last":
            raise UsageError(
                f"The patience of {model}'s recipe has nothing to wait for: select by validation loss."
            )
        if self.steps_back and self.rule != "bptt":
            raise UsageError(
                f"{model}'s recipe learns by {self.rule}, which takes no steps back: learn by bptt."
            )
        if self.annealing and self.selection != "last":
            raise UsageError(
                f"{model}'s recipe anneals a temperature, whose last value holds at evaluation: its selection can only be last."
            )

    def _require_stream(self, model: str) -> None:
        for name, values in ON_A_STREAM.items():
            if (asked := getattr(self, name)) not in values:
                what = f"{name} {asked}" if isinstance(asked, str | int) else name
                raise UsageError(
                    f"The {what} of {model}'s recipe cannot be carried out on a stream. Leave it at {values[0]}."
                )

    def temperature(self, updates: int) -> float:
        """The temperature of so manyeth update, counted from 1, and at evaluation after it."""
        return self.annealing.after(updates) if self.annealing else 1.0


PARTS: Final[Mapping[str, Any]] = {
    "annealing": Annealing,
    "clipping": Clipping,
    "schedule": Halving,
    "curriculum": Curriculum,
    "stream": Stream,
    "rounding": Rounding,
}
"""The fields of a recipe that are records themselves."""

ON_A_STREAM: Final[Mapping[str, tuple[object, ...]]] = {
    "learns": ("next symbols",),
    "optimiser": ("sgd",),
    "loss": ("cross-entropy",),
    "selection": ("validation loss",),
    "batch": (1,),
    "annealing": (None,),
    "rule": ("bptt",),
    "steps_back": (None,),
    "random_rate": (None,),
    "weight_noise": (None,),
}
"""What a training on a stream does of these fields; all that others can hold is carried out. Its restarts are runs."""

SUZGUN2019 = Recipe(
    name="suzgun2019",
    procedure=(
        "one string, one update, in the fixed order of the split; state and memory start from zero for each string; "
        "squared error averaged over its steps and columns; Adam; float64; the last parameters are kept"
    ),
    epochs=3,
    learning_rate=0.01,
    annealing=Annealing(rate=1e-4, floor=0.5),
)
"""Suzgun et al. 2019, section 4.2 (Adam, three epochs); the learning rate and the rest are in the published code.

Batches of strings are not this recipe: with the same number of epochs they change what is learned.
"""
