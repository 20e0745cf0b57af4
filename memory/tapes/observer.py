"""Rules that extract observations from a recorded session; the same session always yields the same observations.

Also alerts (loops of turns, token spikes), and a fitness figure for a run.
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

from memory.codec import decode
from memory.observations.observation import line
from memory.tapes.entries import SessionIndex, TapeEntry, TapeSession, ToolUse
from memory.tapes.hashing import mask_secrets


class Priority(Enum):
    """The priority of an observation, most important first."""

    IMPORTANT = "important"
    POSSIBLE = "possible"
    INFORMATIONAL = "informational"


# Whole words in their usual forms, also inside names such as ValueError or fix_battle, but not inside `prefix`.
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
    """Return the highest priority of the words in `text`."""
    for priority, words in _BY_PRIORITY:
        if words.search(text):
            return priority
    return Priority.INFORMATIONAL


LONGEST_GOAL: Final = 300  # characters
_INJECTED: Final = re.compile(  # inserted by a program; an unclosed one extends to the end
    r"<(system-reminder|observations|memory)\b[^>]*>.*?(?:</\1>|\Z)|<run id=[^>]*/>", re.DOTALL
)
_CONDENSING: Final = re.compile(  # a call that observes or reflects a conversation
    r"<(?:previous-observations|conversation)>|<observations>.*</observations>\s+Write them anew",
    re.DOTALL,
)
_DATA_TAG: Final = re.compile(r"</?tool-data>")
_QUESTION: Final = re.compile(r"^Why you are asked: (\w+).*\nTick: (\d+)$", re.MULTILINE)
_PLACE: Final = re.compile(r"^Place: (.+?)(?: \(\d+, \d+\))?$", re.MULTILINE)
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
    """One match of a rule."""

    priority: Priority
    text: str
    at: datetime | None


def goal(index: SessionIndex) -> Iterator[RuleMatch]:
    """Yield the session goal: the first user message that is not injected; a question of play is none."""
    for entry in index.entries:
        if entry.role == "user" and (text := line(_spoken(entry), LONGEST_GOAL)):
            if _QUESTION.search(_spoken(entry)):
                return
            yield RuleMatch(priority_of(text), f"Session goal: {text}", entry.timestamp)
            return


def questions(index: SessionIndex) -> Iterator[RuleMatch]:
    """Yield the number of questions that play asked, by purpose, and where it asked the first and the last."""
    asked = [each for each in index.entries if each.role == "user" and _QUESTION.search(each.text)]
    if not asked:
        return
    purposes = Counter(match[1] for each in asked if (match := _QUESTION.search(each.text)))
    kinds = ", ".join(f"{count} {purpose}" for purpose, count in purposes.most_common())
    first, last = (_asked_at(each) for each in (asked[0], asked[-1]))
    where = f"at {first}" if first == last else f"from {first} to {last}"
    text = f"Questions of play: {kinds}, {where}"
    yield RuleMatch(Priority.INFORMATIONAL, text, asked[0].timestamp)


def tool_errors(index: SessionIndex) -> Iterator[RuleMatch]:
    """Yield each result flagged as an error; one without text is described by its call."""
    for entry in index.entries:
        for place, result in enumerate(entry.tool_results):
            if result.is_error:
                texts = _exceptions(result.text)[-1:] or [_DATA_TAG.sub("", result.text)]
                text = line(texts[0]) or _failed_call(index.call_of(entry, place))
                yield RuleMatch(Priority.IMPORTANT, f"Tool error: {text}", entry.timestamp)


def exceptions(index: SessionIndex) -> Iterator[RuleMatch]:
    """Yield each printed exception, but not words such as error in a sentence."""
    for entry in index.entries:
        texts = [_spoken(entry), *(each.text for each in entry.tool_results if not each.is_error)]
        for text in texts:
            for printed in _exceptions(text):
                yield RuleMatch(Priority.IMPORTANT, f"Exception: {line(printed)}", entry.timestamp)


def files(index: SessionIndex) -> Iterator[RuleMatch]:
    """Yield each created or edited file, unless the tool reported an error."""
    for entry in index.entries:
        for place, use in enumerate(entry.tool_uses):
            done, path = _file_action(use), _first(use, _PATHS)
            if done and path and not index.failed(entry, place):
                text = f"File {done}: {line(path)}"
                priority = min(Priority.POSSIBLE, priority_of(text), key=list(Priority).index)
                yield RuleMatch(priority, text, entry.timestamp)


def notes(index: SessionIndex) -> Iterator[RuleMatch]:
    """Yield notes in answers of the model and texts it stored, if their words have a priority."""
    for entry in index.entries:
        candidates = [("A model noted", _note(entry.text))] if entry.role == "assistant" else []
        for place, use in enumerate(entry.tool_uses):
            if use.name == "store" and not index.failed(entry, place):
                candidates.append(("A model claimed", _first(use, _CONTENTS)))
        for what, text in candidates:
            if text and priority_of(text) is not Priority.INFORMATIONAL:
                yield RuleMatch(priority_of(text), f"{what}: {line(text)}", entry.timestamp)


def missing_texts(index: SessionIndex) -> Iterator[RuleMatch]:
    """Yield the number of results recorded without text, whose errors are unknown."""
    bare = [entry for entry in index.entries for each in entry.tool_results if each.is_bare]
    if bare:
        text = f"Tool results recorded without their text: {len(bare)}"
        yield RuleMatch(Priority.INFORMATIONAL, text, bare[0].timestamp)


def tokens(index: SessionIndex) -> Iterator[RuleMatch]:
    """Yield the token usage of the session, if it has input tokens; that of play stands in its summary."""
    usage = index.session.usage()
    if usage.input and not any(_QUESTION.search(each.text) for each in index.entries):
        text = (
            f"Token usage: {usage.input} input, {usage.output or 0} output, "
            f"{usage.cache_read or 0} cache read"
        )
        yield RuleMatch(Priority.INFORMATIONAL, text, index.session.entries[-1].timestamp)


EXTRACTORS: Final = (goal, questions, tool_errors, exceptions, files, notes, missing_texts, tokens)


def _spoken(entry: TapeEntry) -> str:
    return _INJECTED.sub("", entry.text)


def _asked_at(entry: TapeEntry) -> str:
    tick, place = _QUESTION.search(entry.text), _PLACE.search(entry.text)
    return f"tick {tick[2] if tick else '?'}" + (f" in {place[1]}" if place else "")


def _exceptions(text: str) -> list[str]:
    """Return the lines that name an exception, and the ends of tracebacks without one, in order."""
    found = {match.start(): match[0] for match in _EXCEPTION.finditer(text)}
    for trace in _TRACEBACK.finditer(text):
        found.setdefault(trace.start(1), trace[1] or "a traceback that is cut off")
    return [found[place] for place in sorted(found)]


def _failed_call(use: ToolUse | None) -> str:
    if use is None:
        return "a call failed without a message"
    given = json.dumps(use.input, sort_keys=True, ensure_ascii=False) if use.input else ""
    return line(f"{use.name} {given}".strip()) + " failed without a message"


def _file_action(use: ToolUse) -> str:
    # An editor tool of the API names its action in `command`.
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
    """Return the note of a JSON answer, or ''."""
    if not text.lstrip().startswith("{"):
        return ""
    try:
        answer = decode(text)
    except ValueError:
        return ""
    note = answer.get("note") if isinstance(answer, dict) else None
    return note if isinstance(note, str) else ""


TIMES: Final = "\N{MULTIPLICATION SIGN}"
MADE_UP_NOTE: Final = "fake-claude, made up: "  # before a note; no later session gets such a line


@dataclass(frozen=True, slots=True)
class SessionObservation:
    """One observation of a session. `at` is its first time, `count` its number of occurrences."""

    priority: Priority
    text: str
    at: datetime | None
    count: int = 1
    is_made_up: bool = False  # it comes of the answers of a stand-in for a model

    def line(self, session: str) -> str:
        """Return it as a list line, with the short name of its session."""
        times = f" {TIMES}{self.count}" if self.count > 1 else ""
        mark = MADE_UP_NOTE if self.is_made_up else ""
        return f"- [{self.priority.value}] {mark}{self.text}{times} (session: {session})"


def observe_session(session: TapeSession) -> tuple[SessionObservation, ...]:
    """Return the observations of `session`, merged with counts: goal, errors, exceptions, files, notes, tokens.

    A session in which a conversation was condensed has none: memory does not observe its own observer.
    """
    index = SessionIndex(session, tuple(_distinct(session)))
    if any(_CONDENSING.match(each.text) for each in index.entries[:1]):
        return ()
    first: dict[tuple[Priority, str], datetime | None] = {}
    counts: Counter[tuple[Priority, str]] = Counter()
    for extract in EXTRACTORS:
        for found in extract(index):
            key = (found.priority, mask_secrets(found.text))
            first.setdefault(key, found.at)
            counts[key] += 1
    return tuple(SessionObservation(*key, at, counts[key]) for key, at in first.items())


def _distinct(session: TapeSession) -> Iterator[TapeEntry]:
    """Yield every entry once, without echoes.

    Tapes hashes a reply and its echo in the next request with two names of the model, which makes two nodes
    of one message.
    """
    yield from session.entries
    siblings: dict[str | None, list[TapeEntry]] = {}
    for entry in session.all_entries():
        siblings.setdefault(entry.parent_hash, []).append(entry)
    for branch in session.branches:
        fork = siblings[branch[0].parent_hash]
        is_echo = any(branch[0].is_same_message(each) for each in fork if each is not branch[0])
        yield from branch[1:] if is_echo else branch


LOOP_TURNS: Final = 10
LOOP_WITHIN: Final = timedelta(seconds=30)
SPIKE_TIMES: Final = 2  # times the mean of recent turns
SPIKE_WITHIN: Final = timedelta(minutes=2)


@dataclass(frozen=True, slots=True)
class Alert:
    """A `loop` or `spike`: its entry (the last of a loop so far), time, and amount in turns or tokens."""

    kind: str
    hash: str
    at: datetime
    amount: int


@dataclass(frozen=True, slots=True)
class RunFigures:
    """The results of a run, as counts."""

    map: int = 0
    badges: int = 0
    party: int = 0
    battles: int = 0
    stuck: int = 0
    turns: int = 0
    backtracks: int = 0

    def fitness(self) -> float:
        """Return one number to compare runs by; higher is better."""
        gained = self.map * 1_000 + self.badges * 5_000 + self.party * 500 + self.battles * 100
        return gained - self.stuck * 5 - self.turns * 0.1 - self.backtracks * 2


def loops(entries: Iterable[TapeEntry]) -> list[Alert]:
    """Return an alert for each sequence of 10 or more model turns within 30 seconds, with its number of turns."""
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
    """Return an alert for each turn with over twice the mean tokens of the two minutes before it."""
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
