"""Recorded answers, repeated when a run is replayed."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from agent.advisor.answer import only_offered
from agent.advisor.port import Advice, Advisor, NoAnswer, NoAnswerReason, Question


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """One answer with its question: tick, position within the tick (from 0), purpose, and hash of the question.

    `by_rules` names what rules alone would take of its options.
    """

    tick: int
    ordinal: int
    purpose: str
    question: str
    answer: Advice | NoAnswer
    by_rules: tuple[str, ...] = ()


class RecordingAdvisor:
    """An advisor that asks another advisor and passes every answer to `sink`."""

    def __init__(self, advisor: Advisor, sink: Callable[[RecordedAnswer], object]) -> None:
        self._advisor = advisor
        self._sink = sink
        self._ordinals = _Ordinals()

    def ask(self, question: Question) -> Advice | NoAnswer:
        """Return the answer of the other advisor."""
        answer = self._advisor.ask(question)
        ordinal = self._ordinals.next(question.tick)
        asked = question.tick, ordinal, question.purpose.value, question_hash(question)
        self._sink(RecordedAnswer(*asked, answer, question.by_rules))
        return answer


class RecordedAdvisor:
    """An advisor that repeats a recording; `counts` holds given, missing and mismatched answers."""

    def __init__(self, answers: Iterable[RecordedAnswer]) -> None:
        self.counts: Counter[str] = Counter()
        self._answers = {(each.tick, each.ordinal): each for each in answers}
        self._ordinals = _Ordinals()

    def ask(self, question: Question) -> Advice | NoAnswer:
        """Return the recorded answer to this question at this tick, or NoAnswer when there is none."""
        key = (question.tick, self._ordinals.next(question.tick))
        found = self._answers.get(key)
        if found is None:
            return self._no_answer("missing", f"no answer was recorded at tick {key[0]}")
        if found.question != question_hash(question):
            return self._no_answer("another", f"another question was recorded at tick {key[0]}")
        self.counts["given"] += 1
        answer = found.answer
        return only_offered(answer, question) if isinstance(answer, Advice) else answer

    def _no_answer(self, why: str, detail: str) -> NoAnswer:
        self.counts[why] += 1
        return NoAnswer(NoAnswerReason.NOT_RECORDED, detail)


class _Ordinals:
    """Counts the questions within a tick; after a restore to an earlier tick it starts again from 0."""

    def __init__(self) -> None:
        self._tick = -1
        self._count = 0

    def next(self, tick: int) -> int:
        self._count = self._count + 1 if tick == self._tick else 0
        self._tick = tick
        return self._count


def question_hash(question: Question) -> str:
    """Return a hash of all fields of the question that a model can see."""
    fields = asdict(question) | {
        "purpose": question.purpose.value,
        "picture": hashlib.sha256(question.picture).hexdigest() if question.picture else "",
    }
    del fields["by_rules"]
    canonical = json.dumps(fields, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def as_json(answered: RecordedAnswer) -> dict[str, Any]:
    """Return one recorded answer as plain JSON."""
    payload = asdict(answered)
    answer = payload.pop("answer")
    if isinstance(answered.answer, NoAnswer):
        return payload | {"silent": answered.answer.reason.value, "detail": answered.answer.detail}
    return payload | {"advice": answer}


def from_json(payload: Mapping[str, Any]) -> RecordedAnswer:
    """Return the answer that `as_json` wrote. Raises ValueError for any other JSON."""
    try:
        return RecordedAnswer(
            int(payload["tick"]),
            int(payload["ordinal"]),
            str(payload["purpose"]),
            str(payload["question"]),
            _answer_in(payload),
            tuple(map(str, payload.get("by_rules", ()))),
        )
    except (KeyError, TypeError) as error:
        raise ValueError(f"not a recorded answer ({error!r}): record the run again") from None


def _answer_in(payload: Mapping[str, Any]) -> Advice | NoAnswer:
    if "silent" in payload:
        return NoAnswer(NoAnswerReason(payload["silent"]), str(payload.get("detail", "")))
    advice = payload["advice"]
    return Advice(
        tuple(map(str, advice["goals"])),
        tuple(map(str, advice["candidates"])),
        str(advice["note"]),
        float(advice["confidence"]),
        str(advice.get("by", "")),
    )
