"""What actions cost today, and plans at these costs.

Actions that failed in this run, or as memory says here in earlier runs, cost more. Of plans as
cheap, the one that worked before is taken.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, TypeAlias

from agent.experience.uses import Experience, MemoryUse
from agent.planning import Action, Facts, Goal, Plan, plan
from emulator import State
from memory import LearnedPattern, MistakeRecord

RETRY_COST: Final = 5  # what each failure adds to the cost of an action
MOST_REMEMBERED: Final = 4  # failures of earlier runs that count: what failed then may work by now
Search: TypeAlias = Callable[[Goal, Facts], Plan | None]


def nowhere(_state: State) -> str:
    """Name no place."""
    return ""


class ActionCosts:
    """Costs only ever grow above those of the domain, so that no plan is thought cheaper than it is.

    What this run has seen fail and what memory knows of it are not added up: they may be the same failures.
    """

    def __init__(
        self, experience: Experience | None = None, place_of: Callable[[State], str] = nowhere
    ) -> None:
        self.experience = experience or Experience()
        self.place_of = place_of

    def today(
        self, actions: Sequence[Action], failures: Mapping[str, int], state: State | None
    ) -> list[Action]:
        """Return the actions at what they cost in this moment, with what memory has to do with it as their note."""
        known = self.experience.failing(self.place_of(state)) if state is not None else {}
        said = self.experience
        if not (failures or known or said.reasons or said.grounds or said.broken):
            return list(actions)
        kept = (_true(each, said.broken.get(each.name, {})) for each in actions)
        priced = (_priced(each, failures.get(each.name, 0), known.get(each.name)) for each in kept)
        return [_with_reasons(each, said.reasons, said.grounds) for each in priced]


def _true(action: Action, broken: Mapping[str, str]) -> Action:
    """Return an action without the effects that memory knows it not to have, and why as its note."""
    if not broken:
        return action
    effects = tuple(each for each in action.effects if each.fact not in broken)
    whys = "; ".join(dict.fromkeys(f"remembered: {why}" for why in broken.values()))
    return replace(action, effects=effects, note=whys)


def _priced(action: Action, failures: int, mistake: MistakeRecord | None) -> Action:
    remembered = min(mistake.occurrence_count, MOST_REMEMBERED) if mistake is not None else 0
    if not (failures or remembered):
        return action
    cost = action.cost + RETRY_COST * max(failures, remembered)
    if mistake is None or remembered <= failures:
        return replace(action, cost=cost)
    notes = ([action.note] if action.note else []) + [f"remembered: {mistake.description}"]
    return replace(action, cost=cost, note="; ".join(notes))


def _with_reasons(action: Action, reasons: Mapping[str, str], grounds: Mapping[str, str]) -> Action:
    """Say why what an action is to bring about is not so already, or what it needs is, where memory is the reason."""
    missing = [reasons[each.fact] for each in action.effects if each.fact in reasons]
    given = [grounds[each.fact] for each in action.requires if each.fact in grounds]
    whys = dict.fromkeys((*missing, *given))
    if not whys:
        return action
    notes = ([action.note] if action.note else []) + [f"remembered: {why}" for why in whys]
    return replace(action, note="; ".join(notes))


class ExperiencedPlanner:
    """Finds plans, and counts those that memory makes other plans than they would have been."""

    def __init__(self, prices: ActionCosts) -> None:
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
        if known is not None and self._is_new(MemoryUse.SEQUENCES, place, found):
            self._weigh(MemoryUse.SEQUENCES, found, plan(goal, facts, actions), known.description)
        if forgetful is not None and self._is_new(MemoryUse.COSTS, place, found):
            mistakes = self._experience.failing(place).values()
            why = "; ".join(each.description for each in mistakes)
            self._weigh(MemoryUse.COSTS, found, plan(goal, facts, forgetful()), why)
        follows = known is not None and names_of(found) == sequence_of(known)
        return noted(found, f"remembered: {_proof(known)}") if known and follows else found

    def _is_new(self, use: MemoryUse, place: str, found: Plan) -> bool:
        """Whether this plan was not weighed yet since the last lesson: to search twice takes twice the time."""
        key, lessons = (use, place, found.goal.name, names_of(found)), self._experience.lessons
        is_new = self._weighed.get(key) != lessons
        self._weighed[key] = lessons
        return is_new

    def _weigh(self, use: MemoryUse, found: Plan, otherwise: Plan | None, why: str) -> None:
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
