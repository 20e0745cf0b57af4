"""One question from the first call to the answer: what each reply leads to."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from agent.advisor.answer import Unusable, advice_of
from agent.advisor.model import Reply
from agent.advisor.port import Advice, Question, Silence, Silent
from agent.advisor.prompt import filled, prompt_file
from agent.advisor.receiving import calls_in, ids_in, kept_calls, kept_text, masked, words_of
from agent.advisor.talk import Talk
from agent.advisor.turns import text
from agent.advisor.using import Toolbox
from memory.thread.message import Message, Origin

REPAIRS: Final = 2
ROUNDS: Final = 4  # of tools, and of pauses
MOST_CALLS: Final = 6  # of tools, in one question
_WORDS: Final = ("text", "content")  # of a block that the program says
NO_MORE: Final = "no more calls of tools for this question: give your answer now"

Outcome = Advice | Silent | None  # None: call again


@dataclass(slots=True)
class Exchange:
    """Takes the replies to one question, and keeps them in the conversation as they come."""

    question: Question
    talk: Talk
    toolbox: Toolbox
    counts: Counter[str]
    mask: Callable[[str], str]
    repairs: int = 0
    rounds: int = 0
    calls: int = 0

    def take(self, reply: Reply, tail: Sequence[Message]) -> Outcome:
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

    def say(self, role: str, blocks: Sequence[Mapping[str, Any]], origin: Origin) -> None:
        """Keep a message of this question; a screen or a memory that shows a secret is no reason to keep it."""
        told = blocks if role == "assistant" else [self._masked(each) for each in blocks]
        self.talk.say(role, told, origin, self.question.tick, self.question.game_s)

    def _masked(self, block: Mapping[str, Any]) -> dict[str, Any]:
        """Return a block with its words masked; ids stay, for a result must find its call."""
        words = {name: block[name] for name in _WORDS if name in block}
        return {**block, **masked(words, self.mask)}

    def _answer(self, reply: Reply) -> Outcome:
        try:
            advice = advice_of(words_of(reply), self.question, self.mask)
        except Unusable as problem:
            return self._repair(reply, str(problem))
        self.say("assistant", kept_text(reply, self.mask), Origin.MODEL)
        return advice

    def _repair(self, reply: Reply, problem: str) -> Outcome:
        if self.repairs == REPAIRS:
            return Silent(Silence.UNUSABLE, problem)
        self._take_up(reply, filled("repair", problem=problem))
        self.repairs += 1
        self.counts["repairs"] += 1
        return None

    def _go_on(self, reply: Reply) -> Outcome:
        self.rounds += 1
        if self.rounds > ROUNDS:
            return Silent(Silence.UNUSABLE, "it pauses without end")
        self._take_up(reply, prompt_file("go_on"))
        return None

    def _take_up(self, reply: Reply, words: str) -> None:
        if kept := kept_text(reply, self.mask):
            self.say("assistant", kept, Origin.MODEL)
        self.say("user", [text(words)], Origin.INJECTED)

    def _use(self, blocks: Sequence[Mapping[str, Any]]) -> Outcome:
        self.rounds += 1
        if self.rounds > ROUNDS + 1:
            return Silent(Silence.UNUSABLE, "it calls tools without end")
        self.say("assistant", blocks, Origin.MODEL)
        self.say("user", [self._result(each) for each in calls_in(blocks)], Origin.PLAY)
        return None

    def _result(self, call: Mapping[str, Any]) -> dict[str, Any]:
        self.calls += 1
        if self.calls > MOST_CALLS or self.rounds > ROUNDS:
            return self.toolbox.refused(call, NO_MORE)
        return self.toolbox.result_of(call)
