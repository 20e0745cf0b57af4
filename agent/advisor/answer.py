"""The schema of an answer, and the advice that is taken from a model's text."""

import math
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from agent.advisor.port import Advice, Option, Question
from agent.advisor.reply import plain_json

LONGEST_NOTE: Final = 300
MOST_SHOWN: Final = 12  # names told again to whoever named others
# A note is told to a model again later, where it must not pass for a tag of ours.
_BRACKETS: Final = str.maketrans(
    "<>",
    "\N{SINGLE LEFT-POINTING ANGLE QUOTATION MARK}\N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK}",
)

_NAMES: Final = {"type": "array", "items": {"type": "string"}}
# The service takes neither bounds of numbers nor of lengths; both are looked at here.
ANSWER_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "goals": _NAMES,
        "candidates": _NAMES,
        "note": {"type": "string"},
        "confidence": {"type": "number"},
    },
    "required": ["goals", "candidates", "note", "confidence"],
    "additionalProperties": False,
}


class UnusableAdvice(Exception):  # an expected result, told to the model for repair
    """An answer that cannot be taken; the message tells the model why."""


def advice_of(words: str, question: Question, mask: Callable[[str], str]) -> Advice:
    """Return what a model's text advises, with the names that the question offers and no others.

    Raises UnusableAdvice when it is no answer, or none of what it names is offered.
    """
    told = _object(words)
    goals = _named(told, "goals", question.goals)
    candidates = _named(told, "candidates", question.candidates)
    if question.candidates and not goals and not candidates:
        raise UnusableAdvice("it names neither a goal nor a candidate of the question")
    return Advice(goals, candidates, note_of(told.get("note", ""), mask), _confidence(told))


def note_of(note: object, mask: Callable[[str], str]) -> str:
    """Return a note as one plain line of at most 300 characters; what is no text is none."""
    if not isinstance(note, str):
        return ""
    # Before it is cut: half a secret would pass the mask.
    plain = mask(" ".join(_visible(note).split()))
    return plain if len(plain) <= LONGEST_NOTE else plain[: LONGEST_NOTE - 1].rstrip() + "…"


def fitting(advice: Advice, question: Question) -> Advice:
    """Return advice of somebody who is no model, with what the question does not offer left out."""
    return Advice(
        _offered(advice.goals, question.goals),
        _offered(advice.candidates, question.candidates),
        note_of(advice.note, str),
        advice.confidence if 0 <= advice.confidence <= 1 else 0.0,
    )


def _object(words: str) -> Mapping[str, Any]:
    begin, end = words.find("{"), words.rfind("}")
    try:
        # Some say a word before and after; what they mean is the object.
        told = plain_json(words[begin : end + 1])
    except ValueError:
        raise UnusableAdvice("it is no JSON object") from None
    if not isinstance(told, Mapping):
        raise UnusableAdvice("it is no JSON object")
    return told


def _named(told: Mapping[str, Any], field: str, offered: Sequence[Option]) -> tuple[str, ...]:
    names = told.get(field, [])
    if not isinstance(names, list):
        message = f'"{field}" is no list of names'
        raise UnusableAdvice(message)
    known = _offered([each for each in names if isinstance(each, str)], offered)
    if names and not known and offered:
        choice = ", ".join(each.name for each in offered[:MOST_SHOWN])
        message = f'"{field}" names none of those offered: {choice}'
        raise UnusableAdvice(message)
    return known


def _offered(names: Sequence[str], offered: Sequence[Option]) -> tuple[str, ...]:
    known = {each.name for each in offered}
    return tuple(dict.fromkeys(each for each in names if each in known))


def _confidence(told: Mapping[str, Any]) -> float:
    value = told.get("confidence", 0.0)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not math.isfinite(value) or not 0 <= value <= 1:
        raise UnusableAdvice('"confidence" is no number from 0 to 1')
    return float(value)


def _visible(note: str) -> str:
    """Return the note without what moves a cursor, hides, or turns the direction of writing, and without tags."""
    plain = "".join(" " if unicodedata.category(each)[0] in "CZ" else each for each in note)
    return plain.translate(_BRACKETS)
