"""What a model may do before it answers. No tool takes a step of the game."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


class ToolRefused(Exception):  # it is told to the model as an error result, not to the user
    """The arguments make no sense; the message tells the model why."""


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool: what it does in words, the JSON schema of its arguments, and how it is done."""

    name: str
    says: str
    schema: Mapping[str, Any]
    run: Callable[[Mapping[str, Any]], str]
