"""Facts of battles: who fights with which numbers, the damage of each hit, and chances tried out many times."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from math import comb
from typing import Final, NamedTuple

from agent.tools.verify.console import Aside
from agent.tools.verify.fact import Fact, FactLog, Onlooker
from emulator import (
    Attacker,
    Battle,
    BattleKind,
    BattleMon,
    BattleType,
    Button,
    Defender,
    Dex,
    MenuKind,
    Phase,
    Ram,
    State,
    Stats,
    Volatile,
    hit_chance,
    read_state,
    run_chance,
    stats_of,
)
from emulator.profile import symbol
from emulator.ram.battle_mon import ENEMY, OWN, read_battle_mon
from emulator.rules.damage import ROLLS, full_damage, rolled
from emulator.rules.moves import FIXED, HALF, LAST, ONE_HIT

KIND: Final = Fact(
    "battles.kind",
    "wIsInBattle is 2 exactly where wCurOpponent is a class of trainers plus 200, and 1 where it is a species.",
    "engine.md 7.1: variables",
)
ENEMY_STATS: Final = Fact(
    "battles.enemy",
    "The stats of who stands against one are those of its species' base stats, DVs and level, without stat experience.",
    "formats.md 1.7: stat formulas",
)
TRAINER: Final = Fact(
    "battles.trainer",
    "A trainer's mons are those of his set in the table of parties, with DVs 9, 8, 8, 8.",
    "formats.md 1.7: trainer mons",
)
OWN_STATS: Final = Fact(
    "battles.own",
    "The own mon fights with the level, maximum HP and unmodified stats that it has in the team.",
    "formats.md 1.6: battle mon",
)
PP: Final = Fact(
    "battles.pp",
    "A use of a move takes one of its PP, from the mon that fights and from the team's alike.",
    "formats.md 1.6: PP in battle",
)

TRAINER_DVS: Final = (9, 8, 8, 8)
FIRST_TRAINER: Final = 200
NO_MOVE: Final = (0, 165)


class BattleWatcher(Onlooker):
    """Looks at battles while their main menu waits."""

    facts = (KIND, ENEMY_STATS, TRAINER, OWN_STATS, PP)

    def __init__(self, notebook: FactLog, dex: Dex) -> None:
        super().__init__(notebook)
        self._dex = dex

    def moment(self, state: State) -> None:
        """Look at a battle whose menu waits."""
        battle = state.battle
        if battle is None or battle.phase is not Phase.MAIN_MENU:
            return
        if battle.type is not BattleType.NORMAL:
            return
        looks = (
            (KIND, _kind(battle)),
            (ENEMY_STATS, self._enemy(battle)),
            (TRAINER, self._trainer(battle)),
            (OWN_STATS, _own(battle, state)),
            (PP, _pp(battle, state)),
        )
        for fact, seen in looks:
            if fact is not TRAINER or battle.is_trainer:
                self.notebook.judge(fact, seen, state.ram, state.frame)

    def _enemy(self, battle: Battle) -> str | None:
        mon = battle.enemy
        if mon is None:
            return "nobody whole stands against the player"
        known = self._dex.all_species.get(mon.species)
        if known is None or mon.transformed:
            return None
        return _unlike(mon, stats_of(known.base, mon.dvs, mon.level))

    def _trainer(self, battle: Battle) -> str | None:
        known = self._dex.all_trainers.get(battle.trainer_class)
        if known is None or battle.trainer_number not in range(1, len(known.teams) + 1):
            return f"class {battle.trainer_class} has no set {battle.trainer_number}"
        team = [(each.level, each.species) for each in known.teams[battle.trainer_number - 1]]
        seen = [(each.level, each.species) for each in battle.enemy_party.mons]
        if seen != team:
            return f"levels and species {seen}, not {team}"
        mon = battle.enemy
        if mon is not None and not mon.transformed and tuple(mon.dvs) != TRAINER_DVS:
            return f"DVs {tuple(mon.dvs)}"
        return None


def _kind(battle: Battle) -> str | None:
    is_class = battle.opponent > FIRST_TRAINER
    if is_class is (battle.kind is BattleKind.TRAINER):
        return None
    return f"wIsInBattle {battle.kind.value} with wCurOpponent {battle.opponent}"


def _own(battle: Battle, state: State) -> str | None:
    mon = battle.own
    if mon is None:
        return "nobody whole fights for the player"
    if mon.transformed:
        return None
    member = state.party[mon.position]
    if mon.level != member.level:
        return f"level {mon.level} in battle, {member.level} in the team"
    return _unlike(mon, member.stats)


def _pp(battle: Battle, state: State) -> str | None:
    mon = battle.own
    if mon is None or mon.transformed:
        return None
    member = state.party[mon.position]
    own, team = [each.pp for each in mon.moves], [each.pp for each in member.moves]
    same = [each.move for each in mon.moves] == [each.move for each in member.moves]
    return None if own == team or not same else f"PP {own} in battle, {team} in the team"


def _unlike(mon: BattleMon, wanted: Stats) -> str | None:
    seen = mon.unmodified
    return None if seen == wanted else f"stats {tuple(seen)}, not {tuple(wanted)}"


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


class DamageWatcher(Onlooker):
    """Looks at every loss of HP of the side whose turn it is not."""

    facts = (DAMAGE,)

    def __init__(self, notebook: FactLog, dex: Dex) -> None:
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
OWN_MOVE: Final = symbol("wPlayerMoveNum")
LEFT: Final = 2  # of wBattleResult
SPEEDS: Final = (30, 80)  # 49 of 256
TRIES: Final = 28
APART: Final = 7  # frames between the beginnings of two tries
LONGEST: Final = 400  # frames until a try has shown what came of it
IMPOSSIBLE: Final = Fraction(1, 10**9)  # so unlikely a count is no chance any more


class ChanceTrials:
    """Runs, and uses a move with the lowest accuracy, from the menu of a battle."""

    facts = (ACCURACY, RUN, RUN_SURE)

    def __init__(self, notebook: FactLog, dex: Dex) -> None:
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
