"""What came of advice: a verdict on each answer of a model, by the record of a run alone.

What counts of an answer is its first action that was tried, else its first goal. It was followed if play turned to that
while the answer held, although rules alone would have taken something else; otherwise it changed nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final, NamedTuple

from agent.advisor.names import decided_by
from agent.advisor.port import Purpose
from agent.events import ActionEvent, AdviceEvent, ObjectiveEvent, events
from agent.mind.advice import LASTS, SURE
from agent.record.encounters import ADVISED
from agent.skills import Outcome
from memory import RunReader
from memory.store import CallState, ModelCall
from memory.tapes import is_made_up

NANOS: Final = 1e9


class AdviceEffect(Enum):
    """What one question to a model did."""

    FOLLOWED = "followed"
    UNCHANGED = "changed nothing"
    UNANSWERED = "no answer"
    UNKNOWN = "no verdict"


class Judgement(NamedTuple):
    """The effect of one question, why or with which end, and whether what a followed answer named was reached."""

    effect: AdviceEffect
    why: str
    reached: bool = False


class AdviceVerdict(NamedTuple):
    """One question with its judgement and its dollars."""

    asked: AdviceEvent
    effect: AdviceEffect
    why: str
    reached: bool
    usd: float


class AdviceTotals(NamedTuple):
    """Questions, answers, what came of them, and the dollars of each, on the live branch of a run."""

    questions: int = 0
    answers: int = 0
    followed: int = 0
    reached: int = 0  # of those followed; a choice is taken, and reaches nothing
    unchanged: int = 0
    usd: float = 0.0
    usd_answers: float = 0.0
    usd_followed: float = 0.0
    usd_reached: float = 0.0
    usd_unchanged: float = 0.0


def verdicts(run: RunReader, last: int) -> list[AdviceVerdict]:
    """Return the verdict on each question of the live branch, which ends at tick `last`, in order."""
    given, cost = list(events(run, AdviceEvent)), {each.id: each.nanos for each in run.calls.all()}
    advised = [each for each in events(run, ActionEvent) if each.reasoning == ADVISED]
    record = PlayRecord(list(events(run, ObjectiveEvent)), advised, last)
    found, next_tick = [], None
    for asked in reversed(given):
        usd = sum(nanos for number, nanos in cost.items() if number in asked.calls) / NANOS
        found.append(AdviceVerdict(asked, *record.judge(asked, next_tick), usd))
        next_tick = asked.tick if _replaces(asked) else next_tick
    return found[::-1]


def totals(found: Sequence[AdviceVerdict]) -> AdviceTotals:
    """Return the sums of verdicts."""
    groups = (
        found,
        [each for each in found if each.effect is not AdviceEffect.UNANSWERED],
        [each for each in found if each.effect is AdviceEffect.FOLLOWED],
        [each for each in found if each.reached],
        [each for each in found if each.effect is AdviceEffect.UNCHANGED],
    )
    return AdviceTotals(*map(len, groups), *(sum(each.usd for each in group) for group in groups))


def who_decided(run: RunReader, mind: str) -> str:
    """Return who decided a run that was begun with `mind`: rules, and the models that answered on any of its branches."""
    every = [each for live in (False, True) for each in events(run, AdviceEvent, live=live)]
    names = (str(each.advice.get("by", "")) for each in every if each.advice)
    return decided_by(mind, names, len(every))


def made_up_usd(calls: Sequence[ModelCall]) -> float:
    """Return the dollars at list prices of calls that a stand-in answered, which cost nothing."""
    counted = (each for each in calls if each.state is not CallState.CANCELLED)
    return sum(each.nanos for each in counted if is_made_up(each.model)) / NANOS


def _is_sure(asked: AdviceEvent) -> bool:
    confidence = asked.advice.get("confidence", 0.0)
    return isinstance(confidence, int | float) and confidence >= SURE


def _replaces(asked: AdviceEvent) -> bool:
    """Return whether an answer ends the ones before it: that on a choice does not."""
    return bool(asked.advice) and _is_sure(asked) and asked.purpose != Purpose.CHOICE.value


@dataclass(frozen=True, slots=True)
class PlayRecord:
    """What the live branch did: goals by status, and advised actions with their outcome."""

    goals: Sequence[ObjectiveEvent]
    actions: Sequence[ActionEvent]
    last: int  # the last tick

    def judge(self, asked: AdviceEvent, next_tick: int | None) -> Judgement:
        """Return the effect of one question; the next answer came at `next_tick`."""
        advice = asked.advice
        goals, candidates = _names(advice.get("goals")), _names(advice.get("candidates"))
        if not advice:
            return Judgement(AdviceEffect.UNANSWERED, asked.silent or "unknown")
        if "by" not in advice:
            return Judgement(AdviceEffect.UNKNOWN, "recorded without the choice of the rules")
        if not _is_sure(asked):
            return Judgement(AdviceEffect.UNCHANGED, "too unsure to be followed")
        if not goals + candidates:
            return Judgement(AdviceEffect.UNCHANGED, "it named nothing")
        if asked.purpose != Purpose.CHOICE.value:
            return self._judge_target(asked, goals[:1], candidates, next_tick)
        if candidates[:1] == list(asked.by_rules):
            return Judgement(AdviceEffect.UNCHANGED, "rules had taken the same")
        return Judgement(AdviceEffect.FOLLOWED, "the choice was taken")

    def _judge_target(
        self,
        asked: AdviceEvent,
        goals: Sequence[str],
        candidates: Sequence[str],
        next_tick: int | None,
    ) -> Judgement:
        tick, end = asked.tick, asked.tick + LASTS
        end = end if next_tick is None else min(end, next_tick)
        held = (each for each in self.actions if tick <= each.tick < end)
        tried = [each for each in held if each.action_value in candidates][:1]
        pursued = [each for each in goals if self._is_pursued(each, tick, end)]
        targets = [*(each.action_value for each in tried), *pursued, *candidates, *goals]
        if targets[0] in asked.by_rules:
            return Judgement(AdviceEffect.UNCHANGED, "rules would have taken the same")
        if not (tried or pursued):
            return Judgement(AdviceEffect.UNCHANGED, "play never turned to it")
        if tried and tried[0].outcome_summary != Outcome.DONE.value:
            return Judgement(AdviceEffect.FOLLOWED, f"its action was {tried[0].outcome_summary}")
        done = [each.tick for each in tried] or self._completed(pursued[0], tick, end)
        if done:
            return Judgement(AdviceEffect.FOLLOWED, f"reached after {done[0] - tick} ticks", True)
        if self.last < end:
            return Judgement(AdviceEffect.FOLLOWED, "no result when the run ended")
        ended = "superseded" if end == next_tick else "not reached"
        return Judgement(AdviceEffect.FOLLOWED, f"{ended} after {end - tick} ticks")

    def _completed(self, goal: str, tick: int, end: int) -> list[int]:
        ended = (each for each in self.goals if each.status == "completed")
        return [
            each.tick for each in ended if each.objective_id == goal and tick <= each.tick < end
        ]

    def _is_pursued(self, goal: str, tick: int, end: int) -> bool:
        """Return whether a goal was the active one after the decision at `tick`, or became it before `end`."""
        active = ""
        for each in self.goals:
            if each.tick >= end or (each.tick > tick and active == goal):
                break
            if each.status == "active":
                active = each.objective_id
            elif each.objective_id == active:
                active = ""
        return active == goal


def _names(value: object) -> list[str]:
    return [str(each) for each in value] if isinstance(value, list | tuple) else []
