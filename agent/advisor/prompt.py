"""What a model is told before it is asked: the environment, then what was observed, made anew for every call."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import cache
from importlib.resources import files
from string import Template

from memory.tokens import tokens

log = logging.getLogger(__name__)


class Mode(Enum):
    """What a model is asked for; each has its file in `prompts`."""

    ACT = "act"
    PLAN = "plan"


@dataclass(frozen=True, slots=True)
class PromptContext:
    """What a prompt tells of this moment; without observations there is no place for them either."""

    environment: str
    observation_block: str | None = None


@cache
def prompt_file(name: str) -> str:
    """Return the text of a file of `prompts`, without the end of its last line."""
    return (files(__package__) / "prompts" / f"{name}.txt").read_text(encoding="utf-8").rstrip("\n")


def filled(name: str, **values: str) -> str:
    """Return the text of a file of `prompts` with its places filled; every place needs its value."""
    return Template(prompt_file(name)).substitute(values)


def build_prompt(context: PromptContext, mode: Mode) -> str:
    """Return the prompt of `mode`, with the observations behind the environment."""
    parts = (context.environment, context.observation_block)
    told = "\n\n".join(part for part in parts if part)
    return filled(mode.value, context=told)


def prompt_now(
    environment: Callable[[], str], observed: Callable[[], str | None], mode: Mode
) -> str:
    """Return the prompt for the call that comes next; both are asked at every call, so neither is a turn old."""
    block = observed()
    size = len(block) if block else 0
    log.debug("the block of observations has %d characters, %d tokens", size, tokens(block or ""))
    return build_prompt(PromptContext(environment(), block), mode)
