"""Model calls in a run: their cost by milestone, the answers, and the failures of the service."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from agent.events import AdviceEvent, ConversationChange, events
from agent.tools.report.timeline import TickTime, Times
from agent.tools.report.words import no_answer
from memory import RunReader
from memory.conversation.port import ConversationEventKind
from memory.store.calls import CallState, ModelCall

ANSWERS: Final = 40
NANOS: Final = 1e9
CONDENSED: Final = (ConversationEventKind.OBSERVATION_END, ConversationEventKind.BUFFERING_END)
NOT_CONDENSED: Final = (
    ConversationEventKind.OBSERVATION_FAILED,
    ConversationEventKind.BUFFERING_FAILED,
)


class MilestoneCost(NamedTuple):
    """The cost of calls between one milestone and the next; `unknown_usd` is booked for calls without an answer."""

    milestone: str
    calls: int
    settled: int
    lost: int
    usd: float
    unknown_usd: float
    tokens_in: int
    tokens_out: int


class AdviceAnswer(NamedTuple):
    """One question, and the answer of the model or the reason why there is none."""

    when: TickTime
    purpose: str
    goals: Sequence[str]
    candidates: Sequence[str]
    note: str
    silent: str


class AdviceSummary(NamedTuple):
    """All model calls of a run; empty when no model was asked."""

    spent: Sequence[MilestoneCost]
    answers: Sequence[AdviceAnswer]
    asked: int
    silences: Mapping[str, int]
    condensed: int  # times that the conversation was condensed
    not_condensed: int  # times that this failed

    @property
    def is_there(self) -> bool:
        """Whether a model was asked."""
        return bool(self.spent or self.asked)

    @property
    def usd(self) -> float:
        """The total cost in dollars."""
        return sum(each.usd + each.unknown_usd for each in self.spent)

    @property
    def calls(self) -> int:
        """The number of calls that were sent, or may have been."""
        return sum(each.calls for each in self.spent)


def advice(run: RunReader, times: Times) -> AdviceSummary:
    """Return the model calls of a run, including those on abandoned branches."""
    answers = [_answer(each, times) for each in events(run, AdviceEvent)]
    changes = Counter(each.what for each in events(run, ConversationChange))
    sent: dict[str, list[ModelCall]] = {}
    for call in run.calls():
        if call.state is not CallState.CANCELLED:
            sent.setdefault(call.milestone, []).append(call)
    return AdviceSummary(
        spent=[_spent(milestone, calls) for milestone, calls in sent.items()],
        answers=answers[-ANSWERS:],
        asked=len(answers),
        silences=Counter(each.silent for each in answers if each.silent),
        condensed=sum(changes[each.value] for each in CONDENSED),
        not_condensed=sum(changes[each.value] for each in NOT_CONDENSED),
    )


def _spent(milestone: str, calls: Sequence[ModelCall]) -> MilestoneCost:
    settled = [each for each in calls if each.state is CallState.SETTLED]
    unknown = [each for each in calls if each.state is not CallState.SETTLED]
    return MilestoneCost(
        milestone=milestone,
        calls=len(calls),
        settled=len(settled),
        lost=len(unknown),
        usd=sum(each.nanos for each in settled) / NANOS,
        unknown_usd=sum(each.nanos for each in unknown) / NANOS,
        tokens_in=sum(each.tokens - each.output for each in settled),
        tokens_out=sum(each.output for each in settled),
    )


def _answer(event: AdviceEvent, times: Times) -> AdviceAnswer:
    given = event.advice
    return AdviceAnswer(
        when=times.when(event.tick),
        purpose=event.purpose,
        goals=[str(each) for each in given.get("goals", ())],
        candidates=[str(each) for each in given.get("candidates", ())],
        note=str(given.get("note", "")),
        silent="" if given else no_answer(event.silent or "unknown"),
    )
