"""Wild mons: where they are met, which, and how soon after the last."""

from __future__ import annotations

from typing import Final

from agent.verify.fact import MAP, Fact, Notebook
from agent.verify.facts.watcher import Onlooker
from emulator import FIRST_INDOOR_MAP, Button, Dex, Ram, State
from emulator.profile import symbol
from emulator.ram.screen_tiles import COLUMNS, TILE_MAP

WHERE: Final = Fact(
    "encounters.where",
    "Wild mons are met where tile (9,9) is grass or water, and on maps from 37 on, the forest's tileset apart.",
    "engine.md 3.7: wild encounters",
)
WHO: Final = Fact(
    "encounters.who",
    "Who is met, and at which level, is one of the ten of the map's table.",
    "formats.md 2: wild data",
)
PEACE: Final = Fact(
    "encounters.peace",
    "Nobody is met while wNumberOfNoRandomBattleStepsLeft counts.",
    "engine.md 3.7: three steps after a battle",
)

IN_BATTLE: Final = symbol("wIsInBattle")
OPPONENT: Final = symbol("wCurOpponent")
LEVEL: Final = symbol("wCurEnemyLevel")
CORNER: Final = TILE_MAP + 9 * COLUMNS + 9
FONT: Final = symbol("wFontLoaded")
COUNTER: Final = symbol("wWalkCounter")
TILESET: Final = symbol("wCurMapTileset")
GRASS: Final = symbol("wGrassTile")
GRASS_RATE: Final = symbol("wGrassRate")
WATER_RATE: Final = symbol("wWaterRate")
STEPS: Final = symbol("wNumberOfNoRandomBattleStepsLeft")
JOY_IGNORE: Final = symbol("wJoyIgnore")
BATTLE_TYPE: Final = symbol("wBattleType")
FOREST: Final = 3
WATER_TILE: Final = 0x14
WILD: Final = 1
FIRST_TRAINER: Final = 200


class Meetings(Onlooker):
    """Looks at the last moment of the map before each wild battle."""

    facts = (WHERE, WHO, PEACE)

    def __init__(self, notebook: Notebook, dex: Dex) -> None:
        super().__init__(notebook)
        self._dex = dex
        self._quiet: Ram | None = None  # the map as it was before somebody was met

    def begin_anew(self) -> None:
        """Know of no moment before."""
        self._quiet = None

    def frame(self, before: Ram, now: Ram, button: Button | None, number: int) -> None:
        """Keep the map as it is while nobody is met; look at it when somebody is."""
        opponent = now.byte(OPPONENT)
        if not opponent and not now.byte(IN_BATTLE):
            talks = now.byte(FONT) & 1 or now.byte(JOY_IGNORE)
            # Whom somebody's words bring is nobody whom one meets: only a step after them begins that anew.
            walks = self._quiet is not None or now.byte(COUNTER)
            self._quiet = now if walks and not talks else None
        elif self._quiet is not None and now.byte(IN_BATTLE):
            if now.byte(IN_BATTLE) == WILD and 0 < opponent < FIRST_TRAINER:
                self._met(self._quiet, now, number)
            self._quiet = None

    def moment(self, state: State) -> None:
        """Nothing is seen at the end of a step that is not seen in its frames."""

    def _met(self, quiet: Ram, now: Ram, number: int) -> None:
        if now.byte(BATTLE_TYPE):
            return  # a show or the Safari
        map_id, tile = quiet.byte(MAP), quiet.byte(CORNER)
        note, rate = self.notebook, _rate(quiet, tile)
        seen = None if rate else f"tile {tile:#04x} at (9,9), where no rate counts"
        note.judge(WHERE, seen, quiet, number)
        left = quiet.byte(STEPS)
        early = f"{left} steps were left" if left > 1 else None
        note.judge(PEACE, early, quiet, number)
        wild = self._dex.wild.get(map_id)
        slots = [slot for each in wild or () if each is not None for slot in each.slots]
        met = (now.byte(LEVEL), now.byte(OPPONENT))
        known = met in {(slot.level, slot.species) for slot in slots}
        stranger = None if known else f"species {met[1]} at level {met[0]}"
        note.judge(WHO, stranger, quiet, number)


def _rate(ram: Ram, tile: int) -> int:
    if tile == ram.byte(GRASS):
        return ram.byte(GRASS_RATE)
    if tile == WATER_TILE:
        return ram.byte(WATER_RATE)
    if ram.byte(MAP) < FIRST_INDOOR_MAP or ram.byte(TILESET) & 0x7F == FOREST:
        return 0
    return ram.byte(GRASS_RATE)
