"""What the tests of play share."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agent.app import Moment
from agent.report import Summary

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Played:
    """A run that reached its goal, and its summary."""

    folder: Path
    memory: Path
    summary: Summary


class Watcher:
    """A viewer that keeps what it saw, and may do something about it."""

    def __init__(self, react: Callable[[Moment], None] | None = None) -> None:
        self.moments: list[Moment] = []
        self._react = react

    def show(self, moment: Moment) -> None:
        self.moments.append(moment)
        if self._react:
            self._react(moment)


@dataclass(frozen=True)
class Ended:
    """How a command of the program ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        return json.loads(self.out.splitlines()[-1])  # type: ignore[no-any-return]


Agent = Callable[..., Ended]
