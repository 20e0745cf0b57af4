"""Asking a model through a conversation that goes on from question to question."""

import datetime as dt
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from agent.advisor.cache import CacheReport
from agent.advisor.calling import Calls
from agent.advisor.dating import Dating
from agent.advisor.exchange import Exchange
from agent.advisor.layout import Fixed, request_of
from agent.advisor.model import FaultKind, ModelFault
from agent.advisor.port import Advice, Question, Silence, Silent
from agent.advisor.prompt import filled, prompt_now
from agent.advisor.remembered import count_memory
from agent.advisor.talk import Talk
from agent.advisor.turns import text
from agent.advisor.using import Toolbox
from agent.advisor.wording import asked, mode_of, picture_block, question_text, sound
from memory.errors import MemoryFault
from memory.thread.message import Message, Origin


class ClaudeAdvisor:
    """An Advisor that asks a model; what is said goes into `talk` at once.

    `observed` gives the block of this session's own observations at every call, None where there is nothing to tell;
    `mask` takes secrets out of what a model says, `today` tells how old observations are. `counts` tells what became of questions and calls.
    """

    def __init__(
        self,
        calls: Calls,
        talk: Talk,
        fixed: Fixed,
        *,
        observed: Callable[[], str | None],
        mask: Callable[[str], str] = str,
        today: Callable[[], dt.date] | None = None,
    ) -> None:
        self.cache = CacheReport()
        self._calls = calls
        self._talk = talk
        self._fixed = fixed
        self._observed = observed
        self._mask = mask
        self._dating = Dating(today)
        self._toolbox = Toolbox(fixed.tools, self.counts)
        self._last_id = ""
        self._left_behind = 0

    @property
    def counts(self) -> Counter[str]:
        """How often what happened: questions, answers, repairs, tools, faults, retries."""
        return self._calls.counts

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
        exchange.say("user", [text(question_text(question))], Origin.PLAY)
        answer = self._converse(exchange, model)
        if isinstance(answer, Silent):
            words = filled("unanswered", reason=answer.reason.value)
            exchange.say("user", [text(words)], Origin.INJECTED)
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
        words = prompt_now(partial(asked, question), self._observed, mode_of(question))
        picture = [picture_block(question.picture)] if question.picture else []
        return [*picture, text(sound(words))]
