"""Experience: what a victory gives, and the stats of a new level."""

from __future__ import annotations

from collections import deque
from typing import Final

from agent.verify.fact import Fact, Notebook
from agent.verify.facts.watcher import Onlooker
from emulator import Button, Dex, Ram, experience_gained, stats_of
from emulator.profile import symbol
from emulator.ram.battle_mon import ENEMY, read_battle_mon
from emulator.ram.party import Party, PartyMon, read_party

GAINED: Final = Fact(
    "battles.experience",
    "Who fought gets the base experience, shared, times the level by seven, half as much again for a trainer's and for who was traded.",
    "engine.md 7.3: exp",
)
STAT_EXP: Final = Fact(
    "battles.stat_experience",
    "Who fought gets the base stats of who fell, shared, as stat experience.",
    "engine.md 7.3: stat exp",
)
STATS: Final = Fact(
    "battles.level_up",
    "With a new level the stats are those of base stats, DVs, stat experience and level, and HP grow with their maximum.",
    "formats.md 1.7: stat formulas",
)

IN_BATTLE: Final = symbol("wIsInBattle")
FOUGHT: Final = symbol("wPartyGainExpFlags")
PLAYER_ID: Final = symbol("wPlayerID")
MONS: Final = symbol("wPartyMons")
EXPERIENCE: Final = MONS + 14
MON_SIZE: Final = 44
BAG: Final = symbol("wBagItems")
EXP_ALL: Final = 0x4B
TRAINERS: Final = 2
FIGHTS: Final = (1, 2)
SETTLED: Final = 6  # frames after which all numbers of a change are written
HIGHEST: Final = 100
STILL: Final = (
    10  # frames without a change after which a new level is whole: square roots take their time
)
LONGEST: Final = 120  # frames that one is waited for


class Growing(Onlooker):
    """Looks at the team whenever somebody's experience changes in battle."""

    facts = (GAINED, STAT_EXP)

    def __init__(self, notebook: Notebook, dex: Dex) -> None:
        super().__init__(notebook)
        self._dex = dex
        self.begin_anew()

    def begin_anew(self) -> None:
        """Let a gain that was begun be none."""
        # Not all numbers of a change are written in one frame: it is held against some frames earlier.
        self._earlier: deque[Ram] = deque(maxlen=SETTLED)
        self._before: Ram | None = None
        self._due = 0

    def frame(self, before: Ram, now: Ram, button: Button | None, number: int) -> None:
        """Look for a change of experience, and at all of it a little later."""
        if now.byte(IN_BATTLE) not in FIGHTS or before.byte(IN_BATTLE) not in FIGHTS:
            self.begin_anew()
            return
        self._earlier.append(before)
        if self._before is None:
            if _experience(before) != _experience(now):
                self._before, self._due = self._earlier[0], SETTLED
            return
        self._due -= 1
        if not self._due:
            self._look(self._before, now, number)
            self.begin_anew()

    def _look(self, before: Ram, now: Ram, number: int) -> None:
        old, new = read_party(before), read_party(now)
        fallen = read_battle_mon(before, ENEMY, 0)
        shared_by = before.byte(FOUGHT).bit_count()
        if len(old) != len(new) or fallen is None or not shared_by:
            return
        species = self._dex.all_species.get(fallen.species)
        if species is None or fallen.transformed or EXP_ALL in before.span(BAG, 40)[::2]:
            return
        for mon, grown in zip(old.mons, new.mons, strict=True):
            gained = grown.exp - mon.exp
            if not gained or mon.level == HIGHEST:
                continue
            wanted = experience_gained(
                species.base_experience,
                fallen.level,
                shared_by=shared_by,
                trainer=before.byte(IN_BATTLE) == TRAINERS,
                traded=mon.ot_id != int.from_bytes(before.span(PLAYER_ID, 2), "big"),
            )
            seen = None if gained == wanted else f"{gained} instead of {wanted}"
            self.notebook.judge(GAINED, seen, now, number)
            given = tuple(g - m for g, m in zip(grown.stat_exp, mon.stat_exp, strict=True))
            due = tuple(each // shared_by for each in species.base)
            if max(grown.stat_exp) < 0xFFFF:
                wrong = None if given == due else f"{given} instead of {due}"
                self.notebook.judge(STAT_EXP, wrong, now, number)


class Levels(Onlooker):
    """Looks at the team a little after somebody's level has changed."""

    facts = (STATS,)

    def __init__(self, notebook: Notebook, dex: Dex) -> None:
        super().__init__(notebook)
        self._dex = dex
        self.begin_anew()

    def begin_anew(self) -> None:
        """Let a level that was reached be none."""
        self._before: Party | None = None
        self._still = 0
        self._waited = 0

    def frame(self, before: Ram, now: Ram, button: Button | None, number: int) -> None:
        """Look for a new level, and at its stats once all of them are written."""
        if now.byte(IN_BATTLE) not in FIGHTS:
            self.begin_anew()
        elif self._before is None:
            if _levels(before) != _levels(now):
                self._before = read_party(before)
        else:
            self._waited += 1
            self._still = self._still + 1 if _mons(before) == _mons(now) else 0
            if self._still == STILL or self._waited == LONGEST:
                self._look(self._before, read_party(now), now, number)
                self.begin_anew()

    def _look(self, old: Party, new: Party, now: Ram, number: int) -> None:
        if [mon.species for mon in old.mons] != [mon.species for mon in new.mons]:
            return
        for mon, grown in zip(old.mons, new.mons, strict=True):
            if mon.level != grown.level:
                self.notebook.judge(STATS, self._wrong(mon, grown), now, number)

    def _wrong(self, mon: PartyMon, grown: PartyMon) -> str | None:
        known = self._dex.all_species.get(grown.species)
        if known is None:
            return None
        wanted = stats_of(known.base, grown.dvs, grown.level, grown.stat_exp)
        if grown.stats != wanted:
            return f"stats {tuple(grown.stats)} at level {grown.level}, not {tuple(wanted)}"
        hp = mon.hp + grown.stats.hp - mon.stats.hp
        return None if grown.hp == hp else f"{grown.hp} HP where {hp} are due"


def _experience(ram: Ram) -> tuple[bytes, ...]:
    return tuple([ram.span(EXPERIENCE + MON_SIZE * n, 3) for n in range(6)])


def _mons(ram: Ram) -> bytes:
    return ram.span(MONS, 6 * MON_SIZE)


def _levels(ram: Ram) -> tuple[int, ...]:
    return tuple([ram.byte(EXPERIENCE + 19 + MON_SIZE * n) for n in range(6)])
