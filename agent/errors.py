"""What can go wrong in play, as a tree.

AgentError
├── UsageError      the command line asks for something that cannot be
├── ScenarioError   the moment that a scenario begins at is not reached
├── RunError        a run folder cannot be used
└── Stuck           nothing new has happened for too long
"""


class AgentError(Exception):
    """Anything that ends play with one clear line; the message says what to do."""


class UsageError(AgentError):
    """The command line asks for something that cannot be."""


class ScenarioError(AgentError):
    """The moment that a scenario begins at is not reached."""


class RunError(AgentError):
    """A run folder cannot be used."""


class Stuck(AgentError):
    """Nothing new has happened for too long; the message says what was tried last."""
