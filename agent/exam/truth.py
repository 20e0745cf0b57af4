"""What happened in a recorded game, by RAM alone: the steps are driven again and every state is looked at."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from agent.capabilities import Story
from agent.exam.fights import FightWatch
from agent.exam.names import Names
from emulator import State


class Outcome(Enum):
    """How a fight ended."""

    WON = "won"
    LOST = "lost"
    FLED = "fled"
    CAUGHT = "caught"
