"""Known bugs of memory, each as a replaced attribute: every closed gap can be opened again.

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
from memory.store.knowledge_store import KnowledgeStore
from memory.store.run_store import RunStore
from memory.tapes import entries as tape_entries
from memory.tapes import notes, reader, recorder
from memory.tapes import observer as tape_observer
from memory.tapes.entries import SessionIndex, TapeSession, TokenUsage
from memory.tapes.notes import SessionMark
from memory.tapes.reader import TapeReader
from memory.tapes.recorder import TapeRecorder
from memory.tiers import knowledge, lessons, tactician
from memory.tiers.lessons import LessonTransformers
from memory.tiers.observer import ObserverMemory
from memory.tiers.strategist import StrategistMemory

Make: TypeAlias = Callable[[Any], Any]  # from the original to its replacement


@dataclass(frozen=True)
class Bug:
    """One bug: its row, its description, and the attribute that it replaces."""

    row: str
    description: str
    owner: ModuleType | type
    name: str
    make: Make

    @property
    def id(self) -> str:
        """The test id."""
        return f"{self.row}: {self.description}"


def returning(value: object) -> Make:
    """Return a function that ignores its arguments."""
    return lambda _: lambda *_args, **_more: value


def replaced_by(replaced: object) -> Make:
    """Return a function that ignores the original."""
    return lambda _: replaced


def after(change: Callable[..., object]) -> Make:
    """Return the function with its result changed by `change(result, *args)`."""
    return lambda original: lambda *args, **more: change(original(*args, **more), *args)


def before(change: Callable[..., tuple[object, ...]]) -> Make:
    """Return the function called with the arguments that `change(*args)` returns."""
    return lambda original: lambda *args, **more: original(*change(*args), **more)


def _only_text(
    self: object, request: object, reply: Mapping[str, Any], *more: object
) -> tuple[object, ...]:
    content = [each for each in reply["content"] if each["type"] == "text"]
    return (self, request, {**reply, "content": content}, *more)


def _unless_error(original: Any) -> Any:  # noqa: ANN401
    def run(self: object, handlers: object, call: object, *about: object) -> object:
        raised = bool(about) and isinstance(about[0], BaseException)
        return None if raised else original(self, handlers, call, *about)

    return run


def _again(self: Any) -> object:  # noqa: ANN401
    return self._rest() if self._rest is not None else None


def _negated_priority(
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


def _piece_of_injected(original: Any) -> Any:  # noqa: ANN401
    def piece(part: Mapping[str, Any]) -> object:
        is_text = part.get("type") == "text"
        return messages.TextPart(str(part.get("text", "")).strip()) if is_text else original(part)

    return piece


BUGS: Final = (
    Bug("A02", "a forked session is not listed", TapeReader, "list_leaves", after(lambda found, *_: found[:1])),
    Bug("A04", "times are compared without their time zone", tape_entries, "moment", before(lambda text: (text[:19] if isinstance(text, str) else text,))),
    Bug("A05", "branches are mixed into the main path", TapeReader, "read_session",
        after(lambda found, *_: replace(found, entries=tuple(found.all_entries()), branches=()))),
    Bug("A06", "an incomplete session is not marked", TapeReader, "_faults", returning(())),
    Bug("A12", "any hash is accepted", reader, "has_valid_hash", returning(True)),
    Bug("A13", "usage is summed over the main path only", TapeSession, "usage", replaced_by(lambda self: sum((each.usage for each in self.entries), TokenUsage()))),
    Bug("A15", "a call whose id was dropped is not found by its place", SessionIndex, "call_of",
        after(lambda found, _self, entry, place: found if entry.tool_results[place].id else None)),
    Bug("A17", "edits are not detected", tape_observer, "_file_action", after(lambda found, *_: found.replace("edited", ""))),
    Bug("A21", "a reply and its echo count as two", tape_observer, "_distinct", replaced_by(lambda session: session.all_entries())),
    Bug("A23", "a day mentioned anywhere counts as its header", notes, "_DAY", replaced_by(re.compile(r".*?## (\d{4}-\d\d-\d\d).*"))),
    Bug("A25", "a session that grew on a side branch is not read again", SessionMark, "is_current", replaced_by(lambda self, head: self.head == head.head)),
    Bug("A26", "the marks are trusted although the page was lost", notes, "_is_done",
        replaced_by(lambda _short, group, marks, _page: all((mark := marks.get(each.root)) and mark.is_current(each) for each in group))),
    Bug("A28", "observing again adds the same lines again", notes, "session_of", returning(None)),
    Bug("A29", "an ambiguous session prefix selects any of them", TapeReader, "find_session",
        replaced_by(lambda self, prefix: next(each.root for each in self.sessions() if each.root.startswith(prefix)))),
    Bug("A35", "times end with an offset and a Z", tape_entries, "iso", replaced_by(lambda at: f"{at.isoformat()}Z")),
    Bug("A40", "only the text of a reply is stored", TapeRecorder, "_record", before(_only_text)),
    Bug("A41", "a tape that fails stops play", TapeRecorder, "record", replaced_by(lambda self, request, reply, **_: self._record(request, reply, 0))),
    Bug("A42", "the payload of a picture is stored", recorder, "_reference", replaced_by(lambda source, _mask: {"image_url": str(source.get("data"))})),
    Bug("B03", "a call that raises leaves no trace", Hooks, "run", _unless_error),
    Bug("B06", "the highest priority runs first", Hooks, "_add", before(_negated_priority)),
    Bug("B06", "a method runs again when a wrapper proceeds twice", Proceed, "__call__", replaced_by(_again)),
    Bug("B12", "tags of uncommitted entries are not counted", Entries, "count_tags", replaced_by(_counted_from_file)),
    Bug("B14", "closed entries are found like open ones", entry_search, "filters",
        before(lambda query, now_s: (replace(query, include_closed=True), now_s))),
    Bug("B24", "a summary has no length limit", Summarizing, "__call__",
        lambda original: lambda self, entries: original(replace(self, max_tokens=10**9), entries)),
    Bug("B25", "derived entries do not name their sources", Flows, "_write_one", before(lambda self, edge, each, ways: (self, edge, replace(each, sources=()), ways))),
    Bug("B27", "reindexing does nothing", Maintenance, "reindex", returning(0)),
    Bug("B34", "of two copies of a memory the first one always wins", merge, "latest_of", replaced_by(lambda one, other: one)),
    Bug("C04", "a failed edit is recorded as a modified file", tools, "_failed", replaced_by(_failed_as_done)),
    Bug("C11", "tool output ends the block", block, "_flat", replaced_by(lambda row: row)),
    Bug("C11", "files and errors make the block longer than its budget", block, "_shrink_required", returning(None)),
    Bug("C16", "a locked file stops play at the next commit", RunStore, "commit_if_free", replaced_by(lambda self: self.commit() is None)),
    Bug("C20", "references made on an abandoned branch stay", observation_log, "_REFRESH", replaced_by("SELECT ?")),
    Bug("D12", "observed messages are sent with their observations", Conversation, "_load_state", replaced_by(_all_messages)),
    Bug("D18", "a milestone left out by the model is lost", situation_format, "with_shown_milestones", replaced_by(lambda observations, *_: tuple(observations))),
    Bug("D28", "a chunk may skip messages", conversations, "_ADD_CHUNK", lambda sql: sql.replace("?2 = (SELECT min(seq)", "?2 >= (SELECT min(seq)")),
    Bug("D29", "buffered observations are never activated", ConversationStore, "_activate", before(lambda self, owner, upto: (self, owner, upto - 1))),
    Bug("D31", "a reflection is swapped in by a separate transaction", ConversationStore, "swap_buffered", replaced_by(_swapped_in_two)),
    Bug("D32", "a lease never expires", ConversationStore, "set_flag",
        lambda original: lambda self, owner, work, holder, **_: original(self, owner, work, holder, now_ms=0, until_ms=1 << 60)),
    Bug("D33", "a large message is given to the observer without splitting", Slicer, "_parts", replaced_by(lambda _self, message: iter((message,)))),
    Bug("D34", "an empty answer replaces everything known", model, "problem_with", returning("")),
    Bug("D35", "injected parts of a message are observed like spoken ones", messages, "_piece", _piece_of_injected),
    Bug("D36", "a conversation is cut after answers only", boundaries, "call_ids", returning({"never"})),
    Bug("D30", "message numbers are reused after a rewind", conversations, "rewind_conversations", replaced_by(_rewound_by_deleting)),
    Bug("D37", "a step waits for the observer", jobs._Job, "_take_result", lambda original: lambda self, **_: original(self, within=5.0)),
    Bug("E06", "a new decision still sees the state of the last one", ObserverMemory, "clear", returning(None)),
    Bug("E13", "the win rate is of all battles", StrategistMemory, "get_win_rate",
        replaced_by(lambda self: self.totals.victories / max(self.totals.total_battles, 1))),
    Bug("E18", "the moves of a strategy are stored sorted", lessons, "strategy_of",
        after(lambda found, *_: replace(found, moves_sequence=tuple(sorted(found.moves_sequence))))),
    Bug("E22", "an empty context matches everything", tactician, "_matches", after(lambda found, _conditions, context: found + (not context))),
    Bug("E24", "pruned rows stay in the file", KnowledgeStore, "_archive_row", returning(None)),
    Bug("E29", "sequences are counted but none becomes a pattern", LessonTransformers, "skills", returning(())),
    Bug("E30", "every consolidation reads the whole session again", FlowProgress, "advance", returning(None)),
    Bug("E31", "relevance does not decay", knowledge, "MONTH_S", replaced_by(1e30)),
)  # fmt: skip
