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

from marnn_bench.generators.devices.counter_rules import Configuration, Rule

Configurations = frozenset[Configuration]


def reachable(start: str, rules: Iterable[Rule]) -> Configurations:
    """The configurations that may be come to, and perhaps more: zero or not is all that is known of a counter."""
    found: set[Configuration] = {(start, frozenset())}
    todo = list(found)
    while todo:
        here = todo.pop()
        new = {after for rule in rules if rule.applies(here) for after in rule.outcomes(here)} - found
        found |= new
        todo += new
    return frozenset(found)


def leading_to(goal: Configurations, rules: Iterable[Rule], among: Configurations) -> Configurations:
    """Those of the configurations `among` from which `goal` is seen to be reached, whatever was done before."""
    found, size = goal, -1
    while len(found) > size:
        size = len(found)
        found = _reach(_drain(found, rules, among), rules, among)
    return found


def _drain(goal: Configurations, rules: Iterable[Rule], among: Configurations) -> Configurations:
    emptying = [rule for rule in rules if not rule.increment]
    kept, size = among, -1
    while len(kept) != size:
        size = len(kept)
        kept = _reach(goal, emptying, kept, free=kept)
    return kept


def _reach(
    goal: Configurations, rules: Iterable[Rule], among: Configurations, free: Configurations = frozenset()
) -> Configurations:
    """Where some rule surely leads to `goal`, where some rule surely leads to these, and so on.

    A rule that takes something away need only lead to `free`.
    """
    found, size = goal, -1
    while len(found) > size:
        size = len(found)
        found = found | {
            here
            for here in among
            for rule in rules
            if rule.applies(here) and set(rule.outcomes(here)) <= (found | free if rule.decrement else found)
        }
    return found
