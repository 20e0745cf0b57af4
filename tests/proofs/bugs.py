"""Known bugs of memory, each as a replaced attribute: every gap that was closed can be opened again.

A test of the row must fail with the bug in place.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any, Final, TypeAlias

from memory.conversation import boundaries, jobs, messages, model, situation_format
from memory.conversation.boundaries import Slicer
from memory.conversation.conversation import Conversation
from memory.conversation.token_limits import MemoryState
from memory.flow.flows import FlowProgress, Flows
from memory.flow.maintenance import Maintenance
from memory.flow.subscription import Summarizing
from memory.hooks.hooks import Hooks, Proceed
from memory.observations import block, tools
from memory.observations.observation import Observed
from memory.store import conversations, entry_search, merge
from memory.store import observations as observation_log
from memory.store.conversations import ConversationStore
from memory.store.entries import Entries
from memory.store.knowledge_tables import Archive
from memory.store.run_store import RunStore
from memory.tapes import entries as tape_entries
from memory.tapes import notes, reader, recorder
from memory.tapes import observer as tape_observer
from memory.tapes.entries import TapeSession, TokenUsage
from memory.tapes.notes import SessionMark
from memory.tapes.observer import SessionIndex
from memory.tapes.reader import TapeReader
from memory.tapes.recorder import TapeRecorder
from memory.tiers import forgetting, lessons, tactician
from memory.tiers.lessons import Lessons
from memory.tiers.observer import ObserverMemory
from memory.tiers.strategist import StrategistMemory

Make: TypeAlias = Callable[[Any], Any]  # from what is there to what takes its place


@dataclass(frozen=True)
class Bug:
    """One bug: the row that is against it, what it does, and the attribute that it replaces."""

    row: str
    says: str
    owner: ModuleType | type
    name: str
    make: Make

    @property
    def id(self) -> str:
        """What to call it."""
        return f"{self.row}: {self.says}"


def gives(value: object) -> Make:
    """Return a function that ignores its arguments."""
    return lambda _: lambda *_args, **_more: value


def becomes(replaced: object) -> Make:
    """Replace without regard to what is there."""
    return lambda _: replaced


def after(change: Callable[..., object]) -> Make:
    """Return the function with its result changed by `change(result, *args)`."""
    return lambda original: lambda *args, **more: change(original(*args, **more), *args)


def before(change: Callable[..., tuple[object, ...]]) -> Make:
    """Return the function called with the arguments that `change(*args)` returns."""
    return lambda original: lambda *args, **more: original(*change(*args), **more)


def _only_text(
    self: object, request: object, said: Mapping[str, Any], *more: object
) -> tuple[object, ...]:
    content = [each for each in said["content"] if each["type"] == "text"]
    return (self, request, {**said, "content": content}, *more)


def _unless_error(original: Any) -> Any:  # noqa: ANN401
    def run(self: object, handlers: object, call: object, *about: object) -> object:
        raised = bool(about) and isinstance(about[0], BaseException)
        return None if raised else original(self, handlers, call, *about)

    return run


def _again(self: Any) -> object:  # noqa: ANN401
    return self._rest() if self._rest is not None else None


def _turned(
    self: object, moment: object, pointcut: object, handler: object, priority: int, *more: object
) -> tuple[object, ...]:
    return (self, moment, pointcut, handler, -priority, *more)


def _counted_from_file(self: Any, scope_glob: str = "*") -> dict[str, int]:  # noqa: ANN401
    from memory.store.entries import COUNT_TAGS

    return dict(self._database.rows(COUNT_TAGS, (scope_glob,)))


def _all_messages(self: Any) -> MemoryState:  # noqa: ANN401
    record = self.record()
    return MemoryState(record, self._store.messages(self.owner, after=record.reflection.upto_seq))


def _swapped_in_two(self: Any, owner: str, *, upto: int, reflection: bool = False) -> int:  # noqa: ANN401
    count = int(self._move(owner, upto))
    if reflection:
        with self.database.transaction():
            self._activate_reflection(owner)
    return count


def _rewound_by_deleting(database: Any, number: int) -> None:  # noqa: ANN401
    for name, key in (("messages", "seq"), ("chunks", "id"), ("reflections", "id")):
        table = f"conversation_{name}"
        database.execute(f"DELETE FROM {table} WHERE made_after >= ?", (number,))
        database.execute("DELETE FROM sqlite_sequence WHERE name = ?", (table,))
        database.execute(
            f"INSERT INTO sqlite_sequence SELECT '{table}', coalesce(max({key}), 0) FROM {table}"
        )


def _failed_as_done(what: str, path: str, _error: object) -> Observed:
    return Observed(f"file_{what.partition(' ')[0]}", path, 5, path, {"path": path})


def _piece_with_injected(original: Any) -> Any:  # noqa: ANN401
    def piece(part: Mapping[str, Any]) -> object:
        is_text = part.get("type") == "text"
        return messages.TextPart(str(part.get("text", "")).strip()) if is_text else original(part)

    return piece


BUGS: Final = (
    Bug("A02", "a session that was forked off is not listed", TapeReader, "list_leaves", after(lambda found, *_: found[:1])),
    Bug("A04", "times are compared without their zone", tape_entries, "moment", before(lambda text: (text[:19] if isinstance(text, str) else text,))),
    Bug("A05", "branches are mixed into the main path", TapeReader, "read_session",
        after(lambda found, *_: replace(found, entries=tuple(found.all_entries()), branches=()))),
    Bug("A06", "an incomplete session is not marked", TapeReader, "_faults", gives(())),
    Bug("A12", "any name will do", reader, "is_hash_of", gives(True)),
    Bug("A13", "usage is summed over the main path alone", TapeSession, "usage", becomes(lambda self: sum((each.usage for each in self.entries), TokenUsage()))),
    Bug("A15", "a call whose id was dropped is not found by its place", SessionIndex, "call_of",
        after(lambda found, _self, entry, place: found if entry.tool_results[place].id else None)),
    Bug("A17", "edits are not seen", tape_observer, "_deed", after(lambda found, *_: found.replace("edited", ""))),
    Bug("A21", "a reply and its echo count as two", tape_observer, "_distinct", becomes(lambda session: session.all_entries())),
    Bug("A23", "a day that is mentioned anywhere counts as its header", notes, "_DAY", becomes(re.compile(r".*?## (\d{4}-\d\d-\d\d).*"))),
    Bug("A25", "a session that grew on a side branch is not looked at again", SessionMark, "is_of", becomes(lambda self, head: self.head == head.head)),
    Bug("A26", "the marks are believed though the page was lost", notes, "_is_done",
        becomes(lambda _short, group, marks, _page: all((mark := marks.get(each.root)) and mark.is_of(each) for each in group))),
    Bug("A28", "observing again adds the same lines again", notes, "session_of", gives(None)),
    Bug("A29", "digits that several sessions begin with mean any of them", TapeReader, "session_called",
        becomes(lambda self, prefix: next(each.root for each in self.sessions() if each.root.startswith(prefix)))),
    Bug("A35", "times end in an offset and a Z", tape_entries, "iso", becomes(lambda at: f"{at.isoformat()}Z")),
    Bug("A40", "of a reply the text alone is kept", TapeRecorder, "_record", before(_only_text)),
    Bug("A41", "a tape that fails stops play", TapeRecorder, "record", becomes(lambda self, request, said, **_: self._record(request, said, 0))),
    Bug("A42", "the payload of a picture is kept", recorder, "_reference", becomes(lambda source, _mask: {"image_url": str(source.get("data"))})),
    Bug("B03", "a call that raises leaves no trace", Hooks, "run", _unless_error),
    Bug("B06", "the highest priority comes first", Hooks, "_add", before(_turned)),
    Bug("B06", "a method runs again when a wrapper asks twice", Proceed, "__call__", becomes(_again)),
    Bug("B12", "tags of what is not committed yet are not counted", Entries, "count_tags", becomes(_counted_from_file)),
    Bug("B14", "closed entries are found like the rest", entry_search, "filters",
        before(lambda query, now_s: (replace(query, include_closed=True), now_s))),
    Bug("B24", "a summary is as long as it likes", Summarizing, "__call__",
        lambda original: lambda self, entries: original(replace(self, max_tokens=10**9), entries)),
    Bug("B25", "derived entries do not name their sources", Flows, "_write_one", before(lambda self, edge, each, ways: (self, edge, replace(each, sources=()), ways))),
    Bug("B27", "reindexing does nothing", Maintenance, "reindex", gives(0)),
    Bug("B34", "of two copies of a memory the first says what a run taught", merge, "joined", becomes(lambda one, other: one)),
    Bug("C04", "a failed edit is recorded as a modified file", tools, "_failed", becomes(_failed_as_done)),
    Bug("C11", "what a tool said ends the block", block, "_flat", becomes(lambda row: row)),
    Bug("C11", "files and errors make the block longer than its budget", block, "_cut_down", gives(None)),
    Bug("C16", "a locked file stops play at the next commit", RunStore, "commit_if_free", becomes(lambda self: self.commit() is None)),
    Bug("C20", "what a dead branch found out about others stays said", observation_log, "_REFRESH", becomes("SELECT ?")),
    Bug("D12", "messages that are observed are sent with their observations", Conversation, "_look", becomes(_all_messages)),
    Bug("D18", "a milestone that a model left out is lost", situation_format, "held_to_shown", becomes(lambda observations, *_: tuple(observations))),
    Bug("D28", "a chunk may skip messages", conversations, "_ADD_CHUNK", lambda sql: sql.replace("?2 = (SELECT min(seq)", "?2 >= (SELECT min(seq)")),
    Bug("D29", "what waits for activation is stranded", ConversationStore, "_activate", before(lambda self, owner, upto: (self, owner, upto - 1))),
    Bug("D31", "a reflection is swapped in by a transaction of its own", ConversationStore, "swap_buffered", becomes(_swapped_in_two)),
    Bug("D32", "a lease lasts for ever", ConversationStore, "set_flag",
        lambda original: lambda self, owner, work, holder, **_: original(self, owner, work, holder, now_ms=0, until_ms=1 << 60)),
    Bug("D33", "a large message is given to the observer whole", Slicer, "_parts", becomes(lambda _self, message: iter((message,)))),
    Bug("D34", "an empty answer takes the place of all that was known", model, "problem_with", gives("")),
    Bug("D35", "injected parts of a message are observed with what was said", messages, "_piece", _piece_with_injected),
    Bug("D36", "a conversation is cut behind answers only", boundaries, "called", gives({"never"})),
    Bug("D30", "numbers of messages come again after a rewind", conversations, "rewind_conversations", becomes(_rewound_by_deleting)),
    Bug("D37", "a step waits until the observer is done", jobs._Job, "_taken", lambda original: lambda self, **_: original(self, within=5.0)),
    Bug("E06", "a new decision still sees the moment of the last one", ObserverMemory, "clear", gives(None)),
    Bug("E13", "the win rate is of all battles", StrategistMemory, "get_win_rate",
        becomes(lambda self: self.totals.victories / max(self.totals.total_battles, 1))),
    Bug("E18", "the moves of a strategy are kept sorted", lessons, "strategy_of",
        after(lambda found, *_: replace(found, moves_sequence=tuple(sorted(found.moves_sequence))))),
    Bug("E22", "an empty context finds everything", tactician, "_matches", after(lambda found, _conditions, context: found + (not context))),
    Bug("E24", "what was pruned stays in the file", Archive, "take_out", gives(None)),
    Bug("E29", "sequences are counted but none becomes a pattern", Lessons, "skills", gives(())),
    Bug("E30", "every consolidation reads the whole session again", FlowProgress, "advance", gives(None)),
    Bug("E31", "nothing fades", forgetting, "MONTH_S", becomes(1e30)),
)  # fmt: skip
