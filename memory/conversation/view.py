"""The actor's view of a conversation: one tagged memory block with instructions, and the messages not yet observed.

The block contains no current time: equal memory gives equal text. Ages and gaps are added when a prompt is built, after
the cached part; `parse` drops them again.
"""

import datetime as dt
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from typing import Final, NamedTuple

from memory.codec import encode
from memory.conversation.boundaries import content_text, with_pairs
from memory.conversation.format import (
    PAST_DUE,
    UNKNOWN,
    LinePriority,
    LineTime,
    clock_words,
    in_units,
    is_as_of_writing,
    is_header,
    read_date,
    read_moment,
    read_priority,
    render_date,
    with_unit,
)
from memory.conversation.messages import (
    CURRENT_TASK,
    MEMORY,
    OBSERVATIONS,
    OTHER_CONVERSATION,
    REMINDER,
    SUGGESTED_RESPONSE,
    escape_tags,
    in_tags,
    prompt,
)
from memory.store.conversation_record import (
    Block,
    Message,
    MessageOrigin,
    ObservationalMemoryRecord,
)

# Observers are instructed to write "by"; a game time or a tick may replace the date.
_DUE: Final = re.compile(
    r"\bby (?:(?P<date>\d{4}-\d{2}-\d{2})|tick (?P<tick>\d{1,12})"
    r"|game (?P<h>\d{1,6}):(?P<m>[0-5]\d):(?P<s>[0-5]\d))\b"
)


class Now(NamedTuple):
    """The current time, as far as known; `attempt` is the number of the attempt at the active goal, 0 when unknown."""

    date: dt.date | None = None
    game_s: float | None = None
    tick: int | None = None
    attempt: int = 0


def annotate_ages(observations: str, now: Now) -> str:
    """Return `observations` as seen from `now`: with the age of each day, gaps between days, and past-due marks.

    Annotations of an earlier call are replaced. `parse` reads the result as `observations`; `''` stays `''`.
    """
    rows = [row for row in observations.splitlines() if row.strip() and not is_as_of_writing(row)]
    if not rows:
        return ""
    found = [f"[as of: {', '.join(words)}]"] if (words := list(_now_words(now))) else []
    before: dt.date | None = None
    for place, row in enumerate(rows):
        if not is_header(row):
            found.append(_mark_past_due(row, now))
            continue
        date = read_date(row)
        if date and before and (date - before).days > 1:
            found.append(f"[{with_unit((date - before).days, 'day')} later]")
        before = date or before
        ages = ", ".join(_ages(date, _newest(rows, place), now))
        found.append(render_date(date) + (f" ({ages})" if ages else ""))
    return "\n".join(found)


def age(date: dt.date, today: dt.date) -> str:
    """Return the distance of `date` from `today` in words: today, yesterday, 3 days ago, 2 weeks ago, in 3 days."""
    days = (today - date).days
    near = {0: "today", 1: "yesterday", -1: "tomorrow"}
    if days in near:
        return near[days]
    span = in_units(abs(days), (("year", 365), ("month", 30), ("week", 7), ("day", 1)))
    return f"{span} ago" if days > 0 else f"in {span}"


def _now_words(now: Now) -> Iterator[str]:
    if now.date is not None:
        yield now.date.isoformat()
    if now.game_s is not None:
        yield f"game {clock_words(now.game_s)}"
    if now.tick is not None:
        yield f"tick {now.tick}"
    if now.attempt:
        yield f"attempt {now.attempt}"


def _newest(rows: Sequence[str], header: int) -> LineTime:
    """Return the last moment of the lines below a header."""
    below = list(takewhile(lambda row: not is_header(row), rows[header + 1 :]))
    moments = (read_moment(read_priority(row)[1])[0] for row in reversed(below))
    return next((each for each in moments if each != UNKNOWN), UNKNOWN)


def _ages(date: dt.date | None, newest: LineTime, now: Now) -> Iterator[str]:
    """Yield the age of a day: by the calendar, and by the game time and tick of its newest line."""
    if date is not None and now.date is not None:
        yield age(date, now.date)
    if newest.game_s is not None and now.game_s is not None and now.game_s >= newest.game_s:
        yield f"{clock_words(now.game_s - newest.game_s)} of play ago"
    if newest.tick is not None and now.tick is not None and now.tick >= newest.tick:
        yield f"{with_unit(now.tick - newest.tick, 'tick')} ago"


def _mark_past_due(row: str, now: Now) -> str:
    # Tested first: there are thousands of rows, and hardly any has a due time.
    if "by " not in row or row.endswith(PAST_DUE) or row.startswith((" ", "\t")):
        return row
    is_done = read_priority(row)[0] is LinePriority.DONE
    is_past_due = not is_done and any(_has_passed(found, now) for found in _DUE.finditer(row))
    return f"{row} {PAST_DUE}" if is_past_due else row


def _has_passed(due: re.Match[str], now: Now) -> bool:
    if due["date"]:
        return now.date is not None and due["date"] < now.date.isoformat()
    if due["tick"]:
        return now.tick is not None and int(due["tick"]) < now.tick
    seconds = int(due["h"]) * 3_600 + int(due["m"]) * 60 + int(due["s"])
    return now.game_s is not None and seconds < now.game_s


CONTINUATION_ID: Final = "om-continuation"
_REMINDER_OPENING: Final = f'<{REMINDER} id="{CONTINUATION_ID}">'


class Injected(NamedTuple):
    """The injected text. `parts` are one block in pieces, ordered by how rarely they change, to be cached one by one."""

    parts: tuple[str, ...] = ()
    reminder: str = ""

    @property
    def text(self) -> str:
        """The complete block, '' when there is no memory."""
        return "\n".join(self.parts)


def inject(
    reflection: str = "",
    observations: str = "",
    current_task: str = "",
    suggested_response: str = "",
    others: str = "",
) -> Injected:
    """Return the memory block for an actor; empty when there is no memory.

    `others` is the content of other conversations, already between tags. Other text cannot open or close a tag.
    """
    reflection, observations = reflection.strip(), observations.strip()
    texts = [each for each in (reflection, observations) if each]
    rest = _tagged(CURRENT_TASK, current_task) + _tagged(SUGGESTED_RESPONSE, suggested_response)
    others = others.strip()
    if not (texts or rest or others):
        return Injected()
    first = [f"<{MEMORY}>", prompt("memory")]
    if texts:
        first.append(f"<{OBSERVATIONS}>")
        rest = [f"</{OBSERVATIONS}>", *rest]
    # The reflection goes with the beginning of the block, newer observations with its end.
    pieces = [first, rest] if len(texts) == 2 else [[*first, *rest]]
    for at, text in enumerate(texts):
        piece = pieces[min(at, len(pieces) - 1)]
        piece.insert(0 if at else len(first), escape_tags(text))
    if others:
        pieces.append([others])
    pieces[-1].append(f"</{MEMORY}>")
    reminder = in_tags(REMINDER, prompt("continuation"), f'id="{CONTINUATION_ID}"')
    return Injected(tuple("\n".join(piece) for piece in pieces), reminder if texts else "")


def other_conversation(thread: str, text: str) -> str:
    """Return the content of another conversation between tags that it cannot close."""
    return in_tags(OTHER_CONVERSATION, text, f'thread="{escape_tags(thread)}"')


def with_reminder(
    tail: Sequence[Message], injected: Injected, thread: str = ""
) -> tuple[Message, ...]:
    """Return `tail` after the reminder of `injected`, without any earlier reminder."""
    kept = tuple(each for each in tail if not is_reminder(each))
    if not injected.reminder:
        return kept
    block = {"type": "text", "text": injected.reminder}
    reminder = Message(thread, "user", (block,), 0, 0.0, origin=MessageOrigin.INJECTED)
    return (reminder, *kept)


def is_reminder(message: Message) -> bool:
    """Return whether `message` is the reminder that the conversation continues."""
    return any(str(each.get("text", "")).startswith(_REMINDER_OPENING) for each in message.blocks)


def _tagged(tag: str, words: str) -> list[str]:
    return [in_tags(tag, words.strip())] if words.strip() else []


class ConversationView(NamedTuple):
    """The parts of a model call, ordered by how rarely they change.

    `others` is the unobserved text of other threads of the resource, '' when there is none.
    """

    reflection: str = ""
    observations: str = ""
    current_task: str = ""
    suggested_response: str = ""
    others: str = ""
    tail: tuple[Message, ...] = ()


def view_of(
    record: ObservationalMemoryRecord, messages: Sequence[Message], thread: str
) -> ConversationView:
    """Return the view of `thread`, where `messages` are all that is not observed."""
    return ConversationView(
        record.reflection.text,
        record.appended,
        record.current_task,
        record.suggested_response,
        _others(each for each in messages if each.thread != thread),
        with_pairs([each for each in messages if each.thread == thread]),
    )


def _others(messages: Iterable[Message]) -> str:
    threads: dict[str, list[str]] = defaultdict(list)
    for message in messages:
        if message.origin is not MessageOrigin.INJECTED:
            threads[message.thread].append(f"{message.role}: {message_text(message)}")
    return "\n".join(
        other_conversation(thread, "\n".join(lines)) for thread, lines in threads.items()
    )


def message_text(message: Message) -> str:
    """Return a message as text, including its calls and results."""
    return " ".join(filter(None, (_words(each) for each in message.blocks)))


def _words(block: Block) -> str:
    match block.get("type"):
        case "text":
            return str(block.get("text", ""))
        case "tool_use":
            return f"[calls {block.get('name')} with {encode(block.get('input'))}]"
        case _:
            return f"[result: {content_text(block.get('content', ''))}]"
