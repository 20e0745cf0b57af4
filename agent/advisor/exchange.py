"""Asking a model through one conversation: each question is an exchange of calls, tools and repairs that ends in advice.

Nothing is kept of a reply that the service would refuse when it is sent again.
"""

import datetime as dt
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from agent.advisor.answer import UnusableAdvice, advice_of
from agent.advisor.calls import Calls
from agent.advisor.model import FaultKind, ModelFault, Reply, Request
from agent.advisor.port import Advice, Question, Silence, Silent, Tool, ToolRefused
from agent.advisor.prompt import (
    Dating,
    asked,
    build_prompt,
    data,
    filled,
    mode_of,
    picture_block,
    prompt_file,
    question_text,
    sound,
)
from agent.advisor.request import CacheReport, Fixed, count_memory, request_of, result, text
from agent.advisor.secrets import masked
from memory.conversation.conversation import Conversation
from memory.conversation.port import DistillingFailed
from memory.errors import MemoryFault
from memory.store.conversation_record import Message, MessageOrigin

_ID_PART: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
# It goes back with the calls that came of it, as it is.
_THOUGHT: Final = {"thinking", "redacted_thinking"}


def words_of(reply: Reply) -> str:
    """Return all text of a reply."""
    return "".join(each["text"] for each in reply.blocks if each["type"] == "text")


def kept_text(reply: Reply, mask: Callable[[str], str]) -> list[dict[str, Any]]:
    """Return the text of a reply as a block to keep; none where it is empty."""
    words = mask(words_of(reply))
    return [text(words)] if words.strip() else []


def kept_calls(
    reply: Reply, taken: Collection[str], mask: Callable[[str], str]
) -> list[dict[str, Any]]:
    """Return the blocks of a reply that calls tools, with ids that are none of those `taken`."""
    ids, kept = set(taken), []
    for block in reply.blocks:
        match block["type"]:
            case "text" if block["text"].strip():
                kept.append(text(mask(block["text"])))
            case "tool_use":
                name = "_".join(_ID_PART.findall(mask(block["name"]))) or "unnamed"
                call = {"type": "tool_use", "id": _free(mask(block["id"]), ids), "name": name[:64]}
                ids.add(call["id"])
                # It is kept here, and by whatever tool is called with it.
                kept.append(call | {"input": masked(block["input"], mask)})
            case kind if kind in _THOUGHT:
                kept.append(dict(block))
            case _:
                pass
    return kept


def calls_in(blocks: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the blocks that call a tool."""
    return [each for each in blocks if each["type"] == "tool_use"]


def ids_in(messages: Iterable[Message]) -> set[str]:
    """Return the ids of all calls in `messages`."""
    return {call["id"] for message in messages for call in calls_in(message.blocks)}


def _free(name: str, taken: Collection[str]) -> str:
    """Return an id that the service takes, and that is not taken: two alike would spoil every later request."""
    if _ID_PART.fullmatch(name) and name not in taken:
        return name
    count = len(taken)
    while f"call_{count}" in taken:
        count += 1
    return f"call_{count}"


LONGEST: Final = 4_000  # characters of a result, with the tags around it
CUT: Final = "… (cut)"
_TAG: Final = "tool-data"
_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}


class Toolbox:
    """Runs tools by name; whatever is wrong with a call is told to the model as the call's result."""

    def __init__(self, tools: Sequence[Tool], counts: Counter[str]) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._counts = counts

    def result_of(self, call: Mapping[str, Any]) -> dict[str, Any]:
        """Make the call that a block of a reply asks for, and return the block that answers it."""
        try:
            words, is_error = self._run(call["name"], call["input"]), False
        except (ToolRefused, MemoryFault) as refusal:
            words, is_error = str(refusal), True
        self._counts["tool errors" if is_error else "tool calls"] += 1
        return result(call["id"], _as_data(words), is_error=is_error)

    def refused(self, call: Mapping[str, Any], why: str) -> dict[str, Any]:
        """Return the block that answers a call which is not made."""
        self._counts["tool errors"] += 1
        return result(call["id"], why, is_error=True)

    def _run(self, name: str, arguments: Mapping[str, Any]) -> str:
        tool = self._tools.get(name)
        if tool is None:
            message = f"there is no such tool; there are: {', '.join(self._tools) or 'none'}"
            raise ToolRefused(message)
        if problem := _problem_with(arguments, tool.schema):
            raise ToolRefused(problem)
        return tool.run(arguments)


def _as_data(words: str) -> str:
    told = sound(words)
    while len(marked := data(_TAG, told)) > LONGEST:
        over = len(marked) - LONGEST
        told = told.removesuffix(CUT)[: -over - len(CUT)] + CUT
    return marked


def _problem_with(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    """Return what is wrong with the arguments by the outermost level of their schema, '' if nothing is."""
    known: Mapping[str, Mapping[str, Any]] = schema.get("properties", {})
    missing = [name for name in schema.get("required", ()) if name not in arguments]
    if missing:
        return f"missing: {', '.join(missing)}"
    if strange := [name for name in arguments if name not in known]:
        return f"unknown: {', '.join(strange)[:100]}; there are: {', '.join(known) or 'none'}"
    wrong = [name for name, value in arguments.items() if not _fits(value, known[name])]
    return f"not of the right kind: {', '.join(wrong)}" if wrong else ""


def _fits(value: object, schema: Mapping[str, Any]) -> bool:
    kinds = schema.get("type", list(_TYPES))
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if isinstance(value, bool):
        return "boolean" in kinds
    types = tuple(each for kind in kinds for each in _TYPES[kind])
    return isinstance(value, types) and value in schema.get("enum", [value])


REPAIRS: Final = 2
ROUNDS: Final = 4  # of tools, and of pauses
MOST_CALLS: Final = 6  # of tools, in one question
_WORDS: Final = ("text", "content")  # of a block that the program says
NO_MORE: Final = "no more calls of tools for this question: give your answer now"

ExchangeOutcome = Advice | Silent | None  # None: call again


@dataclass(slots=True)
class Exchange:
    """Takes the replies to one question, and keeps them in the conversation as they come."""

    question: Question
    talk: Conversation
    toolbox: Toolbox
    counts: Counter[str]
    mask: Callable[[str], str]
    repairs: int = 0
    rounds: int = 0
    calls: int = 0

    def take(self, reply: Reply, tail: Sequence[Message]) -> ExchangeOutcome:
        """Return the answer that `reply` is, why there will be none, or None when another call is due.

        `tail` is what the request had of the conversation.
        """
        match reply.stop_reason:
            case "refusal":
                return Silent(Silence.REFUSED)
            case "model_context_window_exceeded":
                return Silent(Silence.UNUSABLE, "the model has no room for an answer")
            case "tool_use" if calls_in(reply.blocks):
                return self._use(kept_calls(reply, ids_in(tail), self.mask))
            case "pause_turn":
                return self._go_on(reply)
            case "max_tokens":
                return self._repair(reply, "it was cut off because it is too long")
            case _:
                return self._answer(reply)

    def say(self, role: str, blocks: Sequence[Mapping[str, Any]], origin: MessageOrigin) -> None:
        """Keep a message of this question; a screen or a memory that shows a secret is no reason to keep it."""
        told = blocks if role == "assistant" else [self._masked(each) for each in blocks]
        self.talk.say(role, told, origin, self.question.tick, self.question.game_s)

    def _masked(self, block: Mapping[str, Any]) -> dict[str, Any]:
        """Return a block with its words masked; ids stay, for a result must find its call."""
        words = {name: block[name] for name in _WORDS if name in block}
        return {**block, **masked(words, self.mask)}

    def _answer(self, reply: Reply) -> ExchangeOutcome:
        try:
            advice = advice_of(words_of(reply), self.question, self.mask)
        except UnusableAdvice as problem:
            return self._repair(reply, str(problem))
        self.say("assistant", kept_text(reply, self.mask), MessageOrigin.MODEL)
        return advice

    def _repair(self, reply: Reply, problem: str) -> ExchangeOutcome:
        if self.repairs == REPAIRS:
            return Silent(Silence.UNUSABLE, problem)
        self._take_up(reply, filled("repair", problem=problem))
        self.repairs += 1
        self.counts["repairs"] += 1
        return None

    def _go_on(self, reply: Reply) -> ExchangeOutcome:
        self.rounds += 1
        if self.rounds > ROUNDS:
            return Silent(Silence.UNUSABLE, "it pauses without end")
        self._take_up(reply, prompt_file("go_on"))
        return None

    def _take_up(self, reply: Reply, words: str) -> None:
        if kept := kept_text(reply, self.mask):
            self.say("assistant", kept, MessageOrigin.MODEL)
        self.say("user", [text(words)], MessageOrigin.INJECTED)

    def _use(self, blocks: Sequence[Mapping[str, Any]]) -> ExchangeOutcome:
        self.rounds += 1
        if self.rounds > ROUNDS + 1:
            return Silent(Silence.UNUSABLE, "it calls tools without end")
        self.say("assistant", blocks, MessageOrigin.MODEL)
        self.say("user", [self._result(each) for each in calls_in(blocks)], MessageOrigin.PLAY)
        return None

    def _result(self, call: Mapping[str, Any]) -> dict[str, Any]:
        self.calls += 1
        if self.calls > MOST_CALLS or self.rounds > ROUNDS:
            return self.toolbox.refused(call, NO_MORE)
        return self.toolbox.result_of(call)


class ClaudeAdvisor:
    """An Advisor that asks a model; what is said goes into `talk` at once.

    `observed` gives the block of this session's own observations at every call, None where there is nothing to tell;
    `mask` takes secrets out of what a model says, `today` tells how old observations are. `counts` tells what became of questions and calls.
    """

    def __init__(
        self,
        calls: Calls,
        talk: Conversation,
        fixed: Fixed,
        *,
        observed: Callable[[], str | None],
        mask: Callable[[str], str] = str,
        today: Callable[[], dt.date] | None = None,
    ) -> None:
        self.cache = CacheReport()
        self.counts = calls.counts
        self._calls = calls
        self._talk = talk
        self._fixed = fixed
        self._observed = observed
        self._mask = mask
        self._dating = Dating(today)
        self._toolbox = Toolbox(fixed.tools, self.counts)
        self._last_id = ""
        self._left_behind = 0

    def ask(self, question: Question) -> Advice | Silent:
        """Return the answer to `question`, or why there is none. Raises nothing but errors of the program itself."""
        self.counts["questions"] += 1
        try:
            answer = self._ask(question)
        except MemoryFault as fault:  # the conversation cannot be kept now; play goes on without it
            answer = Silent(Silence.FAULT, str(fault))
        told = f"silent:{answer.reason.value}" if isinstance(answer, Silent) else "answers"
        self.counts[told] += 1
        return answer

    def _ask(self, question: Question) -> Advice | Silent:
        model = self._calls.ready(question.purpose.value)
        if isinstance(model, Silent):
            return model
        exchange = Exchange(question, self._talk, self._toolbox, self.counts, self._mask)
        exchange.say("user", [text(question_text(question))], MessageOrigin.PLAY)
        answer = self._converse(exchange, model)
        if isinstance(answer, Silent):
            words = filled("unanswered", reason=answer.reason.value)
            exchange.say("user", [text(words)], MessageOrigin.INJECTED)
        self._talk.after_turn()
        return answer

    def _converse(self, exchange: Exchange, model: str) -> Advice | Silent:
        step = 0
        while True:  # the exchange ends it: repairs, rounds and calls are all counted
            sight = self._dating.dated(self._talk.before_call(step), exchange.question)
            state = self._state(exchange.question)
            tail = self._sent_of(sight.tail)
            request = request_of(self._fixed, sight, tail, state, model, self._last_id)
            reply = self._calls.complete(request, exchange.question.purpose.value)
            if isinstance(reply, Silent):
                return reply
            if isinstance(reply, ModelFault):
                return self._failed(reply, tail)
            self._last_id = reply.id
            count_memory(request, self.counts)
            self.cache.add(reply)
            outcome = exchange.take(reply, tail)
            if outcome is not None:
                return outcome
            step += 1

    def _sent_of(self, tail: Sequence[Message]) -> Sequence[Message]:
        """Return the messages that are sent: all that are not observed, but for those left behind."""
        if tail and tail[-1].seq <= self._left_behind:  # play went back to a checkpoint before them
            self._left_behind = 0
        return [each for each in tail if each.seq > self._left_behind]

    def _failed(self, fault: ModelFault, tail: Sequence[Message]) -> Silent:
        if fault.kind is FaultKind.BAD_REQUEST and tail:
            # Something in it the service will never take, or too much. The messages are kept and will be observed.
            self._left_behind = tail[-1].seq
            self.counts["conversations left behind"] += 1
        return Silent(Silence.FAULT, str(fault))

    def _state(self, question: Question) -> list[dict[str, Any]]:
        """Return what is true at this call alone, and is not kept."""
        words = build_prompt(asked(question), self._observed(), mode_of(question))
        picture = [picture_block(question.picture)] if question.picture else []
        return [*picture, text(sound(words))]


MOST_TOKENS: Final = 4_000


def distilling(calls: Calls, purpose: str) -> Callable[[str, str], str]:
    """Return what makes one text of a system text and a user text; `purpose` is `observer` or `reflector`.

    What it returns raises DistillingFailed when nothing, or only a part, came of it.
    """

    def complete(system: str, user: str) -> str:
        model = calls.ready(purpose)
        reply: Reply | Silent | ModelFault
        if isinstance(model, Silent):
            reply = model
        else:
            messages = [{"role": "user", "content": [text(user)]}]
            reply = calls.complete(Request(model, [text(system)], messages, MOST_TOKENS), purpose)
        match reply:
            case Reply(stop_reason="end_turn" | "stop_sequence"):
                return words_of(reply)
            case Reply():
                why = f"the model stopped for another reason: {reply.stop_reason[:40]}"
            case Silent():
                why = f"{reply.reason.value} {reply.detail}".rstrip()
            case _:
                why = str(reply)
        raise DistillingFailed(why)

    return complete
