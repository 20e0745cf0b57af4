"""Questions to a model in one conversation; each is an exchange of calls, tools and repairs that ends in advice.

The parts of a reply that the service would refuse in a later request are not stored.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

from agent.advisor.answer import UnusableAdvice, parse_advice
from agent.advisor.calls import Calls
from agent.advisor.model import (
    DEFAULT_SETTINGS,
    FaultKind,
    ModelFault,
    ModelSettings,
    Reply,
    Request,
)
from agent.advisor.port import Advice, NoAnswer, NoAnswerReason, Question
from agent.advisor.prompt import (
    build_prompt,
    encodable,
    fill_prompt,
    instruction,
    mode_of,
    picture_block,
    prompt_file,
    question_text,
)
from agent.advisor.request import FixedParts, count_memory, request_of, text
from agent.advisor.secrets import masked
from agent.advisor.toolbox import Toolbox
from agent.advisor.transcript import (
    LEFT_BEHIND,
    UNANSWERED,
    Transcript,
    call_ids,
    sent,
    stored_reply,
    stored_text,
    text_of,
    tool_calls,
)
from memory import MemoryFault
from memory.conversation import CondensingFailed, Conversation
from memory.observations import only_new, rows_of
from memory.store import Message, MessageOrigin

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
                self.leave_behind()
                return NoAnswer(NoAnswerReason.UNUSABLE, "the context window is full")
            case "tool_use" if tool_calls(reply.blocks):
                return self._run_tools(stored_reply(reply, call_ids(tail), self.mask, calls=True))
            case "pause_turn":
                return self._resume(reply)
            case "max_tokens":
                return self._repair(
                    stored_text(reply, self.mask), "it was cut off because it was too long"
                )
            case _:
                return self._answer(reply)

    def say(self, role: str, blocks: Sequence[Mapping[str, Any]], origin: MessageOrigin) -> Message:
        """Store a message of this question, and return it; secrets from the screen or from memory are masked."""
        content = blocks if role == "assistant" else [self._masked(each) for each in blocks]
        at, game_s = self.question.tick, self.question.game_s
        return self.conversation.say(role, content, origin, at, game_s)

    def leave_behind(self) -> None:
        """Send none of the messages so far again; they stay stored and will be observed."""
        self.say("user", [text(LEFT_BEHIND)], MessageOrigin.INJECTED)
        self.counts["conversations left behind"] += 1

    def _masked(self, block: Mapping[str, Any]) -> dict[str, Any]:
        """Return a block with its text masked; ids stay, since a result refers to its call."""
        words = {name: block[name] for name in _TEXT_FIELDS if name in block}
        return {**block, **masked(words, self.mask)}

    def _answer(self, reply: Reply) -> ExchangeOutcome:
        said = stored_reply(reply, (), self.mask, calls=False)
        try:
            advice = parse_advice(text_of(reply), self.question, self.mask)
        except UnusableAdvice as problem:
            return self._repair(said, str(problem))
        self.say("assistant", said, MessageOrigin.MODEL)
        return advice

    def _repair(self, said: Sequence[Mapping[str, Any]], problem: str) -> ExchangeOutcome:
        if self.repairs == MAX_REPAIRS:
            return NoAnswer(NoAnswerReason.UNUSABLE, problem)
        self._continue_with(said, fill_prompt("repair", problem=problem))
        self.repairs += 1
        self.counts["repairs"] += 1
        return None

    def _resume(self, reply: Reply) -> ExchangeOutcome:
        self.rounds += 1
        if self.rounds > MAX_ROUNDS:
            return NoAnswer(NoAnswerReason.UNUSABLE, "it pauses too often")
        self._continue_with(stored_text(reply, self.mask), prompt_file("go_on"))
        return None

    def _continue_with(self, said: Sequence[Mapping[str, Any]], words: str) -> None:
        if said:
            self.say("assistant", said, MessageOrigin.MODEL)
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


@dataclass(frozen=True, slots=True)
class ClaudeAdvisor:
    """An Advisor that asks a model and stores each message in the conversation at once.

    `observed` returns the block of this session's observations for each call, or None when there are none. `mask` removes
    secrets from the model's text. `transcript` is that of an earlier advisor of the same conversation.
    """

    calls: Calls
    conversation: Conversation
    fixed: FixedParts
    observed: Callable[[], str | None]
    mask: Callable[[str], str] = str
    transcript: Transcript = field(default_factory=Transcript)

    @property
    def counts(self) -> Counter[str]:
        """Questions and calls by outcome."""
        return self.calls.counts

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
            answer = NoAnswer(NoAnswerReason.FAULT, str(self.calls.failed_outside(error)))
        if isinstance(answer, NoAnswer):
            answer = replace(answer, detail=self.mask(answer.detail))
        outcome = f"silent:{answer.reason.value}" if isinstance(answer, NoAnswer) else "answers"
        self.counts[outcome] += 1
        return answer

    def _ask(self, question: Question) -> Advice | NoAnswer:
        model = self.calls.model_for(question.purpose.value)
        if isinstance(model, NoAnswer):
            return model
        toolbox = Toolbox(self.fixed.tools, self.counts)
        exchange = Exchange(question, self.conversation, toolbox, self.counts, self.mask)
        self.transcript.begin()
        asked = question_text(question)
        exchange.say("user", [text(asked)], MessageOrigin.PLAY)
        if question.picture:
            self.transcript.show(self.mask(asked), picture_block(question.picture))
        answer = self._converse(exchange, model)
        if isinstance(answer, NoAnswer):
            words = fill_prompt(UNANSWERED, reason=answer.reason.value)
            exchange.say("user", [text(words)], MessageOrigin.INJECTED)
        else:
            self.transcript.end()
        self.conversation.after_turn()
        return answer

    def _converse(self, exchange: Exchange, model: str) -> Advice | NoAnswer:
        step = 0
        while True:  # it ends: repairs, rounds and calls are limited
            view = self.transcript.ages.annotate(
                self.conversation.before_call(step), exchange.question
            )
            tail = sent(view.tail)
            tail += self._say_state(exchange, tail, is_first=step == 0)
            lay_out = partial(
                request_of, self.fixed, view, model=model, previous=self.transcript.last_id
            )
            request = self.transcript.request(tail, lay_out)
            reply = self.calls.complete(request, exchange.question.purpose.value)
            if isinstance(reply, NoAnswer):
                return reply
            if isinstance(reply, ModelFault):
                if reply.kind is FaultKind.BAD_REQUEST:  # these messages will never be accepted
                    exchange.leave_behind()
                return NoAnswer(NoAnswerReason.FAULT, str(reply))
            self.transcript.last_id = reply.id
            count_memory(request, self.counts)
            self.calls.cache.add(reply)
            outcome = exchange.handle(reply, tail)
            if outcome is not None:
                return outcome
            step += 1

    def _say_state(
        self, exchange: Exchange, tail: Sequence[Message], *, is_first: bool
    ) -> list[Message]:
        """Store what holds at this call, unless the messages in `tail` say it; it stays there and is never observed.

        The block of observations is built again for each call; only rows that `tail` does not have are sent.
        """
        question, block = exchange.question, self.observed()
        injected = [each for each in tail if each.origin is MessageOrigin.INJECTED]
        said = {row for each in injected for row in rows_of(_text(each))}
        news = only_new(self.mask(encodable(block)), said) if block else None
        if not (is_first or news):
            return []
        words = encodable(build_prompt(instruction(question), news, mode_of(question)))
        return [exchange.say("user", [text(words)], MessageOrigin.INJECTED)]


def _text(message: Message) -> str:
    return "\n".join(str(each["text"]) for each in message.blocks if each["type"] == "text")


def completer(
    calls: Calls, purpose: str, settings: ModelSettings = DEFAULT_SETTINGS
) -> Callable[[str, str], str]:
    """Return a function that answers a system text and a user text; `purpose` is `observer` or `reflector`.

    The function raises CondensingFailed when the reply is missing or incomplete.
    """

    def complete(system: str, user: str) -> str:
        model = calls.model_for(purpose)
        reply: Reply | NoAnswer | ModelFault
        if isinstance(model, NoAnswer):
            reply = model
        else:
            messages = [{"role": "user", "content": [text(user)]}]
            reply = calls.complete(Request(model, [text(system)], messages, settings), purpose)
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
