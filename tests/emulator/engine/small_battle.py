"""Battles of two equal Pokemon with tables of their own: a move for each effect, plain stage ratios, a few types."""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, Final

from emulator.engine.stages import start_battle
from emulator.engine.turn import play_turn
from emulator.rules import effects
from emulator.rules.codes import ALWAYS_HITS, LINK, OURS, THEIRS
from emulator.rules.position import Tables, empty_positions, empty_tables, put_chart

NORMAL, FIGHTING, GROUND, GHOST, FIRE, GRASS, ELECTRIC = 0, 1, 4, 8, 20, 22, 23
RATIOS: Final = (
    *((25, 100), (28, 100), (33, 100), (40, 100), (50, 100), (66, 100), (1, 1)),
    *((15, 10), (2, 1), (25, 10), (3, 1), (35, 10), (4, 1)),
)
CHART: Final = ((FIRE, GRASS, 20), (NORMAL, GHOST, 0), (FIGHTING, NORMAL, 20), (GRASS, FIRE, 5))
HP: Final = 200
Fields = Any  # a record, whose fields mypy would take to have the type of what a test has put there

# Numbers of moves: those with rules of their own have the game's, the others any.
TACKLE, EMBER, DO_NOTHING = 1, 2, 3


def tables_of(moves: Iterable[tuple[int, int, int, int]] = ()) -> Tables:
    """Return tables with moves (number, effect, power, type) beside the usual ones."""
    tables = empty_tables()
    usual = (
        (TACKLE, 0, 40, NORMAL),
        (EMBER, 0, 40, FIRE),
        (effects.MOVE_COUNTER, 0, 1, FIGHTING),
        (effects.MOVE_QUICK_ATTACK, 0, 40, NORMAL),
        (effects.MOVE_MIMIC, effects.MIMIC, 0, NORMAL),
        (effects.MOVE_BIDE, effects.BIDE, 0, NORMAL),
        (effects.MOVE_METRONOME, effects.METRONOME, 0, NORMAL),
        (effects.MOVE_MIRROR_MOVE, effects.MIRROR_MOVE, 0, NORMAL),
        (effects.MOVE_REST, effects.HEAL, 0, NORMAL),
        (effects.MOVE_RAGE, effects.RAGE, 20, NORMAL),
        (effects.MOVE_STRUGGLE, effects.RECOIL, 50, NORMAL),
        (effects.MOVE_TOXIC, effects.POISON, 0, NORMAL),
        (DO_NOTHING, effects.SPLASH, 0, NORMAL),
    )
    for number, effect, power, kind in (*usual, *moves):
        row = tables.moves[number]
        row.effect, row.power, row.type, row.accuracy, row.pp = effect, power, kind, 255, 10
    put_chart(tables, CHART)
    tables.numerators[:] = [ratio[0] for ratio in RATIOS]
    tables.denominators[:] = [ratio[1] for ratio in RATIOS]
    for species in (1, 2):
        row = tables.species[species]
        row.base_stats[:] = (100, 100, 100, 0, 100)  # no speed: no critical hits
        row.numerator = row.denominator = 1
        row.catch_rate, row.base_experience = 100, 70
    return tables


class SmallBattle:
    """A battle to arrange and to play; both sides know the moves that are given, each with 10 PP.

    Their moves always hit: both have used X Accuracy.
    """

    def __init__(
        self,
        ours: Iterable[int],
        theirs: Iterable[int] = (DO_NOTHING,),
        *,
        moves: Iterable[tuple[int, int, int, int]] = (),
        kind: int = LINK,
        members: int = 1,
    ) -> None:
        self.tables = tables_of(moves)
        self.positions = empty_positions(1)
        self.position = self.positions[0]
        self.position.kind = kind
        for side, known in ((OURS, tuple(ours)), (THEIRS, tuple(theirs))):
            mon = self.position.sides[side]
            mon.count = members
            for place in range(members):
                member = mon.team[place]
                member.species, member.level = 1, 50
                member.hp = member.max_hp = HP
                member.stats[:] = (100, 100, 100 - 10 * side, 100)  # we are faster
                member.moves[: len(known)] = known
                member.pp[: len(known)] = member.max_pp[: len(known)] = 10
        start_battle(self.position, self.tables)
        self.us.volatile = self.them.volatile = ALWAYS_HITS

    @property
    def us(self) -> Fields:
        return self.position.sides[OURS]

    @property
    def them(self) -> Fields:
        return self.position.sides[THEIRS]

    def play(self, ours: int = 0, theirs: int = 0, *, seed: int | None = None) -> int:
        """Play a turn, and return the outcome."""
        if seed is not None:
            self.position.seed = seed
        return play_turn(self.position, ours, theirs, self.tables)

    def over_seeds(
        self, read: Callable[["SmallBattle"], object], *, turns: int = 1, seeds: int = 300
    ) -> Counter[Fields]:
        """Return how often each value is read after turns played from this position with each of many seeds."""
        before = self.positions.copy()
        seen: Counter[Fields] = Counter()
        for seed in range(seeds):
            self.positions[:] = before
            self.position.seed = seed
            for _ in range(turns):
                self.play()
            seen[read(self)] += 1
        self.positions[:] = before
        return seen
