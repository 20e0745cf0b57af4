"""Everybody who looks on while a game is verified, and all they know."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from agent.verify.fact import Notebook
from agent.verify.facts.addresses import Addresses
from agent.verify.facts.battles import Battles
from agent.verify.facts.chances import Chances
from agent.verify.facts.damage import Hits
from agent.verify.facts.doors import Doors
from agent.verify.facts.encounters import Meetings
from agent.verify.facts.growth import Growing, Levels
from agent.verify.facts.healing import Healing
from agent.verify.facts.menus import Choices, Cursor, StartMenu
from agent.verify.facts.money import Money
from agent.verify.facts.sight import Sight
from agent.verify.facts.steps import Steps
from agent.verify.facts.texts import Arrows, Pages
from agent.verify.facts.walking import Walking
from agent.verify.facts.warps import Ways
from agent.verify.watching import Trial, WatchedConsole, Watcher
from emulator import Cartridge, Dex, PyBoyConsole, World


class Ground(NamedTuple):
    """What watchers are made with."""

    notebook: Notebook
    world: World
    dex: Dex


WATCHERS: Final[tuple[Callable[[Ground], Watcher], ...]] = (
    lambda ground: Addresses(*ground),
    lambda ground: Walking(ground.notebook),
    lambda ground: Ways(ground.notebook, ground.world),
    lambda ground: Arrows(ground.notebook),
    lambda ground: Cursor(ground.notebook),
    lambda ground: Meetings(ground.notebook, ground.dex),
    lambda ground: Sight(ground.notebook, ground.world),
    lambda ground: Battles(ground.notebook, ground.dex),
    lambda ground: Hits(ground.notebook, ground.dex),
    lambda ground: Growing(ground.notebook, ground.dex),
    lambda ground: Levels(ground.notebook, ground.dex),
    lambda ground: Money(ground.notebook, ground.dex),
    lambda ground: Healing(ground.notebook, ground.dex),
)
TRIALS: Final[tuple[Callable[[Ground], Trial], ...]] = (
    lambda ground: Steps(ground.notebook, ground.world),
    lambda ground: Doors(ground.notebook, ground.world),
    lambda ground: Pages(ground.notebook),
    lambda ground: Choices(ground.notebook),
    lambda ground: StartMenu(ground.notebook),
    lambda ground: Chances(ground.notebook, ground.dex),
)


class Roster:
    """The watchers and trials of one game, and the notebook they share."""

    def __init__(self, cartridge: Cartridge) -> None:
        self.notebook = Notebook()
        ground = Ground(self.notebook, World.of(cartridge), Dex.of(cartridge))
        self._watchers = [make(ground) for make in WATCHERS]
        self._trials = [make(ground) for make in TRIALS]
        everybody: list[Watcher | Trial] = [*self._watchers, *self._trials]
        self.notebook.learn(dict.fromkeys(fact for each in everybody for fact in each.facts))

    def around(self, machine: PyBoyConsole) -> WatchedConsole:
        """Return what stands between play and the machine."""
        return WatchedConsole(machine, self._watchers, self._trials, self.notebook)
