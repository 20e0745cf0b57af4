"""Requests to the Messages API: the turns of the conversation, the order of all parts, and token counts.

Parts that change less come first, so that the service can read them from its cache: tools, rules, reflections,
observations, the notes of the last session, the conversation. A request is valid even after failed calls: each tool call
is followed by its result, and a conversation that grows at its end keeps its beginning byte for byte.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from agent.advisor.answer import ANSWER_SCHEMA
from agent.advisor.model import (
    DEFAULT_SETTINGS,
    Model,
    ModelFault,
    ModelSettings,
    Reply,
    Request,
    Usage,
)
from agent.advisor.port import Tool
from agent.advisor.prompt import data_block, encodable, prompt_file
from memory.conversation import ConversationView, Injected, inject, with_reminder
from memory.store import Message
from memory.tapes import run_mark
from memory.tokens import TokenEstimator, tokens

EARLIER: Final = "(The earlier messages are in the observations.)"
NOT_RUN: Final = "This call was not run: the program ended before it."

Turn = dict[str, Any]


def turns_of(messages: Iterable[Message]) -> list[Turn]:
    """Return the turns to send: each call is followed by its result, and the first turn is the user's."""
    turns: list[Turn] = []
    for message in messages:
        blocks = [dict(each) for each in message.blocks if _has_content(each)]
        if message.role == "user":
            add_user(turns, blocks)
        elif blocks:
            _add_model(turns, blocks)
    return turns


def add_user(turns: list[Turn], blocks: Sequence[Mapping[str, Any]]) -> None:
    """Add a turn of the user: first a result for each call of the last turn, then the other blocks."""
    calls = _open_calls(turns)
    given = {each["tool_use_id"]: each for each in blocks if each["type"] == "tool_result"}
    results = [given.get(call) or result(call, NOT_RUN, is_error=True) for call in calls]
    # A result whose call was already observed is dropped; the service refuses a result without a call.
    content = [*results, *(each for each in blocks if each["type"] != "tool_result")]
    if content:
        turns.append({"role": "user", "content": content})


def text(words: str) -> dict[str, Any]:
    """Return a text block."""
    return {"type": "text", "text": words}


def bare(blocks: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return `blocks` without their cache marks."""
    return [{name: block[name] for name in block if name != MARK} for block in blocks]


def result(call: str, words: str, *, is_error: bool) -> dict[str, Any]:
    """Return the result block of a tool call."""
    block = {"type": "tool_result", "tool_use_id": call, "content": [text(words)]}
    return block | {"is_error": True} if is_error else block


def _add_model(turns: list[Turn], blocks: list[dict[str, Any]]) -> None:
    if not turns:
        add_user(turns, [text(EARLIER)])
    elif _open_calls(turns):
        add_user(turns, [])
    turns.append({"role": "assistant", "content": blocks})


def _open_calls(turns: Sequence[Turn]) -> list[str]:
    if not turns or turns[-1]["role"] != "assistant":
        return []
    return [each["id"] for each in turns[-1]["content"] if each["type"] == "tool_use"]


def _has_content(block: Mapping[str, Any]) -> bool:
    return block["type"] != "text" or bool(block["text"].strip())


# The service accepts four cache marks, longer durations before shorter ones. All four are used.
MARK: Final = "cache_control"
HOUR: Final = {"type": "ephemeral", "ttl": "1h"}
MINUTES: Final = {"type": "ephemeral", "ttl": "5m"}

Block = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class FixedParts:
    """The parts of a request that do not change within a session. `notes` are from an earlier session, or ''.

    `run` identifies the run in its first message, so that a tape does not merge two runs that begin alike. `rules` is the
    text of the rules, '' for that of `prompts`.
    """

    tools: tuple[Tool, ...] = ()
    notes: str = ""
    run: str = ""
    settings: ModelSettings = DEFAULT_SETTINGS
    rules: str = ""


def request_of(
    fixed: FixedParts, view: ConversationView, tail: Sequence[Message], *, model: str, previous: str
) -> Request:
    """Return the request for the next call; `tail` holds the messages of `view` to send, the newest last.

    `previous` is the id of the last reply, '' before the first.
    """
    memory = inject(
        view.reflection, view.observations, view.current_task, view.suggested_response, view.others
    )
    rules = fixed.rules or prompt_file("rules")
    return Request(
        model=model,
        system=[text(rules) | {MARK: HOUR}, *_memory_part(memory, view)],
        messages=_messages(fixed, with_reminder(tail, memory)),
        settings=fixed.settings,
        tools=[described(each) for each in fixed.tools],
        # One schema for all questions: another schema would invalidate the whole cache. The question lists the names
        # that an answer may use, and `parse_advice` checks them.
        output_schema=ANSWER_SCHEMA,
        previous_message_id=previous,
    )


def described(tool: Tool) -> dict[str, Any]:
    """Return a tool as the service wants it; the service then sends only arguments that the schema allows."""
    schema = dict(tool.schema)
    return {"name": tool.name, "description": tool.label, "input_schema": schema, "strict": True}


def _opening(fixed: FixedParts) -> Sequence[Block]:
    """Return the first message: the run's id and the earlier notes. A tape does not store system text."""
    blocks = [text(run_mark(fixed.run))] if fixed.run else []
    if fixed.notes.strip():
        blocks.append(text(data_block("memory", encodable(fixed.notes.strip()))))
    return [{"role": "user", "content": blocks}] if blocks else []


def _memory_part(memory: Injected, view: ConversationView) -> Sequence[Block]:
    """Return the system blocks of memory; the part on other conversations changes each time and has no cache mark."""
    blocks = [text(part) for part in memory.parts]
    marked = len(blocks) - bool(view.others.strip())
    if marked > 0:
        blocks[marked - 1] |= {MARK: MINUTES}
    if marked > 1:
        blocks[0] |= {MARK: HOUR}
    return blocks


def _messages(fixed: FixedParts, tail: Sequence[Message]) -> Sequence[Block]:
    turns = turns_of(tail)
    if turns and turns[-1]["role"] == "assistant":
        add_user(turns, [])
    if turns:
        turns[-1]["content"][-1] |= {MARK: MINUTES}
    return [*_opening(fixed), *turns]


@dataclass(slots=True)
class CacheReport:
    """The input tokens of all calls by kind, and the counts of the service's reasons for a cache miss."""

    read: int = 0
    written: int = 0
    uncached: int = 0
    misses: Counter[str] = field(default_factory=Counter)

    @property
    def hit_ratio(self) -> float:
        """The share of the input that was read from the cache; 0 before the first call."""
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


MEMORY_TOKENS: Final = "memory tokens"  # the name of the counter

# Observations, notes of an earlier session, and the reminder that the conversation continues.
_MEMORY: Final = re.compile(r"<(memory|observations|system-reminder)\b[^>]*>.*?</\1>", re.DOTALL)


def memory_parts(request: Request) -> Iterator[str]:
    """Yield the parts of `request` that come from memory: the system text after the rules, and tagged texts in messages.

    Results of tools do not count, since the model asked for them.
    """
    yield from (str(block["text"]) for block in request.system[1:])
    for message in request.messages:
        for block in message["content"]:
            if block["type"] == "text":
                yield from (found[0] for found in _MEMORY.finditer(block["text"]))


def count_memory(request: Request, counts: Counter[str]) -> None:
    """Add an estimate of the tokens that memory put into `request`, if any."""
    if added := sum(map(tokens, memory_parts(request))):
        counts[MEMORY_TOKENS] += added


def calibrated(estimator: TokenEstimator, model: Model, request: Request) -> TokenEstimator:
    """Return `estimator` calibrated by the service's count for `request`; unchanged when the service cannot count.

    One count a session is enough: the estimate is used for thresholds, not for bills.
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
