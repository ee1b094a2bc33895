"""The rows of recognition splits: members of a language, and strings made from them that are none.

The members are distinct draws of the law, as in any other split. Each negative has a slot, and each slot belongs to a
member. Kinds are assigned to slots in rotation, so that each makes an equal share. Where the member has no negative of
the assigned kind, that is counted in `skipped`, and the next kind is tried. A negative that repeats an earlier string
is made again, up to 16 times; then its slot stays empty.

Slot i belongs to member i. In an *exhaustive* split, whose window holds fewer members than asked, all of them are rows; the
slots go through the lengths, again and again, and through the members of each length. So every length has as many
negatives as any other, where as many exist, and `balanced_weights` makes lengths and classes count alike.

A random bit decides which comes first, member i or the negative of slot i; in an exhaustive split a member lies at a random
place among its share of the negatives. So the place of a row tells nothing of its label, any beginning of the split is
balanced, and a longer split begins with the shorter one (a exhaustive one does not: its members are there from the first).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from marnn_bench.generators import kernels
from marnn_bench.generators.errors import LanguageError
from marnn_bench.generators.keys import Key, key_words
from marnn_bench.generators.language import Language
from marnn_bench.generators.laws import Draws, Law
from marnn_bench.generators.sampling.distinct import first_occurrences, select_distinct
from marnn_bench.generators.sampling.edits import levenshtein
from marnn_bench.generators.sampling.negatives import kinds_of, make_negatives
from marnn_bench.generators.strings import Strings
from marnn_bench.generators.window import Window

MAX_ATTEMPTS = 16
"""So often is a new negative sought for a slot."""

MEMBER_ORDER, NEGATIVE_ORDER = 0xFFFF0000, 0xFFFF0001
"""Purposes of the random words that order the rows."""

Numbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class RecognitionRows:
    """The rows of a recognition split, in order.

    label:     bool [n]   whether each string is a member
    negative:  uint8 [n]  how it was made: 0 for a member, 1 + place in `kinds` for a negative
    edits:     int64 [n]  Levenshtein distance to the member that it was made from, 0 for a member
    source:    int64 [n]  the row of that member, its own for a member
    kinds:     of negatives, in the order of their turns
    skipped:   how many turns of each kind passed because the member has no negative of it
    repeated:  how many negatives were made again because they were there already
    """

    strings: Strings
    label: NDArray[np.bool_]
    negative: NDArray[np.uint8]
    edits: Numbers
    source: Numbers
    kinds: tuple[str, ...]
    skipped: Mapping[str, int]
    repeated: int

    def __len__(self) -> int:
        return len(self.strings)


def recognition_rows(
    language: Language,
    law: Law,
    window: Window,
    key: Key,
    positives: int,
    negatives: int,
    kinds: Sequence[str] | None = None,
    exclude: Sequence[Strings] = (),
) -> RecognitionRows:
    """So many members, or all that there are, and so many negatives, as far as they exist; nothing from `exclude`.

    kinds: of negatives, in the order of their turns; all that the language has if none are named

    >>> from marnn_bench.generators.languages.dyck import Dyck
    >>> language = Dyck(1)
    >>> rows = recognition_rows(language, language.law("uniform"), Window(2, 6), Key(1), 2, 2, ["swap", "guided"])
    >>> for row in zip(rows.strings.texts(language.alphabet), rows.label, rows.edits):
    ...     print(*row)
    ) ( ) ( ( ) False 2
    ( ( ) ( ) ) True 0
    ( ) ) ) ( ) False 1
    ( ) ( ) ( ) True 0
    """
    kinds = kinds_of(language) if kinds is None else kinds
    members = _members(language, law, window, key, positives, exclude)
    exhaustive = len(members) < positives
    slots = _slots(members.lengths if exhaustive else np.arange(len(members)), negatives, len(kinds))
    made = _fill(slots, language, members, key, kinds, exclude)
    order = _order(key, len(members), negatives, made.slot)
    row = np.empty_like(order)
    row[order] = np.arange(len(order))

    def ordered(of_members: Numbers, of_negatives: Numbers) -> Numbers:
        return np.concatenate([of_members, of_negatives])[order]

    zeros, source = np.zeros(len(members), np.int64), slots.member[made.slot]
    negative = ordered(zeros, 1 + made.kind)
    return RecognitionRows(
        strings=Strings.concatenate([members, made.strings]).take(order),
        label=negative == 0,
        negative=negative.astype(np.uint8),
        edits=ordered(zeros, levenshtein(members.take(source), made.strings)),
        source=row[ordered(np.arange(len(members)), source)],
        kinds=tuple(kinds),
        skipped=dict(zip(kinds, made.skipped.tolist(), strict=True)),
        repeated=made.repeated,
    )


def _members(
    language: Language, law: Law, window: Window, key: Key, rows: int, exclude: Sequence[Strings]
) -> Strings:
    earlier = [strings.take(language.accepts(strings)) for strings in exclude]
    existing = sum(language.count(size) for size in language.sizes(window))
    sizes = np.concatenate([np.empty(0, np.int64), *map(language.sizes_of, earlier)])
    left = existing - int(((window.low <= sizes) & (sizes <= window.high)).sum())
    if not left:
        raise LanguageError(
            f"{language.name}: other splits have all strings of the window {window}; ask for a wider one."
        )
    chosen = select_distinct(language, law, window, key, min(rows, left), earlier)
    return Strings.concatenate([law.draw(window, key, chosen.draws), chosen.enumerated])


@dataclass(frozen=True, eq=False)
class _Slots:
    """The member that each slot belongs to, and the kind that has its turn first: [slots]"""

    member: Numbers
    turn: Numbers


def _slots(groups: Numbers, slots: int, kinds: int) -> _Slots:
    """Slots that go round the groups of members, and in each group round its members."""
    by_group = np.argsort(groups, kind="stable")
    _, first, size = np.unique(groups[by_group], return_index=True, return_counts=True)
    time, group = np.divmod(np.arange(slots), len(first))
    return _Slots(by_group[first[group] + time % size[group]], (time + group) % kinds)


@dataclass(frozen=True, eq=False)
class _FilledSlots:
    """Negatives by slot: [found]; the turns that passed, by kind, and how many negatives were made again."""

    strings: Strings
    slot: Numbers
    kind: Numbers
    skipped: Numbers
    repeated: int


def _fill(
    slots: _Slots,
    language: Language,
    members: Strings,
    key: Key,
    kinds: Sequence[str],
    exclude: Sequence[Strings],
) -> _FilledSlots:
    """Fill the slots so that no string is there twice.

    A negative is made again only where an earlier slot has the same, and that slot, or one before it, keeps it: the
    outcome is that of filling one slot after the other.
    """
    pool = Strings.from_ids(language.alphabet, [])
    known = Strings.concatenate([pool, *exclude])
    place = np.full(len(slots.turn), -1)  # of a slot's negative in the pool
    kind, tries = np.zeros((2, len(place)), np.int64)
    skipped, repeated = np.zeros(len(kinds), np.int64), 0
    pending = np.arange(len(place))
    while len(pending):
        turn, draws = slots.turn[pending] + tries[pending], tries[pending] << 32 | pending
        sources = members.take(slots.member[pending])
        strings, passed = _first_found(language, sources, key, draws.astype(np.uint64), kinds, turn)
        for step in range(len(kinds)):
            skipped += np.bincount((turn[passed > step] + step) % len(kinds), minlength=len(kinds))
        found = passed < len(kinds)
        kind[pending[found]] = (turn + passed)[found] % len(kinds)
        place[pending[found]] = len(pool) + np.arange(len(strings))
        pool = Strings.concatenate([pool, strings])
        filled = np.flatnonzero(place >= 0)
        new = first_occurrences(Strings.concatenate([known, pool.take(place[filled])]))[len(known) :]
        again = filled[~new]
        repeated += len(again)
        place[again] = -1
        tries[again] += 1
        pending = again[tries[again] < MAX_ATTEMPTS]
    filled = np.flatnonzero(place >= 0)
    return _FilledSlots(pool.take(place[filled]), filled, kind[filled], skipped, repeated)


def _first_found(
    language: Language, sources: Strings, key: Key, draws: Draws, kinds: Sequence[str], turn: Numbers
) -> tuple[Strings, Numbers]:
    """A negative of each source, by the first kind from `turn` on that it has one of, and how many had none: [n]."""
    passed = np.full(len(turn), len(kinds))
    found, rows = [Strings.from_ids(language.alphabet, [])], [np.empty(0, np.int64)]
    for step in range(len(kinds)):
        pending = np.flatnonzero(passed == len(kinds))
        for place, kind in enumerate(kinds):
            of_kind = pending[(turn[pending] + step) % len(kinds) == place]
            made = make_negatives(language, kind, sources.take(of_kind), key, draws[of_kind])
            found.append(made.strings)
            rows.append(of_kind[made.rows])
            passed[rows[-1]] = step
    return Strings.concatenate(found).take(np.argsort(np.concatenate(rows))), passed


def _order(key: Key, members: int, slots: int, filled: Numbers) -> Numbers:
    """The order of the rows, members first numbered, then negatives.

    Groups of one of the rarer class and its share of the other follow each other, each in a random order.
    """
    groups = min(members, slots)
    numbers = np.arange(members)
    group = np.concatenate([numbers * groups // members, filled * groups // max(slots, 1)])
    words = [
        kernels.negatives.random_words(key_words(key), of.astype(np.uint64), purpose)
        for of, purpose in ((numbers, MEMBER_ORDER), (filled, NEGATIVE_ORDER))
    ]
    return np.lexsort((np.concatenate(words), group))


def balanced_weights(lengths: Numbers, label: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Weights of rows that sum to one and make all lengths and, within each, both classes count alike: [n].

    >>> balanced_weights(np.array([2, 2, 2, 4, 4]), np.array([True, False, False, True, False])).tolist()
    [0.25, 0.125, 0.125, 0.25, 0.25]
    """
    _, cell, rows = np.unique(2 * lengths + label, return_inverse=True, return_counts=True)
    return np.asarray(1 / (len(rows) * rows[cell]))
