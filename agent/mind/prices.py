"""What actions cost today: more where they failed, be it in this run or, as memory knows, in this place before."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from agent.capabilities import Experience
from agent.planning import Action
from emulator import State
from memory import MistakeRecord

RETRY_COST: Final = 5  # what each failure adds to the cost of an action
MOST_REMEMBERED: Final = 4  # failures of earlier runs that count: what failed then may work by now


def nowhere(_state: State) -> str:
    """Name no place."""
    return ""


class Prices:
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
        return [_noted(each, said.reasons, said.grounds) for each in priced]


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


def _noted(action: Action, reasons: Mapping[str, str], grounds: Mapping[str, str]) -> Action:
    """Say why what an action is to bring about is not so already, or what it needs is, where memory is the reason."""
    missing = [reasons[each.fact] for each in action.effects if each.fact in reasons]
    given = [grounds[each.fact] for each in action.requires if each.fact in grounds]
    whys = dict.fromkeys((*missing, *given))
    if not whys:
        return action
    notes = ([action.note] if action.note else []) + [f"remembered: {why}" for why in whys]
    return replace(action, note="; ".join(notes))
