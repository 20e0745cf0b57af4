"""What a battle should bring besides being won: somebody for the team, experience, or a quick end."""

from agent.capabilities.catch import wanted
from agent.capabilities.kit import Kit
from agent.capabilities.readiness import ahead, is_ready
from agent.capabilities.tactics import Wishes
from agent.capabilities.tactics.commander import Wishing
from agent.capabilities.winning import sequence
from emulator import State


def wishing(kit: Kit) -> Wishing:
    """Return what to wish of the battle of a moment."""
    kept = tuple(sorted(kit.story.kept))

    def wishes(state: State) -> Wishes:
        return Wishes(
            catch=wanted(kit, state),
            train=_wants_experience(kit, state),
            spare=kept,
            sequence=sequence(kit, state),
        )

    return wishes


def _wants_experience(kit: Kit, state: State) -> bool:
    task = next(ahead(kit.story, state), None)
    return task is not None and not is_ready(kit, state.party, task)
