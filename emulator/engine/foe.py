"""The computer's choices: moves of wild Pokemon and trainers, and the items and switches of trainer classes."""

from typing import Final

import numpy as np

from emulator.compiled import compiled
from emulator.engine.chance import random_byte
from emulator.engine.hit import load_move
from emulator.engine.stages import NOT_COUNTED, keep, next_member, put, raise_stage, send_out
from emulator.rules import codes, effects
from emulator.rules.position import CHOICES, Position, Tables

QUARTERS: Final = np.array([63, 127, 190, 256])  # of 256: where the slots end
INDIFFERENT: Final = 10
FORBIDDEN: Final = 80
NEUTRAL: Final = 0x10  # what the game compares with; it should be 10
SECOND_TURN: Final = 1
SETTING_UP: Final = 2
BY_TYPE: Final = 3


@compiled
def choose_move(position: Position, tables: Tables) -> int:
    """Return the slot of the foe's move (SelectEnemyMove)."""
    foe = position.sides[codes.THEIRS]
    candidates = np.zeros(codes.SLOTS, np.int64)
    put(candidates, foe.moves)
    if position.kind == codes.TRAINER:
        keep_preferred(position, candidates, tables)
    if foe.disabled:
        candidates[foe.disabled - 1] = 0
    if not candidates.any():
        return codes.NO_ONE
    while True:
        drawn = random_byte(position)
        slot = 0
        while drawn >= QUARTERS[slot]:
            slot += 1
        if candidates[slot]:
            return slot


@compiled
def keep_preferred(position: Position, candidates: np.ndarray, tables: Tables) -> None:
    """Leave the moves that the trainer class likes best (AIEnemyTrainerChooseMoves)."""
    choices = tables.classes[position.trainer_class].choices
    if choices[0] == 0:
        return
    foe = position.sides[codes.THEIRS]
    scores = np.full(codes.SLOTS, INDIFFERENT)
    if foe.disabled:
        scores[foe.disabled - 1] = FORBIDDEN
    for at in range(CHOICES):
        for slot in range(codes.SLOTS):
            if not choices[at] or not foe.moves[slot]:
                break
            load_move(position, codes.THEIRS, int(foe.moves[slot]), tables)
            scores[slot] += opinion(position, int(choices[at]), tables)
    best = FORBIDDEN
    for slot in range(codes.SLOTS):
        if foe.moves[slot]:
            best = min(best, scores[slot])
    for slot in range(codes.SLOTS):
        if scores[slot] != best:
            candidates[slot] = 0


@compiled
def opinion(position: Position, modification: int, tables: Tables) -> int:
    """Return what a modification adds to the score of the loaded move; less is better."""
    move = position.sides[codes.THEIRS].move
    if modification == SECOND_TURN:
        spoilt = move.effect in (1, effects.SLEEP, effects.POISON, effects.PARALYZE)
        return 5 if position.sides[codes.OURS].status and move.power == 0 and spoilt else 0
    if modification == SETTING_UP:
        sets_up = (
            effects.ATTACK_UP_1 <= move.effect < effects.BIDE
            or effects.ATTACK_UP_2 <= move.effect < effects.POISON
        )
        return -1 if position.ai_turns == 1 and sets_up else 0
    if modification == BY_TYPE:
        return opinion_by_type(position, tables)
    return 0


@compiled
def opinion_by_type(position: Position, tables: Tables) -> int:
    """Return -1 for a type that is very effective, 1 for one that is not if another move looks better.

    The first row of the type chart that fits decides, and status moves count like others.
    """
    foe, ours = position.sides[codes.THEIRS], position.sides[codes.OURS]
    kind = int(foe.move.type)
    tenths = NEUTRAL
    for at in range(tables.first_row[kind], tables.first_row[kind + 1]):
        row = tables.chart[at]
        if row.defending in (ours.type1, ours.type2):
            tenths = int(row.tenths)
            break
    if tenths == NEUTRAL:
        return 0
    if tenths > NEUTRAL:
        return -1
    better = 0
    for slot in range(codes.SLOTS):
        if foe.moves[slot] == 0:
            break
        load_move(position, codes.THEIRS, int(foe.moves[slot]), tables)
        other = foe.move
        if other.effect in (effects.SUPER_FANG, effects.SPECIAL_DAMAGE, effects.FLY) or (
            other.type != kind and other.power
        ):
            better = 1
            break
    return better


# What a trainer class may do instead of a move (TrainerAIPointers): how often for each of its Pokemon, in how many of
# 256 cases, and below which part of the HP (0: at any).
NOTHING: Final = 0
SWITCHES: Final = 1
FULL_HEAL: Final = 2
GUARD: Final = 3
RESTORES: Final = 4
HEALS: Final = 5  # HEALS + HP
RAISES: Final = 512  # RAISES + the effect that raises the stage
COOLTRAINER_F: Final = 32
AGATHA: Final = 46
AGATHA_SWITCHES: Final = 20
X_ATTACK, X_DEFEND, X_SPEED = [RAISES + effects.ATTACK_UP_1 + stat for stat in range(3)]
POTION, SUPER_POTION, HYPER_POTION = HEALS + 20, HEALS + 50, HEALS + 200
ROUTINES: Final = np.zeros((48, 4), np.int32)  # uses, threshold, part, action; by class
for _class, _routine in {
    13: (3, 64, 0, SWITCHES),  # Juggler, unused
    21: (3, 64, 0, SWITCHES),  # Juggler
    24: (2, 32, 0, X_ATTACK),  # Blackbelt
    29: (1, 64, 0, GUARD),  # Giovanni
    31: (2, 64, 0, X_ATTACK),  # Cooltrainer
    32: (1, 256, 10, HYPER_POTION),  # Cooltrainer: the chance is forgotten, a bug
    33: (2, 64, 0, X_DEFEND),  # Bruno
    34: (5, 256, 0, FULL_HEAL),  # Brock
    35: (1, 64, 0, X_DEFEND),  # Misty
    36: (1, 64, 0, X_SPEED),  # Lt. Surge
    37: (1, 128, 10, SUPER_POTION),  # Erika
    38: (2, 64, 0, X_ATTACK),  # Koga
    39: (2, 64, 0, SUPER_POTION),  # Blaine: at any HP
    40: (1, 64, 10, HYPER_POTION),  # Sabrina
    42: (1, 32, 5, POTION),  # the rival, second class
    43: (1, 32, 5, RESTORES),  # the champion
    44: (2, 128, 5, SUPER_POTION),  # Lorelei
    46: (2, 128, 4, SUPER_POTION),  # Agatha
    47: (1, 128, 5, HYPER_POTION),  # Lance
}.items():
    ROUTINES[_class] = _routine


@compiled
def acts_instead(position: Position, tables: Tables) -> bool:
    """Let a trainer use an item or switch instead of the chosen move (TrainerAI); return whether it did."""
    if position.kind != codes.TRAINER or position.ai_uses == 0:
        return False
    trainer = int(position.trainer_class)
    routine = ROUTINES[trainer]
    if position.ai_uses == NOT_COUNTED:
        position.ai_uses = routine[0]
    action = int(routine[3])
    drawn = random_byte(position)
    if trainer == AGATHA and drawn < AGATHA_SWITCHES:
        return switches(position, tables)
    if action == NOTHING or drawn >= routine[1]:
        return False
    if not is_below(position, int(routine[2])):
        if trainer == COOLTRAINER_F and is_below(position, 5):
            return switches(position, tables)
        return False
    if action == SWITCHES:
        return switches(position, tables)
    if action == FULL_HEAL and position.sides[codes.THEIRS].status == 0:
        return False
    use_item(position, action, tables)
    position.ai_uses -= 1
    return True


@compiled
def is_below(position: Position, part: int) -> bool:
    """Return whether the foe has less than a part of its HP; 0 asks for nothing."""
    foe = position.sides[codes.THEIRS]
    return part == 0 or bool(foe.hp < foe.max_hp // part)


@compiled
def switches(position: Position, tables: Tables) -> bool:
    """Let the trainer send the next member that can fight; return whether there is one."""
    keep(position, codes.THEIRS)
    place = next_member(position, codes.THEIRS)
    if place == codes.NO_ONE:
        return False
    send_out(position, codes.THEIRS, place, tables)
    return True


@compiled
def use_item(position: Position, action: int, tables: Tables) -> None:
    """Use the item of a trainer class on its Pokemon; penalties of a status that it cures stay."""
    foe = position.sides[codes.THEIRS]
    if action >= RAISES:
        raise_stage(position, codes.THEIRS, action - RAISES, tables)
        return
    if action == GUARD:
        foe.volatile |= codes.MIST
        return
    if action in (FULL_HEAL, RESTORES):
        foe.status = 0
        foe.volatile &= ~codes.BADLY_POISONED
    if action == RESTORES:
        foe.hp = foe.max_hp
    elif action >= HEALS:
        foe.hp = min(int(foe.hp) + action - HEALS, int(foe.max_hp))
