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
UNPLANNED: Final = "unplanned"  # by a reflex or recovery, or dropped: no lesson is drawn from it
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
    """The content of the screen at one moment.

    `ocr_text` was read from pixels of this very screen, else it is '' and `ocr_confidence` 0.
    """

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
    """Return the policies of entries: an input is repeated until the screen changes."""
    return (
        EntryKind(SENSORY_INPUT, repeats=eq, limit=LATEST_INPUTS, lasting=True),
        EntryKind(UNPLANNED, limit=RECENT_ACTIONS),
    )


class ObserverMemory:
    """The current state of one agent. What decisions may use is on the blackboard.

    Only `text_readings` are not: a second reader finishes them at any time, so that no two games have the same.
    """

    def __init__(self, blackboard: Blackboard, agent_id: str) -> None:
        self.blackboard = blackboard
        self._cleared = 0  # seq of the newest entry at the last `clear`
        self.text_readings: deque[TextReading] = deque(maxlen=LATEST_INPUTS)
        self.sensory = scope_name(agent_id, "sensory")
        self.working = scope_name(agent_id, "working")
        self.stm = scope_name(agent_id, "stm")

    @property
    def current_state(self) -> TickState | None:
        """The newest tick state, or None when it has expired or was cleared."""
        return self._newest(TickState, TICK_STATE, self._cleared)

    @property
    def sensory_input(self) -> SensoryInput | None:
        """The newest screen content, or None when it has expired or was cleared."""
        # An unchanged screen is not written again, but each state is.
        since = 0 if self.current_state is not None else self._cleared
        return self._newest(SensoryInput, SENSORY_INPUT, since)

    @property
    def recent_actions(self) -> list[ActionRecord]:
        """The last ten actions, oldest first; they survive `clear`."""
        working = self.blackboard.entries(self.working)
        actions = [entry for entry in working if entry.kind in {ACTION, UNPLANNED}]
        return [from_json(ActionRecord, entry.data) for entry in actions[-RECENT_ACTIONS:]]

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

    def add_action(
        self,
        action: ActionRecord,
        *,
        learns: bool = True,
        game_s: float | None = None,
        **more: Json,
    ) -> Entry:
        """Return the new entry for `action`, with the current location unless `more` says another.

        With `learns` false no lesson is drawn from it: it is only one of the last ten.
        """
        state = self.current_state
        location = "" if state is None else state.location
        return self.blackboard.write(
            self.working,
            ACTION if learns else UNPLANNED,
            data={**as_json(action), "location": location, **more},
            tick=action.tick,
            game_s=game_s,
            importance=5,
        )

    def clear(self) -> None:
        """Let the next decision start from a fresh state: what was sensed until now is not current any more."""
        self._cleared = self.blackboard.seq

    def _newest(self, kind: type[Record], name: str, since: int) -> Record | None:
        entries = self.blackboard.entries(self.sensory, kind=name, limit=1, since_seq=since)
        return from_json(kind, entries[0].data) if entries else None
