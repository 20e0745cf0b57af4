"""Text and menus outside battle, and the steps from power-on into the game."""

from collections.abc import Mapping
from typing import Final

from agent.capabilities.capability import BoundAction, Capability, Reflex, Sensor, flag
from agent.capabilities.context import GameContext
from agent.perception.percept import Percept
from agent.planning.domain import Action, Effect, Require
from agent.skills import Skill, boot, choose, once, tap, turn_page, wait
from emulator import Button, State
from memory import Recall

MENU_CORNER: Final = (1, 2)  # cursor of the main menu and of the list of preset names
NAMES_LAST: Final = 3  # wMaxMenuItem of the list: NEW NAME and three presets
STARTED: Final = {"game_started": 1, "new_game": 1, "naming_menu": 0, "main_menu": 0}
_BOOT: Final = Action(
    name="boot",
    requires=(Require("main_menu", at_most=0), Require("new_game", at_most=0)),
    effects=(Effect("main_menu", 1),),
    cost=2,
    label="press START until the main menu opens",
)
_START_NEW_GAME: Final = Action(
    name="start_new_game",
    requires=(Require("main_menu", at_least=1),),
    effects=(Effect("main_menu", 0), Effect("new_game", 1)),
    cost=1,
    label="choose NEW GAME",
)
_LISTEN: Final = Action(
    name="listen",
    requires=(
        Require("new_game", at_least=1),
        Require("game_started", at_most=0),
        Require("naming_menu", at_most=0),
    ),
    effects=(Effect("naming_menu", 1),),
    cost=1,
    label="wait for the speech to ask for a name",
)
_TAKE_NAME: Final = Action(
    name="take_name",
    requires=(Require("naming_menu", at_least=1),),
    effects=(Effect("naming_menu", 0), Effect("game_started", 1), Effect("in_control", 1)),
    cost=1,
    label="take a preset name",
)


def capability(_game: GameContext) -> Capability:
    """Advance text, close menus that no skill opened, and wait while the game is busy."""
    return Capability(
        name="dialogue",
        sensors=(flag("in_control", lambda state: state.in_control),),
        reflexes=(
            Reflex("text", _text_waits, turn_page(), "text is waiting"),
            Reflex("stray_menu", _stray_menu, tap(Button.B), "a menu is open that no skill opened"),
            Reflex("busy", _busy, wait(24), "the game is busy and reads no input"),
        ),
    )


def _text_waits(percept: Percept) -> bool:
    state = percept.state
    return state.dialogue.is_open and state.menu is None and not state.in_battle


def _stray_menu(percept: Percept) -> bool:
    state = percept.state
    return state.menu is not None and state.game_started and not state.in_battle


def _busy(percept: Percept) -> bool:
    state = percept.state
    return state.game_started and not state.in_control and not state.in_battle


def opening(game: GameContext) -> Capability:
    """Boot, start a new game, and choose one of the preset names."""
    preset, seed = 1 + game.chance("opening").randrange(3), game.seed
    return Capability(
        name="opening",
        sensors=(
            Sensor(
                frozenset({"new_game", "game_started", "main_menu", "naming_menu"}), _read_opening
            ),
        ),
        actions=(
            BoundAction(_BOOT, lambda state: boot(title_frames(seed), state)),
            BoundAction(_START_NEW_GAME, _start_new_game),
            BoundAction(_LISTEN, lambda _state: once(wait(8))),
            BoundAction(_TAKE_NAME, lambda state: choose(preset, state)),
        ),
    )


def title_frames(seed: int) -> int:
    """Return the frames to wait at the title for this seed, so that every seed gives a different game."""
    return 1 + 37 * seed % 4001


def _start_new_game(state: State) -> Skill:
    # CONTINUE stands first when a save exists.
    saved = state.menu is not None and state.menu.maximum >= 2
    return choose(1 if saved else 0, state)


def _read_opening(percept: Percept, _recall: Recall) -> Mapping[str, int]:
    state = percept.state
    if state.game_started:
        return STARTED
    menu = state.menu
    corner = menu is not None and (menu.top_x, menu.top_y) == MENU_CORNER
    naming = menu is not None and corner and menu.maximum == NAMES_LAST
    return {
        "game_started": 0,
        # A new game starts with money, long before the player stands on a map.
        "new_game": int(state.player.money > 0),
        "naming_menu": int(naming),
        "main_menu": int(corner and not naming),
    }
