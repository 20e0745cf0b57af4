"""Fighting every battle to its end: what to do each turn is `tactics`' business."""

from collections.abc import Callable
from functools import partial
from typing import Final

from agent.capabilities.aims import wishing
from agent.capabilities.capability import Capability, Deed, Sensor
from agent.capabilities.experience import Use
from agent.capabilities.kit import Kit
from agent.capabilities.tactics import Tactics
from agent.capabilities.tactics.commander import Wishing, plain_wishes
from agent.capabilities.winning import remembered
from agent.perception import Percept
from agent.planning import Action, Effect, Goal, Require
from agent.skills import Skill, fight
from emulator import Dex, State
from memory import Recall

PRIORITY: Final = 100  # nothing else can be done meanwhile
AT_WAR: Final = Require("in_battle", at_least=1)
AT_PEACE: Final = Require("in_battle", at_most=0)

_FIGHT: Final = Action(
    name="fight",
    requires=(AT_WAR,),
    effects=(Effect("in_battle", 0),),
    cost=10,
    says="fight to the end",
)
_OVER: Final = Goal("battle", (AT_PEACE,), PRIORITY, "come out of the battle")


def capability(kit: Kit) -> Capability:
    """Fight whenever there is a battle, for what the story wants of it."""

    def swayed(_state: State) -> None:
        kit.experience.moved[Use.MOVES] += 1

    tactics = Tactics(kit.dex, wishing(kit), swayed)
    return _battling(tactics, partial(remembered, kit))


def battling(dex: Dex, wishing: Wishing = plain_wishes) -> Capability:
    """Fight whenever there is a battle; `wishing` says of a state what a battle should bring."""
    return _battling(Tactics(dex, wishing))


def _battling(tactics: Tactics, note: Callable[[State], str] | None = None) -> Capability:
    def begin(state: State) -> Skill:
        return fight(tactics, state)

    return Capability(
        name="battle",
        sensors=(Sensor(frozenset({"in_battle"}), _read),),
        deeds=(Deed(_FIGHT, begin, holds=AT_WAR, note=note),),
        goals=(_OVER,),
    )


def _read(percept: Percept, _recall: Recall) -> dict[str, int]:
    return {"in_battle": int(percept.state.in_battle)}
