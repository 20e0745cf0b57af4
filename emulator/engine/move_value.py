"""What moves are worth to a playout: attacks by their damage, others by the damage that they spare until the foe is down."""

from typing import Final, TypeAlias

from emulator.compiled import compiled
from emulator.engine.hit import (
    after_types,
    critical_threshold,
    damage_before_types,
    load_move,
    scaled_accuracy,
    special_damage,
)
from emulator.engine.stages import HIGHEST_STAGE, stat_of
from emulator.rules import codes, effects
from emulator.rules.arithmetic import LOWEST_STAGE
from emulator.rules.moves import SPECIAL_TYPES
from emulator.rules.position import Position, Tables

HITS: Final = 3  # of a move with several: on average
# What a hit of a trapping move is worth while the target does nothing: a faster user leaves it the turns of its misses,
# a slower one a turn of each use.
TRAPS_FIRST: Final = 4
TRAPS_LATER: Final = 2
CERTAIN: Final = 256.0
USELESS: Final = 1e9  # turns
TO_COME: Final = 0.3  # part of what a raised stat spares that it spares again with each foe to come
LONG: Final = 40.0  # turns; of a foe that no attack hurts
# Turns of the foe that a status takes from it, on average, and what paralysis leaves of them.
SLEPT: Final = 4.0
CONFUSED_TURNS: Final = 1.4
PARALYZED_PART: Final = 0.75
# The turns until the foe is down, the kind of the best attack, and the damage taken in a turn: all, physical, special.
Outlook: TypeAlias = tuple[float, float, float, float, float]
RESTED: Final = 2  # turns of sleep after Rest
SIXTEENTH: Final = 16
ANY_DAMAGE: Final = 10
FIXED, PHYSICAL, BY_SPECIAL = range(3)
GRASS, POISON_TYPE, ELECTRIC = 0x16, 0x03, 0x17


@compiled
def loaded(position: Position, side: int) -> tuple[int, int, int, int, int]:
    """Return the loaded move of a side."""
    move = position.sides[side].move
    return int(move.number), int(move.effect), int(move.power), int(move.type), int(move.accuracy)


@compiled
def reload(position: Position, side: int, kept: tuple[int, int, int, int, int]) -> None:
    """Put back a loaded move."""
    move = position.sides[side].move
    move.number, move.effect, move.power, move.type, move.accuracy = kept


@compiled
def expected_damage(position: Position, side: int, slot: int, tables: Tables) -> int:
    """Return about 256 times the damage that a move does on average, at most the target's HP."""
    user, target = position.sides[side], position.sides[1 - side]
    load_move(position, side, int(user.moves[slot]), tables)
    effect = user.move.effect
    if effect == effects.SUPER_FANG:
        damage = int(target.hp) // 2
    elif effect == effects.SPECIAL_DAMAGE:
        damage = special_damage(position, side)
    elif effect == effects.ONE_HIT:
        damage = int(target.hp) * int(user.stats[codes.SPEED] >= target.stats[codes.SPEED])
    else:
        position.critical = 0
        damage = after_types(position, side, tables, damage_before_types(position, side))
        if effect in effects.SEVERAL_HITS:
            damage *= HITS
        elif effect in (effects.TWICE, effects.TWINEEDLE):
            damage *= 2
    return min(damage, int(target.hp)) * (scaled_accuracy(position, side, tables) + 1)


@compiled
def sure_knock_out(position: Position, side: int, tables: Tables) -> int:
    """Return the most that the loaded move can be worth: what a hit is that takes all HP."""
    return int(position.sides[1 - side].hp) * (scaled_accuracy(position, side, tables) + 1)


@compiled
def attack_value(position: Position, side: int, slot: int, tables: Tables) -> int:
    """Return the expected damage of a move for each turn that it takes."""
    user, target = position.sides[side], position.sides[1 - side]
    damage = expected_damage(position, side, slot, tables)
    effect, number = int(user.move.effect), int(user.move.number)
    if number == effects.MOVE_COUNTER or (
        effect == effects.DREAM_EATER and not target.status & codes.ASLEEP
    ):
        return 0
    if tables.moves[number].high_critical:
        base_speed = int(tables.species[user.species].base_stats[codes.SPEED + 1])
        critical = critical_threshold(base_speed, int(user.volatile & codes.FOCUSED != 0), 1)
        return min(damage + damage * critical // 256, sure_knock_out(position, side, tables))
    if effect == effects.EXPLODE:
        return damage // 8
    if effect in (effects.CHARGE, effects.FLY):
        return damage // 2
    if effect == effects.HYPER_BEAM and damage < int(target.hp) * 200:
        return damage * 5 // 8
    if effect == effects.TRAP:
        is_first = user.stats[codes.SPEED] > target.stats[codes.SPEED]
        damage *= TRAPS_FIRST if is_first else TRAPS_LATER
        return min(damage, sure_knock_out(position, side, tables))
    # Of two attacks that knock out, the one that goes first.
    return damage + int(number == effects.MOVE_QUICK_ATTACK)


@compiled
def best_attack_value(position: Position, side: int, tables: Tables) -> int:
    """Return the value of the best attack with PP; what was loaded before stays so."""
    mon = position.sides[side]
    own, most = loaded(position, side), 0
    for slot in range(codes.SLOTS):
        if mon.moves[slot] and mon.pp[slot]:
            most = max(most, attack_value(position, side, slot, tables))
    reload(position, side, own)
    return most


@compiled
def kind_of(position: Position, side: int) -> int:
    """Return from which stats the damage of the loaded move comes: FIXED, PHYSICAL or BY_SPECIAL."""
    move = position.sides[side].move
    if move.effect in (effects.SUPER_FANG, effects.SPECIAL_DAMAGE, effects.ONE_HIT):
        return FIXED
    return BY_SPECIAL if move.type >= SPECIAL_TYPES else PHYSICAL


@compiled
def outlook(position: Position, side: int, most: int, kind: int, tables: Tables) -> Outlook:
    """Return what awaits a side whose best attack does about `most` / 256 damage; the foe uses each move equally."""
    foe = position.sides[1 - side]
    taken = physical = special = count = 0
    for slot in range(codes.SLOTS):
        if not foe.moves[slot]:
            continue
        count += 1
        damage = expected_damage(position, 1 - side, slot, tables)
        by = kind_of(position, 1 - side)
        taken += damage
        physical += damage * int(by == PHYSICAL)
        special += damage * int(by == BY_SPECIAL)
    turns = min(max(CERTAIN * foe.hp / max(most, 1), 1.0), LONG)
    scale = CERTAIN * max(count, 1)
    return turns, float(kind), taken / scale, physical / scale, special / scale


@compiled
def taken_after(position: Position, side: int, slot: int, ahead: Outlook, tables: Tables) -> float:
    """Return the damage to be taken until the foe is down when a move that does none is used first."""
    user = position.sides[side]
    load_move(position, side, int(user.moves[slot]), tables)
    effect = int(user.move.effect)
    turns, _, every, _, _ = ahead
    if effect == effects.HEAL:
        return (1 + turns) * every - healed(position, side, every)
    stages = effects.ATTACK_UP_1 <= effect <= effects.EVASION_DOWN_1
    if stages or effects.ATTACK_UP_2 <= effect <= effects.EVASION_DOWN_2:
        left = left_after_stages(position, side, ahead, tables)
        if raises(effect):
            # What is raised stays so for the foes to come.
            left -= TO_COME * foes_to_come(position, side) * max(turns * every - left, 0.0)
    else:
        left = left_after_status(position, side, ahead, tables)
    return CERTAIN / (scaled_accuracy(position, side, tables) + 1) * every + left


@compiled
def raises(effect: int) -> bool:
    """Return whether an effect that changes a stage raises one of the user's."""
    return effect < effects.ATTACK_DOWN_1 or effects.ATTACK_UP_2 <= effect < effects.ATTACK_DOWN_2


@compiled
def foes_to_come(position: Position, side: int) -> int:
    """Return how many members of the other side can fight beside the one that is out."""
    foe, count = position.sides[1 - side], 0
    for place in range(foe.count):
        count += int(place != foe.out and foe.team[place].hp > 0)
    return count


@compiled
def healed(position: Position, side: int, every: float) -> float:
    """Return the HP that Recover or Rest gain, less what sleep costs; 0 above half of all HP."""
    user = position.sides[side]
    missing = float(user.max_hp - user.hp)
    if missing * 2 < user.max_hp:
        return 0.0
    if user.move.number == effects.MOVE_REST:
        return missing - RESTED * every
    return float(min(missing, user.max_hp / 2))


@compiled
def left_after_status(position: Position, side: int, ahead: Outlook, tables: Tables) -> float:
    """Return the damage still to be taken once the loaded move, which changes no stage, has worked; USELESS if it cannot."""
    user, target = position.sides[side], position.sides[1 - side]
    turns, _, every, physical, special = ahead
    effect = int(user.move.effect)
    # Of the foe's HP so much goes in the same time.
    with_ticks = 1 + turns * target.max_hp / SIXTEENTH / target.hp
    left = USELESS
    if effect == effects.REFLECT and not user.volatile & codes.REFLECT:
        left = turns * (every - physical / 2)
    elif effect == effects.LIGHT_SCREEN and not user.volatile & codes.LIGHT_SCREEN:
        left = turns * (every - special / 2)
    elif target.volatile & codes.SUBSTITUTE:
        pass
    elif effect == effects.CONFUSE and not target.volatile & codes.CONFUSED:
        left = max(turns - CONFUSED_TURNS, 0.0) * every
    elif effect == effects.LEECH_SEED and not target.volatile & codes.SEEDED:
        if GRASS not in (target.type1, target.type2):
            left = turns * (every - target.max_hp / SIXTEENTH) / with_ticks
    elif not target.status:
        left = left_with_major_status(position, side, turns, tables) * every
        left /= with_ticks if effect == effects.POISON else 1.0
    return left


@compiled
def left_with_major_status(position: Position, side: int, turns: float, tables: Tables) -> float:
    """Return the turns that a healthy foe still has when the loaded move gives it a major status."""
    user, target = position.sides[side], position.sides[1 - side]
    effect = user.move.effect
    if effect == effects.SLEEP:
        return max(turns - SLEPT, 0.0)
    if effect == effects.PARALYZE and (
        user.move.type != ELECTRIC or after_types(position, side, tables, ANY_DAMAGE)
    ):
        first = 1.0 if user.stats[codes.SPEED] <= target.stats[codes.SPEED] else 0.0
        return max(PARALYZED_PART * turns - first, 0.0)
    if effect == effects.POISON and POISON_TYPE not in (target.type1, target.type2):
        return turns
    return USELESS


@compiled
def left_after_stages(position: Position, side: int, ahead: Outlook, tables: Tables) -> float:
    """Return the damage still to be taken once the loaded move has changed a stage."""
    user, target = position.sides[side], position.sides[1 - side]
    turns, kind, every, physical, special = ahead
    effect = int(user.move.effect)
    stat, by = stat_of(effect), 2 if effect >= effects.ATTACK_UP_2 else 1
    is_up = raises(effect)
    if is_up:
        ratio = change(tables, int(user.stages[stat]), by)
    elif target.volatile & (codes.SUBSTITUTE | codes.MIST):
        return USELESS
    else:
        ratio = 1 / change(tables, int(target.stages[stat]), -by)
    if stat == codes.SPEED:
        slower = user.stats[codes.SPEED] <= target.stats[codes.SPEED]
        faster = user.stats[codes.SPEED] * ratio > target.stats[codes.SPEED]
        return (turns - 1.0 if slower and faster else turns) * every
    # Raised attack and lowered defense shorten the fight, the others weaken the foe.
    if stat in (codes.ACCURACY, codes.EVASION):
        return turns * every / ratio
    if stat == codes.SPECIAL:
        spared = special - special / ratio
        return (turns / ratio if kind == BY_SPECIAL else turns) * (every - spared)
    if (stat == codes.ATTACK) == is_up:
        return (turns / ratio if kind == PHYSICAL else turns) * every
    return turns * (every - physical + physical / ratio)


@compiled
def change(tables: Tables, stage: int, by: int) -> float:
    """Return by how much a stat is multiplied when its stage changes."""
    after = min(max(stage + by, LOWEST_STAGE), HIGHEST_STAGE) - LOWEST_STAGE
    before = stage - LOWEST_STAGE
    old = tables.numerators[before] / tables.denominators[before]
    return float(tables.numerators[after] / tables.denominators[after] / old)
