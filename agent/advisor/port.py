"""The ports of advice: questions and answers, and tools a model may use."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Protocol


class Purpose(Enum):
    """Why a question is asked; rules alone decide everything else."""

    NO_PLAN = "no_plan"
    PLAN_FAILED = "plan_failed"  # twice
    STUCK = "stuck"
    CHOICE = "choice"  # one that needs words
    MILESTONE = "milestone"
    ROUTINE = "routine"  # every so often, where that is wanted


@dataclass(frozen=True, slots=True)
class Option:
    """Something to choose: its name, which an answer gives back, and what it means in words."""

    name: str
    says: str


@dataclass(frozen=True, slots=True)
class Question:
    """One question. `situation` is what is true now, in words; `picture` is a PNG, where one is needed.

    `goals` are those open, `candidates` what could be done or chosen; an answer names no others.
    `milestone` is the last one reached, '' before the first.
    """

    purpose: Purpose
    tick: int
    game_s: float
    situation: str
    goals: tuple[Option, ...] = ()
    candidates: tuple[Option, ...] = ()
    milestone: str = ""
    picture: bytes = b""


@dataclass(frozen=True, slots=True)
class Advice:
    """A validated answer: goals and candidates of the question, the first first, and what else is worth noting.

    `note` is a model's word and no fact. `confidence` is from 0 to 1.
    """

    goals: tuple[str, ...] = ()
    candidates: tuple[str, ...] = ()
    note: str = ""
    confidence: float = 0.0


class Silence(Enum):
    """Why a question has no answer."""

    CEILING = "ceiling"  # money, calls or tokens
    BREAKER = "breaker"  # nobody is asked for a while after faults
    FAULT = "fault"  # the service failed, or what it sent cannot be used
    REFUSED = "refused"  # the model would not answer
    UNUSABLE = "unusable"  # no valid answer after repairs
    NOT_RECORDED = "not_recorded"  # the recording has no answer to this question


@dataclass(frozen=True, slots=True)
class Silent:
    """No answer, and why; rules go on."""

    reason: Silence
    detail: str = ""


class Advisor(Protocol):
    """Whoever can be asked: Claude, a script, a recording."""

    def ask(self, question: Question) -> Advice | Silent:
        """Return the answer to `question`. Raises nothing but errors of the program itself."""


class ToolRefused(Exception):  # it is told to the model as an error result, not to the user
    """The arguments make no sense; the message tells the model why."""


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool: what it does in words, the JSON schema of its arguments, and how it is done."""

    name: str
    says: str
    schema: Mapping[str, Any]
    run: Callable[[Mapping[str, Any]], str]
