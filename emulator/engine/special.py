"""Effects of their own: draining, recoil, healing, substitutes, copies of moves and forms, and leaving the battle."""

from typing import Final

from emulator.compiled import compiled
from emulator.engine.chance import below
from emulator.engine.growth import plain_stats
from emulator.engine.hit import test_hit
from emulator.engine.stages import put
from emulator.rules import codes, effects
from emulator.rules.position import Position, Tables

RESTING: Final = 2
BYTE: Final = 256
COPIED_PP: Final = 5
PAID_PER_LEVEL: Final = 2
DISABLED_FOR: Final = 8  # turns at most


@compiled
def drain(position: Position, side: int) -> None:
    """Heal the user by half of the damage (DrainHPEffect), which is halved for what comes later, too."""
    mon = position.sides[side]
    position.damage = max(int(position.damage) // 2, 1)
    mon.hp = min(int(mon.hp + position.damage), int(mon.max_hp))


@compiled
def recoil(position: Position, side: int) -> None:
    """Hurt the user by a quarter of the damage, or half of it for Struggle (RecoilEffect)."""
    mon = position.sides[side]
    part = 2 if mon.move.number == effects.MOVE_STRUGGLE else 4
    mon.hp = max(int(mon.hp) - max(int(position.damage) // part, 1), 0)


@compiled
def explode(position: Position, side: int) -> None:
    """Let the user faint (ExplodeEffect)."""
    mon = position.sides[side]
    mon.hp = mon.status = 0
    mon.volatile &= ~codes.SEEDED


@compiled
def heal(position: Position, side: int) -> None:
    """Restore half of the HP, or sleep and restore all (HealEffect).

    The game compares bytes: it fails when 255 or 511 HP are missing, but if the high bytes are the same. Penalties of
    a status that Rest ends stay.
    """
    mon = position.sides[side]
    missing = int(mon.max_hp) - int(mon.hp)
    borrows = mon.hp // BYTE < mon.max_hp // BYTE
    if missing == 0 or (borrows and missing % BYTE == BYTE - 1):
        return
    rests = mon.move.number == effects.MOVE_REST
    if rests:
        mon.status = RESTING
    amount = int(mon.max_hp) if rests else int(mon.max_hp) // 2
    mon.hp = min(int(mon.hp) + amount, int(mon.max_hp))


@compiled
def make_substitute(position: Position, side: int) -> None:
    """Pay a quarter of the HP, even if these are the last, for a substitute (SubstituteEffect)."""
    mon = position.sides[side]
    price = int(mon.max_hp) // 4
    if mon.volatile & codes.SUBSTITUTE:
        return
    mon.substitute = price
    if mon.hp >= price:
        mon.hp -= price
        mon.volatile |= codes.SUBSTITUTE


@compiled
def protect(position: Position, side: int) -> None:
    """Add what lasts until the Pokemon leaves: Mist, Focus Energy, Light Screen, Reflect."""
    mon = position.sides[side]
    effect = mon.move.effect
    if effect == effects.MIST:
        mon.volatile |= codes.MIST
    elif effect == effects.FOCUS_ENERGY:
        mon.volatile |= codes.FOCUSED
    else:
        mon.volatile |= codes.LIGHT_SCREEN if effect == effects.LIGHT_SCREEN else codes.REFLECT


@compiled
def convert(position: Position, side: int) -> None:
    """Take the types of the other side (ConversionEffect)."""
    mon, target = position.sides[side], position.sides[1 - side]
    if not target.volatile & codes.INVULNERABLE:
        mon.type1, mon.type2 = target.type1, target.type2


@compiled
def transform(position: Position, side: int, tables: Tables) -> None:
    """Take the form of the other side with its stats, stages and moves (TransformEffect); it never fails.

    The game means it to fail against a target that is out of reach, but tests the user.
    """
    mon, target = position.sides[side], position.sides[1 - side]
    mon.volatile |= codes.TRANSFORMED
    mon.species, mon.type1, mon.type2 = target.species, target.type1, target.type2
    put(mon.stats, target.stats)
    put(mon.unmodified, target.unmodified)
    put(mon.stages, target.stages)
    put(mon.moves, target.moves)
    for slot in range(codes.SLOTS):
        mon.pp[slot] = COPIED_PP if mon.moves[slot] else 0
    if side == codes.THEIRS and position.kind != codes.LINK:
        # Critical hits of the computer's side use stats of the species it shows; ours those of the party.
        plain_stats(position, tables)


@compiled
def mimic(position: Position, side: int, tables: Tables) -> None:
    """Put a move of the other side in the place of Mimic (MimicEffect); the player chooses it, the computer draws."""
    mon, target = position.sides[side], position.sides[1 - side]
    if not test_hit(position, side, tables) or target.volatile & codes.INVULNERABLE:
        return
    copied = int(mon.mimic_slot)
    if copied < 0 or target.moves[copied] == 0:
        copied = drawn_slot(position, 1 - side)
    mon.moves[mon.slot] = target.moves[copied]


@compiled
def drawn_slot(position: Position, side: int) -> int:
    """Return a place with a move, each as likely."""
    mon = position.sides[side]
    slot = below(position, codes.SLOTS)
    while mon.moves[slot] == 0:
        slot = below(position, codes.SLOTS)
    return slot


@compiled
def disable(position: Position, side: int, tables: Tables) -> None:
    """Disable a move of the target for 1 to 8 turns (DisableEffect).

    Moves without PP are drawn again, but the computer's, whose PP the game does not count.
    """
    target = position.sides[1 - side]
    if not test_hit(position, side, tables) or target.disabled:
        return
    counts = side == codes.THEIRS or position.kind == codes.LINK
    if counts and target.pp.sum() == 0:
        return
    slot = drawn_slot(position, 1 - side)
    while counts and target.pp[slot] == 0:
        slot = drawn_slot(position, 1 - side)
    target.disabled = slot + 1
    target.disabled_turns = 1 + below(position, DISABLED_FOR)
    target.disabled_move = target.moves[slot]


@compiled
def scatter_coins(position: Position, side: int) -> None:
    """Scatter coins for the winner: twice the level of the user, whichever side it is (PayDayEffect)."""
    position.pay_day += PAID_PER_LEVEL * position.sides[side].level


@compiled
def leave(position: Position, side: int) -> None:
    """End a wild battle by Teleport, Roar or Whirlwind (SwitchAndTeleportEffect)."""
    user, target = position.sides[side], position.sides[1 - side]
    if position.kind != codes.WILD:
        return
    level, other = int(user.level), int(target.level)
    if level >= other or below(position, level + other + 1) >= other // 4:
        position.outcome = codes.RAN if side == codes.OURS else codes.FOE_LEFT
