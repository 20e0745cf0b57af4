"""What can go wrong in play, as a tree.

AgentError
├── UsageError      the command line asks for something that cannot be
├── ScenarioError   the moment that a scenario begins at is not reached
├── RunError        a run folder cannot be used
└── Stuck           play gets nowhere, for a named reason
"""

from enum import Enum


class AgentError(Exception):
    """Anything that ends play with one clear line; the message says what to do."""


class UsageError(AgentError):
    """The command line asks for something that cannot be."""


class ScenarioError(AgentError):
    """The moment that a scenario begins at is not reached."""


class RunError(AgentError):
    """A run folder cannot be used."""


class StuckReason(Enum):
    """Why play is taken to get nowhere."""

    OSCILLATION = "oscillation"  # to and fro between maps or squares
    NO_NOVELTY = "no_novelty"  # nothing was seen or done for the first time
    REPEATED_FAILURE = "repeated_failure"  # the same action fails, or goes well and changes nothing
    REPEATED_DIALOGUE = "repeated_dialogue"  # the same words, or the same menu, again and again
    REFLEX_LOOP = "reflex_loop"  # a reflex drops the same action at the same place
    NO_PLAN = "no_plan"  # no way is known to any goal


class Stuck(AgentError):
    """Play gets nowhere, and nothing more is left to try from here.

    `where` is the place in figures, `last` what was tried last; `may_restore` says whether going back to
    a checkpoint is still worth it.
    """

    def __init__(self, reason: StuckReason, where: str, last: str, *, may_restore: bool) -> None:
        words = reason.value.replace("_", " ")
        super().__init__(f"nothing new is happening ({words}) on {where}; last: {last}")
        self.reason = reason
        self.where = where
        self.last = last
        self.may_restore = may_restore
