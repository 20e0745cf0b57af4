"""The move in use: whether it hits, critically or not, and the damage it does; confusion, by which its user hits itself."""

from typing import Final

from emulator.compiled import compiled
from emulator.engine.chance import below, happens, random_byte
from emulator.engine.stages import at_stage
from emulator.rules import arithmetic, codes, effects
from emulator.rules.arithmetic import BYTE, HIGHEST_ROLL, LOWEST_ROLL, LOWEST_STAGE
from emulator.rules.moves import FIXED_AMOUNTS, LEVEL_AMOUNTS, SELF_HIT_POWER, SPECIAL_TYPES
from emulator.rules.position import Position, Tables

WORD: Final = 0xFFFF
FIGHTING: Final = 1
NORMAL: Final = 0
COUNTERED: Final = (NORMAL, FIGHTING)
SONIC_BOOM, DRAGON_RAGE = sorted(FIXED_AMOUNTS)
SONIC_BOOM_DAMAGE, DRAGON_RAGE_DAMAGE = [FIXED_AMOUNTS[move] for move in sorted(FIXED_AMOUNTS)]

base_damage = compiled(arithmetic.base_damage)
as_bytes = compiled(arithmetic.as_bytes)
with_same_type = compiled(arithmetic.with_same_type)
with_matchup = compiled(arithmetic.with_matchup)
rolled = compiled(arithmetic.rolled)
critical_threshold = compiled(arithmetic.critical_threshold)


@compiled
def load_move(position: Position, side: int, number: int, tables: Tables) -> None:
    """Load the data of a move (GetCurrentMove, ReloadMoveData)."""
    loaded, data = position.sides[side].move, tables.moves[number]
    loaded.number, loaded.effect, loaded.power = number, data.effect, data.power
    loaded.type, loaded.accuracy = data.type, data.accuracy


@compiled
def is_critical(position: Position, side: int, tables: Tables) -> bool:
    """Draw whether the move is a critical hit (CriticalHitTest)."""
    user = position.sides[side]
    if user.move.power == 0:
        return False
    base_speed = int(tables.species[user.species].base_stats[codes.SPEED + 1])
    focused = int((user.volatile & codes.FOCUSED) != 0)
    high = int(tables.moves[user.move.number].high_critical)
    return happens(position, critical_threshold(base_speed, focused, high))


@compiled
def attack_and_defense(position: Position, side: int) -> tuple[int, int]:
    """Return the stats of a hit: with stages and screens, or the plain ones when it is critical."""
    user, target = position.sides[side], position.sides[1 - side]
    special = user.move.type >= SPECIAL_TYPES
    attack = codes.SPECIAL if special else codes.ATTACK
    defense = codes.SPECIAL if special else codes.DEFENSE
    if position.critical:
        return int(user.plain[attack]), int(target.plain[defense])
    screen = codes.LIGHT_SCREEN if special else codes.REFLECT
    doubled = 2 if target.volatile & screen else 1
    return int(user.stats[attack]), int(target.stats[defense]) * doubled


@compiled
def damage_before_types(position: Position, side: int) -> int:
    """Return the damage that level, power and stats give (GetDamageVars, CalculateDamage)."""
    user = position.sides[side]
    if user.move.power == 0:
        return 0
    strength, toughness = attack_and_defense(position, side)
    attack, defense = as_bytes(strength, toughness)
    if user.move.effect == effects.EXPLODE:
        defense //= 2
    level = int(user.level) * 2 if position.critical else int(user.level)
    # The game hangs when a defense wraps to 0.
    return base_damage(level, int(user.move.power), attack, max(defense, 1))


@compiled
def after_types(position: Position, side: int, tables: Tables, damage: int) -> int:
    """Return the damage with the bonus of the user's types and the type chart; 0 is a miss."""
    user, target = position.sides[side], position.sides[1 - side]
    kind = int(user.move.type)
    if kind in (user.type1, user.type2):
        damage = with_same_type(damage) & WORD
    for at in range(tables.first_row[kind], tables.first_row[kind + 1]):
        row = tables.chart[at]
        if row.defending in (target.type1, target.type2):
            damage = with_matchup(damage, int(row.tenths)) & WORD
            if damage == 0:
                position.missed = 1
    return damage


@compiled
def randomized(position: Position, damage: int) -> int:
    """Return the damage after its random roll (RandomizeDamage)."""
    if damage <= 1:
        return damage
    return rolled(damage, LOWEST_ROLL + below(position, HIGHEST_ROLL - LOWEST_ROLL + 1))


@compiled
def aim(position: Position, side: int, tables: Tables) -> None:
    """Calculate the damage of the loaded move and draw whether it hits: `damage`, `critical` and `missed`."""
    user = position.sides[side]
    position.critical = 0
    if effects.PHASES[user.move.effect] & effects.SET_DAMAGE:
        test_hit(position, side, tables)
        return
    position.critical = int(is_critical(position, side, tables))
    if user.selected == effects.MOVE_COUNTER:
        counter(position, side, tables)
        return
    position.damage = damage_before_types(position, side)
    if user.move.effect == effects.ONE_HIT and not knocks_out(position, side):
        return
    if position.damage == 0:
        return
    position.damage = after_types(position, side, tables, int(position.damage))
    position.damage = randomized(position, int(position.damage))
    test_hit(position, side, tables)


@compiled
def knocks_out(position: Position, side: int) -> bool:
    """Set the damage of a one-hit knockout, which fails against a faster target (OneHitKOEffect)."""
    user, target = position.sides[side], position.sides[1 - side]
    if user.stats[codes.SPEED] < target.stats[codes.SPEED]:
        position.damage = 0
        position.missed = 1
        return False
    position.damage = WORD
    return True


@compiled
def counter(position: Position, side: int, tables: Tables) -> None:
    """Double the last damage of the battle of either side, if the other side's move is one to counter."""
    other = position.sides[1 - side]
    position.missed = 1
    # The move is the one that the other side loaded last; what it selected may be another.
    if other.selected == effects.MOVE_COUNTER or other.move.power == 0:
        return
    if other.move.type not in COUNTERED or position.damage == 0:
        return
    position.damage = min(int(position.damage) * 2, WORD)
    position.missed = 0
    test_hit(position, side, tables)


@compiled
def test_hit(position: Position, side: int, tables: Tables) -> bool:
    """Draw whether the move hits, and return it (MoveHitTest); a miss ends a trapping move and does no damage."""
    if reaches(position, side, tables):
        return True
    position.damage = 0
    position.missed = 1
    user = position.sides[side]
    user.volatile &= ~codes.TRAPPING
    return False


@compiled
def reaches(position: Position, side: int, tables: Tables) -> bool:
    """Draw whether the move hits."""
    user, target = position.sides[side], position.sides[1 - side]
    effect = int(user.move.effect)
    if effect == effects.DREAM_EATER and not target.status & codes.ASLEEP:
        return False
    if effect == effects.SWIFT:
        return True
    # The game means draining moves to fail against a substitute here, but compares the wrong register
    # (CheckTargetSubstitute overwrites it): in the English versions they do not.
    if target.volatile & codes.INVULNERABLE:
        return False
    if target.volatile & codes.MIST and is_stopped_by_mist(effect):
        return False
    if user.volatile & codes.ALWAYS_HITS:
        return True
    # The scaled accuracy stays in the loaded move: Rage and Thrash, which are not loaded again, scale it each turn.
    user.move.accuracy = scaled_accuracy(position, side, tables)
    return random_byte(position) < int(user.move.accuracy)


@compiled
def is_stopped_by_mist(effect: int) -> bool:
    """Return whether Mist stops this effect: all that lower stats, and those between them by number."""
    return (
        effects.ATTACK_DOWN_1 <= effect <= effects.HAZE
        or effects.ATTACK_DOWN_2 <= effect <= effects.REFLECT
    )


@compiled
def scaled_accuracy(position: Position, side: int, tables: Tables) -> int:
    """Return the accuracy of the move, out of 256, after both sides' stages (CalcHitChance)."""
    user, target = position.sides[side], position.sides[1 - side]
    accuracy = int(user.move.accuracy)
    for stage in (int(user.stages[codes.ACCURACY]), -int(target.stages[codes.EVASION])):
        if stage:  # without one nothing is divided, which takes long
            at = stage - LOWEST_STAGE
            accuracy = at_stage(accuracy, int(tables.numerators[at]), int(tables.denominators[at]))
    return min(max(accuracy, 1), BYTE - 1)


@compiled
def attack(position: Position, side: int) -> None:
    """Do the damage of a move that hit (ApplyAttackToEnemyPokemon, ApplyAttackToPlayerPokemon)."""
    user, target = position.sides[side], position.sides[1 - side]
    effect = user.move.effect
    if effect == effects.SUPER_FANG:
        position.damage = max(int(target.hp) // 2, 1)
    elif effect == effects.SPECIAL_DAMAGE:
        position.damage = special_damage(position, side)
    elif effect != effects.ONE_HIT and user.move.power == 0:
        return
    apply_damage(position, 1 - side, side)


@compiled
def special_damage(position: Position, side: int) -> int:
    """Return the damage of a move that ignores stats."""
    user = position.sides[side]
    number, level = user.move.number, int(user.level)
    if number in LEVEL_AMOUNTS:
        return level
    if number == SONIC_BOOM:
        return SONIC_BOOM_DAMAGE
    if number == DRAGON_RAGE:
        return DRAGON_RAGE_DAMAGE
    # Psywave: the player's is at least 1, the enemy's may do nothing.
    most = level + level // 2
    return 1 + below(position, max(most - 1, 1)) if side == codes.OURS else below(position, most)


@compiled
def apply_damage(position: Position, victim: int, turn: int) -> None:
    """Take the damage from a side's HP; on the turn of `turn`, whose opponent's substitute takes it instead."""
    if position.damage == 0:
        return
    target = position.sides[victim]
    if target.volatile & codes.SUBSTITUTE:
        attack_substitute(position, turn)
        return
    # What is left of the HP becomes the damage, for Counter, Bide, recoil and draining.
    position.damage = min(int(position.damage), int(target.hp))
    target.hp -= position.damage


@compiled
def attack_substitute(position: Position, turn: int) -> None:
    """Let the substitute of the side whose turn it is not take the damage (AttackSubstitute).

    That side need not be the victim: with a substitute, one's own hits by confusion and crashes land on the other's.
    A substitute that reaches 0 HP stays; one that breaks takes the effect from the move.
    """
    owner = position.sides[1 - turn]
    left = int(owner.substitute) - int(position.damage)
    owner.substitute = left % BYTE
    if left < 0:
        owner.volatile &= ~codes.SUBSTITUTE
        position.sides[turn].move.effect = 0


@compiled
def start_confusion(position: Position, side: int) -> None:
    """Confuse the Pokemon of a side."""
    mon = position.sides[side]
    mon.volatile |= codes.CONFUSED
    mon.confused = 2 + below(position, 4)


@compiled
def hurt_itself(position: Position, side: int) -> None:
    """Let a confused Pokemon hit itself; the other side's Reflect protects it."""
    user, other = position.sides[side], position.sides[1 - side]
    # Power and type stay in the loaded move, where Counter finds them.
    user.move.power, user.move.type = SELF_HIT_POWER, NORMAL
    position.critical = 0
    doubled = 2 if other.volatile & codes.REFLECT else 1
    attack, defense = as_bytes(
        int(user.stats[codes.ATTACK]), int(user.stats[codes.DEFENSE]) * doubled
    )
    position.damage = base_damage(int(user.level), SELF_HIT_POWER, attack, max(defense, 1))
    apply_damage(position, side, side)


@compiled
def crash(position: Position, side: int) -> None:
    """Take 1 HP from the user of Jump Kick that missed: an eighth of the damage, which is 0 by then."""
    if position.sides[side].move.effect == effects.JUMP_KICK:
        position.damage = 1
        apply_damage(position, side, side)
