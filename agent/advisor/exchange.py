"""Questions to a model in one conversation; each is an exchange of calls, tools and repairs that ends in advice.

The parts of a reply that the service would refuse in a later request are not stored.
"""

import datetime as dt
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from agent.advisor.answer import UnusableAdvice, parse_advice
from agent.advisor.calls import Calls
from agent.advisor.model import FaultKind, ModelFault, Reply, Request
from agent.advisor.port import Advice, NoAnswer, NoAnswerReason, Question
from agent.advisor.prompt import (
    AgeAnnotator,
    build_prompt,
    encodable,
    fill_prompt,
    instruction,
    mode_of,
    picture_block,
    prompt_file,
    question_text,
)
from agent.advisor.reply import THINKING
from agent.advisor.request import FixedParts, count_memory, request_of, text
from agent.advisor.secrets import masked
from agent.advisor.toolbox import Toolbox
from memory.conversation.conversation import Conversation
from memory.conversation.port import CondensingFailed
from memory.errors import MemoryFault
from memory.store.conversation_record import Message, MessageOrigin

_ID_PART: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")


def text_of(reply: Reply) -> str:
    """Return the whole text of a reply."""
    return "".join(each["text"] for each in reply.blocks if each["type"] == "text")


def stored_text(reply: Reply, mask: Callable[[str], str]) -> list[dict[str, Any]]:
    """Return the text of a reply as a list of one block, or an empty list when there is no text."""
    words = mask(text_of(reply))
    return [text(words)] if words.strip() else []


def stored_calls(
    reply: Reply, taken: Collection[str], mask: Callable[[str], str]
) -> list[dict[str, Any]]:
    """Return the blocks to store of a reply that calls tools; no id is one of `taken`."""
    ids, kept = set(taken), []
    for block in reply.blocks:
        match block["type"]:
            case "text" if block["text"].strip():
                kept.append(text(mask(block["text"])))
            case "tool_use":
                name = "_".join(_ID_PART.findall(mask(block["name"]))) or "unnamed"
                call = {"type": "tool_use", "id": _id(mask(block["id"]), ids), "name": name[:64]}
                ids.add(call["id"])
                # The input is stored here, and a tool may store it too.
                kept.append(call | {"input": masked(block["input"], mask)})
            case kind if kind in THINKING:  # sent back unchanged with the calls that follow it
                kept.append(dict(block))
            case _:
                pass
    return kept


def tool_calls(blocks: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the blocks that call a tool."""
    return [each for each in blocks if each["type"] == "tool_use"]


def call_ids(messages: Iterable[Message]) -> set[str]:
    """Return the ids of all calls in `messages`."""
    return {call["id"] for message in messages for call in tool_calls(message.blocks)}


def _id(name: str, taken: Collection[str]) -> str:
    """Return a valid id that is not taken; the service refuses every later request with two equal ids."""
    if _ID_PART.fullmatch(name) and name not in taken:
        return name
    count = len(taken)
    while f"call_{count}" in taken:
        count += 1
    return f"call_{count}"


MAX_REPAIRS: Final = 2
MAX_ROUNDS: Final = 4  # of tool calls, and of pauses
MAX_CALLS: Final = 6  # tool calls in one question
_TEXT_FIELDS: Final = ("text", "content")  # of a block that the program writes
NO_MORE: Final = "no more tool calls for this question: give your answer now"

ExchangeOutcome = Advice | NoAnswer | None  # None: call again


@dataclass(slots=True)
class Exchange:
    """One question in progress: it stores each reply in the conversation and decides what follows."""

    question: Question
    conversation: Conversation
    toolbox: Toolbox
    counts: Counter[str]
    mask: Callable[[str], str]
    repairs: int = 0
    rounds: int = 0
    calls: int = 0

    def handle(self, reply: Reply, tail: Sequence[Message]) -> ExchangeOutcome:
        """Return the advice in `reply`, why there will be none, or None when another call is needed.

        `tail` holds the messages of the conversation that the request contained.
        """
        match reply.stop_reason:
            case "refusal":
                return NoAnswer(NoAnswerReason.REFUSED)
            case "model_context_window_exceeded":
                return NoAnswer(NoAnswerReason.UNUSABLE, "the context window is full")
            case "tool_use" if tool_calls(reply.blocks):
                return self._run_tools(stored_calls(reply, call_ids(tail), self.mask))
            case "pause_turn":
                return self._resume(reply)
            case "max_tokens":
                return self._repair(reply, "it was cut off because it was too long")
            case _:
                return self._answer(reply)

    def say(self, role: str, blocks: Sequence[Mapping[str, Any]], origin: MessageOrigin) -> None:
        """Store a message of this question; secrets from the screen or from memory are masked."""
        content = blocks if role == "assistant" else [self._masked(each) for each in blocks]
        self.conversation.say(role, content, origin, self.question.tick, self.question.game_s)

    def _masked(self, block: Mapping[str, Any]) -> dict[str, Any]:
        """Return a block with its text masked; ids stay, since a result refers to its call."""
        words = {name: block[name] for name in _TEXT_FIELDS if name in block}
        return {**block, **masked(words, self.mask)}

    def _answer(self, reply: Reply) -> ExchangeOutcome:
        try:
            advice = parse_advice(text_of(reply), self.question, self.mask)
        except UnusableAdvice as problem:
            return self._repair(reply, str(problem))
        self.say("assistant", stored_text(reply, self.mask), MessageOrigin.MODEL)
        return advice

    def _repair(self, reply: Reply, problem: str) -> ExchangeOutcome:
        if self.repairs == MAX_REPAIRS:
            return NoAnswer(NoAnswerReason.UNUSABLE, problem)
        self._continue_with(reply, fill_prompt("repair", problem=problem))
        self.repairs += 1
        self.counts["repairs"] += 1
        return None

    def _resume(self, reply: Reply) -> ExchangeOutcome:
        self.rounds += 1
        if self.rounds > MAX_ROUNDS:
            return NoAnswer(NoAnswerReason.UNUSABLE, "it pauses too often")
        self._continue_with(reply, prompt_file("go_on"))
        return None

    def _continue_with(self, reply: Reply, words: str) -> None:
        if kept := stored_text(reply, self.mask):
            self.say("assistant", kept, MessageOrigin.MODEL)
        self.say("user", [text(words)], MessageOrigin.INJECTED)

    def _run_tools(self, blocks: Sequence[Mapping[str, Any]]) -> ExchangeOutcome:
        self.rounds += 1
        if self.rounds > MAX_ROUNDS + 1:
            return NoAnswer(NoAnswerReason.UNUSABLE, "it calls tools too often")
        self.say("assistant", blocks, MessageOrigin.MODEL)
        self.say("user", [self._result(each) for each in tool_calls(blocks)], MessageOrigin.PLAY)
        return None

    def _result(self, call: Mapping[str, Any]) -> dict[str, Any]:
        self.calls += 1
        if self.calls > MAX_CALLS or self.rounds > MAX_ROUNDS:
            return self.toolbox.refused(call, NO_MORE)
        return self.toolbox.result_of(call)


class ClaudeAdvisor:
    """An Advisor that asks a model and stores each message in the conversation at once.

    `observed` returns the block of this session's observations for each call, or None when there are none. `mask` removes
    secrets from the model's text; `today` gives observations their age. `counts` counts questions and calls by outcome.
    """

    def __init__(
        self,
        calls: Calls,
        conversation: Conversation,
        fixed: FixedParts,
        *,
        observed: Callable[[], str | None],
        mask: Callable[[str], str] = str,
        today: Callable[[], dt.date] | None = None,
    ) -> None:
        self.cache = calls.cache
        self.counts = calls.counts
        self._calls = calls
        self._talk = conversation
        self._fixed = fixed
        self._observed = observed
        self._mask = mask
        self._ages = AgeAnnotator(today)
        self._toolbox = Toolbox(fixed.tools, self.counts)
        self._last_id = ""
        self._abandoned_seq = 0

    def ask(self, question: Question) -> Advice | NoAnswer:
        """Return the answer to `question`, or why there is none; whatever fails, play goes on."""
        self.counts["questions"] += 1
        answer: Advice | NoAnswer
        try:
            answer = self._ask(question)
        except MemoryError:
            raise
        except MemoryFault as fault:  # not stored
            answer = NoAnswer(NoAnswerReason.FAULT, str(fault))
        except Exception as error:  # noqa: BLE001  # an answer that nothing expects must not end play
            answer = NoAnswer(NoAnswerReason.FAULT, str(self._calls.failed_outside(error)))
        if isinstance(answer, NoAnswer):
            answer = replace(answer, detail=self._mask(answer.detail))
        outcome = f"silent:{answer.reason.value}" if isinstance(answer, NoAnswer) else "answers"
        self.counts[outcome] += 1
        return answer

    def _ask(self, question: Question) -> Advice | NoAnswer:
        model = self._calls.model_for(question.purpose.value)
        if isinstance(model, NoAnswer):
            return model
        exchange = Exchange(question, self._talk, self._toolbox, self.counts, self._mask)
        exchange.say("user", [text(question_text(question))], MessageOrigin.PLAY)
        answer = self._converse(exchange, model)
        if isinstance(answer, NoAnswer):
            words = fill_prompt("unanswered", reason=answer.reason.value)
            exchange.say("user", [text(words)], MessageOrigin.INJECTED)
        self._talk.after_turn()
        return answer

    def _converse(self, exchange: Exchange, model: str) -> Advice | NoAnswer:
        step = 0
        while True:  # it ends: repairs, rounds and calls are limited
            view = self._ages.annotate(self._talk.before_call(step), exchange.question)
            state = self._state(exchange.question)
            tail = self._messages_to_send(view.tail)
            request = request_of(self._fixed, view, tail, state, model, self._last_id)
            reply = self._calls.complete(request, exchange.question.purpose.value)
            if isinstance(reply, NoAnswer):
                return reply
            if isinstance(reply, ModelFault):
                return self._failed(reply, tail)
            self._last_id = reply.id
            count_memory(request, self.counts)
            self.cache.add(reply)
            outcome = exchange.handle(reply, tail)
            if outcome is not None:
                return outcome
            step += 1

    def _messages_to_send(self, tail: Sequence[Message]) -> Sequence[Message]:
        """Return the messages to send: those not yet observed, without the abandoned ones."""
        if tail and tail[-1].seq <= self._abandoned_seq:  # a checkpoint before them was restored
            self._abandoned_seq = 0
        return [each for each in tail if each.seq > self._abandoned_seq]

    def _failed(self, fault: ModelFault, tail: Sequence[Message]) -> NoAnswer:
        if fault.kind is FaultKind.BAD_REQUEST and tail:
            # The service will never accept these messages, or they are too long. They stay stored and will be observed.
            self._abandoned_seq = tail[-1].seq
            self.counts["conversations left behind"] += 1
        return NoAnswer(NoAnswerReason.FAULT, str(fault))

    def _state(self, question: Question) -> list[dict[str, Any]]:
        """Return the blocks that hold for this call only; they are not stored."""
        words = build_prompt(instruction(question), self._observed(), mode_of(question))
        picture = [picture_block(question.picture)] if question.picture else []
        return [*picture, text(encodable(words))]


MAX_TOKENS: Final = 4_000


def completer(calls: Calls, purpose: str) -> Callable[[str, str], str]:
    """Return a function that answers a system text and a user text; `purpose` is `observer` or `reflector`.

    The function raises DistillingFailed when the reply is missing or incomplete.
    """

    def complete(system: str, user: str) -> str:
        model = calls.model_for(purpose)
        reply: Reply | NoAnswer | ModelFault
        if isinstance(model, NoAnswer):
            reply = model
        else:
            messages = [{"role": "user", "content": [text(user)]}]
            reply = calls.complete(Request(model, [text(system)], messages, MAX_TOKENS), purpose)
        match reply:
            case Reply(stop_reason="end_turn" | "stop_sequence"):
                return text_of(reply)
            case Reply():
                why = f"the model did not finish: {reply.stop_reason[:40]}"
            case NoAnswer():
                why = f"{reply.reason.value} {reply.detail}".rstrip()
            case _:
                why = str(reply)
        raise CondensingFailed(why)

    return complete
