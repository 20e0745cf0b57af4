"""The rules of the observer: each yields what it finds in a session, in the order in which it happened."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from memory.observations.extractors import line
from memory.tapes.priorities import Priority, at_least, priority_of

if TYPE_CHECKING:
    from datetime import datetime

    from memory.tapes.entries import TapeEntry, TapeSession, ToolResult, ToolUse

LONGEST_GOAL: Final = 300  # characters
_INJECTED: Final = (
    re.compile(  # put in by a program, not said by anybody; one that is cut off goes on to the end
        r"<(system-reminder|observations|memory)\b[^>]*>.*?(?:</\1>|\Z)|<run id=[^>]*/>", re.DOTALL
    )
)
_TRACEBACK: Final = re.compile(
    r"^Traceback \(most recent call last\):.*\n(?:[ \t].*\n|\n)*(\S.*)?", re.MULTILINE
)
_EXCEPTION: Final = re.compile(r"^(?:\w+\.)*[A-Z]\w*(?:Error|Exception):.*", re.MULTILINE)
_WRITES: Final = frozenset({"write", "write_file", "create_file", "create"})
_EDITS: Final = frozenset(
    {"edit", "multiedit", "notebookedit", "edit_file", "str_replace", "insert", "multi_edit"}
)
_PATHS: Final = ("file_path", "path", "notebook_path", "filename")
_CONTENTS: Final = ("content", "text", "note")


class Found(NamedTuple):
    """One thing that a rule found."""

    priority: Priority
    text: str
    at: datetime | None


class Seen:
    """A session as the rules look at it: `entries` are its distinct messages."""

    def __init__(self, session: TapeSession, entries: tuple[TapeEntry, ...]) -> None:
        self.session = session
        self.entries = entries

    @cached_property
    def by_hash(self) -> dict[str, TapeEntry]:
        """Every entry by its hash."""
        return {entry.hash: entry for entry in self.entries}

    @cached_property
    def answers(self) -> dict[str, tuple[ToolResult, ...]]:
        """The results that follow an entry, by its hash."""
        found: dict[str, tuple[ToolResult, ...]] = {}
        for entry in self.entries:
            if entry.tool_results and entry.parent_hash:
                found.setdefault(entry.parent_hash, entry.tool_results)
        return found

    def result_of(self, entry: TapeEntry, place: int) -> ToolResult | None:
        """Return what the call at `place` came to: by its id, or by its place where ids were dropped."""
        use, results = entry.tool_uses[place], self.answers.get(entry.hash, ())
        for result in results:
            if result.id and result.id == use.id:
                return result
        return results[place] if place < len(results) and not results[place].id else None

    def call_of(self, entry: TapeEntry, place: int) -> ToolUse | None:
        """Return the call that the result at `place` answers: by its id, or by its place."""
        result, asked = entry.tool_results[place], self.by_hash.get(entry.parent_hash or "")
        uses = asked.tool_uses if asked else ()
        for use in uses:
            if result.id and use.id == result.id:
                return use
        return uses[place] if place < len(uses) and not result.id else None

    def failed(self, entry: TapeEntry, place: int) -> bool:
        """Return whether the call at `place` is known to have ended in an error."""
        result = self.result_of(entry, place)
        return result is not None and result.is_error


Extract: TypeAlias = Callable[[Seen], Iterator[Found]]


def goal(seen: Seen) -> Iterator[Found]:
    """Yield what the first message asks for that somebody said."""
    for entry in seen.entries:
        if entry.role == "user" and (text := line(_said(entry), LONGEST_GOAL)):
            yield Found(priority_of(text), f"Session goal: {text}", entry.timestamp)
            return


def tool_errors(seen: Seen) -> Iterator[Found]:
    """Yield each result that is flagged as an error; one without a text is told by its call."""
    for entry in seen.entries:
        for place, result in enumerate(entry.tool_results):
            if result.is_error:
                said = _exceptions(result.text)[-1:] or [result.text]
                text = line(said[0]) or _unsaid(seen.call_of(entry, place))
                yield Found(Priority.IMPORTANT, f"Tool error: {text}", entry.timestamp)


def exceptions(seen: Seen) -> Iterator[Found]:
    """Yield each exception that was printed; a word such as error in a sentence is none."""
    for entry in seen.entries:
        texts = [_said(entry), *(each.text for each in entry.tool_results if not each.is_error)]
        for text in texts:
            for printed in _exceptions(text):
                yield Found(Priority.IMPORTANT, f"Exception: {line(printed)}", entry.timestamp)


def files(seen: Seen) -> Iterator[Found]:
    """Yield each file that was created or edited, where the tool did not report an error."""
    for entry in seen.entries:
        for place, use in enumerate(entry.tool_uses):
            done, path = _deed(use), _first(use, _PATHS)
            if done and path and not seen.failed(entry, place):
                text = f"File {done}: {line(path)}"
                yield Found(at_least(Priority.POSSIBLE, text), text, entry.timestamp)


def notes(seen: Seen) -> Iterator[Found]:
    """Yield what the model noted in an answer, or stored, where its words say that it matters."""
    for entry in seen.entries:
        told = [("A model noted", _note(entry.text))] if entry.role == "assistant" else []
        for place, use in enumerate(entry.tool_uses):
            if use.name == "store" and not seen.failed(entry, place):
                told.append(("A model claimed", _first(use, _CONTENTS)))
        for what, text in told:
            if text and priority_of(text) is not Priority.INFORMATIONAL:
                yield Found(priority_of(text), f"{what}: {line(text)}", entry.timestamp)


def unseen(seen: Seen) -> Iterator[Found]:
    """Yield how many results were recorded without their text, which hides what went wrong."""
    bare = [entry for entry in seen.entries for each in entry.tool_results if each.is_bare]
    if bare:
        text = f"Tool results recorded without their text: {len(bare)}"
        yield Found(Priority.INFORMATIONAL, text, bare[0].timestamp)


def tokens(seen: Seen) -> Iterator[Found]:
    """Yield what the session cost, where anything went in."""
    usage = seen.session.usage()
    if usage.input:
        text = (
            f"Token usage: {usage.input} input, {usage.output or 0} output, "
            f"{usage.cache_read or 0} cache read"
        )
        yield Found(Priority.INFORMATIONAL, text, seen.session.entries[-1].timestamp)


EXTRACTORS: Final[tuple[Extract, ...]] = (
    goal,
    tool_errors,
    exceptions,
    files,
    notes,
    unseen,
    tokens,
)


def _said(entry: TapeEntry) -> str:
    return _INJECTED.sub("", entry.text)


def _exceptions(text: str) -> list[str]:
    """Return the lines that name an exception, in their order, and the ends of tracebacks that name none."""
    found = {match.start(): match[0] for match in _EXCEPTION.finditer(text)}
    for trace in _TRACEBACK.finditer(text):
        found.setdefault(trace.start(1), trace[1] or "a traceback that is cut off")
    return [found[place] for place in sorted(found)]


def _unsaid(use: ToolUse | None) -> str:
    if use is None:
        return "a call failed without a word"
    given = json.dumps(use.input, sort_keys=True, ensure_ascii=False) if use.input else ""
    return line(f"{use.name} {given}".strip()) + " failed without a word"


def _deed(use: ToolUse) -> str:
    # The editors of the API are one tool each, whose command says what is done.
    command = use.input.get("command")
    name = str(command if isinstance(command, str) and "edit" in use.name else use.name).lower()
    name = str(command) if use.name == "memory" else name
    if name in _WRITES:
        return "created"
    return "edited" if name in _EDITS else ""


def _first(use: ToolUse, names: tuple[str, ...]) -> str:
    given = (use.input.get(name) for name in names)
    return next((value for value in given if isinstance(value, str) and value.strip()), "")


def _note(text: str) -> str:
    """Return the note of an answer that is JSON."""
    if not text.lstrip().startswith("{"):
        return ""
    try:
        answer = json.loads(text)
    except (ValueError, RecursionError):
        return ""
    note = answer.get("note") if isinstance(answer, dict) else None
    return note if isinstance(note, str) else ""
