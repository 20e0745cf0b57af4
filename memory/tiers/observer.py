"""The first tier: the current state and the last actions. A view of sensory and working memory."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from operator import eq
from typing import Final, NamedTuple

from memory.blackboard.blackboard import Blackboard
from memory.blackboard.entry import Entry, EntryKind, scope_name
from memory.codec import Json, Record, as_json, from_json

TICK_STATE: Final = "tick_state"
SENSORY_INPUT: Final = "sensory_input"
ACTION: Final = "action"
RECENT_ACTIONS: Final = 10
LATEST_INPUTS: Final = 10


@dataclass(frozen=True, slots=True)
class TickState:
    """The game at one tick."""

    tick: int
    timestamp: float
    location: str
    is_battle: bool
    party_hp_percent: float
    money: int
    badges: tuple[str, ...]
    screen_type: str
    active_goal: str | None


@dataclass(frozen=True, slots=True)
class ActionRecord:
    """One action and its outcome; `action_type` is press, hold, sequence or batch."""

    tick: int
    action_type: str
    action_value: str
    reasoning: str
    confidence: float
    success: bool
    outcome_summary: str
    duration_ms: float


@dataclass(frozen=True, slots=True)
class SensoryInput:
    """The content of the screen at one moment; `ocr_text` was read from the pixels of the last rendered frame."""

    vision_labels: tuple[str, ...]
    ocr_text: str
    ocr_confidence: float
    screen_type: str
    enemy_pokemon: str | None
    player_hp_percent: float
    enemy_hp_percent: float | None
    available_actions: tuple[str, ...]


class TextReading(NamedTuple):
    """One frame that a second reader read as well, in rows; `differences` are the rows of all three that are not equal."""

    tick: int
    tile_map: tuple[str, ...]
    glyphs: tuple[str, ...]
    second: tuple[str, ...]
    differences: tuple[tuple[str, str, str], ...]


def observer_kinds() -> tuple[EntryKind, ...]:
    """Return the policies of sensory entries: an input is repeated until the screen changes."""
    return (EntryKind(SENSORY_INPUT, repeats=eq, limit=LATEST_INPUTS, lasting=True),)


class ObserverMemory:
    """The current state of one agent. What decisions may use is on the blackboard.

    Only `text_readings` are not: a second reader finishes them at any time, so that no two games have the same.
    """

    def __init__(self, blackboard: Blackboard, agent_id: str) -> None:
        self.blackboard = blackboard
        self.text_readings: deque[TextReading] = deque(maxlen=LATEST_INPUTS)
        self.sensory = scope_name(agent_id, "sensory")
        self.working = scope_name(agent_id, "working")
        self.stm = scope_name(agent_id, "stm")

    @property
    def current_state(self) -> TickState | None:
        """The newest tick state, or None when it has expired or was cleared."""
        return self._newest(TickState, TICK_STATE)

    @property
    def sensory_input(self) -> SensoryInput | None:
        """The newest screen content, or None when it has expired or was cleared."""
        return self._newest(SensoryInput, SENSORY_INPUT)

    @property
    def recent_actions(self) -> list[ActionRecord]:
        """The last ten actions, oldest first; they survive `clear`."""
        entries = self.blackboard.entries(self.working, kind=ACTION, limit=RECENT_ACTIONS)
        return [from_json(ActionRecord, entry.data) for entry in entries]

    @property
    def decision_context(self) -> dict[str, Json]:
        """The current state, the screen content and recent outcomes, as plain JSON."""
        state, seen = self.current_state, self.sensory_input
        return {
            "current_state": None if state is None else as_json(state),
            "sensory_input": None if seen is None else as_json(seen),
            "recent_outcomes": self.get_recent_outcomes(),
        }

    def get_recent_outcomes(self) -> list[Mapping[str, Json]]:
        """Return the last ten actions and their outcomes, oldest first."""
        return [
            {
                "tick": action.tick,
                "action": action.action_value,
                "success": action.success,
                "outcome": action.outcome_summary,
            }
            for action in self.recent_actions
        ]

    def add_action(self, action: ActionRecord) -> Entry:
        """Return the new entry for `action`, with the current location."""
        state = self.current_state
        return self.blackboard.write(
            self.working,
            ACTION,
            {**as_json(action), "location": "" if state is None else state.location},
            tick=action.tick,
        )

    def clear(self) -> None:
        """Remove the sensory entries, so that the next decision starts from a fresh state."""
        self.blackboard.forget(self.sensory)

    def _newest(self, kind: type[Record], name: str) -> Record | None:
        entries = self.blackboard.entries(self.sensory, kind=name, limit=1)
        return from_json(kind, entries[0].data) if entries else None
