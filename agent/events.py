"""Typed events of a run: the parts of its record that reports and tools read.

Knows how a run file stores them, and nothing of play. A field that a file lacks, or has of another type, gets its default.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeVar

from memory import ACTION, BATTLE, BLACKOUT, MILESTONE_TIME, RECOLLECTION, RunReader, as_json
from memory.codec import from_json

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


@dataclass(frozen=True, slots=True)
class MilestoneEvent:
    """A milestone reached, with the text of its witnesses; `picture` is a PNG in base64, or ''."""

    id: str = "?"
    tick: int = 0
    witnesses: Mapping[str, str] = field(default_factory=dict)
    picture: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class StuckEpisode:
    """One stuck episode: the reason, where and since when, what was tried, and what helped.

    `since` is the last tick with anything new, `noticed` the tick at which that was too long ago, `lasted`
    the last tick so far. `recovery_steps` are the recovery steps taken, in order; `solved_by` is the step after which
    there was a gain. `over` stays false while the episode continues, also across a restore.
    """

    number: int = 0
    reason: str = ""
    map_id: int = 0
    x: int = 0
    y: int = 0
    goal: str | None = None
    since: int = 0
    noticed: int = 0
    lasted: int = 0
    tried: tuple[str, ...] = ()
    recovery_steps: tuple[str, ...] = ()
    solved_by: str | None = None
    over: bool = False


@dataclass(frozen=True, slots=True)
class StuckEvent(StuckEpisode):
    """One stuck episode as recorded at `tick`.

    `checkpoint_tick` is the tick of the last checkpoint before it. `last_step` is the number of its last step if its
    ticks are on a branch that was abandoned.
    """

    tick: int = 0
    place: str = ""
    checkpoint_tick: int | None = None
    last_step: int | None = None


@dataclass(frozen=True, slots=True)
class BattleEvent:
    """A finished battle; `opponent` is a trainer, or '' for a wild Pokemon."""

    tick: int = 0
    opponent: str = ""
    enemy_pokemon: str = "?"
    enemy_level: int = 0
    player_pokemon: str = ""
    location: str = ""
    outcome: str = ""
    turns_taken: int = 0


@dataclass(frozen=True, slots=True)
class BlackoutEvent:
    """A defeat that cost money."""

    tick: int = 0


@dataclass(frozen=True, slots=True)
class ActionEvent:
    """A finished action of the plan."""

    tick: int = 0
    action_value: str = "?"
    reasoning: str = ""
    outcome_summary: str = "?"
    location: str = ""
    duration_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class ObjectiveEvent:
    """A goal that became active or was reached; `status` is active or completed."""

    tick: int = 0
    objective_id: str = ""
    name: str = ""
    status: str = ""


@dataclass(frozen=True, slots=True)
class MilestoneTimeEvent:
    """The choices made so far and the items owned at a milestone."""

    tick: int = 0
    choices: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DisagreementEvent:
    """A difference between the screen and RAM."""

    between: str = "?"


@dataclass(frozen=True, slots=True)
class RecallEvent:
    """A query on memory."""

    why: str = ""


@dataclass(frozen=True, slots=True)
class AdviceEvent:
    """A question to a model, and its advice, or why there is none.

    `by_rules` names what rules alone would have taken, `calls` the rows of the ledger that it cost.
    """

    tick: int = 0
    purpose: str = ""
    silent: str = ""
    advice: Mapping[str, Any] = field(default_factory=dict)
    by_rules: tuple[str, ...] = ()
    calls: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ConversationChange:
    """A change of the stored conversation with a model."""

    what: str = "?"


KINDS: Final[Mapping[type, str]] = {
    MilestoneEvent: "milestone",
    StuckEvent: "stuck",
    BattleEvent: BATTLE,
    BlackoutEvent: BLACKOUT,
    ActionEvent: ACTION,
    ObjectiveEvent: "objective",
    MilestoneTimeEvent: MILESTONE_TIME,
    DisagreementEvent: "disagreement",
    RecallEvent: RECOLLECTION,
    AdviceEvent: "advice",
    ConversationChange: "conversation",
}
Event = TypeVar("Event", bound="DataclassInstance")


def events(
    run: RunReader, kind: type[Event], *, live: bool = True, strict: bool = False
) -> Iterator[Event]:
    """Yield the events of one kind in order, from the live branch or from the abandoned branches.

    Raises KeyError if `strict` and an event lacks a field.
    """
    blank = as_json(kind())
    timed = {"tick", "since", "lasted"} & blank.keys()
    for row in run.record.events(KINDS[kind], live=live):
        for missing in blank.keys() - {"tick", *row.payload} if strict else ():
            raise KeyError(missing)
        given = {
            name: value for name, value in row.payload.items() if _is_like(value, blank.get(name))
        }
        yield from_json(kind, {**blank, **dict.fromkeys(timed, row.tick), **given})


def _is_like(value: object, default: object) -> bool:
    """Return whether a value has the type of its default; an integer is accepted for a float."""
    if default is None:
        return True
    return isinstance(value, int | float if isinstance(default, float) else type(default))
