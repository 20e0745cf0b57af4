"""Model calls in a run: their cost by milestone, the answers, and the failures of the service."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from agent.advisor.names import model_name
from agent.app.verdicts import NANOS, AdviceTotals, AdviceVerdict, made_up_usd, totals, verdicts
from agent.events import ConversationChange, events
from agent.tools.report.timeline import TickTime, Times
from agent.tools.report.words import no_answer
from memory import RunReader
from memory.conversation import ConversationEventKind as Kind
from memory.store import CallState, ModelCall

ANSWERS: Final = 40
CONDENSED: Final = (Kind.OBSERVATION_END, Kind.BUFFERING_END)
NOT_CONDENSED: Final = (Kind.OBSERVATION_FAILED, Kind.BUFFERING_FAILED)


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
    """One question, the answer of the model or the reason why there is none, and the verdict on it."""

    when: TickTime
    purpose: str
    goals: Sequence[str]
    candidates: Sequence[str]
    note: str
    silent: str
    by: str
    effect: str
    why: str
    usd: float


class AdviceSummary(NamedTuple):
    """All model calls of a run, and the questions of its live branch; empty when no model was asked.

    `made_up_usd` is the part of the cost that stands for made-up answers, which cost nothing.
    """

    spent: Sequence[MilestoneCost]
    answers: Sequence[AdviceAnswer]
    totals: AdviceTotals
    made_up_usd: float
    silences: Mapping[str, int]
    condensed: int  # times that the conversation was condensed
    not_condensed: int  # times that this failed

    @property
    def is_there(self) -> bool:
        """Whether a model was asked."""
        return bool(self.spent or self.totals.questions)

    @property
    def usd(self) -> float:
        """The total cost in dollars."""
        return sum(each.usd + each.unknown_usd for each in self.spent)

    @property
    def real_usd(self) -> float:
        """The cost in dollars without made-up answers."""
        return max(self.usd - self.made_up_usd, 0.0)

    @property
    def calls(self) -> int:
        """The number of calls that were sent, or may have been."""
        return sum(each.calls for each in self.spent)


def advice(run: RunReader, times: Times) -> AdviceSummary:
    """Return the model calls of a run, including those on abandoned branches, and what came of the answers."""
    judged = verdicts(run, times.last.tick)
    answers = [_answer(each, times) for each in judged]
    changes = Counter(each.what for each in events(run, ConversationChange))
    sent: dict[str, list[ModelCall]] = {}
    calls = run.calls.all()
    for call in calls:
        if call.state is not CallState.CANCELLED:
            sent.setdefault(call.milestone, []).append(call)
    return AdviceSummary(
        spent=[_spent(milestone, calls) for milestone, calls in sent.items()],
        answers=answers[-ANSWERS:],
        totals=totals(judged),
        made_up_usd=made_up_usd(calls),
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


def _answer(verdict: AdviceVerdict, times: Times) -> AdviceAnswer:
    event, given = verdict.asked, verdict.asked.advice
    return AdviceAnswer(
        when=times.when(event.tick),
        purpose=event.purpose,
        goals=[str(each) for each in given.get("goals", ())],
        candidates=[str(each) for each in given.get("candidates", ())],
        note=str(given.get("note", "")),
        silent="" if given else no_answer(event.silent or "unknown"),
        by=model_name(str(given.get("by", ""))),
        effect=verdict.effect.value,
        why=verdict.why if given else no_answer(verdict.why),
        usd=verdict.usd,
    )


def came_of(found: AdviceTotals) -> list[tuple[str, int, float]]:
    """Return the sums of verdicts in words, with their number and cost."""
    return [
        ("questions", found.questions, found.usd),
        ("answered", found.answers, found.usd_answers),
        ("followed", found.followed, found.usd_followed),
        ("of these reached", found.reached, found.usd_reached),
        ("changed nothing", found.unchanged, found.usd_unchanged),
    ]
