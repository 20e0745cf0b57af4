"""Chances, tried out again and again from one moment: with odds set up so that a score of tries tells."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from math import comb
from typing import Final

from agent.verify.aside import Aside
from agent.verify.fact import Fact, Notebook
from emulator import (
    Attacker,
    Battle,
    Button,
    Defender,
    Dex,
    MenuKind,
    Phase,
    Ram,
    State,
    hit_chance,
    read_state,
    run_chance,
)
from emulator.profile import symbol

ACCURACY: Final = Fact(
    "battles.accuracy",
    "A move hits when a random byte is below its accuracy, scaled by the stages of accuracy and evasion.",
    "engine.md 7.3: accuracy",
)
RUN: Final = Fact(
    "battles.run",
    "Who is slower gets away from a wild mon by chance: 32 times the own Speed by a quarter of the enemy's, of 256.",
    "engine.md 7.3: run",
)
RUN_SURE: Final = Fact(
    "battles.run_sure",
    "Who is at least as fast always gets away from a wild mon.",
    "engine.md 7.3: run",
)

MOVE_MISSED: Final = symbol("wMoveMissed")
OWN_STAGES: Final = symbol("wPlayerMonStatMods")
ACCURACY_STAGE: Final = 4
LOWEST: Final = 1
NEUTRAL: Final = 7
OWN_SPEED: Final = symbol("wBattleMonSpeed")
ENEMY_SPEED: Final = symbol("wEnemyMonSpeed")
ENEMY_HP: Final = symbol("wEnemyMonHP")
RUN_TRIES: Final = symbol("wNumRunAttempts")
RESULT: Final = symbol("wBattleResult")
IN_BATTLE: Final = symbol("wIsInBattle")
TURN: Final = symbol("hWhoseTurn")
OWN_MOVE: Final = symbol("wPlayerMoveNum")
LEFT: Final = 2  # of wBattleResult
SPEEDS: Final = (30, 80)  # 49 of 256
TRIES: Final = 28
APART: Final = 7  # frames between the beginnings of two tries
LONGEST: Final = 400  # frames until a try has shown what came of it
IMPOSSIBLE: Final = Fraction(1, 10**9)  # so unlikely a count is no chance any more


class Chances:
    """Runs, and uses a move with the lowest accuracy, from the menu of a battle."""

    facts = (ACCURACY, RUN, RUN_SURE)

    def __init__(self, notebook: Notebook, dex: Dex) -> None:
        self._notebook = notebook
        self._dex = dex
        self._open = {ACCURACY, RUN}

    def wants(self, state: State) -> bool:
        """Say whether the menu of a battle waits that is good for what was not tried yet."""
        battle = state.battle
        if battle is None or battle.phase is not Phase.MAIN_MENU or not self._open:
            return False
        return (RUN in self._open and battle.is_wild) or self._is_good_to_hit(battle)

    def run(self, aside: Aside, state: State) -> None:
        """Try what was not tried yet."""
        battle = state.battle
        if battle is None:
            return
        if RUN in self._open and battle.is_wild:
            self._open.discard(RUN)
            self._run(aside, state)
            aside.back()
        if self._is_good_to_hit(battle):
            self._open.discard(ACCURACY)
            self._hit(aside, state, battle)

    def _run(self, aside: Aside, state: State) -> None:
        own, other = SPEEDS
        chance = run_chance(own, other, 1)
        tried = [_flees(aside, own, other, each) for each in range(TRIES)]
        self._judge(RUN, [each for each in tried if each is not None], chance, state)
        sure = [_flees(aside, other, own, each) for each in range(3)]
        for each in sure:
            if each is not None:
                seen = None if each else f"no escape with Speed {other} against {own}"
                self._notebook.judge(RUN_SURE, seen, state.ram, state.frame)

    def _hit(self, aside: Aside, state: State, battle: Battle) -> None:
        own, enemy = battle.own, battle.enemy
        if own is None or enemy is None:
            return
        move = self._dex.all_moves[own.moves[0].move]
        attacker = replace(Attacker.of(own, 0), accuracy=LOWEST - NEUTRAL)
        chance = hit_chance(attacker, Defender.of(enemy), move, self._dex.rules)
        tried = [_hits(aside, move.number, each) for each in range(TRIES)]
        self._judge(ACCURACY, [each for each in tried if each is not None], chance, state)

    def _is_good_to_hit(self, battle: Battle) -> bool:
        own, enemy = battle.own, battle.enemy
        if ACCURACY not in self._open or own is None or enemy is None:
            return False
        move = self._dex.all_moves.get(own.moves[0].move) if own.moves else None
        is_plain = move is not None and move.power > 0 and move.effect == 0 and own.moves[0].pp > 0
        hampered = own.status != (0, False, False, False, False) or bool(own.volatile)
        sees = move is not None and self._dex.rules.chart.multiplier(move.type, enemy.types) > 0
        return is_plain and sees and not hampered and not enemy.volatile

    def _judge(self, fact: Fact, tried: list[bool], chance: Fraction, state: State) -> None:
        if len(tried) < TRIES // 2:
            return  # something else came between
        good = sum(tried)
        seen = None
        if _is_impossible(good, len(tried), chance):
            seen = (
                f"{good} of {len(tried)} tries succeeded, with a chance of {float(chance):.0%} each"
            )
        self._notebook.judge(fact, seen, state.ram, state.frame)


def _flees(aside: Aside, own: int, other: int, number: int) -> bool | None:
    """Return whether a run from here succeeded, or None where it did not come to one."""
    aside.back()
    aside.wait(4 + APART * number)
    aside.poke(OWN_SPEED, own.to_bytes(2, "big"))
    aside.poke(ENEMY_SPEED, other.to_bytes(2, "big"))
    aside.poke(RUN_TRIES, b"\0")
    for button in (Button.RIGHT, Button.DOWN):
        aside.press(button)
    menu = aside.state.menu
    if menu is None or menu.kind is not MenuKind.BATTLE_RIGHT or menu.current != 1:
        return None
    aside.press(Button.A, hold=4, settle=20)
    for _ in range(LONGEST // 20):
        ram = aside.ram
        if ram.byte(RESULT) == LEFT or not ram.byte(IN_BATTLE):
            return True
        if ram.byte(RUN_TRIES) == 0 or read_state(ram, 0).menu is not None:
            return None
        if ram.byte(TURN) == 1:
            return False
        aside.press(Button.B, hold=4, settle=16)
    return None


def _hits(aside: Aside, move: int, number: int) -> bool | None:
    """Return whether the first move hit, used from here, or None where it was not used."""
    aside.back()
    aside.wait(4 + APART * number)
    aside.poke(OWN_STAGES + ACCURACY_STAGE, bytes([LOWEST]))
    aside.poke(OWN_SPEED, (999).to_bytes(2, "big"))  # so that it comes first
    for button in (Button.LEFT, Button.UP):
        aside.press(button)
    listed = aside.press(Button.A, hold=4, settle=20).menu
    if listed is None or listed.kind is not MenuKind.MOVES:
        return None
    for _ in range(listed.current - 1):
        aside.press(Button.UP)
    before = int.from_bytes(aside.ram.span(ENEMY_HP, 2), "big")
    used = False
    for ram in _played(aside):
        used = used or (ram.byte(OWN_MOVE) == move and ram.byte(TURN) == 0)
        if int.from_bytes(ram.span(ENEMY_HP, 2), "big") < before:
            return True
        if used and ram.byte(MOVE_MISSED) and ram.byte(TURN) == 0:
            return False
        if used and ram.byte(TURN) == 1:
            return None
    return None


def _played(aside: Aside) -> Iterable[Ram]:
    """Choose what the cursor is at, and read on, frame by frame."""
    yield from aside.frames(Button.A, 4)
    for _ in range(LONGEST // 20):
        yield from aside.frames(None, 10)
        yield from aside.frames(Button.B, 10)


def _is_impossible(good: int, tries: int, chance: Fraction) -> bool:
    """Say whether so many or more, or so few or fewer, successes are as good as impossible."""
    at_least = sum(_exactly(each, tries, chance) for each in range(good, tries + 1))
    at_most = sum(_exactly(each, tries, chance) for each in range(good + 1))
    return min(at_least, at_most) < IMPOSSIBLE


def _exactly(good: int, tries: int, chance: Fraction) -> Fraction:
    return comb(tries, good) * chance**good * (1 - chance) ** (tries - good)
