"""Remembering what was advised: as somebody's word, which facts may bear out or not."""

from typing import Final

from agent.advisor import Advice, Question, Silent
from agent.mind.remembering import AGENT
from memory import Call, Produced, Producers, scope_name

ADVICE: Final = "advice"  # the kind of entry
IMPORTANCE: Final = 4


def watch_advice(producers: Producers) -> None:
    """Make an entry of each answer. Silence is no memory; the run's record counts it."""
    scope = scope_name(AGENT, "stm")
    producers.register("Advising.answered", _advice, scope=scope, kind=ADVICE)


def _advice(call: Call, answer: Advice | Silent) -> Produced | None:
    """What was advised, and why it was asked."""
    if isinstance(answer, Silent):
        return None
    question: Question = call.args[0]
    return Produced(
        {
            "purpose": question.purpose.value,
            "goals": list(answer.goals),
            "candidates": list(answer.candidates),
            "says": answer.note,
            "confidence": answer.confidence,
        },
        question.tick,
        question.game_s,
        tags=(f"purpose:{question.purpose.value}",),
        importance=IMPORTANCE,
        status="claim",
    )
