"""Recorded answers, given again so that a run can be replayed."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from agent.advisor.answer import fitting
from agent.advisor.port import Advice, Advisor, Question, Silence, Silent


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """One question and its answer: at which tick, as which of that tick from 0, why, and what was asked, as a hash."""

    tick: int
    ordinal: int
    purpose: str
    question: str
    answer: Advice | Silent


class RecordingAdvisor:
    """An advisor that asks another, and tells `sink` of every answer."""

    def __init__(self, advisor: Advisor, sink: Callable[[RecordedAnswer], object]) -> None:
        self._advisor = advisor
        self._sink = sink
        self._ordinals = _Ordinals()

    def ask(self, question: Question) -> Advice | Silent:
        """Return the other's answer."""
        answer = self._advisor.ask(question)
        ordinal = self._ordinals.next(question.tick)
        purpose = question.purpose.value
        self._sink(RecordedAnswer(question.tick, ordinal, purpose, hash_of(question), answer))
        return answer


class RecordedAdvisor:
    """Gives the answers of a recording; `counts` has how many it gave, missed, and found to another question."""

    def __init__(self, answers: Iterable[RecordedAnswer]) -> None:
        self.counts: Counter[str] = Counter()
        self._answers = {(each.tick, each.ordinal): each for each in answers}
        self._ordinals = _Ordinals()

    def ask(self, question: Question) -> Advice | Silent:
        """Return what was answered to this question at this tick; silent where that is not known."""
        key = (question.tick, self._ordinals.next(question.tick))
        found = self._answers.get(key)
        if found is None:
            return self._silent("missing", f"nothing was recorded at tick {key[0]}")
        if found.question != hash_of(question):
            return self._silent("another", f"another question was recorded at tick {key[0]}")
        self.counts["given"] += 1
        answer = found.answer
        return fitting(answer, question) if isinstance(answer, Advice) else answer

    def _silent(self, why: str, detail: str) -> Silent:
        self.counts[why] += 1
        return Silent(Silence.NOT_RECORDED, detail)


class _Ordinals:
    """Counts the questions of a tick; play that goes back to an earlier tick begins to count there anew."""

    def __init__(self) -> None:
        self._tick = -1
        self._count = 0

    def next(self, tick: int) -> int:
        self._count = self._count + 1 if tick == self._tick else 0
        self._tick = tick
        return self._count


def hash_of(question: Question) -> str:
    """Return what tells a question from every other."""
    told = asdict(question) | {
        "purpose": question.purpose.value,
        "picture": hashlib.sha256(question.picture).hexdigest() if question.picture else "",
    }
    canonical = json.dumps(told, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def as_json(answered: RecordedAnswer) -> dict[str, Any]:
    """Return one answer as plain JSON."""
    told = asdict(answered)
    answer = told.pop("answer")
    if isinstance(answered.answer, Silent):
        return told | {"silent": answered.answer.reason.value, "detail": answered.answer.detail}
    return told | {"advice": answer}


def from_json(told: Mapping[str, Any]) -> RecordedAnswer:
    """Return the answer that `as_json` wrote. Raises ValueError when it is none."""
    try:
        return RecordedAnswer(
            int(told["tick"]),
            int(told["ordinal"]),
            str(told["purpose"]),
            str(told["question"]),
            _answer_in(told),
        )
    except (KeyError, TypeError) as error:
        message = f"no recorded answer ({error!r}): record the run again"
        raise ValueError(message) from None


def _answer_in(told: Mapping[str, Any]) -> Advice | Silent:
    if "silent" in told:
        return Silent(Silence(told["silent"]), str(told.get("detail", "")))
    advice = told["advice"]
    return Advice(
        tuple(map(str, advice["goals"])),
        tuple(map(str, advice["candidates"])),
        str(advice["note"]),
        float(advice["confidence"]),
    )
