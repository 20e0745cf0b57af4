"""The turn engine beside turns that were played: whether it can play the same, and how likely what happened was."""

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from emulator.compiled import compiled
from emulator.engine.foe import choose_move
from emulator.engine.growth import evolve
from emulator.engine.stages import keep, send_out
from emulator.engine.turn import play_turn, send
from emulator.rules import codes
from emulator.rules.position import Position, Side, Tables, empty_positions
from tests.proofs.played_turns import PlayedTurn

COMMITTED: Final = codes.RECHARGING | codes.RAGING | codes.THRASHING | codes.CHARGING
# Samples until a turn counts as impossible; a turn of several attacks in which a foe draws from all moves needs the last.
ROUNDS: Final = (256, 4_096, 65_536, 1_048_576, 16_777_216)
FIELDS: Final = 400
LONGEST: Final = 200  # turns between two menus

TABLE: Final = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def _names(fields: Sequence[str]) -> list[str]:
    """Return the names of some fields, of which one with a count stands for several."""
    parts = [each.partition(" ") for each in fields]
    return [
        f"{name} {at}" if count else name
        for name, _, count in parts
        for at in range(int(count or 1))
    ]


_BOTH: Final = ("our", "their")
_SIDE: Final = _names(TABLE["side"])
_MEMBER: Final = _names(TABLE["member"])
_HIDDEN: Final = (
    *TABLE["hidden"],
    *(f"{side} {each}" for side in _BOTH for each in TABLE["hidden_of_a_side"]),
)
NAMES: Final = (
    *(f"{side} {each}" for side in _BOTH for each in _SIDE),
    *(
        f"{side} member {at} {each}"
        for side in _BOTH
        for at in range(codes.TEAM)
        for each in _MEMBER
    ),
    "bag",
    *_HIDDEN,
)
SHOWN: Final = len(NAMES) - len(_HIDDEN)  # fields before these are what a player can find out
PER_SIDE: Final = len(_SIDE)
PER_MEMBER: Final = len(_MEMBER)
TEAMS_FROM: Final = 2 * PER_SIDE
THEIR_TEAM: Final = TEAMS_FROM + codes.TEAM * PER_MEMBER
BAG_AT: Final = SHOWN - 1
MEMBER_MOVES: Final = PER_MEMBER - 2 * codes.SLOTS - codes.STATS - 1
SIDE_MOVES: Final = PER_SIDE - 2 * codes.SLOTS - 7


@compiled
def describe(position: Position, found: NDArray[np.int64]) -> None:
    """Write the fields of a position, in the order of NAMES; counters that do not count are 0."""
    at = 0
    for side in range(2):
        at = _describe_side(position.sides[side], found, at)
    for side in range(2):
        for place in range(codes.TEAM):
            at = _describe_member(position.sides[side].team[place], found, at)
    bag = 0
    for stack in range(len(position.bag_items)):
        item = int(position.bag_items[stack])
        bag += int(position.bag_counts[stack]) * item * (item + 100)
    at = _put(found, at, (bag, position.damage, position.gainers, position.participants))
    at = _put(found, at, (position.pay_day, position.run_attempts))
    at = _put(found, at, (position.ai_uses, position.ai_turns))
    for side in range(2):
        mon = position.sides[side]
        at = _put(found, at, (mon.selected, mon.used, mon.disabled_move))
        loaded = mon.move
        at = _put(found, at, (loaded.number, loaded.effect, loaded.power))
        at = _put(found, at, (loaded.type, loaded.accuracy))


@compiled
def _put(found: NDArray[np.int64], at: int, values: tuple[int, ...]) -> int:
    for value in values:
        found[at] = value
        at += 1
    return at


@compiled
def _put_all(found: NDArray[np.int64], at: int, values: NDArray[np.int64]) -> int:
    for place in range(len(values)):  # a slice would take seconds to compile
        found[at + place] = values[place]
    return at + len(values)


@compiled
def _describe_side(mon: Side, found: NDArray[np.int64], at: int) -> int:
    at = _put(found, at, (mon.out, mon.species, mon.level, mon.hp, mon.max_hp, mon.status))
    at = _put(found, at, (mon.type1, mon.type2, mon.volatile))
    at = _put_all(found, _put_all(found, at, mon.stats), mon.unmodified)
    at = _put_all(found, at, mon.stages)
    at = _put_all(found, _put_all(found, at, mon.moves), mon.pp)
    lasts = mon.volatile & (codes.BIDING | codes.THRASHING | codes.TRAPPING)
    at = _put(found, at, (mon.disabled, mon.disabled_turns))
    at = _put(found, at, (mon.confused if mon.volatile & codes.CONFUSED else 0,))
    at = _put(found, at, (mon.toxic if mon.volatile & codes.BADLY_POISONED else 0,))
    at = _put(found, at, (mon.attacks_left if lasts else 0,))
    at = _put(found, at, (mon.bide_damage if mon.volatile & codes.BIDING else 0,))
    return _put(found, at, (mon.substitute if mon.volatile & codes.SUBSTITUTE else 0,))


@compiled
def _describe_member(member: Side, found: NDArray[np.int64], at: int) -> int:
    at = _put(found, at, (member.species, member.level, member.hp, member.max_hp))
    at = _put(found, at, (member.status, member.exp))
    at = _put_all(found, at, member.stats)
    at = _put_all(found, _put_all(found, at, member.moves), member.pp)
    return _put_all(found, at, member.stat_exp)


@compiled
def play_to_menu(
    position: Position,
    choice: int,
    theirs: int,
    sent: NDArray[np.int64],
    changed: int,
    tables: Tables,
) -> int:
    """Play until the battle menu opens again, or to the end; return the outcome."""
    met, arrived = int(position.sides[codes.THEIRS].out), 0
    play_turn(position, choice, theirs, tables)
    for _ in range(LONGEST):
        if position.outcome == codes.WE_SEND and arrived < len(sent):
            send(position, codes.OURS, int(sent[arrived]), tables)
            arrived += 1
        elif position.outcome != codes.GOES_ON:
            break
        if (
            position.outcome == codes.GOES_ON
            and changed >= 0
            and position.sides[codes.THEIRS].out != met
        ):
            keep(position, codes.OURS)
            send_out(position, codes.OURS, changed, tables)
            position.gainers = position.participants = 1 << changed
            changed = -1
        if position.outcome == codes.GOES_ON:
            if not position.sides[codes.OURS].volatile & COMMITTED:
                break
            play_turn(position, codes.GO_ON, codes.DECIDES, tables)
    for side in (codes.OURS, codes.THEIRS):
        keep(position, side)
        if position.outcome == codes.GOES_ON:  # the game forgets it before the menu opens
            position.sides[side].volatile &= ~codes.FLINCHED
    return int(position.outcome)


@compiled
def closest(
    positions: NDArray[np.void],
    order: NDArray[np.int64],
    sent: NDArray[np.int64],
    ends: NDArray[np.int64],
    wanted: NDArray[np.int64],
    counted: NDArray[np.bool_],
    seeds: NDArray[np.int64],
    tables: Tables,
) -> tuple[int, int]:
    """Return the seed by which the engine comes closest to a turn, and the fields that differ, shown ones a thousandfold.

    `order` has our choice, the foe's, the place of a change, and whether some evolved; `positions` the position before,
    and room for another.
    """
    found = np.zeros(len(wanted), np.int64)
    best, fewest = -1, 1 << 40
    start, end = positions[0], positions[1]
    for seed in range(seeds[0], seeds[1]):
        positions[1] = start
        end.seed, end.draws = seed, 0
        outcome = play_to_menu(end, int(order[0]), int(order[1]), sent, int(order[2]), tables)
        fits = outcome == codes.GOES_ON and len(ends) == 0
        for each in ends:
            # Instead of sending another, the player may have run.
            fits = fits or outcome == each or (each == codes.RAN and outcome == codes.WE_SEND)
        if outcome == codes.WON and order[3]:
            evolve(end, tables)
        describe(end, found)
        differing = 0 if fits else 100_000
        for at in range(len(wanted)):
            if counted[at] and found[at] != wanted[at]:
                differing += 1_000 if at < SHOWN else 1
        if differing < fewest:
            best, fewest = seed, differing
        if fewest == 0:
            break
    return best, fewest


class Verdict(NamedTuple):
    """How close the engine comes to a turn: the samples it took, and the fields that differ then, shown and hidden."""

    samples: int
    shown: tuple[str, ...]
    hidden: tuple[str, ...]


def judged(turn: PlayedTurn, first_seed: int, tables: Tables, *, most: int = ROUNDS[-1]) -> Verdict:
    """Look for a turn of the engine that is the turn that was played, in at most so many samples."""
    positions = empty_positions(2)
    positions[0] = turn.before
    positions[0].turns = 0
    wanted, found = np.zeros(len(NAMES), np.int64), np.zeros(len(NAMES), np.int64)
    describe(turn.after, wanted)
    counted = fields_counted(turn)
    order = np.array([turn.choice, turn.foe_slot, turn.changed, _let_evolve(positions[0], turn)])
    sent, ends = np.array(turn.sent, np.int64), np.array(turn.ends, np.int64)
    seeds, fewest, best = np.array([first_seed, first_seed]), 1 << 40, -1
    for count in (each for each in ROUNDS if each <= most):
        seeds = np.array([seeds[1], first_seed + count])
        at, differing = closest(positions, order, sent, ends, wanted, counted, seeds, tables)
        if differing < fewest:
            best, fewest = at, differing
        if fewest < 1_000:
            break
    if fewest == 0:
        return Verdict(int(seeds[1]) - first_seed, (), ())
    positions[1] = positions[0]
    positions[1].seed, positions[1].draws = best, 0
    outcome = play_to_menu(positions[1], turn.choice, turn.foe_slot, sent, turn.changed, tables)
    if outcome == codes.WON and order[3]:
        evolve(positions[1], tables)
    describe(positions[1], found)
    words = [
        (at, f"{NAMES[at]}: {wanted[at]}, not {found[at]}")
        for at in range(len(NAMES))
        if counted[at] and found[at] != wanted[at]
    ]
    shown = [each for at, each in words if at < SHOWN]
    if fewest >= 100_000:
        shown.insert(0, f"outcome: {turn.ends}, not {outcome}")
    hidden = [each for at, each in words if at >= SHOWN]
    return Verdict(int(seeds[1]) - first_seed, tuple(shown), tuple(hidden))


def fields_counted(turn: PlayedTurn) -> NDArray[np.bool_]:
    """Return which fields are compared: after the end only our team and the bag; no moves where one was learned."""
    counted = np.ones(len(NAMES), np.bool_)
    ours, later = turn.before.sides[codes.OURS], turn.after.sides[codes.OURS]
    for place in range(codes.TEAM):
        at = TEAMS_FROM + place * PER_MEMBER
        if place >= ours.count:
            counted[at : at + PER_MEMBER] = False
        elif later.team[place].level > ours.team[place].level:
            counted[at + MEMBER_MOVES : at + MEMBER_MOVES + 2 * codes.SLOTS] = False
            counted[SIDE_MOVES : SIDE_MOVES + 2 * codes.SLOTS] = False
    if turn.ends:
        kept = counted[TEAMS_FROM:THEIR_TEAM].copy()
        counted[:] = False
        counted[TEAMS_FROM:THEIR_TEAM] = kept
        counted[BAG_AT] = True
        if turn.may_be_healed:
            _leave_out_healed(counted)
    return counted


def _leave_out_healed(counted: NDArray[np.bool_]) -> None:
    """Leave out what healing changes: after a defeat, or by the story, all are healed at once."""
    for place in range(codes.TEAM):
        for at in range(PER_MEMBER):
            if _MEMBER[at].split()[0] in ("hp", "status", "pp"):
                counted[TEAMS_FROM + place * PER_MEMBER + at] = False


def _let_evolve(before: Position, turn: PlayedTurn) -> bool:
    """Mark those that evolved after the turn, which may have reached their level earlier; return whether any did."""
    for place in range(before.sides[codes.OURS].count):
        member = before.sides[codes.OURS].team[place]
        member.can_evolve = int(turn.after.sides[codes.OURS].team[place].species != member.species)
    return bool(before.sides[codes.OURS].team["can_evolve"].any())


FEATURES: Final[Sequence[str]] = TABLE["features"]
HP_FEATURES: Final = 2


@compiled
def features(start: Position, end: Position, outcome: int, found: NDArray[np.int64]) -> None:
    """Write what happened between two positions, in the order of FEATURES."""
    for each in range(2):
        side = codes.THEIRS if each == 0 else codes.OURS
        mon, later = start.sides[side], end.sides[side]
        hp = int(later.team[mon.out].hp)
        found[each], found[2 + each] = hp, int(hp < mon.hp)
        stays = int(outcome == codes.GOES_ON and later.out == mon.out and hp > 0)
        found[4 + each] = stays * int(later.status != mon.status)
        found[6 + each] = stays * int((later.stages != mon.stages).any())
        found[8 + each] = stays * int(later.volatile != mon.volatile)
    found[10] = int(outcome not in (codes.GOES_ON, codes.WE_SEND))


@compiled
def sampled_features(
    positions: NDArray[np.void],
    order: NDArray[np.int64],
    sent: NDArray[np.int64],
    samples: int,
    seed: int,
    tables: Tables,
) -> NDArray[np.int64]:
    """Return the features of so many turns of the engine."""
    found = np.zeros((samples, 11), np.int64)
    start, end = positions[0], positions[1]
    for at in range(samples):
        positions[1] = start
        end.seed, end.draws = seed + at, 0
        outcome = play_to_menu(end, int(order[0]), int(order[1]), sent, int(order[2]), tables)
        features(start, end, outcome, found[at])
    return found


@compiled
def sampled_slots(
    positions: NDArray[np.void], samples: int, seed: int, tables: Tables
) -> NDArray[np.int64]:
    """Return how often the foe chooses each slot."""
    found = np.zeros(codes.SLOTS, np.int64)
    for at in range(samples):
        positions[1] = positions[0]
        positions[1].seed, positions[1].draws = seed + at, 0
        found[choose_move(positions[1], tables)] += 1
    return found
