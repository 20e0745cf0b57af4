"""Text that waits, and boxes that nobody asked for; those of a battle are the battle's own business."""

from agent.capabilities.capability import Capability, Reflex, Sensor
from agent.capabilities.kit import Kit
from agent.perception import Percept
from agent.skills import read_on, tap, wait
from emulator import Button
from memory import Recall


def capability(_kit: Kit) -> Capability:
    """Read on when text waits, close menus that no skill opened, wait while the game is busy."""
    return Capability(
        name="dialogue",
        sensors=(Sensor(frozenset({"in_control"}), _in_control),),
        reflexes=(
            Reflex("text", _text_waits, read_on(), "text is waiting"),
            Reflex(
                "stray_menu", _stray_menu, tap(Button.B), "a menu is open that nobody asked for"
            ),
            Reflex("busy", _busy, wait(24), "the game is busy and reads nothing"),
        ),
    )


def _in_control(percept: Percept, _recall: Recall) -> dict[str, int]:
    return {"in_control": int(percept.state.in_control)}


def _text_waits(percept: Percept) -> bool:
    state = percept.state
    return state.dialogue.is_open and state.menu is None and not state.in_battle


def _stray_menu(percept: Percept) -> bool:
    state = percept.state
    return state.menu is not None and state.game_started and not state.in_battle


def _busy(percept: Percept) -> bool:
    state = percept.state
    return state.game_started and not state.in_control and not state.in_battle
