"""The ports of advice: questions, answers, and the tools that a model may call."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Protocol


class Decider(Enum):
    """What makes the decisions of a run."""

    RULES = "rules"
    CLAUDE = "claude"  # rules, and a model for questions they cannot answer


class Purpose(Enum):
    """Why a question is asked; everything else is decided by rules."""

    NO_PLAN = "no_plan"
    PLAN_FAILED = "plan_failed"  # twice
    STUCK = "stuck"
    CHOICE = "choice"  # one that needs the text to be understood
    MILESTONE = "milestone"
    ROUTINE = "routine"  # at regular intervals, when enabled


@dataclass(frozen=True, slots=True)
class Option:
    """One option to choose: the name that an answer returns, and a label that says what it means."""

    name: str
    label: str


@dataclass(frozen=True, slots=True)
class Question:
    """One question. `situation` describes the game now; `picture` is a PNG, or empty when none is needed.

    `about` is the event that caused it, and `learnt` what earlier games taught, both '' if there is nothing to say.
    `goals` are the open goals, `candidates` the possible actions or choices; an answer names no others.
    `milestone` is the last milestone reached, '' before the first. `by_rules` names the options that rules alone would
    take; it is recorded with the answer, and no model sees it.
    """

    purpose: Purpose
    tick: int
    game_s: float
    situation: str
    goals: tuple[Option, ...] = ()
    candidates: tuple[Option, ...] = ()
    milestone: str = ""
    picture: bytes = b""
    about: str = ""
    learnt: str = ""
    by_rules: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Advice:
    """A validated answer: goals and candidates of the question, the preferred first, and a note.

    `note` is a claim of the model, not a fact. `confidence` is from 0 to 1. `by` is the name that the last reply gave
    its model, '' where it is unknown.
    """

    goals: tuple[str, ...] = ()
    candidates: tuple[str, ...] = ()
    note: str = ""
    confidence: float = 0.0
    by: str = ""


class NoAnswerReason(Enum):
    """Why a question has no answer."""

    CEILING = "ceiling"  # the budget of money, calls or tokens is used up
    BREAKER = "breaker"  # the circuit breaker is open after faults
    FAULT = "fault"  # the service failed, or its reply cannot be used
    REFUSED = "refused"  # the model refused to answer
    UNUSABLE = "unusable"  # no valid answer after repairs
    NOT_RECORDED = "not_recorded"  # the recording has no answer to this question


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """No answer, and why; the rules decide instead."""

    reason: NoAnswerReason
    detail: str = ""


class Advisor(Protocol):
    """A source of answers: Claude, a script or a recording."""

    def ask(self, question: Question) -> Advice | NoAnswer:
        """Return the answer to `question`, or why there is none."""


class ToolRefused(Exception):  # sent to the model as an error result, not shown to the user
    """The arguments of a tool call are invalid; the message tells the model why."""


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool: its description, the JSON schema of its arguments, and the function that runs it."""

    name: str
    label: str
    schema: Mapping[str, Any]
    run: Callable[[Mapping[str, Any]], str]
