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
    LineTime,
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
from memory.conversation.port import MAX_LEVEL, Condensed, CondensingFailed
from memory.conversation.situation_format import (
    ADVISED,
    BATTLE_LOST,
    BLACKOUT,
    FAILED,
    MILESTONE,
    NOTE,
    Situation,
    advice_text,
    attempts_text,
    is_failure,
    milestone_ids,
    milestones_in,
    milestones_text,
    read_situation,
    split_attempts,
)
from memory.store.conversation_record import Message, MessageOrigin
from memory.tokens import tokens


def merge_lines(observations: Iterable[DatedLine]) -> tuple[DatedLine, ...]:
    """Return the lines of `observations` with equal lines merged into one, at the place and time of the last.

    Of attempt numbers the highest is kept, other counts are added. Of equal advice the last note stays. A milestone stays
    once, at its first occurrence.
    """
    seen: set[str] = set()
    kept: dict[tuple[object, ...], DatedLine] = {}
    for each in observations:
        if ids := milestone_ids(each.line):
            new = [name for name in dict.fromkeys(ids) if name not in seen]
            seen.update(new)
            if new:
                line = replace(each.line, text=milestones_text(new), count=1)
                kept[line.text, *new] = each._replace(line=line)
            continue
        key = (each.line.priority, _stem(each.line.text), each.line.details)
        earlier = kept.pop(key, None)
        kept[key] = each if earlier is None else _merge_two(earlier.line, each)
    return tuple(kept.values())


def _stem(text: str) -> str:
    """Return the part of a text that must be equal in lines to be merged."""
    return text.partition(NOTE)[0] if text.startswith(ADVISED) else split_attempts(text)[0]


def _merge_two(earlier: ObservationLine, later: DatedLine) -> DatedLine:
    text, times = split_attempts(later.line.text)
    times = max(times, split_attempts(earlier.text)[1])
    if times:
        line = replace(later.line, text=f"{text} ({attempts_text(times)})", count=1)
    else:
        line = replace(later.line, count=earlier.count + later.line.count)
    return later._replace(line=line)


DETAIL: Final = (10, 8, 6, 4, 2)  # tenths of the detail that each level keeps, about
MIN_LINE: Final = 40  # characters that an old line keeps at the hardest level
_REMOVAL_ORDER: Final = (
    LinePriority.UNCERTAIN,
    LinePriority.ASKED,
    LinePriority.DONE,
    LinePriority.ASSERTED,
)


def condense(
    observations: Sequence[DatedLine], room: int, estimate: Callable[[str], int], level: int = 0
) -> Observations:
    """Return `observations` in at most `room` tokens by `estimate`, or only the milestones when they need more.

    From level 1 on, the older half is shortened before lines are removed. The estimates of parts must not sum to less than
    that of the whole.
    """
    lines = merge_lines(observations)
    if level:
        older, longest = len(lines) // 2, MIN_LINE * DETAIL[level] // DETAIL[-1]
        short = (each._replace(line=_shorten(each.line, longest)) for each in lines[:older])
        lines = (*short, *lines[older:])
    lines = _fit(lines, room, estimate)
    if not lines or _size(lines, estimate) <= room:
        return lines
    # Only milestones are left: they become one line, at the time of the first.
    ids = [name for each in lines for name in milestone_ids(each.line)]
    line = ObservationLine(LinePriority.ASSERTED, milestones_text(ids), lines[0].line.moment)
    return (DatedLine(lines[0].date, line),)


def _shorten(line: ObservationLine, longest: int) -> ObservationLine:
    """Return `line` shortened, except for milestones and failures."""
    if milestone_ids(line) or is_failure(line):
        return line
    return replace(line, text=one_line(line.text, longest), details=())


def _fit(lines: Observations, room: int, estimate: Callable[[str], int]) -> Observations:
    """Return the lines that fit, in their order."""
    size = _size(lines, estimate)
    removed: set[int] = set()
    for place in sorted(range(len(lines)), key=lambda place: (_rank(lines[place].line), place)):
        if size <= room or milestone_ids(lines[place].line):
            break
        removed.add(place)
        size -= _cost(lines[place].line, estimate)
    return tuple(each for place, each in enumerate(lines) if place not in removed)


def _rank(line: ObservationLine) -> int:
    """Return how late `line` is removed; milestones come last."""
    if milestone_ids(line):
        return len(_REMOVAL_ORDER) + 1
    return len(_REMOVAL_ORDER) if is_failure(line) else _REMOVAL_ORDER.index(line.priority)


def _size(lines: Observations, estimate: Callable[[str], int]) -> int:
    """Return the tokens of `lines`, slightly too many: each row and each header is counted separately."""
    days = groupby(lines, key=lambda each: each.date)
    heads = sum(estimate(render_date(date) + "\n") for date, _ in days)
    return heads + sum(_cost(each.line, estimate) for each in lines)


def _cost(line: ObservationLine, estimate: Callable[[str], int]) -> int:
    return estimate(render_line(line) + "\n")


WIDTH: Final = 120  # characters of one message, when every observer failed
SHARE: Final = 12  # tokens of messages per token of observations
MIN_ROOM: Final = 200  # tokens of observations allowed for few messages
# Characters of an argument or a result: recalled content is known already.
MAX_ARGUMENT: Final = 100
MAX_EVENT: Final = 200
_COORDINATES: Final = re.compile(r"\s*\([\d\s,;xy=]*\)$")
_MARKUP: Final = re.compile(r"</?[a-z][a-z-]{0,30}>")  # marks data, and has no content
_ASSERTED_EVENTS: Final = (MILESTONE, BATTLE_LOST, BLACKOUT)


class HeuristicObserver:
    """Observes questions, advice, tool calls and their results, milestones, losses and failures."""

    source = "programmatic"

    def __init__(self, estimate: Callable[[str], int] = tokens) -> None:
        self._estimate = estimate

    def observe(self, messages: Sequence[Message], known: str) -> Condensed:
        """Return the observations of `messages`, in a twelfth of their tokens or 200; milestones are kept in any case.

        Milestones and failures that `known` contains in the same words are not repeated. Injected text is not observed;
        without other text there are no observations. Raises nothing.
        """
        collector = _LineCollector(self._estimate, messages)
        lines = list(_new(collector.lines, known))
        room = max(collector.size // SHARE, MIN_ROOM)
        return Condensed(render(condense(lines, room, self._estimate)), collector.task)


def reported_milestones(messages: Iterable[Message]) -> tuple[DatedLine, ...]:
    """Return the lines of the milestones that the program, and no other source, reported."""
    collector = _LineCollector(tokens, messages)
    return tuple(each for each in collector.lines if milestone_ids(each.line))


def _new(lines: Iterable[DatedLine], known: str) -> Iterator[DatedLine]:
    """Yield `lines` without the milestones and failures that `known` contains in the same words."""
    # Only asserted lines matter here, and `known` may be long.
    rows = (row for row in known.splitlines() if LinePriority.ASSERTED.value in row)
    asserted = parse("\n".join(rows))
    reached = set(milestones_in(asserted))
    failed = {each.line.text for each in asserted if is_failure(each.line)}
    for each in lines:
        if ids := milestone_ids(each.line):
            if new := [name for name in ids if name not in reached]:
                line = ObservationLine(each.line.priority, milestones_text(new), each.line.moment)
                yield each._replace(line=line)
        elif not (is_failure(each.line) and each.line.text in failed):
            yield each


class _LineCollector:
    """The observation lines of messages; `task` is the subject of the last question."""

    def __init__(self, estimate: Callable[[str], int], messages: Iterable[Message]) -> None:
        self.lines: list[DatedLine] = []
        self.task = ""
        self.size = 0  # tokens of the observed messages
        self._estimate = estimate
        self._open: dict[str, str] = {}  # calls without a result yet, in words
        for message in messages:
            self._collect(message)

    def _collect(self, message: Message) -> None:
        is_model = message.origin is MessageOrigin.MODEL
        said = tuple(message_parts(message))
        words = sum(self._estimate("".join(map(str, each))) for each in said)
        self.size += (message.tokens or words) if said else 0
        for piece in said:
            for priority, found in self._lines(piece, is_model=is_model):
                line = ObservationLine(priority, found, moment_of(message))
                self.lines.append(DatedLine(date_of(message), line))

    def _lines(self, piece: MessagePart, *, is_model: bool) -> Iterator[tuple[LinePriority, str]]:
        match piece:
            case TextPart(text) if is_model:
                yield LinePriority.UNCERTAIN, advice_text(text)
            case TextPart(text):
                yield from self._situation(text)
            case CallPart(id, tool, arguments):
                words = one_line(tool, MAX_ARGUMENT), one_line(arguments, MAX_ARGUMENT)
                self._open[id] = f"{words[0]}({words[1]})"
            case ResultPart(id, text, is_error):
                said = f"{self._open.pop(id, 'a tool')}: {_first_row(text)}"
                priority = LinePriority.ASSERTED if is_error else LinePriority.ASKED
                yield priority, f"tool error: {said}" if is_error else said

    def _situation(self, text: str) -> Iterator[tuple[LinePriority, str]]:
        found = read_situation(text)
        facts = tuple(_facts(found))
        yield from facts
        if found.why:
            self.task = _question(found, found.place)
            # Without coordinates, so that repeated questions in one place merge into one line.
            question = _question(found, _COORDINATES.sub("", found.place))
            yield LinePriority.ASKED, f"asked: {question}"
        elif not facts:
            # A part of a long question may begin in the middle of its data.
            yield LinePriority.ASKED, f"told: {one_line(_MARKUP.sub('', text), MAX_EVENT)}"


def _first_row(result: str) -> str:
    """Return the first row of a result, and the number of further rows."""
    rows = [one_line(row, MAX_ARGUMENT) for row in _MARKUP.sub("", result).splitlines()]
    said = [row for row in rows if row]
    more = f" (and {len(said) - 1} more)" if len(said) > 1 else ""
    return f"{said[0]}{more}" if said else "nothing"


def _facts(found: Situation) -> Iterator[tuple[LinePriority, str]]:
    if found.reached:
        yield LinePriority.ASSERTED, milestones_text(found.reached)
    for event in found.happened:
        is_asserted = event.startswith(_ASSERTED_EVENTS)
        # An id must stay complete, however long.
        text = event if event.startswith(MILESTONE) else one_line(event, MAX_EVENT)
        yield (LinePriority.ASSERTED if is_asserted else LinePriority.DONE), text
    for failure in found.failed:
        short = type(failure)(one_line(failure.text, MAX_EVENT), failure.times)
        yield LinePriority.ASSERTED, f"{FAILED}{short}"


def _question(found: Situation, place: str) -> str:
    where = f" at {place}" if place else ""
    goal = f", for {found.goal}" if found.goal else ""
    return one_line(f"{found.why}{where}{goal}", MAX_EVENT)


class HeuristicReflector:
    """Condenses observations: old lines strongly, recent lines little, verified milestones not at all."""

    source = "programmatic"

    def __init__(self, estimate: Callable[[str], int] = tokens) -> None:
        self._estimate = estimate

    def reflect(self, observations: str, *, level: int, target: int) -> Condensed:
        """Return `observations` in at most `target` tokens, or only the milestones when they need more.

        At level 0 everything that fits is kept; each higher level keeps two tenths less detail. Raises CondensingFailed
        when there are no observations.
        """
        known = parse(observations)
        if not known:
            message = "there are no observations to reflect upon; observe something first"
            raise CondensingFailed(message)
        level = min(max(level, 0), MAX_LEVEL)
        detail = self._estimate(observations) * DETAIL[level] // DETAIL[0]
        room = min(target, detail) if level else target
        return Condensed(render(condense(known, room, self._estimate, level)))


def first_words(messages: Iterable[Message]) -> Condensed:
    """Return the beginning of each text, for when every observer failed. It cannot fail.

    The full messages are still in the file, and can be recalled.
    """
    rows = []
    for message in messages:
        moment = LineTime(tick=message.tick)
        for block in message.blocks:
            text = " ".join(str(block.get("text", "")).split())
            if block.get("type") == "text" and text:
                words = f"{message.role}: {text[:WIDTH]}"
                rows.append(render_line(ObservationLine(LinePriority.UNCERTAIN, words, moment)))
    return Condensed("\n".join(rows))


def last_lines(text: str, limit: int, estimate: Callable[[str], int]) -> str:
    """Return as many of the last lines of `text` as fit in `limit` tokens."""
    lines: list[str] = []
    left = limit
    for line in reversed(text.splitlines()):
        left -= estimate(line + "\n")
        if left < 0:
            break
        lines.append(line)
    return "\n".join(reversed(lines))
