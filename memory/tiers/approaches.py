"""Which ways of doing things recur, and how often each worked. Pure counting over action entries."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memory.blackboard.entry import Entry

Key: TypeAlias = tuple[str, str, tuple[str, ...]]
LONGEST_SEQUENCE: Final = 8
MAX_APPROACHES: Final = 500


@dataclass(frozen=True, slots=True)
class Approach:
    """One way of doing one thing in one place; `told_` is how much of it was passed on already."""

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
    def key(self) -> Key:
        """What makes two occurrences the same approach."""
        return self.place, self.reasoning, self.actions


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


def of_sequence(sequence: Sequence[Entry]) -> Approach:
    """Return one occurrence of a sequence; it succeeded when its last action did."""
    values = tuple(_text(entry, "action_value") for entry in sequence)
    return _occurrence(
        sequence[-1], _text(sequence[0], "location"), _text(sequence[0], "reasoning"), values
    )


def of_action(action: Entry) -> Approach:
    """Return one occurrence of a single action in its place, whatever it was for."""
    return _occurrence(action, _text(action, "location"), "", (_text(action, "action_value"),))


def add(book: dict[Key, Approach], seen: Approach) -> None:
    """Count `seen` in `book`, which forgets what is longest unseen when it is full."""
    name = seen.key
    known = book.pop(name, None)
    if known is not None:
        seen = Approach(
            *name,
            known.successes + seen.successes,
            known.failures + seen.failures,
            known.told_successes,
            known.told_failures,
            seen.last_tick,
            seen.last_s,
        )
    book[name] = seen
    if len(book) > MAX_APPROACHES:
        del book[next(iter(book))]


def told(approach: Approach) -> Approach:
    """Return `approach` with all of it marked as passed on."""
    return replace(approach, told_successes=approach.successes, told_failures=approach.failures)


def _occurrence(last: Entry, place: str, reasoning: str, actions: tuple[str, ...]) -> Approach:
    success = bool(last.data.get("success"))
    return Approach(
        place, reasoning, actions, int(success), int(not success), 0, 0, last.tick, last.game_s
    )


def _text(entry: Entry, key: str) -> str:
    return str(entry.data.get(key, ""))
