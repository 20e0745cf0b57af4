"""Lines with a fixed meaning: situations in questions, milestones, failures, and the advice in a model's answer.

A situation is plain text of heads with a value after them or items below them; any other text may stand between them,
such as a map, and is skipped:

    Why you are asked: stuck
    Tick: 812
    Game time: 1:02:10
    Place: route_1 (5, 7)
    Goal pursued: first_badge
    Reached: left_home, starter
    What happened:
    - milestone reached: starter
    - battle lost: RIVAL with SQUIRTLE at level 5
    What failed:
    - go:route_1: a ledge is in the way (tried 3 times)

A line that begins with one of `EVENTS` counts wherever it stands. Only a milestone verified by RAM and a second witness
may be written as `milestone reached:` or below `Reached:`; observers and reflectors never remove it.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from memory.codec import decode
from memory.conversation.format import DatedLine, LinePriority, ObservationLine, one_line, with_unit

MILESTONE: Final = "milestone reached: "
MILESTONES: Final = "milestones reached: "
BATTLE_LOST: Final = "battle lost: "
BLACKOUT: Final = "blackout: "
FAILED: Final = "failed: "
EVENTS: Final = (MILESTONE, BATTLE_LOST, BLACKOUT, FAILED)


# By the fields of a situation: heads with a value, then heads with items.
_WORD_HEADS: Final = {
    "why": "Why you are asked",
    "tick": "Tick",
    "game_time": "Game time",
    "place": "Place",
    "goal": "Goal pursued",
}
_ITEM_HEADS: Final = {"reached": "Reached", "happened": "What happened", "failed": "What failed"}
_HEAD_ALIASES: Final = {
    "purpose": "why",
    "where": "place",
    "goal": "goal",
    "last milestone": "reached",
}
_FIELDS: Final = {
    head.lower(): name for name, head in (_WORD_HEADS | _ITEM_HEADS).items()
} | _HEAD_ALIASES
_HEAD: Final = re.compile(r"^([A-Z][A-Za-z ]{1,40}):(?:\s+(.*))?$")
_ITEM: Final = re.compile(r"^[-*] (.+)$")
_NONE: Final = frozenset({"", "-", "none", "nothing", "nothing yet", "none yet"})
_ATTEMPTS: Final = re.compile(r" ?\(tried (\d{1,9}) times?\)$")


@dataclass(frozen=True, slots=True)
class Failure:
    """Something that failed; `times` is the total number of attempts, 0 when unknown."""

    text: str
    times: int = 0

    def __str__(self) -> str:
        """Return it as an item of a situation."""
        return f"{self.text} ({attempts_text(self.times)})" if self.times else self.text


@dataclass(frozen=True, slots=True)
class Situation:
    """The situation of a question; '' and () for missing parts."""

    why: str = ""
    tick: str = ""
    game_time: str = ""
    place: str = ""
    goal: str = ""
    reached: tuple[str, ...] = ()
    happened: tuple[str, ...] = ()
    failed: tuple[Failure, ...] = ()

    def __str__(self) -> str:
        """Return the text that `read_situation` reads; no value can begin a row of its own."""
        words = {head: getattr(self, name) for name, head in _WORD_HEADS.items()}
        words[_ITEM_HEADS["reached"]] = ", ".join(self.reached)
        rows = [f"{head}: {_flat(word)}" for head, word in words.items() if word]
        for name in ("happened", "failed"):
            items = [f"- {_flat(str(each))}" for each in getattr(self, name)]
            rows += [f"{_ITEM_HEADS[name]}:", *items] if items else []
        return "\n".join(rows)


def attempts_text(times: int) -> str:
    """Return a number of attempts in words: tried 3 times."""
    return f"tried {with_unit(times, 'time')}"


def split_attempts(text: str) -> tuple[str, int]:
    """Return `text` without its number of attempts, and that number; 0 when it has none."""
    found = _ATTEMPTS.search(text)
    return (text[: found.start()], int(found[1])) if found else (text, 0)


@dataclass(slots=True)
class _Reading:
    """The parts read so far, and the current head."""

    words: dict[str, str] = field(default_factory=dict)
    items: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    head: str | None = None

    def row(self, row: str) -> None:
        flat = _flat(row)
        item = _ITEM.match(flat)
        content = item[1] if item else flat
        if content.startswith(EVENTS):
            head = "failed" if content.startswith(FAILED) else "happened"
            self.items[head].append(content.removeprefix(FAILED))
        elif item and self.head is not None:
            self.items[self.head].append(content)
        elif found := _HEAD.match(content):
            self.head = _FIELDS.get(found[1].lower())
            if self.head == "reached":
                names = (each.strip() for each in (found[2] or "").split(","))
                self.items["reached"] += [each for each in names if each.lower() not in _NONE]
            elif self.head in _WORD_HEADS and found[2]:
                self.words.setdefault(self.head, found[2].strip())
        elif not item:
            self.head = None


def read_situation(text: str) -> Situation:
    """Return the situation in `text`; empty when `text` is not a situation."""
    reading = _Reading()
    for row in text.splitlines():
        reading.row(row)
    items = reading.items
    return Situation(
        **reading.words,
        reached=tuple(dict.fromkeys(items["reached"])),
        happened=tuple(items["happened"]),
        failed=tuple(Failure(*split_attempts(each)) for each in items["failed"]),
    )


def _flat(words: str) -> str:
    return " ".join(words.split())


_FAILURE: Final = re.compile(
    r"\b(?:failed|fails|does not work|did not work|do not|never|avoid|blocked|banned)\b",
    re.IGNORECASE,
)
_TRAILING_NOTE: Final = re.compile(r" \([^()]*\)$")  # such as its time
_CLAIM: Final = "claimed "  # before a milestone that a model claims without evidence


def milestone_ids(line: ObservationLine) -> tuple[str, ...]:
    """Return the ids of the verified milestones in `line`; an uncertain line has none."""
    if line.priority not in {LinePriority.ASSERTED, LinePriority.DONE}:
        return ()
    for beginning in (MILESTONE, MILESTONES):
        if line.text.startswith(beginning):
            ids = (
                _TRAILING_NOTE.sub("", each.strip())
                for each in line.text.removeprefix(beginning).split(",")
            )
            return tuple(filter(None, ids))
    return ()


def milestones_in(observations: Iterable[DatedLine]) -> tuple[str, ...]:
    """Return the ids of all verified milestones, in order."""
    return tuple(dict.fromkeys(name for each in observations for name in milestone_ids(each.line)))


def milestones_text(ids: Sequence[str]) -> str:
    """Return the text of the line for these milestones."""
    return f"{MILESTONE}{ids[0]}" if len(ids) == 1 else MILESTONES + ", ".join(ids)


def is_failure(line: ObservationLine) -> bool:
    """Return whether `line` asserts that something does not work."""
    return line.priority is LinePriority.ASSERTED and _FAILURE.search(line.text) is not None


def with_shown_milestones(
    observations: Sequence[DatedLine], shown: Sequence[DatedLine], known: Collection[str] = ()
) -> tuple[DatedLine, ...]:
    """Return model observations with exactly the milestones that were shown.

    Missing lines of `shown` are put back, first; invented milestones become uncertain claims. `known` are ids shown earlier.
    """
    ids = {*milestones_in(shown), *known}
    held = []
    for each in observations:
        line = each.line
        if not ids.issuperset(milestone_ids(line)):
            line = replace(line, priority=LinePriority.UNCERTAIN, text=_CLAIM + line.text)
        held.append(each._replace(line=line))
    present = set(milestones_in(held))
    missing = [each for each in shown if set(milestone_ids(each.line)) - present]
    return (*missing, *held)


MAX_NOTE: Final = 120  # characters
MAX_NAMES: Final = 3  # goals or candidates that are listed; later ones hardly matter
ADVISED: Final = "advised: "
NOTE: Final = "; note "
_NAMED: Final = {"goals": "goals", "candidates": "do"}


def advice_text(text: str) -> str:
    """Return the advice in `text`: names unchanged, the note cut; prose is cut to its beginning."""
    answer = _object(text)
    names = "; ".join(
        f"{word} {' > '.join(one_line(str(each)) for each in found[:MAX_NAMES])}"
        for name, word in _NAMED.items()
        if isinstance(found := answer.get(name), list) and found
    )
    note = answer.get("note")
    noted = f'{NOTE}"{one_line(note, MAX_NOTE)}"' if isinstance(note, str) and note.strip() else ""
    if not names and not noted:
        return f"model said: {one_line(text, MAX_NOTE)}"
    return f"{ADVISED}{names or 'nothing'}{noted}"


def _object(text: str) -> Mapping[str, object]:
    start, end = text.find("{"), text.rfind("}")
    try:
        found = decode(text[start : end + 1])
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
