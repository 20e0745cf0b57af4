"""What is worth remembering of a recorded session, by rules alone: the same session always comes to the same.

Also signs that something goes wrong (turns in circles, tokens that run away), and how far a run got, as one number.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from statistics import fmean
from typing import Final, NamedTuple

from memory.observations.observation import line
from memory.tapes.entries import TapeEntry, TapeSession, ToolResult, ToolUse
from memory.tapes.hashing import mask_secrets


class Priority(Enum):
    """The most important first."""

    IMPORTANT = "important"
    POSSIBLE = "possible"
    INFORMATIONAL = "informational"


# Whole words in their usual forms, also as parts of a name such as ValueError or fix_battle: `prefix` is no fix.
_IMPORTANT: Final = (
    r"bugs?|buggy|errors?|crash(?:es|ed|ing)?|security|fix(?:es|ed|ing)?|fail(?:s|ed|ing|ures?)?|broken"
    r"|revert(?:s|ed|ing)?|hotfix(?:es)?|vulnerability|vulnerabilities"
)
_POSSIBLE: Final = (
    r"tests?|tested|testing|refactor(?:s|ed|ing)?|update[sd]?|updating|rename[sd]?|renaming"
    r"|clean(?:s|ed|ing)?[ -]?ups?|reorgani[sz]e[sd]?|reorgani[sz]ing|migrate[sd]?|migrating|migrations?"
    r"|deprecate[sd]?|deprecating|deprecations?"
)


def _words(forms: str) -> re.Pattern[str]:
    in_a_name = rf"(?<=[a-z])(?=[A-Z])(?i:{forms})(?![a-z])"
    return re.compile(rf"(?<![A-Za-z])(?i:{forms})(?![A-Za-z])|{in_a_name}")


_BY_PRIORITY: Final = (
    (Priority.IMPORTANT, _words(_IMPORTANT)),
    (Priority.POSSIBLE, _words(_POSSIBLE)),
)


def priority_of(text: str) -> Priority:
    """Return the highest priority that any word of `text` asks for."""
    for priority, words in _BY_PRIORITY:
        if words.search(text):
            return priority
    return Priority.INFORMATIONAL


LONGEST_GOAL: Final = 300  # characters
_INJECTED: Final = (
    re.compile(  # put in by a program and never said; one that is cut off goes on to the end
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


class RuleMatch(NamedTuple):
    """One thing that a rule found."""

    priority: Priority
    text: str
    at: datetime | None


class SessionIndex:
    """A session as the rules look at it: `entries` are its distinct messages."""

    def __init__(self, session: TapeSession, entries: tuple[TapeEntry, ...]) -> None:
        self.session = session
        self.entries = entries
        self._calls = {entry.hash: entry.tool_uses for entry in entries}
        self._answers: dict[str, tuple[ToolResult, ...]] = {}
        for entry in entries:
            if entry.tool_results and entry.parent_hash:
                self._answers.setdefault(entry.parent_hash, entry.tool_results)

    def call_of(self, entry: TapeEntry, place: int) -> ToolUse | None:
        """Return the call that the result at `place` answers: by its id, or by its place where ids were dropped."""
        result, uses = entry.tool_results[place], self._calls.get(entry.parent_hash or "", ())
        if not result.id:
            return uses[place] if place < len(uses) else None
        return next((use for use in uses if use.id == result.id), None)

    def failed(self, entry: TapeEntry, place: int) -> bool:
        """Return whether the call at `place` is known to have ended in an error."""
        use, results = entry.tool_uses[place], self._answers.get(entry.hash, ())
        by_id = [each for each in results if each.id and each.id == use.id]
        by_place = [each for each in results[place : place + 1] if not each.id]
        return any(each.is_error for each in (by_id or by_place)[:1])


def goal(index: SessionIndex) -> Iterator[RuleMatch]:
    """Yield what the first message asks for that was really said."""
    for entry in index.entries:
        if entry.role == "user" and (text := line(_said(entry), LONGEST_GOAL)):
            yield RuleMatch(priority_of(text), f"Session goal: {text}", entry.timestamp)
            return


def tool_errors(index: SessionIndex) -> Iterator[RuleMatch]:
    """Yield each result that is flagged as an error; one without a text is told by its call."""
    for entry in index.entries:
        for place, result in enumerate(entry.tool_results):
            if result.is_error:
                said = _exceptions(result.text)[-1:] or [result.text]
                text = line(said[0]) or _failed_call(index.call_of(entry, place))
                yield RuleMatch(Priority.IMPORTANT, f"Tool error: {text}", entry.timestamp)


def exceptions(index: SessionIndex) -> Iterator[RuleMatch]:
    """Yield each exception that was printed; a word such as error in a sentence is none."""
    for entry in index.entries:
        texts = [_said(entry), *(each.text for each in entry.tool_results if not each.is_error)]
        for text in texts:
            for printed in _exceptions(text):
                yield RuleMatch(Priority.IMPORTANT, f"Exception: {line(printed)}", entry.timestamp)


def files(index: SessionIndex) -> Iterator[RuleMatch]:
    """Yield each file that was created or edited, where the tool did not report an error."""
    for entry in index.entries:
        for place, use in enumerate(entry.tool_uses):
            done, path = _deed(use), _first(use, _PATHS)
            if done and path and not index.failed(entry, place):
                text = f"File {done}: {line(path)}"
                priority = min(Priority.POSSIBLE, priority_of(text), key=list(Priority).index)
                yield RuleMatch(priority, text, entry.timestamp)


def notes(index: SessionIndex) -> Iterator[RuleMatch]:
    """Yield what the model noted in an answer, or stored, where its words say that it matters."""
    for entry in index.entries:
        told = [("A model noted", _note(entry.text))] if entry.role == "assistant" else []
        for place, use in enumerate(entry.tool_uses):
            if use.name == "store" and not index.failed(entry, place):
                told.append(("A model claimed", _first(use, _CONTENTS)))
        for what, text in told:
            if text and priority_of(text) is not Priority.INFORMATIONAL:
                yield RuleMatch(priority_of(text), f"{what}: {line(text)}", entry.timestamp)


def missing_texts(index: SessionIndex) -> Iterator[RuleMatch]:
    """Yield how many results were recorded without their text, which hides what went wrong."""
    bare = [entry for entry in index.entries for each in entry.tool_results if each.is_bare]
    if bare:
        text = f"Tool results recorded without their text: {len(bare)}"
        yield RuleMatch(Priority.INFORMATIONAL, text, bare[0].timestamp)


def tokens(index: SessionIndex) -> Iterator[RuleMatch]:
    """Yield what the session cost, where anything went in."""
    usage = index.session.usage()
    if usage.input:
        text = (
            f"Token usage: {usage.input} input, {usage.output or 0} output, "
            f"{usage.cache_read or 0} cache read"
        )
        yield RuleMatch(Priority.INFORMATIONAL, text, index.session.entries[-1].timestamp)


EXTRACTORS: Final = (goal, tool_errors, exceptions, files, notes, missing_texts, tokens)


def _said(entry: TapeEntry) -> str:
    return _INJECTED.sub("", entry.text)


def _exceptions(text: str) -> list[str]:
    """Return the lines that name an exception, in their order, and the ends of tracebacks that name none."""
    found = {match.start(): match[0] for match in _EXCEPTION.finditer(text)}
    for trace in _TRACEBACK.finditer(text):
        found.setdefault(trace.start(1), trace[1] or "a traceback that is cut off")
    return [found[place] for place in sorted(found)]


def _failed_call(use: ToolUse | None) -> str:
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


TIMES: Final = "\N{MULTIPLICATION SIGN}"


@dataclass(frozen=True, slots=True)
class SessionObservation:
    """One observation of a session. `at` is when it was first true, `count` how often it was."""

    priority: Priority
    text: str
    at: datetime | None
    count: int = 1

    def line(self, session: str) -> str:
        """Return it as the line of a list, with the 8 digits that its session is called by."""
        times = f" {TIMES}{self.count}" if self.count > 1 else ""
        return f"- [{self.priority.value}] {self.text}{times} (session: {session})"


def observe_session(session: TapeSession) -> tuple[SessionObservation, ...]:
    """Return what `session` comes to, a thing once with its count: goal, errors, exceptions, files, notes, tokens."""
    index = SessionIndex(session, tuple(_distinct(session)))
    first: dict[tuple[Priority, str], datetime | None] = {}
    counts: Counter[tuple[Priority, str]] = Counter()
    for extract in EXTRACTORS:
        for found in extract(index):
            key = (found.priority, mask_secrets(found.text))
            first.setdefault(key, found.at)
            counts[key] += 1
    return tuple(SessionObservation(*key, at, counts[key]) for key, at in first.items())


def _distinct(session: TapeSession) -> Iterator[TapeEntry]:
    """Yield every entry once, without those that a sibling repeats.

    Tapes names a reply and its echo in the next request after two spellings of the model, which makes two nodes
    of one message.
    """
    yield from session.entries
    said: dict[str | None, list[TapeEntry]] = {}
    for entry in session.all_entries():
        said.setdefault(entry.parent_hash, []).append(entry)
    for branch in session.branches:
        fork = said[branch[0].parent_hash]
        is_echo = any(branch[0].is_same_message(each) for each in fork if each is not branch[0])
        yield from branch[1:] if is_echo else branch


LOOP_TURNS: Final = 10
LOOP_WITHIN: Final = timedelta(seconds=30)
SPIKE_TIMES: Final = 2  # the mean of those shortly before
SPIKE_WITHIN: Final = timedelta(minutes=2)


@dataclass(frozen=True, slots=True)
class Alert:
    """What is wrong, `loop` or `spike`, at which entry (of a loop its last so far), when, and how much: turns, or tokens."""

    kind: str
    hash: str
    at: datetime
    amount: int


@dataclass(frozen=True, slots=True)
class RunFigures:
    """What a run came to, as counts."""

    map: int = 0
    badges: int = 0
    party: int = 0
    battles: int = 0
    stuck: int = 0
    turns: int = 0
    backtracks: int = 0

    def fitness(self) -> float:
        """Return one number to compare runs by; more is better."""
        gained = self.map * 1_000 + self.badges * 5_000 + self.party * 500 + self.battles * 100
        return gained - self.stuck * 5 - self.turns * 0.1 - self.backtracks * 2


def loops(entries: Iterable[TapeEntry]) -> list[Alert]:
    """Return an alert for each run of 10 or more turns of the model within 30 seconds, with its number of turns."""
    alerts: list[Alert] = []
    run: list[tuple[datetime, str]] = []
    for at, entry in _timed(each for each in entries if each.role == "assistant"):
        run = [turn for turn in run if at - turn[0] <= LOOP_WITHIN] + [(at, entry.hash)]
        if len(run) < LOOP_TURNS:
            continue
        goes_on = bool(alerts) and alerts[-1].hash in {name for _, name in run}
        turns = alerts.pop().amount + 1 if goes_on else len(run)
        alerts.append(Alert("loop", entry.hash, at, turns))
    return alerts


def spikes(entries: Iterable[TapeEntry]) -> list[Alert]:
    """Return an alert for each turn that took over twice the mean of the turns of the two minutes before it."""
    alerts: list[Alert] = []
    recent: list[tuple[datetime, int]] = []
    for at, entry in _timed(entries):
        if not (tokens := (entry.usage.input or 0) + (entry.usage.output or 0)):
            continue
        recent = [each for each in recent if at - each[0] <= SPIKE_WITHIN]
        if recent and tokens > SPIKE_TIMES * fmean(each[1] for each in recent):
            alerts.append(Alert("spike", entry.hash, at, tokens))
        recent.append((at, tokens))
    return alerts


def _timed(entries: Iterable[TapeEntry]) -> Iterable[tuple[datetime, TapeEntry]]:
    return ((entry.timestamp, entry) for entry in entries if entry.timestamp is not None)
