"""The words a model is sent: prompt files, the question as text, and observations with their ages."""

import base64
import datetime as dt
import hashlib
import logging
import re
from collections.abc import Callable, Sequence
from enum import Enum
from functools import cache
from importlib.resources import files
from string import Template
from typing import Any, Final

from agent.advisor.port import Option, Purpose, Question
from memory.conversation.messages import blunted
from memory.conversation.view import ConversationView, Now, annotated
from memory.tokens import tokens

log = logging.getLogger(__name__)


class Mode(Enum):
    """What a model is asked for; each has its file in `prompts`."""

    ACT = "act"
    PLAN = "plan"


@cache
def prompt_file(name: str) -> str:
    """Return the text of a file of `prompts`, without the end of its last line."""
    return (files(__package__) / "prompts" / f"{name}.txt").read_text(encoding="utf-8").rstrip("\n")


def filled(name: str, **values: str) -> str:
    """Return the text of a file of `prompts` with its places filled; every place needs its value."""
    return Template(prompt_file(name)).substitute(values)


def build_prompt(environment: str, observed: str | None, mode: Mode) -> str:
    """Return the prompt of `mode` for this moment, with the observations, where there are any, behind the environment."""
    block = observed or ""
    log.debug("the block of observations has %d characters, %d tokens", len(block), tokens(block))
    told = "\n\n".join(part for part in (environment, block) if part)
    return filled(mode.value, context=told)


_DATA: Final = ("situation", "tool-data", "last-session")  # all that is marked so
_PLANNED: Final = {Purpose.MILESTONE, Purpose.ROUTINE}  # nothing is to be done at once


def question_text(question: Question) -> str:
    """Return the question as one text; its situation is marked as data."""
    lines = [f"Why you are asked: {question.purpose.value}", f"Tick: {question.tick}"]
    if question.milestone:
        lines.append(f"Last milestone: {question.milestone}")
    lines.append(data("situation", question.situation))
    lines += _options("Open goals:", question.goals)
    lines += _options("Candidates:", question.candidates)
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
    """Return options, each in one line; names of the cartridge are in it, and stand between no tags."""
    lines = [f"- `{each.name}`: {blunted(' '.join(each.says.split()))}" for each in options]
    return [heading, *lines] if lines else []


class Dating:
    """Tells the age of what is observed. `today` is metadata: nothing in play depends on it."""

    def __init__(self, today: Callable[[], dt.date] | None = None) -> None:
        self._today = today
        self._told: dict[str, str] = {}  # by what was observed, as it was told first

    def dated(self, sight: ConversationView, question: Question) -> ConversationView:
        """Return `sight` with ages: those of the question at which its observations were new."""
        date = self._today() if self._today is not None else None
        now = Now(date, question.game_s, question.tick)
        texts = (sight.reflection, sight.observations)
        self._told = {
            each: self._told[each] if each in self._told else annotated(each, now) for each in texts
        }
        return sight._replace(
            reflection=self._told[sight.reflection], observations=self._told[sight.observations]
        )
