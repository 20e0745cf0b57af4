"""Facts about battles: the numbers of both sides, the damage of each hit, and chances tested many times."""

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from math import comb
from typing import Final

from agent.tools.verify.fact import IN_BATTLE, FactWatcher, Sandbox, Trial
from emulator import (
    Battle,
    BattleKind,
    BattleMon,
    Button,
    MenuKind,
    Phase,
    Ram,
    State,
    Volatile,
    read_state,
    symbol,
)
from emulator.engine import NOT_COUNTED, ROUTINES
from emulator.ram import ENEMY, OWN, BattleType, Stats, read_battle_mon
from emulator.rules import (
    MOVE_COUNTER,
    ONE_HIT,
    ROLLS,
    SPECIAL_DAMAGE,
    SUPER_FANG,
    Attacker,
    Defender,
    full_damage,
    hit_chance,
    rolled,
    run_chance,
    stats_of,
)

TRAINER_DVS: Final = (9, 8, 8, 8)
FIRST_TRAINER: Final = 200
GYM: Final = symbol("wGymLeaderNo")
AI_USES: Final = symbol("wAICount")
AI_TURNS: Final = symbol("wAILayer2Encouragement")
THIRD: Final = 2


class BattleWatcher(FactWatcher):
    """Checks battles while their main menu waits."""

    def after_step(self, state: State) -> None:
        """Check a battle whose menu waits."""
        battle = state.battle
        if battle is None or battle.phase is not Phase.MAIN_MENU:
            return
        if battle.type is not BattleType.NORMAL:
            return
        checks = {"battles.kind": _kind(battle), "battles.enemy": self._enemy(battle)}
        if battle.is_trainer:
            checks["battles.trainer"] = self._trainer(battle)
            checks["battles.third_move"] = self._third_move(battle, state.ram.byte(GYM))
            checks["battles.remedy"] = _remedy(battle, state.ram)
        checks |= {"battles.own": _own(battle, state), "battles.pp": _pp(battle, state)}
        self.log.record_all(checks, state.ram, state.frame)

    def _enemy(self, battle: Battle) -> str | None:
        mon = battle.enemy
        if mon is None:
            return "no enemy is able to fight"
        known = self.dex.all_species.get(mon.species)
        if known is None or mon.transformed:
            return None
        return _stat_difference(mon, stats_of(known.base, mon.dvs, mon.level))

    def _trainer(self, battle: Battle) -> str | None:
        known = self.dex.all_trainers.get(battle.trainer_class)
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

    def _third_move(self, battle: Battle, gym: int) -> str | None:
        """Return the difference in the moves of the mon that has one of its own; None without such a mon."""
        special = self.dex.lone_moves.get(gym) or self.dex.team_moves.get(battle.trainer_class)
        if special is None or special.place >= len(battle.enemy_party):
            return None
        mon = battle.enemy_party[special.place]
        known = self.dex.all_species.get(mon.species)
        moves = known.moves_at(mon.level) if known is not None else ()
        wanted = (*moves[:THIRD], special.move, *moves[THIRD + 1 :])
        seen = tuple([each.move for each in mon.moves])
        return None if seen == wanted else f"moves {seen}, not {wanted}"


def _kind(battle: Battle) -> str | None:
    is_class = battle.opponent > FIRST_TRAINER
    if is_class is (battle.kind is BattleKind.TRAINER):
        return None
    return f"wIsInBattle {battle.kind.value} with wCurOpponent {battle.opponent}"


def _remedy(battle: Battle, ram: Ram) -> str | None:
    """Return what is wrong with the count of items left; it is set in the first turn of each of the trainer's."""
    left, turns = ram.byte(AI_USES), ram.byte(AI_TURNS)
    most = int(ROUTINES[battle.trainer_class][0]) if battle.trainer_class < len(ROUTINES) else 0
    fits = left <= most or (left == NOT_COUNTED and not turns)
    return None if fits else f"{left} items left after {turns} turns, not at most {most}"


def _own(battle: Battle, state: State) -> str | None:
    mon = battle.own
    if mon is None:
        return "no team member is able to fight"
    if mon.transformed:
        return None
    member = state.party[mon.position]
    if mon.level != member.level:
        return f"level {mon.level} in battle, {member.level} in the team"
    return _stat_difference(mon, member.stats)


def _pp(battle: Battle, state: State) -> str | None:
    mon = battle.own
    if mon is None or mon.transformed:
        return None
    member = state.party[mon.position]
    own, team = [each.pp for each in mon.moves], [each.pp for each in member.moves]
    same = [each.move for each in mon.moves] == [each.move for each in member.moves]
    return None if own == team or not same else f"PP {own} in battle, {team} in the team"


def _stat_difference(mon: BattleMon, wanted: Stats) -> str | None:
    seen = mon.unmodified
    return None if seen == wanted else f"stats {tuple(seen)}, not {tuple(wanted)}"


TURN: Final = symbol("hWhoseTurn")
DAMAGE: Final = symbol("wDamage")
CRITICAL: Final = symbol("wCriticalHitOrOHKO")
MISSED: Final = symbol("wMoveMissed")
NOT_BY_FORMULA: Final = (SPECIAL_DAMAGE, SUPER_FANG, ONE_HIT)
FIGHTS: Final = (1, 2)


# Indexed by the side that moves: the HP of the side that is hit, and the number of the move.
TARGET_HP: Final = (symbol("wEnemyMonHP"), symbol("wBattleMonHP"))
MOVE_USED: Final = (symbol("wPlayerMoveNum"), symbol("wEnemyMoveNum"))
SIDES: Final = ((OWN, ENEMY), (ENEMY, OWN))


class DamageWatcher(FactWatcher):
    """Checks every loss of HP on the side that does not move."""

    _hit: tuple[int, Ram] | None = None  # the side that moves, and RAM before the hit

    def frame(self, before: Ram, now: Ram, button: Button | None, number: int) -> None:
        """Detect a loss of HP; its cause is read one frame later, when both bytes are written."""
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
        at = TARGET_HP[turn]
        if _word(now, at) < _word(before, at):
            self._hit = (turn, before)

    def _look(self, turn: int, before: Ram, now: Ram, number: int) -> None:
        user, target = [read_battle_mon(before, side, 0) for side in SIDES[turn]]
        move = self.dex.all_moves.get(now.byte(MOVE_USED[turn]))
        if user is None or target is None or move is None or now.byte(MISSED):
            return
        if _is_another(target, read_battle_mon(now, SIDES[turn][1], 0)):
            return  # a switch: another mon with fewer HP came in
        if not move.power or move.number == MOVE_COUNTER or move.effect in NOT_BY_FORMULA:
            return
        lost = _word(before, TARGET_HP[turn]) - _word(now, TARGET_HP[turn])
        taken, critical = _word(now, DAMAGE), now.byte(CRITICAL) == 1
        if lost != min(taken, target.hp) or _loses_hp_by_status(target):
            return  # the loss has another cause, or more than one
        species = self.dex.all_species.get(user.species)
        speed = species.base.speed if species is not None else 0
        full = full_damage(
            Attacker.of(user, speed), Defender.of(target), move, self.dex.rules, critical=critical
        )
        amounts = {rolled(full, roll) for roll in ROLLS}
        fits = lost in amounts or (lost == target.hp and max(amounts) >= lost)
        low, high = min(amounts), max(amounts)
        attack = f"move {move.number} of species {user.species} at level {user.level}"
        seen = None if fits else f"{attack} took {lost}, not {low} to {high}"
        self.log.record("battles.damage", seen, now, number)


def _is_another(before: BattleMon, now: BattleMon | None) -> bool:
    if now is None:
        return True
    return (before.species, before.level, before.dvs) != (now.species, now.level, now.dvs)


def _loses_hp_by_status(mon: BattleMon) -> bool:
    """Return whether a mon may lose HP in a turn without being hit."""
    has_damaging_status = mon.status.poisoned or mon.status.burned
    return has_damaging_status or bool(mon.volatile & (Volatile.SEEDED | Volatile.CONFUSED))


def _word(ram: Ram, at: int) -> int:
    return int.from_bytes(ram.span(at, 2), "big")


ACCURACY: Final = "battles.accuracy"
RUN: Final = "battles.run"
OWN_STAGES: Final = symbol("wPlayerMonStatMods")
ACCURACY_STAGE: Final = 4
LOWEST: Final = 1
NEUTRAL: Final = 7
OWN_SPEED: Final = symbol("wBattleMonSpeed")
ENEMY_SPEED: Final = symbol("wEnemyMonSpeed")
RUN_TRIES: Final = symbol("wNumRunAttempts")
RESULT: Final = symbol("wBattleResult")
LEFT: Final = 2  # of wBattleResult
SPEEDS: Final = (30, 80)  # 49 of 256
TRIES: Final = 28
APART: Final = 7  # frames between the beginnings of two tries
LONGEST: Final = 400  # frames until the result of a try shows
IMPOSSIBLE: Final = Fraction(1, 10**9)  # a less probable count is not chance


class ChanceTrials(Trial):
    """Tries to run, and to hit with the lowest accuracy, from the menu of a battle."""

    def is_ready(self, state: State) -> bool:
        """Return whether a battle menu waits that allows a test not done yet."""
        battle = state.battle
        if battle is None or battle.phase is not Phase.MAIN_MENU:
            return False
        return self._can_test_running(battle) or self._can_test_accuracy(battle)

    def run(self, sandbox: Sandbox, state: State) -> None:
        """Run the tests not done yet."""
        battle = state.battle
        if battle is None:
            return
        if self._can_test_running(battle):
            self.tried[RUN] += 1
            self._run(sandbox, state)
            sandbox.restore()
        if self._can_test_accuracy(battle):
            self.tried[ACCURACY] += 1
            self._hit(sandbox, state, battle)

    def _run(self, sandbox: Sandbox, state: State) -> None:
        own, other = SPEEDS
        chance = run_chance(own, other, 1)
        self._judge(RUN, [flees(sandbox, own, other, n) for n in range(TRIES)], chance, state)
        for each in [flees(sandbox, other, own, n) for n in range(3)]:
            if each is not None:
                seen = None if each else f"no escape with Speed {other} against {own}"
                self.log.record("battles.run_sure", seen, state.ram, state.frame)

    def _hit(self, sandbox: Sandbox, state: State, battle: Battle) -> None:
        own, enemy = battle.own, battle.enemy
        if own is None or enemy is None:
            return
        move = self.dex.all_moves[own.moves[0].move]
        attacker = replace(Attacker.of(own, 0), accuracy=LOWEST - NEUTRAL)
        chance = hit_chance(attacker, Defender.of(enemy), move, self.dex.rules)
        tried = [_hits(sandbox, move.number, n) for n in range(TRIES)]
        self._judge(ACCURACY, tried, chance, state)

    def _can_test_running(self, battle: Battle) -> bool:
        return RUN not in self.tried and battle.is_wild

    def _can_test_accuracy(self, battle: Battle) -> bool:
        own, enemy = battle.own, battle.enemy
        if ACCURACY in self.tried or own is None or enemy is None:
            return False
        move = self.dex.all_moves.get(own.moves[0].move) if own.moves else None
        is_plain = move is not None and move.power > 0 and move.effect == 0 and own.moves[0].pp > 0
        hampered = own.status != (0, False, False, False, False) or bool(own.volatile)
        hits = move is not None and self.dex.rules.chart.multiplier(move.type, enemy.types) > 0
        return is_plain and hits and not hampered and not enemy.volatile

    def _judge(self, fact: str, results: list[bool | None], chance: Fraction, state: State) -> None:
        tried = [each for each in results if each is not None]
        if len(tried) < TRIES // 2:
            return  # too many tries were interrupted
        good = sum(tried)
        seen = f"{good} of {len(tried)} tries succeeded, with a chance of {float(chance):.0%} each"
        wrong = seen if _is_impossible(good, len(tried), chance) else None
        self.log.record(fact, wrong, state.ram, state.frame)


def flees(sandbox: Sandbox, own: int, other: int, number: int) -> bool | None:
    """Return whether running from here succeeded, or None when the try was interrupted."""
    sandbox.restore()
    sandbox.wait(4 + APART * number)
    sandbox.poke(OWN_SPEED, own.to_bytes(2, "big"))
    sandbox.poke(ENEMY_SPEED, other.to_bytes(2, "big"))
    sandbox.poke(RUN_TRIES, b"\0")
    for button in (Button.RIGHT, Button.DOWN):
        sandbox.press(button)
    menu = sandbox.state.menu
    if menu is None or menu.kind is not MenuKind.BATTLE_RIGHT or menu.current != 1:
        return None
    sandbox.press(Button.A, hold=4, settle=20)
    for _ in range(LONGEST // 20):
        ram = sandbox.ram
        if ram.byte(RESULT) == LEFT or not ram.byte(IN_BATTLE):
            return True
        if ram.byte(RUN_TRIES) == 0 or read_state(ram, 0).menu is not None:
            return None
        if ram.byte(TURN) == 1:
            return False
        sandbox.press(Button.B, hold=4, settle=16)
    return None


def _hits(sandbox: Sandbox, move: int, number: int) -> bool | None:
    """Return whether the first move hit, used from here, or None when it was not used."""
    sandbox.restore()
    sandbox.wait(4 + APART * number)
    sandbox.poke(OWN_STAGES + ACCURACY_STAGE, bytes([LOWEST]))
    sandbox.poke(OWN_SPEED, (999).to_bytes(2, "big"))  # so that the player moves first
    for button in (Button.LEFT, Button.UP):
        sandbox.press(button)
    listed = sandbox.press(Button.A, hold=4, settle=20).menu
    if listed is None or listed.kind is not MenuKind.MOVES:
        return None
    for _ in range(listed.current - 1):
        sandbox.press(Button.UP)
    before = _word(sandbox.ram, TARGET_HP[0])
    used = False
    for ram in _played(sandbox):
        used = used or (ram.byte(MOVE_USED[0]) == move and ram.byte(TURN) == 0)
        if _word(ram, TARGET_HP[0]) < before:
            return True
        if used and ram.byte(MISSED) and ram.byte(TURN) == 0:
            return False
        if used and ram.byte(TURN) == 1:
            return None
    return None


def _played(sandbox: Sandbox) -> Iterable[Ram]:
    """Select the item at the cursor and advance the text, yielding RAM frame by frame."""
    yield from sandbox.frames(Button.A, 4)
    for _ in range(LONGEST // 20):
        yield from sandbox.frames(None, 10)
        yield from sandbox.frames(Button.B, 10)


def _is_impossible(good: int, tries: int, chance: Fraction) -> bool:
    """Return whether at least, or at most, this number of successes is practically impossible."""
    exactly = [comb(tries, n) * chance**n * (1 - chance) ** (tries - n) for n in range(tries + 1)]
    return min(sum(exactly[good:]), sum(exactly[: good + 1])) < IMPOSSIBLE
