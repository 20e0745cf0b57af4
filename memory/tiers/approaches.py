"""Counts of recurring patterns in working memory: action sequences with their success, and common situations."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, Final, TypeAlias

from memory.blackboard.entry import Entry, EntryKind, record_kind
from memory.codec import Json, as_json, content_id, from_json, merged
from memory.flow.subscription import Derived

Where: TypeAlias = tuple[str, str, bool, bool]

APPROACH: Final = "approach"
INTERRUPTED: Final = "interrupted"  # an outcome of actions
LONGEST_SEQUENCE: Final = 8
MAX_APPROACHES: Final = 500


@dataclass(frozen=True, slots=True)
class Approach:
    """A sequence of actions for one purpose in one place, or one action for any purpose (`reasoning` is empty).

    `reported_` counts are in lessons already. A new occurrence adds to the known counts. `words` say what the actions do.
    """

    place: str
    reasoning: str
    actions: tuple[str, ...]
    successes: int
    failures: int
    reported_successes: int
    reported_failures: int
    last_tick: int
    last_s: float
    words: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The id of the approach, equal for all its occurrences."""
        return content_id(self.place, self.reasoning, self.actions)


def approach_kind() -> EntryKind:
    """Return the policies of approaches; those not seen for longest are evicted first."""
    return record_kind(
        APPROACH, Approach, lambda data: from_json(Approach, data).name, _sum, limit=MAX_APPROACHES
    )


def sequences(actions: Iterable[Entry]) -> list[list[Entry]]:
    """Return `actions` split where the reasoning changes, an action repeats, or a sequence has eight actions."""
    found: list[list[Entry]] = []
    values: set[str] = set()
    reasoning = ""
    for entry in actions:
        value, why = _text(entry, "action_value"), _text(entry, "reasoning")
        if not found or why != reasoning or value in values or len(values) >= LONGEST_SEQUENCE:
            found.append([])
            values, reasoning = set(), why
        found[-1].append(entry)
        values.add(value)
    return found


def complete(actions: Sequence[Entry]) -> int:
    """Return the number of `actions` in finished sequences; the last sequence may still continue."""
    found = sequences(actions)
    return len(actions) - len(found[-1]) if found else 0


def count(actions: Sequence[Entry]) -> list[Derived]:
    """Return the approaches in `actions` with their successes and failures, by sequence and by single action.

    What was interrupted, as a walk by a battle, neither worked nor failed.
    """
    by_name: dict[str, tuple[Approach, list[str]]] = {}
    for sequence in sequences(actions):
        for seen, entries in (
            (_occurrence(sequence, _text(sequence[0], "reasoning")), sequence),
            *((_occurrence([each], ""), [each]) for each in sequence),  # for any purpose
        ):
            if _text(entries[-1], "outcome_summary") == INTERRUPTED:
                continue
            known, links = by_name.pop(seen.name, (None, []))
            links.extend(each.key for each in entries)
            by_name[seen.name] = seen if known is None else _sum(known, seen), links
    # Only the last occurrences are kept as evidence, because all of them would grow without limit.
    return [
        Derived(APPROACH, as_json(seen), tuple(links[-LONGEST_SEQUENCE:]))
        for seen, links in by_name.values()
    ]


def mark_reported(entry: Entry) -> Derived:
    """Return the derived entry that marks the counts of the approach in `entry` as reported."""
    seen = from_json(Approach, entry.data)
    reported = replace(
        seen,
        successes=0,
        failures=0,
        reported_successes=seen.successes - seen.reported_successes,
        reported_failures=seen.failures - seen.reported_failures,
    )
    return Derived(APPROACH, as_json(reported), entry.sources, scope=entry.scope)


def _sum(known: Approach, new: Approach) -> Approach:
    counts = ("successes", "failures", "reported_successes", "reported_failures")
    return merged(known, new, added=counts, highest=("last_tick", "last_s"))


def _occurrence(sequence: Sequence[Entry], reasoning: str) -> Approach:
    """Return the approach of one occurrence of some actions; it succeeded when the last action did."""
    place, last = _text(sequence[0], "location"), sequence[-1]
    actions = tuple(_text(entry, "action_value") for entry in sequence)
    words = tuple(_text(entry, "label") or _text(entry, "action_value") for entry in sequence)
    won = int(bool(last.data.get("success")))
    return Approach(place, reasoning, actions, won, 1 - won, 0, 0, last.tick, last.game_s, words)


def _text(entry: Entry, key: str) -> str:
    return str(entry.data.get(key, ""))


SPAN: Final = "span"
SITUATION: Final = "situation"
MAX_SITUATIONS: Final = 200
LOW_HP: Final = 35.0  # percent of the party's


@dataclass(frozen=True, slots=True)
class CommonSituation:
    """A place, kind of screen, battle state and party health, and the number of ticks spent in it."""

    location: str
    screen_type: str
    is_battle: bool
    is_weak: bool
    ticks: int


def situation_kind() -> EntryKind:
    """Return the policies of situations; those with the fewest ticks are evicted first."""
    return record_kind(
        SITUATION,
        CommonSituation,
        lambda data: "/".join(str(value) for value in _where(data)),
        lambda known, new: merged(known, new, added=("ticks",)),
        limit=MAX_SITUATIONS,
        rank=lambda entry: (_ticks(entry.data), entry.seq),
    )


def spans(moments: Sequence[Entry]) -> list[Derived]:
    """Return the consecutive situations in `moments`, each with its number of ticks."""
    return [_span(where, list(group)) for where, group in groupby(moments, key=_situation_of)]


def common(found: Sequence[Entry]) -> list[Derived]:
    """Return each situation in the spans `found`, with its total ticks."""
    by_name: dict[tuple[Any, ...], list[Entry]] = {}
    for entry in found:
        by_name.setdefault(_where(entry.data), []).append(entry)
    return [
        Derived(
            SITUATION,
            {**group[-1].data, "ticks": sum(_ticks(each.data) for each in group)},
            tuple(each.key for each in group[-8:]),
            importance=2,
        )
        for group in by_name.values()
    ]


def _span(where: Where, moments: Sequence[Entry]) -> Derived:
    # The moments expire in seconds: their ticks are the lasting evidence.
    ticks = (f"tick:{moments[0].tick}", f"tick:{moments[-1].tick}")
    return Derived(SPAN, as_json(CommonSituation(*where, len(moments))), ticks, importance=1)


def _situation_of(moment: Entry) -> Where:
    # Read without decoding a record, because this runs for each moment.
    data: Mapping[str, Any] = moment.data
    is_weak = data["party_hp_percent"] < LOW_HP
    return data["location"], data["screen_type"], data["is_battle"], is_weak


def _where(data: Mapping[str, Json]) -> tuple[Json, ...]:
    return tuple(data[name] for name in ("location", "screen_type", "is_battle", "is_weak"))


def _ticks(data: Mapping[str, Json]) -> int:
    value = data["ticks"]
    assert isinstance(value, int)
    return value
