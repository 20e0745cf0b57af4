"""The texts sent to a model: prompt files, the question, and observations with their ages."""

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
from memory.conversation import ConversationView, Now, annotate_ages, escape_tags
from memory.tokens import tokens

log = logging.getLogger(__name__)


class Mode(Enum):
    """The kind of advice requested; each mode has its file in `prompts`."""

    ACT = "act"
    PLAN = "plan"


@cache
def prompt_file(name: str) -> str:
    """Return the text of a file in `prompts`, without the final line end."""
    return (files(__package__) / "prompts" / f"{name}.txt").read_text(encoding="utf-8").rstrip("\n")


def fill_prompt(name: str, **values: str) -> str:
    """Return the text of a file in `prompts` with its placeholders filled; raises KeyError for a missing value."""
    return Template(prompt_file(name)).substitute(values)


def build_prompt(environment: str, observed: str | None, mode: Mode) -> str:
    """Return the prompt of `mode` for this call: the environment, then the observations, if there are any."""
    block = observed or ""
    log.debug("the block of observations has %d characters, %d tokens", len(block), tokens(block))
    context = "\n\n".join(part for part in (environment, block) if part)
    return fill_prompt(mode.value, context=context)


_DATA: Final = ("situation", "learnt", "tool-data", "last-session")  # the tags that mark data
_PLANNED: Final = {Purpose.MILESTONE, Purpose.ROUTINE}  # they ask for an order of goals


def question_text(question: Question) -> str:
    """Return the question as one text; the situation and what earlier games taught stand between data tags."""
    why = ": ".join(filter(None, (question.purpose.value, " ".join(question.about.split()))))
    lines = [f"Why you are asked: {escape_tags(why)}", f"Tick: {question.tick}"]
    lines.append(data_block("situation", question.situation))
    lines += [data_block("learnt", question.learnt)] if question.learnt else []
    lines += _options("Open goals:", question.goals)
    lines += _options("Candidates:", question.candidates)
    if question.picture:
        digest = hashlib.sha256(question.picture).hexdigest()
        lines.append(f"(The screen was shown with it: PNG, sha256 {digest[:16]}.)")
    return encodable("\n".join(lines))


def instruction(question: Question) -> str:
    """Return the instruction for the purpose of `question`."""
    return prompt_file(question.purpose.value)


def mode_of(question: Question) -> Mode:
    """Return the mode of the prompt that accompanies the question."""
    return Mode.PLAN if question.purpose in _PLANNED else Mode.ACT


def picture_block(png: bytes) -> dict[str, Any]:
    """Return an image block."""
    payload = base64.b64encode(png).decode("ascii")
    source = {"type": "base64", "media_type": "image/png", "data": payload}
    return {"type": "image", "source": source}


def data_block(tag: str, words: str) -> str:
    """Return `words` between data tags; tags of data or memory within `words` are made harmless."""
    # In any spelling: a model is not a parser and also reads </TAG > as an end.
    spelled = re.compile(rf"<(?=\s*/?\s*(?:{'|'.join((*_DATA, re.escape(tag)))})\b)", re.IGNORECASE)
    content = spelled.sub("\N{SINGLE LEFT-POINTING ANGLE QUOTATION MARK}", escape_tags(words))
    return f"<{tag}>\n{content}\n</{tag}>"


def encodable(words: str) -> str:
    """Return `words` without characters that cannot be stored or sent: lone surrogates and NUL."""
    return words.encode("utf-8", "replace").decode("utf-8").replace("\0", "")


def _options(heading: str, options: Sequence[Option]) -> list[str]:
    """Return one line for each option; labels may contain text of the cartridge, so tags in them are made harmless."""
    lines = [f"- `{each.name}`: {escape_tags(' '.join(each.label.split()))}" for each in options]
    return [heading, *lines] if lines else []


class AgeAnnotator:
    """Adds ages to observations. `today` is metadata: nothing in play depends on it."""

    def __init__(self, today: Callable[[], dt.date] | None = None) -> None:
        self._today = today
        self._aged: dict[str, str] = {}  # by the original text

    def annotate(self, view: ConversationView, question: Question) -> ConversationView:
        """Return `view` with ages; a text keeps the ages of the first question that contained it."""
        date = self._today() if self._today is not None else None
        now = Now(date, question.game_s, question.tick)
        texts = (view.reflection, view.observations)
        self._aged = {
            each: self._aged[each] if each in self._aged else annotate_ages(each, now)
            for each in texts
        }
        return view._replace(
            reflection=self._aged[view.reflection], observations=self._aged[view.observations]
        )
