"""Whether all that a counter machine can come to leads on to acceptance.

No procedure decides this for all machines (two counters can compute anything). What is shown here follows from states
and from which counters are zero, no more, and is enough for machines as they are written down:

    drain(G)   configurations from which G is surely reached by rules that increment no counter. These cannot run
               for ever, since every loop decrements a counter.
    reach(G)   configurations from which G is surely reached by finitely many rules of any kind.

Starting with acceptance, draining and reaching by turns must come to hold every configuration that the machine can be
in. `Surely` means: whichever of the counters that a rule takes 1 from are zero afterwards.
"""

from collections.abc import Iterable
from typing import NamedTuple

from marnn_bench.generators.devices.counter_rules import Configuration, Rule
from marnn_bench.generators.errors import LanguageError

Configurations = frozenset[Configuration]

MAX_STEPS, MAX_WORK = 200_000, 20_000_000
"""Steps, and steps looked at again and again, before a machine is refused; machines as written take thousands."""


class Step(NamedTuple):
    """That a rule applies here, and where it can lead."""

    here: Configuration
    outcomes: Configurations
    rule: Rule


def by_state(rules: Iterable[Rule]) -> dict[str, list[Rule]]:
    """The rules of each state."""
    found: dict[str, list[Rule]] = {}
    for rule in rules:
        found.setdefault(rule.state, []).append(rule)
    return found


def steps_from(start: str, rules: Iterable[Rule]) -> list[Step]:
    """The steps that may be taken, and perhaps more: zero or not is all that is known of a counter.

    LanguageError if there are too many.
    """
    of_state, steps = by_state(rules), list[Step]()
    todo: list[Configuration] = [(start, frozenset())]
    known, most = set(todo), MAX_STEPS
    for here in todo:
        for rule in of_state.get(here[0], ()):
            if rule.applies(here):
                steps.append(Step(here, frozenset(rule.outcomes(here)), rule))
                most -= len(steps[-1].outcomes)
                if most < 0:
                    raise LanguageError(
                        f"The machine has more than {MAX_STEPS:,} ways from one state and set of positive counters to "
                        "another: use fewer states or counters."
                    )
                new = steps[-1].outcomes - known
                known |= new
                todo += sorted(new, key=lambda c: (c[0], sorted(c[1])))
    return steps


def reached(start: str, steps: Iterable[Step]) -> Configurations:
    """The configurations that these steps go through."""
    return frozenset({(start, frozenset[str]())}.union(*(step.outcomes for step in steps)))


def leading_to(goal: Configurations, steps: Iterable[Step]) -> Configurations:
    """The configurations from which `goal` is seen to be reached by these steps, whatever was done before."""
    return _Search(steps).leading_to(goal)


class _Search:
    """The steps, last ones first, since those that lead to acceptance are mostly found last; and the work left."""

    def __init__(self, steps: Iterable[Step]) -> None:
        self.steps = [*steps][::-1]
        self.emptying = [step for step in self.steps if not step.rule.increment]
        self.work = MAX_WORK

    def leading_to(self, goal: Configurations) -> Configurations:
        found, size = goal, -1
        while len(found) > size:
            size = len(found)
            found = self._reach(self._drain(found), self.steps)
        return found

    def _drain(self, goal: Configurations) -> Configurations:
        kept, size = goal.union(step.here for step in self.steps), -1
        while len(kept) != size:
            size = len(kept)
            kept = self._reach(goal, self.emptying, free=kept)
        return kept

    def _reach(
        self, goal: Configurations, steps: list[Step], free: Configurations = frozenset()
    ) -> Configurations:
        """Where some rule surely leads to `goal`, where some rule surely leads to these, and so on.

        A rule that takes something away need only lead to `free`.
        """
        found, size = set(goal), -1
        while len(found) > size:
            size = len(found)
            self.work -= len(steps)
            if self.work < 0:
                raise LanguageError(
                    f"Whether this machine always reaches acceptance takes too long to be seen from {len(self.steps):,} "
                    "rules and sets of positive counters: use fewer states or counters."
                )
            for here, outcomes, rule in steps:
                if here not in found and (outcomes - found <= free if rule.decrement else outcomes <= found):
                    found.add(here)
        return frozenset(found)
