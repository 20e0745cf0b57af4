"""Observing by rules alone: no model, no network, and the same observations for the same messages.

It knows the situations of `situation`, the answers of `advised`, and the calls of tools. What the program said is
taken as so, what the model said as its word.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from memory.thread.advised import advised
from memory.thread.condensing import condensed
from memory.thread.format import Dated, Line, Priority, one_line, parse, render
from memory.thread.kinds import is_ban, milestones_in, milestones_of, milestones_text
from memory.thread.message import Origin
from memory.thread.port import Distilled
from memory.thread.said import Call, Result, Text, date_of, moment_of, pieces
from memory.thread.situation import BATTLE_LOST, BLACKOUT, FAILED, MILESTONE, read_situation
from memory.tokens import tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from memory.thread.message import Message
    from memory.thread.said import Piece
    from memory.thread.situation import Situation

SHARE: Final = 12  # tokens of messages for one of observations
LEAST_ROOM: Final = 200  # tokens of observations that few messages may come to
LONGEST_GIST: Final = (
    100  # characters of an argument or a result: what it recalled is known already
)
LONGEST_EVENT: Final = 200
_COORDINATES: Final = re.compile(r"\s*\([\d\s,;xy=]*\)$")
_MARKUP: Final = re.compile(r"</?[a-z][a-z-]{0,30}>")  # marks a result as data, and says nothing
_SHOWN: Final = (MILESTONE, BATTLE_LOST, BLACKOUT)


class HeuristicObserver:
    """Observes questions, advice, calls of tools and their results, milestones, losses and what failed."""

    source = "programmatic"

    def __init__(self, estimate: Callable[[str], int] = tokens) -> None:
        self._estimate = estimate

    def observe(self, messages: Sequence[Message], known: str) -> Distilled:
        """Return what `messages` come to, in an eleventh of their tokens; milestones have room in any case.

        Milestones and failures that `known` tells in the same words are not told again. Nothing that was injected is
        observed; where there is nothing else, there are no observations. Raises nothing.
        """
        watch = _Watch(self._estimate)
        for message in messages:
            watch.see(message)
        lines = list(_new(watch.lines, known))
        room = max(watch.size // SHARE, LEAST_ROOM)
        return Distilled(render(condensed(lines, room, self._estimate)), watch.task)


def shown_milestones(messages: Iterable[Message]) -> tuple[Dated, ...]:
    """Return the lines of the milestones that the program, and nobody else, said were reached."""
    watch = _Watch(tokens)
    for message in messages:
        watch.see(message)
    return tuple(each for each in watch.lines if milestones_of(each.line))


def _new(lines: Iterable[Dated], known: str) -> Iterator[Dated]:
    """Yield `lines` without the milestones and failures that are known in the same words."""
    # Only what is asserted matters here, and all that is known may be long.
    rows = (row for row in known.splitlines() if Priority.ASSERTED.value in row)
    told = parse("\n".join(rows))
    reached = set(milestones_in(told))
    failed = {each.line.text for each in told if is_ban(each.line)}
    for each in lines:
        if ids := milestones_of(each.line):
            if new := [name for name in ids if name not in reached]:
                line = Line(each.line.priority, milestones_text(new), each.line.moment)
                yield each._replace(line=line)
        elif not (is_ban(each.line) and each.line.text in failed):
            yield each


class _Watch:
    """Looks at one message after the other; `task` is what the last question was about."""

    def __init__(self, estimate: Callable[[str], int]) -> None:
        self.lines: list[Dated] = []
        self.task = ""
        self.size = 0  # tokens of what was seen
        self._estimate = estimate
        self._open: dict[str, str] = {}  # calls that have no result yet, in words

    def see(self, message: Message) -> None:
        """Take note of what was said in `message`."""
        is_model = message.origin is Origin.MODEL
        said = tuple(pieces(message))
        words = sum(self._estimate("".join(map(str, each))) for each in said)
        self.size += (message.tokens or words) if said else 0
        for piece in said:
            for priority, found in self._found(piece, is_model=is_model):
                line = Line(priority, found, moment_of(message))
                self.lines.append(Dated(date_of(message), line))

    def _found(self, piece: Piece, *, is_model: bool) -> Iterator[tuple[Priority, str]]:
        match piece:
            case Text(text):
                return _advice(text) if is_model else self._situation(text)
            case Call():
                return self._call(piece)
            case Result():
                return self._result(piece)

    def _situation(self, text: str) -> Iterator[tuple[Priority, str]]:
        told = read_situation(text)
        facts = tuple(_facts(told))
        yield from facts
        if told.why:
            self.task = _question(told, told.place)
            # Without where in the place: what is asked there again is one line.
            yield Priority.ASKED, f"asked: {_question(told, _COORDINATES.sub('', told.place))}"
        elif not facts:
            yield Priority.ASKED, f"told: {one_line(text, LONGEST_EVENT)}"

    def _call(self, call: Call) -> Iterator[tuple[Priority, str]]:
        tool = one_line(call.tool, LONGEST_GIST)
        self._open[call.id] = f"{tool}({one_line(call.given, LONGEST_GIST)})"
        yield from ()

    def _result(self, result: Result) -> Iterator[tuple[Priority, str]]:
        called = self._open.pop(result.id, "a tool")
        gist = _gist(result.text)
        if result.is_error:
            yield Priority.ASSERTED, f"tool error: {called}: {gist}"
        else:
            yield Priority.ASKED, f"{called}: {gist}"


def _gist(result: str) -> str:
    """Return the first row of a result, and how many more there are."""
    rows = [one_line(row, LONGEST_GIST) for row in _MARKUP.sub("", result).splitlines()]
    said = [row for row in rows if row]
    more = f" (and {len(said) - 1} more)" if len(said) > 1 else ""
    return f"{said[0]}{more}" if said else "nothing"


def _advice(text: str) -> Iterator[tuple[Priority, str]]:
    yield Priority.UNCERTAIN, advised(text)


def _facts(told: Situation) -> Iterator[tuple[Priority, str]]:
    if told.reached:
        yield Priority.ASSERTED, milestones_text(told.reached)
    for event in told.happened:
        is_grave = event.startswith(_SHOWN)
        # An id must stay whole, however long.
        text = event if event.startswith(MILESTONE) else one_line(event, LONGEST_EVENT)
        yield (Priority.ASSERTED if is_grave else Priority.DONE), text
    for failure in told.failed:
        short = type(failure)(one_line(failure.says, LONGEST_EVENT), failure.times)
        yield Priority.ASSERTED, f"{FAILED}{short}"


def _question(told: Situation, place: str) -> str:
    where = f" at {place}" if place else ""
    goal = f", for {told.goal}" if told.goal else ""
    return one_line(f"{told.why}{where}{goal}", LONGEST_EVENT)
