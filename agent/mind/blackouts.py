"""Telling blackouts from other defeats, by what is remembered of play."""

from collections.abc import Mapping
from typing import Any

from memory import BATTLE, RESOURCES


class Blackouts:
    """Follows what happens; a blackout is a defeat after which money is gone, which the first fight's is not."""

    def __init__(self) -> None:
        self._money = 0
        self._beaten = False

    def saw(self, kind: str, data: Mapping[str, Any]) -> bool:
        """Take note of one event, and say whether it shows a blackout: belongings, on entering the next place."""
        if kind == BATTLE:
            self._beaten = self._beaten or data["outcome"] == "defeat"
        elif kind == RESOURCES:
            is_blackout = self._beaten and data["money"] < self._money
            self._money, self._beaten = data["money"], False
            return is_blackout
        return False
