"""Text that waits, and boxes that nobody asked for."""

from agent.capabilities.capability import Capability, Reflex, Sensor
from agent.perception import Percept
from agent.skills import tap, wait
from emulator import Button
from memory import Recall


def dialogue() -> Capability:
    """Read on when text waits, close menus that no skill opened, wait while the game is busy."""
    return Capability(
        name="dialogue",
        sensors=(Sensor(frozenset({"in_control"}), _in_control),),
        reflexes=(
            # B reads on like A, but says no where A would say yes and never starts the talk over.
            Reflex("text", _text_waits, tap(Button.B), "text is waiting"),
            Reflex(
                "stray_menu", _stray_menu, tap(Button.B), "a menu is open that nobody asked for"
            ),
            Reflex("busy", _busy, wait(4), "the game is busy and reads nothing"),
        ),
    )


def _in_control(percept: Percept, _recall: Recall) -> dict[str, int]:
    return {"in_control": int(percept.state.in_control)}


def _text_waits(percept: Percept) -> bool:
    return percept.state.dialogue.is_open and percept.state.menu is None


def _stray_menu(percept: Percept) -> bool:
    return percept.state.menu is not None and percept.state.game_started


def _busy(percept: Percept) -> bool:
    return percept.state.game_started and not percept.state.in_control
