"""What actions cost today, and plans at these costs.

Actions that failed in this run, or as memory says here in earlier runs, cost more. Of plans as
cheap, the one that worked before is taken.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from agent.experience.uses import Experience, MemoryUse
from agent.planning.domain import Action, Facts, Goal
from agent.planning.search import Plan, plan
from emulator import State
from memory import LearnedPattern, MistakeRecord

RETRY_COST: Final = 5  # what each failure adds to the cost of an action
MOST_REMEMBERED: Final = 4  # failures of earlier runs that count: what failed then may work by now


class ActionCosts:
    """Costs only ever grow above those of the domain, so that no plan is thought cheaper than it is.

    Failures of this run and those that memory knows are not added up: they may be the same. Plans
    that memory makes other plans than they would have been are counted.
    """

    def __init__(
        self, experience: Experience | None = None, place_of: Callable[[State], str] = lambda _: ""
    ) -> None:
        self.experience = experience or Experience()
        self._place_of = place_of
        self._weighed: dict[tuple[object, ...], int] = {}  # at which lesson it was last done
        self._today: dict[
            str, Action
        ] = {}  # as they were last told: what did not change stays one object

    def today(
        self, actions: Sequence[Action], failures: Mapping[str, int], state: State | None
    ) -> list[Action]:
        """Return the actions at what they cost in this moment, each with what memory says as its note."""
        known = self.experience.failing(self._place_of(state)) if state is not None else {}
        said = self.experience
        if not (failures or known or said.reasons or said.grounds or said.broken):
            return list(actions)
        kept = (_kept_promises(each, said.broken.get(each.name, {})) for each in actions)
        priced = (_priced(each, failures.get(each.name, 0), known.get(each.name)) for each in kept)
        return [self._same(_with_reasons(each, said.reasons, said.grounds)) for each in priced]

    def _same(self, action: Action) -> Action:
        """Return the action as it was last told, where it is no other: what was worked out for it holds still."""
        before = self._today.get(action.name)
        if before is None or action != before or action.note != before.note:
            self._today[action.name] = before = action
        return before

    def search(
        self, offered: Sequence[Action], failures: Mapping[str, int], state: State | None
    ) -> Callable[[Goal, Facts], Plan | None]:
        """Return the search for plans at one moment."""
        actions = self.today(offered, failures, state)
        if state is None:
            return partial(plan, actions=actions)
        forgetful = partial(self.today, offered, failures, None)
        return partial(self._find, actions, forgetful, self._place_of(state))

    def _find(
        self,
        actions: Sequence[Action],
        forgetful: Callable[[], Sequence[Action]],
        place: str,
        goal: Goal,
        facts: Facts,
    ) -> Plan | None:
        known = self.experience.leading_to(goal.says, place)
        mistakes = self.experience.failing(place).values()
        found = plan(goal, facts, in_order(actions, sequence_of(known)) if known else actions)
        if found is None:
            return None
        if known is not None and self._is_new(MemoryUse.SEQUENCES, place, found):
            self._weigh(MemoryUse.SEQUENCES, found, plan(goal, facts, actions), known.description)
        if mistakes and self._is_new(MemoryUse.COSTS, place, found):
            why = "; ".join(each.description for each in mistakes)
            self._weigh(MemoryUse.COSTS, found, plan(goal, facts, forgetful()), why)
        if known is None or names_of(found) != sequence_of(known):
            return found
        total = known.success_count + known.failure_count
        worked = f"from here this worked {known.success_count} of {total} times"
        return noted(found, f"remembered: {worked}")

    def _is_new(self, use: MemoryUse, place: str, found: Plan) -> bool:
        """Say whether this plan was not compared yet since the last lesson: a second search takes time."""
        key, lessons = (use, place, found.goal.name, names_of(found)), self.experience.lessons
        is_new = self._weighed.get(key) != lessons
        self._weighed[key] = lessons
        return is_new

    def _weigh(self, use: MemoryUse, found: Plan, otherwise: Plan | None, why: str) -> None:
        if otherwise is not None and names_of(otherwise) != names_of(found):
            self.experience.sways(use, f"the way to {found.goal.says}", why)


def _kept_promises(action: Action, broken: Mapping[str, str]) -> Action:
    """Return an action without the effects that memory knows it not to have."""
    if not broken:
        return action
    effects = tuple(each for each in action.effects if each.fact not in broken)
    return _remembering(replace(action, effects=effects, note=""), broken.values())


def _priced(action: Action, failures: int, mistake: MistakeRecord | None) -> Action:
    remembered = min(mistake.occurrence_count, MOST_REMEMBERED) if mistake is not None else 0
    dearer = replace(action, cost=action.cost + RETRY_COST * max(failures, remembered))
    if mistake is None or remembered <= failures:
        return dearer if failures else action
    return _remembering(dearer, [mistake.description])


def _with_reasons(action: Action, reasons: Mapping[str, str], grounds: Mapping[str, str]) -> Action:
    """Note what memory holds back of the effects of an action, and what it grants of its conditions."""
    missing = [reasons[each.fact] for each in action.effects if each.fact in reasons]
    given = [grounds[each.fact] for each in action.requires if each.fact in grounds]
    return _remembering(action, (*missing, *given)) if missing or given else action


def _remembering(action: Action, whys: Iterable[str]) -> Action:
    words = [f"remembered: {why}" for why in dict.fromkeys(whys)]
    return replace(action, note="; ".join(filter(None, [action.note, *words])))


def noted(chosen: Plan, note: str) -> Plan:
    """Return a plan with more to say of its first action."""
    first, *others = chosen.actions
    if note in first.note:
        return chosen  # a plan that was kept has been told it before
    words = "; ".join(filter(None, (first.note, note)))
    return replace(chosen, actions=(replace(first, note=words), *others))


def names_of(found: Plan) -> tuple[str, ...]:
    """Return the names of the actions of a plan."""
    return tuple([each.name for each in found.actions])


def sequence_of(pattern: LearnedPattern) -> tuple[str, ...]:
    """Return the actions of a learned pattern, in their order."""
    return tuple(pattern.description.rpartition(": ")[2].split(", "))


def in_order(actions: Sequence[Action], names: Sequence[str]) -> list[Action]:
    """Return the actions with those named first: of plans as cheap the first offered is found."""
    rank = {name: at for at, name in enumerate(names)}
    return sorted(actions, key=lambda each: rank.get(each.name, len(rank)))
