"""What each hit takes, from the numbers of both sides in the frame before."""

from __future__ import annotations

from typing import Final, NamedTuple

from agent.verify.fact import Fact, Notebook
from agent.verify.facts.watcher import Onlooker
from emulator import Attacker, BattleMon, Button, Defender, Dex, Ram, Volatile
from emulator.profile import symbol
from emulator.ram.battle_mon import ENEMY, OWN, read_battle_mon
from emulator.rules.damage import ROLLS, full_damage, rolled
from emulator.rules.effects import FIXED, HALF, LAST, ONE_HIT

DAMAGE: Final = Fact(
    "battles.damage",
    "A hit takes the damage of the formula times one of 217 to 255 parts of 255, in whole numbers throughout.",
    "engine.md 7.3: damage",
)

IN_BATTLE: Final = symbol("wIsInBattle")
TURN: Final = symbol("hWhoseTurn")
TAKEN: Final = symbol("wDamage")
CRITICAL: Final = symbol("wCriticalHitOrOHKO")
MISSED: Final = symbol("wMoveMissed")
NOT_BY_FORMULA: Final = (FIXED, HALF, ONE_HIT)
FIGHTS: Final = (1, 2)


class Blow(NamedTuple):
    """Where the two sides of a blow lie: HP of who is hit, the move's number, effect and so on."""

    hp: int
    move: int


BLOWS: Final = (
    Blow(symbol("wEnemyMonHP"), symbol("wPlayerMoveNum")),
    Blow(symbol("wBattleMonHP"), symbol("wEnemyMoveNum")),
)
SIDES: Final = ((OWN, ENEMY), (ENEMY, OWN))


class Hits(Onlooker):
    """Looks at every loss of HP of the side whose turn it is not."""

    facts = (DAMAGE,)

    def __init__(self, notebook: Notebook, dex: Dex) -> None:
        super().__init__(notebook)
        self._dex = dex
        self._hit: tuple[int, Ram] | None = None  # whose turn, and RAM as it was before

    def begin_anew(self) -> None:
        """Let a hit that was begun be none."""
        self._hit = None

    def frame(self, before: Ram, now: Ram, button: Button | None, number: int) -> None:
        """Look for a loss; what it was is told a frame later, when both bytes are written."""
        if now.byte(IN_BATTLE) not in FIGHTS:
            self._hit = None
            return
        if self._hit is not None:
            turn, earlier = self._hit
            self._hit = None
            self._look(turn, earlier, now, number)
            return
        turn = now.byte(TURN)
        if turn > 1 or before.byte(TURN) != turn:
            return
        at = BLOWS[turn].hp
        if _word(now, at) < _word(before, at):
            self._hit = (turn, before)

    def _look(self, turn: int, before: Ram, now: Ram, number: int) -> None:
        blow = BLOWS[turn]
        user, target = [read_battle_mon(before, side, 0) for side in SIDES[turn]]
        move = self._dex.all_moves.get(now.byte(blow.move))
        if user is None or target is None or move is None or now.byte(MISSED):
            return
        if _is_another(target, read_battle_mon(now, SIDES[turn][1], 0)):
            return  # who has been sent out, or met, since has fewer HP
        if not move.power or move.number == LAST or move.effect in NOT_BY_FORMULA:
            return
        lost = _word(before, blow.hp) - _word(now, blow.hp)
        taken, critical = _word(now, TAKEN), now.byte(CRITICAL) == 1
        if lost != min(taken, target.hp) or _loses_by_itself(target):
            return  # it was not this move that took it, or not it alone
        species = self._dex.all_species.get(user.species)
        speed = species.base.speed if species is not None else 0
        full = full_damage(
            Attacker.of(user, speed), Defender.of(target), move, self._dex.rules, critical=critical
        )
        amounts = {rolled(full, roll) for roll in ROLLS}
        fits = lost in amounts or (lost == target.hp and max(amounts) >= lost)
        seen = None if fits else _wrong(user, move.number, lost, amounts)
        self.notebook.judge(DAMAGE, seen, now, number)


def _is_another(before: BattleMon, now: BattleMon | None) -> bool:
    if now is None:
        return True
    return (before.species, before.level, before.dvs) != (now.species, now.level, now.dvs)


def _loses_by_itself(mon: BattleMon) -> bool:
    """Say whether a mon may lose HP in a turn without being hit."""
    ails = mon.status.poisoned or mon.status.burned
    return ails or bool(mon.volatile & (Volatile.SEEDED | Volatile.CONFUSED))


def _wrong(user: BattleMon, move: int, lost: int, amounts: set[int]) -> str:
    low, high = min(amounts), max(amounts)
    return f"move {move} of species {user.species} at level {user.level} took {lost}, not {low} to {high}"


def _word(ram: Ram, at: int) -> int:
    return int.from_bytes(ram.span(at, 2), "big")
