"""Which ways of doing things recur, and how often each worked. Pure counting over what working memory holds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from memory.blackboard.kinds import Kind, growing
from memory.codec import as_json, content_id, from_json
from memory.flow.subscription import Derived

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memory.blackboard.entry import Entry

APPROACH: Final = "approach"
LONGEST_SEQUENCE: Final = 8
MAX_APPROACHES: Final = 500


@dataclass(frozen=True, slots=True)
class Approach:
    """One way of doing one thing in one place, or one action whatever it was for (`reasoning` is empty).

    `told_` is how much of it was passed on already. A new occurrence adds to what is known.
    """

    place: str
    reasoning: str
    actions: tuple[str, ...]
    successes: int
    failures: int
    told_successes: int
    told_failures: int
    last_tick: int
    last_s: float

    @property
    def name(self) -> str:
        """What makes two occurrences the same approach."""
        return content_id(self.place, self.reasoning, self.actions)


def approach_kind() -> Kind:
    """Return the policies of approaches; those longest unseen are forgotten first."""
    return Kind(
        APPROACH,
        check=lambda data: from_json(Approach, data),
        key=lambda data: from_json(Approach, data).name,
        merge=growing(Approach, _sum),
        limit=MAX_APPROACHES,
        lasting=True,
    )


def sequences(actions: Iterable[Entry]) -> list[list[Entry]]:
    """Return `actions` cut where the reasoning changes, or an action comes again, or after eight."""
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
    """Return how many of `actions` belong to sequences that are over; the last may still be going on."""
    found = sequences(actions)
    return len(actions) - len(found[-1]) if found else 0


def count(actions: Sequence[Entry]) -> list[Derived]:
    """Return each way of doing things in `actions` with how often it worked, by sequence and one by one."""
    book: dict[str, tuple[Approach, list[str]]] = {}
    for sequence in sequences(actions):
        for seen, entries in (
            (_of_sequence(sequence), sequence),
            *((_of_action(each), [each]) for each in sequence),
        ):
            known, links = book.pop(seen.name, (None, []))
            links.extend(each.key for each in entries)
            book[seen.name] = seen if known is None else _sum(known, seen), links
    # Evidence of every occurrence would grow for ever; the last ones say where to look.
    return [
        Derived(APPROACH, as_json(seen), tuple(links[-LONGEST_SEQUENCE:]))
        for seen, links in book.values()
    ]


def told(entry: Entry) -> Derived:
    """Return what marks all of the approach in `entry` as passed on."""
    seen = from_json(Approach, entry.data)
    passed_on = replace(
        seen,
        successes=0,
        failures=0,
        told_successes=seen.successes - seen.told_successes,
        told_failures=seen.failures - seen.told_failures,
    )
    return Derived(APPROACH, as_json(passed_on), entry.sources, scope=entry.scope)


def _sum(known: Approach, new: Approach) -> Approach:
    return Approach(
        known.place,
        known.reasoning,
        known.actions,
        known.successes + new.successes,
        known.failures + new.failures,
        known.told_successes + new.told_successes,
        known.told_failures + new.told_failures,
        max(known.last_tick, new.last_tick),
        max(known.last_s, new.last_s),
    )


def _of_sequence(sequence: Sequence[Entry]) -> Approach:
    """Return one occurrence of a sequence; it succeeded when its last action did."""
    values = tuple(_text(entry, "action_value") for entry in sequence)
    return _occurrence(
        sequence[-1], _text(sequence[0], "location"), _text(sequence[0], "reasoning"), values
    )


def _of_action(action: Entry) -> Approach:
    """Return one occurrence of a single action in its place, whatever it was for."""
    return _occurrence(action, _text(action, "location"), "", (_text(action, "action_value"),))


def _occurrence(last: Entry, place: str, reasoning: str, actions: tuple[str, ...]) -> Approach:
    success = bool(last.data.get("success"))
    return Approach(
        place, reasoning, actions, int(success), int(not success), 0, 0, last.tick, last.game_s
    )


def _text(entry: Entry, key: str) -> str:
    return str(entry.data.get(key, ""))
