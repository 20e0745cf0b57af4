"""Errors of play, as a tree.

AgentError
├── UsageError      the command line asks for something impossible
├── ScenarioError   the starting point of a scenario is not reached
├── RunError        a run folder cannot be used
└── Stuck           play makes no progress, for a named reason
"""

from collections.abc import Iterable
from difflib import get_close_matches
from enum import Enum


class AgentError(Exception):
    """An error that ends play with one clear line; the message says what to do."""


class UsageError(AgentError):
    """The command line asks for something impossible."""


class ScenarioError(AgentError):
    """The starting point of a scenario is not reached."""


class RunError(AgentError):
    """A run folder cannot be used."""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return the end of an error message that names the known word nearest to `word`, or ''.

    Words that begin differently must be about as long: `serve` does not stand for `observe`.
    """
    similar = [w for w in known if w[:1] == word[:1] or abs(len(w) - len(word)) <= 1]
    near = get_close_matches(word, similar, n=1)
    return f"; did you mean {near[0]}?" if near else ""


class StuckReason(Enum):
    """Why play is considered stuck."""

    OSCILLATION = "oscillation"  # back and forth between maps or squares
    NO_NOVELTY = "no_novelty"  # nothing was seen or done for the first time
    REPEATED_FAILURE = "repeated_failure"  # the same action fails, or succeeds without effect
    REPEATED_DIALOGUE = "repeated_dialogue"  # the same text or menu appears repeatedly
    REFLEX_LOOP = "reflex_loop"  # a reflex cancels the same action at the same place
    NO_PLAN = "no_plan"  # no goal has a plan


class Stuck(AgentError):
    """Play makes no progress, and no recovery step is left to try from here.

    `where` is the place as numbers, `last` the action tried last; `may_restore` says whether a checkpoint
    may still be restored.
    """

    def __init__(self, reason: StuckReason, where: str, last: str, *, may_restore: bool) -> None:
        words = reason.value.replace("_", " ")
        super().__init__(f"nothing new is happening ({words}) on {where}; last: {last}")
        self.reason = reason
        self.where = where
        self.last = last
        self.may_restore = may_restore
