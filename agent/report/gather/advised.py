"""What asking a model came to: calls and money by milestone, what was answered, and what the service failed at."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from agent.report.gather.times import Times, When
from memory import CallRow, CallState, EventRow, RunReader

ANSWERS: Final = 40
NANOS: Final = 1e9


@dataclass(frozen=True, slots=True)
class Spent:
    """What calls came to after one milestone and before the next; `unknown_usd` is booked for calls nobody answered."""

    milestone: str
    calls: int
    settled: int
    lost: int
    usd: float
    unknown_usd: float
    tokens_in: int
    tokens_out: int


@dataclass(frozen=True, slots=True)
class Answer:
    """One question, and the model's word or why there is none."""

    when: When
    purpose: str
    goals: Sequence[str]
    candidates: Sequence[str]
    note: str
    silent: str


@dataclass(frozen=True, slots=True)
class Advice:
    """All of it; nothing where nobody was asked."""

    spent: Sequence[Spent]
    answers: Sequence[Answer]
    asked: int
    silences: Mapping[str, int]
    conversation: Mapping[str, int]

    @property
    def is_there(self) -> bool:
        """Whether anybody was asked."""
        return bool(self.spent or self.asked)

    @property
    def usd(self) -> float:
        """What all calls count for, in dollars."""
        return sum(each.usd + each.unknown_usd for each in self.spent)

    @property
    def calls(self) -> int:
        """The calls that were sent, or may have been."""
        return sum(each.calls for each in self.spent)


def advice(run: RunReader, times: Times) -> Advice:
    """Return what a model was asked in a run, whatever became of the branch it was asked on."""
    answers = [_answer(each, times) for each in run.events("advice")]
    return Advice(
        spent=list(_by_milestone(run.calls())),
        answers=answers[-ANSWERS:],
        asked=len(answers),
        silences=Counter(each.silent for each in answers if each.silent),
        conversation=Counter(
            str(each.payload.get("what", "?")) for each in run.events("conversation")
        ),
    )


def _by_milestone(calls: Iterable[CallRow]) -> Iterable[Spent]:
    groups: dict[str, list[CallRow]] = {}
    for each in calls:
        if each.state is not CallState.CANCELLED:
            groups.setdefault(each.milestone, []).append(each)
    return (_spent(milestone, each) for milestone, each in groups.items())


def _spent(milestone: str, calls: Sequence[CallRow]) -> Spent:
    settled = [each for each in calls if each.state is CallState.SETTLED]
    unknown = [each for each in calls if each.state is not CallState.SETTLED]
    return Spent(
        milestone=milestone,
        calls=len(calls),
        settled=len(settled),
        lost=len(unknown),
        usd=sum(each.nanos for each in settled) / NANOS,
        unknown_usd=sum(each.nanos for each in unknown) / NANOS,
        tokens_in=sum(each.tokens - each.output for each in settled),
        tokens_out=sum(each.output for each in settled),
    )


def _answer(event: EventRow, times: Times) -> Answer:
    payload = event.payload
    given = payload.get("advice") or {}
    silent = "" if given else str(payload.get("silent") or "no answer")
    return Answer(
        when=times.when(event.tick),
        purpose=str(payload.get("purpose", "")),
        goals=[str(each) for each in given.get("goals", ())],
        candidates=[str(each) for each in given.get("candidates", ())],
        note=str(given.get("note", "")),
        silent=silent,
    )
