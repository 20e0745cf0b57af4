"""The demo: its world, dex, story and game context, and conditions for states of its runs."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final, cast

from agent.capabilities.capability import Capability
from agent.capabilities.context import GameContext
from agent.experience.choices import NEXT_TOWN, SHOPPING, SURENESS, sureness
from agent.perception.percept import percept_of
from agent.skills import Terrain
from agent.story.milestones import MilestoneLedger
from agent.story.story import Story
from emulator import (
    Battle,
    BattleMon,
    Dex,
    MenuKind,
    Phase,
    State,
    World,
    demo_cartridge_path,
    load_cartridge,
)
from memory import Hooks, Recall

CARTRIDGE: Final = load_cartridge(demo_cartridge_path())
WORLD: Final = World.of(CARTRIDGE)
DEX: Final = Dex.of(CARTRIDGE)
STORY: Final = Story.of(CARTRIDGE.kind)


def game_context(**more: Any) -> GameContext:  # noqa: ANN401
    """Return a game context of the demo without milestones or memory, changed by `more`."""
    ledger = MilestoneLedger(STORY.milestones, Hooks())
    return careful(GameContext(STORY, Terrain(WORLD), DEX, ledger, 0, **more))


def careful(game: GameContext) -> GameContext:
    """Return `game`, in which all choices of a game are the careful ones and not drawn."""
    game.choices.made[SHOPPING.id] = NEXT_TOWN
    game.choices.made |= {sureness(each).id: max(SURENESS) for each in game.story.tasks}
    return game


def sensed_facts(capability: Capability, state: State) -> dict[str, int]:
    """Return the facts that the sensors of a capability report for a state, without memory."""
    percept, nothing = percept_of(state, 1), cast("Recall", None)
    return {
        fact: value
        for sensor in capability.sensors
        for fact, value in sensor.read(percept, nothing).items()
    }


def free_in(map_id: int) -> Callable[[State], bool]:
    """Return the condition that the player is in control on a map."""
    return lambda state: state.in_control and state.map.map_id == map_id


def at_the_menu(state: State) -> bool:
    """Return whether a battle waits at its main menu."""
    return state.battle is not None and state.battle.phase is Phase.MAIN_MENU


def battle_of(state: State) -> Battle:
    """Return the battle."""
    assert state.battle is not None
    return state.battle


def own_of(state: State) -> BattleMon:
    """Return the player's Pokemon in the battle."""
    own = battle_of(state).own
    assert own is not None
    return own


def enemy_of(state: State) -> BattleMon:
    """Return the enemy Pokemon in the battle."""
    enemy = battle_of(state).enemy
    assert enemy is not None
    return enemy


def asking(state: State, phase: Phase, words: str = "", kind: MenuKind = MenuKind.YES_NO) -> State:
    """Return the state with its battle in `phase`, with this text and menu kind."""
    assert state.menu is not None
    return replace(
        state,
        battle=replace(battle_of(state), phase=phase),
        dialogue=replace(state.dialogue, lines=(words,)),
        menu=replace(state.menu, kind=kind, current=0),
    )
