"""The JSON schema of an answer, and the parser from a model's text to `Advice`."""

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from agent.advisor.port import Advice, Option, Question
from agent.advisor.reply import parse_json

MAX_NOTE_LENGTH: Final = 300
MAX_NAMES_SHOWN: Final = 12  # offered names listed in a repair message
# A note is sent to a model again later; there it must not look like one of our tags.
_BRACKETS: Final = str.maketrans(
    "<>",
    "\N{SINGLE LEFT-POINTING ANGLE QUOTATION MARK}\N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK}",
)

_NAMES: Final = {"type": "array", "items": {"type": "string"}}
# Schemas of the service support no bounds for numbers or lengths; `parse_advice` checks both.
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


class UnusableAdvice(Exception):  # an expected result, sent to the model as a repair request
    """An answer that cannot be used; the message tells the model why."""


def parse_advice(words: str, question: Question, mask: Callable[[str], str]) -> Advice:
    """Return the advice in a model's text, reduced to names that the question offers.

    Raises UnusableAdvice when the text is not an answer, or names only things that are not offered.
    """
    fields = _parse_object(words)
    goals = _names(fields, "goals", question.goals)
    candidates = _names(fields, "candidates", question.candidates)
    if question.candidates and not goals and not candidates:
        raise UnusableAdvice("it names neither a goal nor a candidate of the question")
    return Advice(goals, candidates, clean_note(fields.get("note", ""), mask), _confidence(fields))


def clean_note(note: object, mask: Callable[[str], str]) -> str:
    """Return a note as one plain line of at most 300 characters; '' when it is not a string."""
    if not isinstance(note, str):
        return ""
    # Mask before cutting: the mask does not recognise half a secret.
    plain = mask(" ".join(_visible(note).split()))
    return plain if len(plain) <= MAX_NOTE_LENGTH else plain[: MAX_NOTE_LENGTH - 1].rstrip() + "…"


def only_offered(advice: Advice, question: Question) -> Advice:
    """Return advice that did not come from a model, without names that the question does not offer."""
    return Advice(
        _offered(advice.goals, question.goals),
        _offered(advice.candidates, question.candidates),
        clean_note(advice.note, str),
        advice.confidence if 0 <= advice.confidence <= 1 else 0.0,
        advice.by,
    )


def _parse_object(words: str) -> Mapping[str, Any]:
    begin, end = words.find("{"), words.rfind("}")
    try:
        # Some models write text before and after the object; only the object counts.
        fields = parse_json(words[begin : end + 1])
    except ValueError:
        raise UnusableAdvice("it is not a JSON object") from None
    if not isinstance(fields, Mapping):
        raise UnusableAdvice("it is not a JSON object")
    return fields


def _names(fields: Mapping[str, Any], field: str, offered: Sequence[Option]) -> tuple[str, ...]:
    names = fields.get(field, [])
    if not isinstance(names, list):
        raise UnusableAdvice(f'"{field}" is not a list of names')
    known = _offered([each for each in names if isinstance(each, str)], offered)
    if names and not known and offered:
        choice = ", ".join(each.name for each in offered[:MAX_NAMES_SHOWN])
        raise UnusableAdvice(f'"{field}" names none of the offered options: {choice}')
    return known


def _offered(names: Sequence[str], offered: Sequence[Option]) -> tuple[str, ...]:
    known = {each.name for each in offered}
    return tuple(dict.fromkeys(each for each in names if each in known))


def _confidence(fields: Mapping[str, Any]) -> float:
    value = fields.get("confidence", 0.0)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0 <= value <= 1:
        raise UnusableAdvice('"confidence" is not a number from 0 to 1')
    return float(value)


def _visible(note: str) -> str:
    """Return the note without control, invisible and direction characters, and without tags."""
    plain = "".join(" " if unicodedata.category(each)[0] in "CZ" else each for each in note)
    return plain.translate(_BRACKETS)
