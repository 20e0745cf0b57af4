"""What a trainer's mon will do: by the rules of the class only the moves that are disliked least, each as likely."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

from agent.capabilities.tactics.effects import (
    CHARGES_HIDDEN,
    HALF,
    PARALYZE,
    POISON,
    SET_DAMAGE,
    SLEEP,
)
from emulator import BattleMon, Dex, MoveData

SPARES_THE_AILING, KNOWS_TYPES = 1, 3  # rules by number; one more is about a second action alone
MUCH_WORSE: Final = 5
EVEN: Final = 10  # tenths


def minded(dex: Dex, enemy: BattleMon, target: BattleMon, trainer_class: int) -> BattleMon:
    """Return the enemy with those of its moves that it may choose against `target`; wild ones choose any."""
    trainer = dex.all_trainers.get(trainer_class)
    slots = [
        slot
        for slot, known in enumerate(enemy.moves)
        if slot != enemy.disabled and known.move in dex.all_moves
    ]
    if trainer is None or not trainer.choices or len(slots) < 2:
        return enemy
    moves = [dex.all_moves[enemy.moves[slot].move] for slot in slots]
    dislike = [_dislike(dex, move, moves, target, trainer.choices) for move in moves]
    chosen = [slot for slot, each in zip(slots, dislike, strict=True) if each == min(dislike)]
    if len(chosen) == len(enemy.moves):
        return enemy
    return replace(enemy, moves=tuple([enemy.moves[slot] for slot in chosen]), disabled=None)


def _dislike(
    dex: Dex, move: MoveData, moves: Sequence[MoveData], target: BattleMon, rules: Sequence[int]
) -> int:
    found = 0
    if SPARES_THE_AILING in rules and any(target.status) and not move.power:
        found += MUCH_WORSE * (move.effect in (SLEEP, POISON, PARALYZE))
    if KNOWS_TYPES in rules:
        tenths = _first_match(dex, move.type, target.types)
        found -= tenths > EVEN
        found += tenths < EVEN and any(_is_better(each, move.type) for each in moves)
    return found


def _is_better(move: MoveData, type_: int) -> bool:
    special = move.effect in (HALF, SET_DAMAGE, CHARGES_HIDDEN)
    return special or bool(move.power and move.type != type_)


@lru_cache(maxsize=1024)
def _first_match(dex: Dex, type_: int, types: tuple[int, int]) -> int:
    """Return the tenths of the first row of the chart that fits, whatever others say: so the game looks."""
    rows = dex.rules.chart.matchups
    fitting = (row.tenths for row in rows if row.attacking == type_ and row.defending in types)
    return next(fitting, EVEN)
