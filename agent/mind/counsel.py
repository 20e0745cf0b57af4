"""Planning with what memory has to say: at its prices, in its order, and in its words."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeAlias

from agent.capabilities import Experience, Use
from agent.mind.prices import Prices
from agent.planning import Action, Facts, Goal, Plan, plan
from emulator import State
from memory import LearnedPattern

Search: TypeAlias = Callable[[Goal, Facts], Plan | None]


class Counsel:
    """Finds plans, and counts those that memory makes other plans than they would have been."""

    def __init__(self, prices: Prices) -> None:
        self._prices = prices
        self._experience: Experience = prices.experience
        self._weighed: dict[tuple[object, ...], int] = {}  # at which lesson it was last done

    def of(
        self, offered: Sequence[Action], failures: Mapping[str, int], state: State | None
    ) -> Search:
        """Return the search for plans at one moment."""
        actions = self._prices.today(offered, failures, state)
        if state is None:
            return partial(plan, actions=actions)
        place = self._prices.place_of(state)
        forgetful = None
        if self._experience.failing(place):
            forgetful = partial(self._prices.today, offered, failures, None)
        return partial(self._find, actions, forgetful, place)

    def _find(
        self,
        actions: Sequence[Action],
        forgetful: Callable[[], Sequence[Action]] | None,
        place: str,
        goal: Goal,
        facts: Facts,
    ) -> Plan | None:
        known = self._experience.leading_to(goal.says, place)
        found = plan(goal, facts, in_order(actions, sequence_of(known)) if known else actions)
        if found is None:
            return None
        if known is not None and self._is_new(Use.SEQUENCES, place, found):
            self._weigh(Use.SEQUENCES, found, plan(goal, facts, actions), known.description)
        if forgetful is not None and self._is_new(Use.COSTS, place, found):
            mistakes = self._experience.failing(place).values()
            why = "; ".join(each.description for each in mistakes)
            self._weigh(Use.COSTS, found, plan(goal, facts, forgetful()), why)
        follows = known is not None and names_of(found) == sequence_of(known)
        return noted(found, f"remembered: {_proof(known)}") if known and follows else found

    def _is_new(self, use: Use, place: str, found: Plan) -> bool:
        """Whether this plan was not weighed yet since the last lesson: to search twice takes twice the time."""
        key, lessons = (use, place, found.goal.name, names_of(found)), self._experience.lessons
        is_new = self._weighed.get(key) != lessons
        self._weighed[key] = lessons
        return is_new

    def _weigh(self, use: Use, found: Plan, otherwise: Plan | None, why: str) -> None:
        if otherwise is not None and names_of(otherwise) != names_of(found):
            self._experience.sways(use, f"the way to {found.goal.says}", why)


def noted(chosen: Plan, note: str) -> Plan:
    """Return a plan with more to say of its first action."""
    first, *others = chosen.actions
    if note in first.note:
        return chosen  # a plan that was kept has been told it before
    words = "; ".join(each for each in (first.note, note) if each)
    return replace(chosen, actions=(replace(first, note=words), *others))


def names_of(found: Plan) -> tuple[str, ...]:
    """Return the names of the actions of a plan."""
    return tuple([each.name for each in found.actions])


def sequence_of(pattern: LearnedPattern) -> tuple[str, ...]:
    """Return the actions that a pattern tells of, in their order."""
    return tuple(pattern.description.rpartition(": ")[2].split(", "))


def in_order(actions: Sequence[Action], names: Sequence[str]) -> list[Action]:
    """Return the actions with those named first: of plans as cheap the search finds the one that is offered first."""
    rank = {name: at for at, name in enumerate(names)}
    return sorted(actions, key=lambda each: rank.get(each.name, len(rank)))


def _proof(pattern: LearnedPattern) -> str:
    total = pattern.success_count + pattern.failure_count
    return f"from here this worked {pattern.success_count} of {total} times"
