"""Effects on the target: sleep, poison, burn, paralysis, freezing, confusion, flinching, seeds, lowered stats; what they cost."""

from typing import Final

from emulator.compiled import compiled
from emulator.engine.chance import below, happens
from emulator.engine.hit import start_confusion, test_hit
from emulator.engine.stages import apply_badges, apply_penalties, stat_at_stage, stat_of
from emulator.rules import codes, effects
from emulator.rules.arithmetic import LOWEST_STAGE
from emulator.rules.position import Position, Tables

SHARE: Final = 16  # of the maximum HP that poison and the like take: a sixteenth
POISON_TYPE: Final = 3
GROUND: Final = 4
FIRE: Final = 20
GRASS: Final = 22
ELECTRIC: Final = 23

# Of 256, as the game rounds its percentages.
TEN_PERCENT: Final = 26
TWENTY_PERCENT: Final = 52
THIRTY_PERCENT: Final = 77
FORTY_PERCENT: Final = 103
CONFUSION_CHANCE: Final = 25
AI_MISS: Final = (
    64  # of 256: what more of the computer's moves that lower stats miss, but in link battles
)
SIDE_CHANCE: Final = 85


@compiled
def has_type(position: Position, side: int, kind: int) -> bool:
    """Return whether the Pokemon of a side has a type."""
    mon = position.sides[side]
    return bool(mon.type1 == kind or mon.type2 == kind)


@compiled
def put_to_sleep(position: Position, side: int, tables: Tables) -> None:
    """Put the target to sleep for 1 to 7 turns (SleepEffect); neither a substitute nor types protect it."""
    target = position.sides[1 - side]
    # A target that must recharge always falls asleep, whatever its status: a bug.
    surely = target.volatile & codes.RECHARGING
    target.volatile &= ~codes.RECHARGING
    if not surely and (target.status or not test_hit(position, side, tables)):
        return
    target.status = 1 + below(position, codes.ASLEEP)


@compiled
def poison(position: Position, side: int, tables: Tables) -> None:
    """Poison the target, by a move for that or as a side effect (PoisonEffect)."""
    user, target = position.sides[side], position.sides[1 - side]
    if target.volatile & codes.SUBSTITUTE or target.status:
        return
    if has_type(position, 1 - side, POISON_TYPE):
        return
    effect = user.move.effect
    if effect == effects.POISON:
        if not test_hit(position, side, tables):
            return
    elif not happens(
        position, TWENTY_PERCENT if effect == effects.POISON_SIDE_1 else FORTY_PERCENT
    ):
        return
    target.status |= codes.POISONED
    if user.move.number == effects.MOVE_TOXIC:
        target.volatile |= codes.BADLY_POISONED
        target.toxic = 0


@compiled
def paralyze(position: Position, side: int, tables: Tables) -> None:
    """Paralyze the target (ParalyzeEffect); a substitute does not protect it."""
    user, target = position.sides[side], position.sides[1 - side]
    if target.status:
        return
    if user.move.type == ELECTRIC and has_type(position, 1 - side, GROUND):
        return
    if test_hit(position, side, tables):
        target.status |= codes.PARALYZED
        apply_penalties(position, 1 - side)


@compiled
def burn_freeze_or_paralyze(position: Position, side: int) -> None:
    """Burn, freeze or paralyze the target as a side effect, or thaw it with fire (FreezeBurnParalyzeEffect)."""
    user, target = position.sides[side], position.sides[1 - side]
    if target.volatile & codes.SUBSTITUTE:
        return
    kind = int(user.move.type)
    if target.status:
        if target.status & codes.FROZEN and kind == FIRE:
            target.status = 0
        return
    if has_type(position, 1 - side, kind):
        return
    effect = int(user.move.effect)
    often = effect > effects.PARALYZE_SIDE_1
    if not happens(position, THIRTY_PERCENT if often else TEN_PERCENT):
        return
    if often:
        effect -= effects.BURN_SIDE_2 - effects.BURN_SIDE_1
    if effect == effects.FREEZE_SIDE_1:
        target.status = codes.FROZEN
        if side == codes.OURS:  # the game forgets the other side's
            target.volatile &= ~codes.RECHARGING
        return
    target.status = codes.BURNED if effect == effects.BURN_SIDE_1 else codes.PARALYZED
    apply_penalties(position, 1 - side)


@compiled
def confuse(position: Position, side: int, tables: Tables) -> None:
    """Confuse the target for 2 to 5 turns; as a side effect through a substitute (ConfusionEffect)."""
    target = position.sides[1 - side]
    if position.sides[side].move.effect == effects.CONFUSION_SIDE:
        if not happens(position, CONFUSION_CHANCE):
            return
    elif target.volatile & codes.SUBSTITUTE or not test_hit(position, side, tables):
        return
    if not target.volatile & codes.CONFUSED:
        start_confusion(position, 1 - side)


@compiled
def flinch(position: Position, side: int) -> None:
    """Let the target flinch as a side effect (FlinchSideEffect)."""
    user, target = position.sides[side], position.sides[1 - side]
    rare = user.move.effect == effects.FLINCH_SIDE_1
    if target.volatile & codes.SUBSTITUTE:
        return
    if happens(position, TEN_PERCENT if rare else THIRTY_PERCENT):
        target.volatile = target.volatile & ~codes.RECHARGING | codes.FLINCHED


@compiled
def seed(position: Position, side: int, tables: Tables) -> None:
    """Plant Leech Seed, also on a substitute (LeechSeedEffect)."""
    if test_hit(position, side, tables) and not has_type(position, 1 - side, GRASS):
        position.sides[1 - side].volatile |= codes.SEEDED


@compiled
def residual(position: Position, side: int) -> None:
    """Take what poison, burn and Leech Seed cost the side that has acted (HandlePoisonBurnLeechSeed).

    Toxic's counter grows with each of the two, so that Leech Seed takes more as well.
    """
    mon, other = position.sides[side], position.sides[1 - side]
    if mon.status & (codes.BURNED | codes.POISONED):
        lose_share(position, side)
    if mon.volatile & codes.SEEDED:
        # The other side gains all of it, even if there were fewer HP to take.
        other.hp = min(int(other.hp) + lose_share(position, side), int(other.max_hp))


@compiled
def lose_share(position: Position, side: int) -> int:
    """Take a sixteenth of the maximum HP, times Toxic's counter, and return it."""
    mon = position.sides[side]
    loss = max(int(mon.max_hp) // SHARE, 1)
    if mon.volatile & codes.BADLY_POISONED:
        mon.toxic += 1
        loss *= int(mon.toxic)
    mon.hp = max(int(mon.hp) - loss, 0)
    return loss


@compiled
def lower_stage(position: Position, side: int, tables: Tables) -> None:
    """Lower a stage of the target (StatModifierDownEffect)."""
    target = position.sides[1 - side]
    effect = int(position.sides[side].move.effect)
    if side == codes.THEIRS and position.kind != codes.LINK and happens(position, AI_MISS):
        return
    if target.volatile & codes.SUBSTITUTE:
        return
    if effect >= effects.ATTACK_DOWN_SIDE:
        if not happens(position, SIDE_CHANCE):
            return
    elif not test_hit(position, side, tables) or target.volatile & codes.INVULNERABLE:
        return
    stat = stat_of(effect)
    old = int(target.stages[stat])
    if old == LOWEST_STAGE:
        return
    by = 2 if effects.ATTACK_DOWN_2 <= effect < effects.ATTACK_DOWN_SIDE else 1
    target.stages[stat] = max(old - by, LOWEST_STAGE)
    if stat < codes.STATS:
        if target.stats[stat] == 1:
            target.stages[stat] += 1
            return
        target.stats[stat] = stat_at_stage(position, 1 - side, stat, tables)
    if side == codes.THEIRS:
        apply_badges(position)
    apply_penalties(position, 1 - side)
