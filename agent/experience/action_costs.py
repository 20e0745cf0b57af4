"""Current action costs, and plans at these costs.

Actions that failed in this run cost more, and those that kept failing in earlier runs: in the same place, or anywhere if
they can be done in one place only.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from agent.experience.memory_use import MemoryUse
from agent.experience.uses import Experience
from agent.planning.domain import Action, Facts, Goal
from agent.planning.search import Plan, plan
from emulator import State
from memory import MistakeRecord

RETRY_COST: Final = 5  # added to the cost of an action for each failure
MOST_REMEMBERED: Final = 4  # failures of earlier runs that count: the action may work by now


class ActionCosts:
    """Action costs raised by failures; never below the costs of the domain, which the search relies on.

    Failures of this run and failures in memory are not added up: they may be the same. Plans that
    memory changes are counted.
    """

    def __init__(
        self,
        experience: Experience | None = None,
        place_of: Callable[[State], str] = lambda _: "",
        only_place: Callable[[Action], str] = lambda _: "",
    ) -> None:
        self.experience = experience or Experience()
        self._place_of = place_of
        self._only_place = only_place  # of an action; '' if it can be done in several
        self._compared: dict[tuple[object, ...], int] = {}  # the lesson at the last comparison
        self._asked: tuple[object, ...] = ()  # what memory was last asked, and its answer
        self._mistakes: Mapping[str, MistakeRecord] = {}
        # The actions last returned: an unchanged action stays the same object.
        self._current: dict[str, Action] = {}

    def current_costs(
        self, actions: Sequence[Action], failures: Mapping[str, int], state: State | None
    ) -> list[Action]:
        """Return the actions at their current costs, each with what memory knows as its note."""
        known = self._known(actions, self._place_of(state)) if state is not None else {}
        if not (failures or known or self.experience.reasons):
            return list(actions)
        return [self._current_cost(each, failures.get(each.name, 0), known) for each in actions]

    def _current_cost(
        self, action: Action, failures: int, known: Mapping[str, MistakeRecord]
    ) -> Action:
        mistake, reasons = known.get(action.name), self.experience.reasons
        effects = action.effects if reasons else ()
        missing = [each.fact for each in effects if each.fact in reasons]
        if not (failures or mistake or missing):
            return action
        priced = _priced(action, failures, mistake)
        return self._same(_with_notes(priced, [reasons[fact] for fact in missing]))

    def _known(self, actions: Iterable[Action], here: str) -> Mapping[str, MistakeRecord]:
        """Return the mistakes of earlier runs that count for these actions, by their names."""
        now = self.experience.lessons, here, tuple(actions)
        if now != self._asked:
            places = ((each.name, self._only_place(each) or here) for each in actions)
            known = ((name, self.experience.failing(place).get(name)) for name, place in places)
            self._asked = now
            self._mistakes = {name: each for name, each in known if each is not None}
        return self._mistakes

    def _same(self, action: Action) -> Action:
        """Return the object returned last time if the action is equal, so that cached searches stay valid."""
        before = self._current.get(action.name)
        if before is None or action != before or action.note != before.note:
            self._current[action.name] = before = action
        return before

    def search(
        self, offered: Sequence[Action], failures: Mapping[str, int], state: State | None
    ) -> Callable[[Goal, Facts], Plan | None]:
        """Return the plan search for the current situation."""
        actions = self.current_costs(offered, failures, state)
        if state is None:
            return partial(plan, actions=actions)
        without_memory = partial(self.current_costs, offered, failures, None)
        place = self._place_of(state)
        mistakes = self._known(offered, place)
        return partial(self._find, actions, without_memory, place, mistakes)

    def _find(
        self,
        actions: Sequence[Action],
        without_memory: Callable[[], Sequence[Action]],
        place: str,
        mistakes: Mapping[str, MistakeRecord],
        goal: Goal,
        facts: Facts,
    ) -> Plan | None:
        found = plan(goal, facts, actions)
        if found is not None and mistakes and self._is_new(place, found):
            otherwise = plan(goal, facts, without_memory())
            if otherwise is not None and names_of(otherwise) != names_of(found):
                avoided = [name for name in names_of(otherwise) if name in mistakes]
                why = "; ".join(mistakes[name].description for name in avoided)
                self.experience.record_influence(
                    MemoryUse.COSTS, f"the way to {found.goal.label}", why
                )
        return found

    def _is_new(self, place: str, found: Plan) -> bool:
        """Return whether this plan was not yet compared since the last lesson; a comparison takes a second search."""
        key, lessons = (place, found.goal.name, names_of(found)), self.experience.lessons
        is_new = self._compared.get(key) != lessons
        self._compared[key] = lessons
        return is_new


def _priced(action: Action, failures: int, mistake: MistakeRecord | None) -> Action:
    remembered = min(mistake.occurrence_count, MOST_REMEMBERED) if mistake is not None else 0
    if not failures and not remembered:
        return action
    costlier = replace(action, cost=action.cost + RETRY_COST * max(failures, remembered))
    if mistake is None or remembered <= failures:
        return costlier
    return _with_notes(costlier, [mistake.description])


def _with_notes(action: Action, texts: Iterable[str]) -> Action:
    words = [f"remembered: {why}" for why in dict.fromkeys(texts)]
    if not words:
        return action
    return replace(action, note="; ".join(filter(None, [action.note, *words])))


def with_note(chosen: Plan, note: str) -> Plan:
    """Return a plan with a note added to its first action."""
    first, *others = chosen.actions
    if note in first.note:
        return chosen  # a plan kept from before already has the note
    words = "; ".join(filter(None, (first.note, note)))
    return replace(chosen, actions=(replace(first, note=words), *others))


def names_of(found: Plan) -> tuple[str, ...]:
    """Return the names of the actions of a plan."""
    return tuple([each.name for each in found.actions])
