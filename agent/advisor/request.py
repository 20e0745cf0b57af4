"""A request to the Messages API: the turns of the conversation, the place of every part, and its tokens.

What changes less stands further to the front, so that the service can read it from its cache: tools, rules, reflections,
observations, the last session's notes, the conversation; the state of the moment comes last and is never marked. Nothing
before it holds a clock or a tick of now. What is sent is sound whatever became of earlier calls: each call of a tool has
its result behind it, and a conversation that grows at its end keeps its beginning to the byte.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from agent.advisor.answer import ANSWER_SCHEMA
from agent.advisor.model import CallRecorder, Model, ModelFault, Reply, Request, Usage
from agent.advisor.port import Tool
from agent.advisor.prompt import data, prompt_file, sound
from memory.conversation.view import ConversationView, Injected, inject, with_reminder
from memory.store.conversation_record import Message
from memory.tapes.recorder import run_mark
from memory.tokens import TokenEstimator, tokens

EARLIER: Final = "(What came before this is in the observations.)"
NOT_RUN: Final = "This call was never made: the program ended before it."

Turn = dict[str, Any]


def turns_of(messages: Iterable[Message]) -> list[Turn]:
    """Return the messages to send: each call has its result behind it, and the first is the user's."""
    turns: list[Turn] = []
    for message in messages:
        said = [dict(each) for each in message.blocks if _says_anything(each)]
        if message.role == "user":
            add_user(turns, said)
        elif said:
            _add_model(turns, said)
    return turns


def add_user(turns: list[Turn], said: Sequence[Mapping[str, Any]]) -> None:
    """Add what the user says, behind a result for each call that the last turn made."""
    calls = _open_calls(turns)
    given = {each["tool_use_id"]: each for each in said if each["type"] == "tool_result"}
    results = [given.get(call) or result(call, NOT_RUN, is_error=True) for call in calls]
    # A result without a call is one whose call was observed; the service takes no such thing.
    blocks = [*results, *(each for each in said if each["type"] != "tool_result")]
    if blocks:
        turns.append({"role": "user", "content": blocks})


def text(words: str) -> dict[str, Any]:
    """Return a block of text."""
    return {"type": "text", "text": words}


def result(call: str, words: str, *, is_error: bool) -> dict[str, Any]:
    """Return the result of a call of a tool."""
    told = {"type": "tool_result", "tool_use_id": call, "content": [text(words)]}
    return told | {"is_error": True} if is_error else told


def _add_model(turns: list[Turn], said: list[dict[str, Any]]) -> None:
    if not turns:
        add_user(turns, [text(EARLIER)])
    elif _open_calls(turns):
        add_user(turns, [])
    turns.append({"role": "assistant", "content": said})


def _open_calls(turns: Sequence[Turn]) -> list[str]:
    if not turns or turns[-1]["role"] != "assistant":
        return []
    return [each["id"] for each in turns[-1]["content"] if each["type"] == "tool_use"]


def _says_anything(block: Mapping[str, Any]) -> bool:
    return block["type"] != "text" or bool(block["text"].strip())


# The service takes four marks, those for longer before those for shorter. All four are used.
HOUR: Final = {"type": "ephemeral", "ttl": "1h"}
MINUTES: Final = {"type": "ephemeral", "ttl": "5m"}

Block = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Fixed:
    """What stays as it is for a whole session. `notes` is what an earlier session left, '' where there was none.

    `run` tells this run from every other in its first message: two that begin alike are not one on a tape.
    """

    tools: tuple[Tool, ...] = ()
    notes: str = ""
    run: str = ""
    max_tokens: int = 1_000


def request_of(
    fixed: Fixed,
    sight: ConversationView,
    tail: Sequence[Message],
    state: Sequence[Block],
    model: str,
    previous: str,
) -> Request:
    """Return the request for the next call: the `state` of the moment comes last.

    `tail` are the messages of `sight` that are to be sent. `previous` is the id of the last message that came back,
    '' before the first.
    """
    memory = inject(
        sight.reflection,
        sight.observations,
        sight.current_task,
        sight.suggested_response,
        sight.others,
    )
    return Request(
        model=model,
        system=[text(prompt_file("rules")) | {"cache_control": HOUR}, *_remembered(memory, sight)],
        messages=_messages(fixed, with_reminder(tail, memory), state),
        max_tokens=fixed.max_tokens,
        tools=[
            {"name": each.name, "description": each.says, "input_schema": dict(each.schema)}
            for each in fixed.tools
        ],
        # One schema for all questions: another would void all that is cached. The names that an answer may use stand
        # in the question, and are checked when it comes.
        output_schema=ANSWER_SCHEMA,
        previous_message_id=previous,
    )


def _opening(fixed: Fixed) -> Sequence[Block]:
    """Return the first message of all: which run asks, and what was noted before it. A tape keeps no system text."""
    blocks = [text(run_mark(fixed.run))] if fixed.run else []
    if fixed.notes.strip():
        blocks.append(text(data("memory", sound(fixed.notes.strip()))))
    return [{"role": "user", "content": blocks}] if blocks else []


def _remembered(memory: Injected, sight: ConversationView) -> Sequence[Block]:
    """Return what became of the older conversation; what other conversations hold is new each time and not marked."""
    blocks = [text(part) for part in memory.parts]
    marked = len(blocks) - bool(sight.others.strip())
    if marked > 0:
        blocks[marked - 1] |= {"cache_control": MINUTES}
    if marked > 1:
        blocks[0] |= {"cache_control": HOUR}
    return blocks


def _messages(fixed: Fixed, tail: Sequence[Message], state: Sequence[Block]) -> Sequence[Block]:
    turns = turns_of(tail)
    if turns:
        turns[-1]["content"][-1] |= {"cache_control": MINUTES}
    if turns and turns[-1]["role"] == "user":
        turns[-1]["content"].extend(state)
    else:
        add_user(turns, state)
    return [*_opening(fixed), *turns]


def without_state(record: CallRecorder) -> CallRecorder:
    """Return what hands calls on to `record` with the state taken out of the request and into its meta, as `state`."""

    def settled(
        request: Mapping[str, Any],
        reply: Mapping[str, Any],
        *,
        duration_ns: int,
        meta: Mapping[str, Any],
    ) -> object:
        *earlier, last = request["messages"]
        kept = _settled(last["content"])
        if not kept:  # no conversation: nothing of it will be sent again
            return record(request, reply, duration_ns=duration_ns, meta=meta)
        messages = [*earlier, {**last, "content": kept}]
        state = [
            str(each["text"]) if each["type"] == "text" else f"({each['type']})"
            for each in last["content"][len(kept) :]
        ]
        told = {**meta, "state": state}
        return record({**request, "messages": messages}, reply, duration_ns=duration_ns, meta=told)

    return settled


def _settled(content: object) -> Sequence[Mapping[str, Any]]:
    """Return the blocks up to the mark: what stands behind it is of the moment."""
    blocks = content if isinstance(content, list) else []
    marks = [at for at, each in enumerate(blocks) if "cache_control" in each]
    return blocks[: marks[-1] + 1] if marks else []


@dataclass(slots=True)
class CacheReport:
    """The tokens of all calls by kind, and how often the service gave which reason for a miss."""

    read: int = 0
    written: int = 0
    uncached: int = 0
    misses: Counter[str] = field(default_factory=Counter)

    @property
    def hit_ratio(self) -> float:
        """The share of the input that was read from the cache; 0 before anything was sent."""
        sent = self.read + self.written + self.uncached
        return self.read / sent if sent else 0.0

    def add(self, reply: Reply) -> None:
        """Count one reply."""
        usage: Usage = reply.usage
        self.read += usage.cache_read
        self.written += usage.cache_write_5m + usage.cache_write_1h
        self.uncached += usage.input
        if reply.cache_missed:
            self.misses[reply.cache_missed] += 1


MEMORY_TOKENS: Final = "memory tokens"  # what is counted

# The block of the moment, notes of an earlier session, and the reminder that a conversation goes on.
_TOLD: Final = re.compile(r"<(memory|observations|system-reminder)\b[^>]*>.*?</\1>", re.DOTALL)


def remembered(request: Request) -> Iterator[str]:
    """Yield what memory put into `request`: all that stands behind the rules, and what it marks within messages.

    What a model asked a tool for is not memory's: it was the model's wish.
    """
    yield from (str(block["text"]) for block in request.system[1:])
    for message in request.messages:
        for block in message["content"]:
            if block["type"] == "text":
                yield from (found[0] for found in _TOLD.finditer(block["text"]))


def count_memory(request: Request, counts: Counter[str]) -> None:
    """Add an estimate of the tokens that memory put into `request`, where there are any."""
    if told := sum(map(tokens, remembered(request))):
        counts[MEMORY_TOKENS] += told


def calibrated(estimator: TokenEstimator, model: Model, request: Request) -> TokenEstimator:
    """Return `estimator` leaning towards what the service counts for `request`; as it is where nobody counts.

    One count a session is enough: what it is used for are thresholds, and no bill.
    """
    try:
        counted = model.count_tokens(request)
    except ModelFault:
        return estimator
    sent = (request.system, request.messages, request.tools)
    return estimator.calibrated(sum(map(len, _texts(sent))), counted)


def _texts(value: Any) -> Iterator[str]:  # noqa: ANN401  # JSON is of any shape
    match value:
        case str():
            yield value
        case dict():
            for name, each in value.items():
                yield from _texts(name)
                yield from _texts(each)
        case list() | tuple():
            for each in value:
                yield from _texts(each)
        case _:
            pass
