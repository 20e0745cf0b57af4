"""A question in words, as it is kept in the conversation and sent."""

import base64
import hashlib
import re
from collections.abc import Sequence
from typing import Any, Final

from agent.advisor.port import Option, Purpose, Question
from agent.advisor.prompt import Mode, prompt_file
from memory.thread.tags import blunted

WHY: Final = "Why you are asked:"
TICK: Final = "Tick:"
MILESTONE: Final = "Last milestone:"
GOALS: Final = "Open goals:"
CANDIDATES: Final = "Candidates:"
_DATA: Final = ("situation", "tool-data", "last-session")  # all that is marked so
_PLANNED: Final = {Purpose.MILESTONE, Purpose.ROUTINE}  # nothing is to be done at once


def question_text(question: Question) -> str:
    """Return the question as one text; its situation is marked as data."""
    lines = [f"{WHY} {question.purpose.value}", f"{TICK} {question.tick}"]
    if question.milestone:
        lines.append(f"{MILESTONE} {question.milestone}")
    lines.append(data("situation", question.situation))
    lines += _options(GOALS, question.goals)
    lines += _options(CANDIDATES, question.candidates)
    if question.picture:
        digest = hashlib.sha256(question.picture).hexdigest()
        lines.append(f"(The screen was shown with it: PNG, sha256 {digest[:16]}.)")
    return sound("\n".join(lines))


def asked(question: Question) -> str:
    """Return what is asked for that purpose."""
    return f"The question is of tick {question.tick}. {prompt_file(question.purpose.value)}"


def mode_of(question: Question) -> Mode:
    """Return what the state around the question asks for."""
    return Mode.PLAN if question.purpose in _PLANNED else Mode.ACT


def picture_block(png: bytes) -> dict[str, Any]:
    """Return a block that shows a picture."""
    payload = base64.b64encode(png).decode("ascii")
    source = {"type": "base64", "media_type": "image/png", "data": payload}
    return {"type": "image", "source": source}


def data(tag: str, words: str) -> str:
    """Return words between tags that say they are data; they can close or open neither such a tag nor one of memory's."""
    # However it is spelled: a model is no parser, and takes </TAG > for an end as well.
    spelled = re.compile(rf"<(?=\s*/?\s*(?:{'|'.join((*_DATA, re.escape(tag)))})\b)", re.IGNORECASE)
    told = spelled.sub("\N{SINGLE LEFT-POINTING ANGLE QUOTATION MARK}", blunted(words))
    return f"<{tag}>\n{told}\n</{tag}>"


def sound(words: str) -> str:
    """Return words without what no file and no network takes."""
    return words.encode("utf-8", "replace").decode("utf-8").replace("\0", "")


def _options(heading: str, options: Sequence[Option]) -> list[str]:
    return (
        [heading, *(f"- `{each.name}`: {_line(each.says)}" for each in options)] if options else []
    )


def _line(words: str) -> str:
    """Return what an option means in one line; names of the cartridge are in it, and stand between no tags."""
    return blunted(" ".join(words.split()))
