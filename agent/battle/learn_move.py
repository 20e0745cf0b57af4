"""Which move to forget for a new one."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, TypeVar

from emulator import Dex, PartyMon, State, rules
from emulator.ram import MoveOffer, read_offer

HM_MOVES: Final = frozenset({15, 19, 57, 70, 148})  # cannot be forgotten
BYTE: Final = 255
SPECIAL_DAMAGE: Final = 40  # assumed power of moves with fixed damage
RARE_USE: Final = 0.25  # factor for moves that are rarely useful
STATUS: Final = {
    rules.SLEEP: 30.0,
    rules.PARALYZE: 24.0,
    rules.LEECH_SEED: 20.0,
    rules.HEAL: 24.0,
    rules.CONFUSE: 16.0,
    rules.POISON: 14.0,
    rules.REFLECT: 8.0,
}
STAGE: Final = 3.0
NEXT_STATUS: Final = 0.35  # factor for each further status move
SLOTS: Final = 4
DEPTH: Final = 0.1  # weight of all attacks beside the type coverage of the best


Slot = TypeVar("Slot", int, int | None)


class MoveReplacement(NamedTuple):
    """The slot for a new move, and the value that the moveset loses by it."""

    slot: int
    loss: float


def offered_move(dex: Dex, state: State) -> MoveOffer | None:
    """Return the move that the game offers to teach, or None when it asks something else."""
    position, move = read_offer(state.ram)
    mons = list(enumerate(state.party.mons))
    able = [at for at, mon in mons if _could_learn(dex, mon, move)]
    if not able:
        return None
    return MoveOffer(position if position in able else able[0], move)


def slot_to_forget(dex: Dex, mon: PartyMon, move: int) -> int | None:
    """Return the slot of the least valuable move, or None when that is the new move.

    HM moves and the last damaging move are never forgotten.
    """
    known = [each.move for each in mon.moves]
    choices: dict[int | None, list[int]] = {None: known}
    choices.update(_replaced(mon, move))
    choices = _with_attack(dex, choices)
    return max(choices, key=lambda slot: (_score(dex, mon, choices[slot]), slot is None))


def replacement_for(dex: Dex, mon: PartyMon, move: int) -> MoveReplacement | None:
    """Return the slot for a required move, or None when no move can be forgotten for it."""
    known = [each.move for each in mon.moves]
    if len(known) < SLOTS:
        return MoveReplacement(len(known), 0.0)
    choices = _with_attack(dex, dict(_replaced(mon, move)))
    if not choices:
        return None
    best = max(choices, key=lambda slot: _score(dex, mon, choices[slot]))
    return MoveReplacement(best, _score(dex, mon, known) - _score(dex, mon, choices[best]))


def _replaced(mon: PartyMon, move: int) -> Iterator[tuple[int, list[int]]]:
    """Yield each replaceable slot, with the moveset after `move` has replaced it."""
    known = [each.move for each in mon.moves]
    for slot, given_up in enumerate(known):
        if given_up not in HM_MOVES:
            yield slot, [*known[:slot], move, *known[slot + 1 :]]


def _with_attack(dex: Dex, choices: dict[Slot, list[int]]) -> dict[Slot, list[int]]:
    """Return the choices that contain a damaging move, or all choices when none does."""
    attacks = {number for number, move in dex.all_moves.items() if _power(move)}
    return {slot: moves for slot, moves in choices.items() if attacks & set(moves)} or choices


def _could_learn(dex: Dex, mon: PartyMon, move: int) -> bool:
    species, known = dex.all_species.get(mon.species), [each.move for each in mon.moves]
    if species is None or move not in dex.all_moves or move in known or len(known) < SLOTS:
        return False
    return any(each.move == move and each.level == mon.level for each in species.level_up_moves)


def _score(dex: Dex, mon: PartyMon, moves: Sequence[int]) -> float:
    """Return the average damage of a moveset against all species, plus a small value for status moves."""
    records = [dex.all_moves[move] for move in moves if move in dex.all_moves]
    attacks = [(move.type, _attack_value(mon, move)) for move in records if _power(move)]
    targets = [species.types for species in dex.all_species.values()]
    covered = sum(
        max(
            (value * float(dex.rules.chart.multiplier(type_, types)) for type_, value in attacks),
            default=0.0,
        )
        for types in targets
    )
    others = sorted((_status_value(move) for move in records if not move.power), reverse=True)
    helped = sum(value * NEXT_STATUS**at for at, value in enumerate(others))
    return covered / max(len(targets), 1) + DEPTH * sum(value for _, value in attacks) + helped


def _power(move: rules.MoveData) -> float:
    """Return the effective power of a move before accuracy; 0 for a status move."""
    if move.number == rules.MOVE_COUNTER or move.effect in (rules.DREAM_EATER, rules.EXPLODE):
        return move.power * RARE_USE
    if move.effect in (*rules.CHARGES, rules.HYPER_BEAM):
        return move.power / 2
    if move.effect in rules.SEVERAL_HITS:
        return move.power * 3
    hits = 2 if move.effect in rules.TWO_HITS else 1
    return SPECIAL_DAMAGE if move.power == 1 else move.power * hits


def _attack_value(mon: PartyMon, move: rules.MoveData) -> float:
    stab = 1.5 if move.type in mon.types else 1.0
    stat = mon.stats.special if move.special else mon.stats.attack
    strength = stat / max(mon.stats.attack, mon.stats.special, 1)
    return _power(move) * move.accuracy / BYTE * stab * strength


def _status_value(move: rules.MoveData) -> float:
    change = rules.stage_change(move.effect)
    value = STAGE * abs(change.by) if change else STATUS.get(move.effect, 2.0)
    return value * move.accuracy / BYTE
