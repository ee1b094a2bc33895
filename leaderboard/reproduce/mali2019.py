"""The tables of Mali et al. 2019 that can be run: which networks, on which grammars, varied how.

The text that we have has lost the names of the grammars, all sizes and rates, and all but a few rows of the tables. Grammars and
numbers are ours, and what is left of a table is printed below it.
"""

from typing import Any, Final

from marnn_bench.baselines.recipes import EVERY_STEP
from marnn_bench.leaderboard.reproduce.reproduction import Change, Reproduction

NAME: Final = "Mali et al. 2019"

GRAMMARS: Final = ("anbn-recognition", "anbncbmam-recognition", "dyck1-recognition", "dyck2-recognition")
"""Four, as Tables 1, 2, 3, 5 and 6 have; Tables 4 and 7 have a fifth, which we do not guess at."""

COLUMNS: Final = "for networks of second and third order on each of four grammars, whose names are lost as are all other rows"

EPOCHS: Final = 5

NOISE: Final = {
    "without noise": Change(),
    "with noise": Change(recipe={"weight_noise": 0.2}),
}
"""Between 8 % and 30 %, as the paper found best."""

PROCEDURES: Final = {
    "standard": Change(),
    "by length": Change(recipe={"order": "by length"}),
    "two stages": Change(recipe={"order": "two stages"}),
    "all procedures": Change(
        sizes={"predictions": 3},
        recipe={
            "order": "two stages",
            "learns": EVERY_STEP,
            "loss": "binary cross-entropy",
            "random_rate": 0.5,
            "weight_noise": 0.2,
        },
    ),
}
"""The last one is all that the paper proposes: iterative refinement, cross-entropy at every step, a random rate, noise."""

RULES: Final = {
    "bptt": Change(),
    "tbptt": Change(recipe={"steps_back": 10}),
    "uoro": Change(recipe={"rule": "uoro"}),
}
"""RTRL would be the first row again: its gradient is that of back-propagation, and takes more than forty times as long as UORO's."""

FIRST_ORDER: Final = ("mali-rnn", "mali-lstm", "mali-lstm-p", "mali-gru")
GATED: Final = ("mali-mi-rnn", "mali-mi-lstm", "mali-mi-gru")
HIGHER_ORDER: Final = ("second-order-rnn", "nnpda", "nspda-2+moves", "nspda-3+moves")
REGULARISED: Final = dict.fromkeys(("second-order-rnn", "nnpda"), NOISE)
HINTED: Final = ("nspda-2", "nspda-2+actions", "nspda-2+moves", "nspda-3", "nspda-3+actions", "nspda-3+moves")


def table(number: int, models: tuple[str, ...], remains: str, **more: Any) -> Reproduction:
    """Ten runs of each."""
    name, source = f"mali2019-table{number}", f"{NAME}, Table {number}"
    options = {"tasks": GRAMMARS, "epochs": (EPOCHS,), "preset": "laptop", "runs": 10, **more}
    return Reproduction(name, source, models=models, remains=f"{NAME}: {remains}", **options)


REPRODUCTIONS: Final = (
    table(
        1,
        ("nnpda", "nnpda+dead", *HINTED),
        f"of the table remains NSPDA w/ Hint #2, 70, 72, 150, 138, 389, 134, 222, 148, {COLUMNS}, and with them the unit.",
    ),
    table(
        2,
        ("nspda-2", "nspda-3"),
        "of the table remains 2-IL, 2001, 2199, 9899, 10001, 130192, 129998, 177189, 177190, the mean number of characters until "
        f"convergence, {COLUMNS}.",
        variants=dict.fromkeys(("nspda-2", "nspda-3"), PROCEDURES),
    ),
    table(
        3,
        ("nspda-2", "nspda-3"),
        f"of the table remains the error with the regulariser, 0.00, 0.00, 0.06, 0.01, 0.99, 0.00, 0.09, 0.00, {COLUMNS}.",
        variants=dict.fromkeys(("nspda-2", "nspda-3"), NOISE),
    ),
    table(
        5,
        ("nspda-2+program", "nspda-3+program"),
        "of the table, which has programmed NSPDAs of both orders at n = 60, 480 and 960, no number remains.",
        epochs=(),
        runs=1,
        splits=("test_60", "test_480", "test_960"),
    ),
    table(
        6,
        ("nnpda",),
        "of the table, which compares these rules over four grammars, no number remains. The NSPDA's pointer is a whole number, "
        "through which RTRL and UORO carry no derivative: here the NNPDA learns, and RTRL, whose gradient is that of bptt, is left out.",
        tasks=("dyck1-recognition",),
        epochs=(2,),
        variants={"nnpda": RULES},
    ),
    table(
        7,
        (*FIRST_ORDER, *GATED, *HIGHER_ORDER),
        "of the table, which is Table 4 with the networks MI-, remains NSPDA, M2, the errors in training and test 0.00, 0.00 / 0.00, "
        "0.01 / 0.00, 0.00 / 0.00, 0.00 / 0.01, 0.88 on five grammars, whose names are lost as is the unit, and no other row. Its "
        "stack and list RNNs answer with distributions over symbols, which recognise nothing.",
        variants=REGULARISED,
    ),
)
