"""What decides in a run. Imports nothing, so that flags can list it."""

from enum import Enum


class Decider(Enum):
    """What makes the decisions."""

    RULES = "rules"
    CLAUDE = "claude"  # rules, and a model for questions they cannot answer
