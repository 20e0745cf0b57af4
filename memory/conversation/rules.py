"""Observers and reflectors by rules: no model, no network, and a deterministic result.

Lines are removed in this order: uncertain, asked, done, asserted, then failures; verified milestones never. Within each
group the oldest goes first. Statements of the program are asserted, those of the model uncertain. If even the rules
fail, the first words of each message and the newest lines remain.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Final

from memory.conversation.format import (
    DatedLine,
    LinePriority,
    ObservationLine,
    Observations,
    one_line,
    parse,
    render,
    render_date,
    render_line,
)
from memory.conversation.messages import (
    CallPart,
    MessagePart,
    ResultPart,
    TextPart,
    date_of,
    message_parts,
    moment_of,
)
from memory.conversation.port import Distilled, DistillingFailed
from memory.conversation.situation_format import (
    ADVISED,
    BATTLE_LOST,
    BLACKOUT,
    FAILED,
    MILESTONE,
    NOTE,
    Situation,
    advised,
    is_ban,
    milestones_in,
    milestones_of,
    milestones_text,
    read_situation,
    split_tried,
    tried,
)
from memory.store.conversation_record import Message, MessageOrigin
from memory.tokens import tokens


def merged(observations: Iterable[DatedLine]) -> tuple[DatedLine, ...]:
    """Return the lines of `observations` with equal lines merged into one, at the place and time of the last.

    Of attempt numbers the highest is kept, other counts are added. Of equal advice the last note stays. A milestone stays
    once, at its first occurrence.
    """
    told: set[str] = set()
    kept: dict[tuple[object, ...], DatedLine] = {}
    for each in observations:
        if ids := milestones_of(each.line):
            new = [name for name in dict.fromkeys(ids) if name not in told]
            told.update(new)
            if new:
                line = replace(each.line, text=milestones_text(new), count=1)
                kept[line.text, *new] = each._replace(line=line)
            continue
        key = (each.line.priority, _stem(each.line.text), each.line.details)
        earlier = kept.pop(key, None)
        kept[key] = each if earlier is None else _both(earlier.line, each)
    return tuple(kept.values())


def _stem(text: str) -> str:
    """Return the part of a text that must be equal in lines to be merged."""
    return text.partition(NOTE)[0] if text.startswith(ADVISED) else split_tried(text)[0]


def _both(earlier: ObservationLine, later: DatedLine) -> DatedLine:
    text, times = split_tried(later.line.text)
    times = max(times, split_tried(earlier.text)[1])
    if times:
        line = replace(later.line, text=f"{text} ({tried(times)})", count=1)
    else:
        line = replace(later.line, count=earlier.count + later.line.count)
    return later._replace(line=line)


DETAIL: Final = (10, 8, 6, 4, 2)  # tenths of the detail that each level from 0 to 4 keeps, about
SHORTEST: Final = 40  # characters that an old line keeps at the hardest level
_GOES: Final = (
    LinePriority.UNCERTAIN,
    LinePriority.ASKED,
    LinePriority.DONE,
    LinePriority.ASSERTED,
)


def condensed(
    observations: Sequence[DatedLine], room: int, estimate: Callable[[str], int], level: int = 0
) -> Observations:
    """Return `observations` in at most `room` tokens by `estimate`, or only the milestones when they need more.

    From level 1 on, the older half is shortened before lines are removed. The estimates of parts must not sum to less than
    that of the whole.
    """
    lines = merged(observations)
    if level:
        older, longest = len(lines) // 2, SHORTEST * DETAIL[level] // DETAIL[-1]
        short = (each._replace(line=_short(each.line, longest)) for each in lines[:older])
        lines = (*short, *lines[older:])
    lines = _fitting(lines, room, estimate)
    if not lines or _size(lines, estimate) <= room:
        return lines
    # Only milestones are left: they become one line, at the time of the first.
    ids = [name for each in lines for name in milestones_of(each.line)]
    line = ObservationLine(LinePriority.ASSERTED, milestones_text(ids), lines[0].line.moment)
    return (DatedLine(lines[0].date, line),)


def _short(line: ObservationLine, longest: int) -> ObservationLine:
    """Return `line` shortened, except for milestones and failures."""
    if milestones_of(line) or is_ban(line):
        return line
    return replace(line, text=one_line(line.text, longest), details=())


def _fitting(lines: Observations, room: int, estimate: Callable[[str], int]) -> Observations:
    """Return the lines that fit, in their order."""
    size = _size(lines, estimate)
    gone: set[int] = set()
    for place in sorted(range(len(lines)), key=lambda place: (_worth(lines[place].line), place)):
        if size <= room or milestones_of(lines[place].line):
            break
        gone.add(place)
        size -= _cost(lines[place].line, estimate)
    return tuple(each for place, each in enumerate(lines) if place not in gone)


def _worth(line: ObservationLine) -> int:
    """Return how late `line` is removed; milestones come last."""
    if milestones_of(line):
        return len(_GOES) + 1
    return len(_GOES) if is_ban(line) else _GOES.index(line.priority)


def _size(lines: Observations, estimate: Callable[[str], int]) -> int:
    """Return the tokens of `lines`, slightly too many: each row and each header is counted separately."""
    days = groupby(lines, key=lambda each: each.date)
    heads = sum(estimate(render_date(date) + "\n") for date, _ in days)
    return heads + sum(_cost(each.line, estimate) for each in lines)


def _cost(line: ObservationLine, estimate: Callable[[str], int]) -> int:
    return estimate(render_line(line) + "\n")


WIDTH: Final = 120  # characters of one message, when every observer failed
SHARE: Final = 12  # tokens of messages per token of observations
LEAST_ROOM: Final = 200  # tokens of observations allowed for few messages
# Characters of an argument or a result: recalled content is known already.
LONGEST_GIST: Final = 100
LONGEST_EVENT: Final = 200
_COORDINATES: Final = re.compile(r"\s*\([\d\s,;xy=]*\)$")
_MARKUP: Final = re.compile(r"</?[a-z][a-z-]{0,30}>")  # marks a result as data, and has no content
_SHOWN: Final = (MILESTONE, BATTLE_LOST, BLACKOUT)


class HeuristicObserver:
    """Observes questions, advice, tool calls and their results, milestones, losses and failures."""

    source = "programmatic"

    def __init__(self, estimate: Callable[[str], int] = tokens) -> None:
        self._estimate = estimate

    def observe(self, messages: Sequence[Message], known: str) -> Distilled:
        """Return the observations of `messages`, in a twelfth of their tokens or 200; milestones are kept in any case.

        Milestones and failures that `known` contains in the same words are not repeated. Injected text is not observed;
        without other text there are no observations. Raises nothing.
        """
        watch = _Watch(self._estimate, messages)
        lines = list(_new(watch.lines, known))
        room = max(watch.size // SHARE, LEAST_ROOM)
        return Distilled(render(condensed(lines, room, self._estimate)), watch.task)


def shown_milestones(messages: Iterable[Message]) -> tuple[DatedLine, ...]:
    """Return the lines of the milestones that the program, and no other source, reported."""
    watch = _Watch(tokens, messages)
    return tuple(each for each in watch.lines if milestones_of(each.line))


def _new(lines: Iterable[DatedLine], known: str) -> Iterator[DatedLine]:
    """Yield `lines` without the milestones and failures that `known` contains in the same words."""
    # Only asserted lines matter here, and `known` may be long.
    rows = (row for row in known.splitlines() if LinePriority.ASSERTED.value in row)
    told = parse("\n".join(rows))
    reached = set(milestones_in(told))
    failed = {each.line.text for each in told if is_ban(each.line)}
    for each in lines:
        if ids := milestones_of(each.line):
            if new := [name for name in ids if name not in reached]:
                line = ObservationLine(each.line.priority, milestones_text(new), each.line.moment)
                yield each._replace(line=line)
        elif not (is_ban(each.line) and each.line.text in failed):
            yield each


class _Watch:
    """The observation lines of messages; `task` is the subject of the last question."""

    def __init__(self, estimate: Callable[[str], int], messages: Iterable[Message]) -> None:
        self.lines: list[DatedLine] = []
        self.task = ""
        self.size = 0  # tokens of the observed messages
        self._estimate = estimate
        self._open: dict[str, str] = {}  # calls without a result yet, in words
        for message in messages:
            self._see(message)

    def _see(self, message: Message) -> None:
        is_model = message.origin is MessageOrigin.MODEL
        said = tuple(message_parts(message))
        words = sum(self._estimate("".join(map(str, each))) for each in said)
        self.size += (message.tokens or words) if said else 0
        for piece in said:
            for priority, found in self._found(piece, is_model=is_model):
                line = ObservationLine(priority, found, moment_of(message))
                self.lines.append(DatedLine(date_of(message), line))

    def _found(self, piece: MessagePart, *, is_model: bool) -> Iterator[tuple[LinePriority, str]]:
        match piece:
            case TextPart(text) if is_model:
                yield LinePriority.UNCERTAIN, advised(text)
            case TextPart(text):
                yield from self._situation(text)
            case CallPart(id, tool, given):
                words = one_line(tool, LONGEST_GIST), one_line(given, LONGEST_GIST)
                self._open[id] = f"{words[0]}({words[1]})"
            case ResultPart(id, text, is_error):
                said = f"{self._open.pop(id, 'a tool')}: {_gist(text)}"
                if is_error:
                    yield LinePriority.ASSERTED, f"tool error: {said}"
                else:
                    yield LinePriority.ASKED, said

    def _situation(self, text: str) -> Iterator[tuple[LinePriority, str]]:
        told = read_situation(text)
        facts = tuple(_facts(told))
        yield from facts
        if told.why:
            self.task = _question(told, told.place)
            # Without coordinates, so that repeated questions in one place merge into one line.
            yield LinePriority.ASKED, f"asked: {_question(told, _COORDINATES.sub('', told.place))}"
        elif not facts:
            yield LinePriority.ASKED, f"told: {one_line(text, LONGEST_EVENT)}"


def _gist(result: str) -> str:
    """Return the first row of a result, and the number of further rows."""
    rows = [one_line(row, LONGEST_GIST) for row in _MARKUP.sub("", result).splitlines()]
    said = [row for row in rows if row]
    more = f" (and {len(said) - 1} more)" if len(said) > 1 else ""
    return f"{said[0]}{more}" if said else "nothing"


def _facts(told: Situation) -> Iterator[tuple[LinePriority, str]]:
    if told.reached:
        yield LinePriority.ASSERTED, milestones_text(told.reached)
    for event in told.happened:
        is_grave = event.startswith(_SHOWN)
        # An id must stay complete, however long.
        text = event if event.startswith(MILESTONE) else one_line(event, LONGEST_EVENT)
        yield (LinePriority.ASSERTED if is_grave else LinePriority.DONE), text
    for failure in told.failed:
        short = type(failure)(one_line(failure.says, LONGEST_EVENT), failure.times)
        yield LinePriority.ASSERTED, f"{FAILED}{short}"


def _question(told: Situation, place: str) -> str:
    where = f" at {place}" if place else ""
    goal = f", for {told.goal}" if told.goal else ""
    return one_line(f"{told.why}{where}{goal}", LONGEST_EVENT)


HARDEST: Final = len(DETAIL) - 1


class HeuristicReflector:
    """Condenses observations: old lines strongly, recent lines little, verified milestones not at all."""

    source = "programmatic"

    def __init__(self, estimate: Callable[[str], int] = tokens) -> None:
        self._estimate = estimate

    def reflect(self, observations: str, *, level: int, target: int) -> Distilled:
        """Return `observations` in at most `target` tokens, or only the milestones when they need more.

        At level 0 everything that fits is kept; each higher level aims at two tenths less detail. Raises DistillingFailed
        when there are no observations.
        """
        known = parse(observations)
        if not known:
            message = "there are no observations to reflect upon; observe something first"
            raise DistillingFailed(message)
        level = min(max(level, 0), HARDEST)
        detail = self._estimate(observations) * DETAIL[level] // DETAIL[0]
        room = min(target, detail) if level else target
        return Distilled(render(condensed(known, room, self._estimate, level)))


def first_words(messages: Iterable[Message]) -> Distilled:
    """Return the beginning of each text, for when every observer failed. It cannot fail.

    The full messages are still in the file, and can be recalled.
    """
    rows = [
        f"* 🟢 (tick {message.tick}) {message.role}: {text[:WIDTH]}"
        for message in messages
        for block in message.blocks
        if block.get("type") == "text" and (text := " ".join(str(block.get("text", "")).split()))
    ]
    return Distilled("\n".join(rows))


def ending(text: str, limit: int, estimate: Callable[[str], int]) -> str:
    """Return as many of the last lines of `text` as fit in `limit` tokens."""
    lines: list[str] = []
    left = limit
    for line in reversed(text.splitlines()):
        left -= estimate(line + "\n")
        if left < 0:
            break
        lines.append(line)
    return "\n".join(reversed(lines))
