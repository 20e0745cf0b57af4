"""The use of a move from its announcement to its last effect (ExecutePlayerMove, ExecuteEnemyMove)."""

from typing import Final

from emulator.compiled import compiled
from emulator.engine.chance import below
from emulator.engine.hit import aim, attack, crash, load_move
from emulator.engine.multi_turn import (
    AIMED,
    ANNOUNCED,
    CHOSEN,
    NOWHERE,
    STRUCK,
    begin,
    start_bide,
    start_charging,
    start_hitting_again,
    start_thrash,
    start_trapping,
)
from emulator.engine.special import (
    convert,
    disable,
    drain,
    explode,
    heal,
    leave,
    make_substitute,
    mimic,
    protect,
    recoil,
    scatter_coins,
    transform,
)
from emulator.engine.stages import HIGHEST_STAGE, haze, raise_stage
from emulator.engine.status import (
    burn_freeze_or_paralyze,
    confuse,
    flinch,
    lower_stage,
    paralyze,
    poison,
    put_to_sleep,
    seed,
)
from emulator.rules import codes, effects
from emulator.rules.position import Position, Tables

PP_VALUES: Final = 64
LAST_DRAWN: Final = effects.MOVE_STRUGGLE - 1  # by Metronome


@compiled
def change_pp(position: Position, side: int, by: int) -> None:
    """Change the PP of the move in use; those below 0 wrap. The computer's are not counted."""
    mon = position.sides[side]
    if side == codes.THEIRS and position.kind != codes.LINK:
        return
    mon.pp[mon.slot] = int(mon.pp[mon.slot] + by) % PP_VALUES
    # A transformed Pokemon spends none of its own, but Mirror Move and Metronome give one back.
    if not mon.volatile & codes.TRANSFORMED or by > 0:
        own = mon.team[mon.out].pp
        own[mon.slot] = int(own[mon.slot] + by) % PP_VALUES


@compiled
def use_move(position: Position, side: int, tables: Tables) -> None:
    """Let a side use its selected move."""
    user = position.sides[side]
    if user.selected == codes.CANNOT_MOVE:
        return
    if side == codes.THEIRS:
        position.ai_turns += 1
    position.missed = 0
    start = begin(position, side)
    if start == CHOSEN:
        charged = user.volatile & codes.CHARGING
        # The game loads the computer's move only once, ours in both turns of one that charges.
        if not charged or side == codes.OURS:
            load_move(position, side, int(user.selected), tables)
        user.volatile &= ~charged
        if charged:
            user.volatile &= ~codes.INVULNERABLE
            start = ANNOUNCED
    if start == STRUCK:
        strike(position, side, tables)
    elif start != NOWHERE:
        go_through(position, side, start, tables)


@compiled
def go_through(position: Position, side: int, start: int, tables: Tables) -> None:
    """Use the loaded move; Mirror Move and Metronome load another one and begin again."""
    user = position.sides[side]
    while True:
        if start == CHOSEN and user.move.effect in (effects.CHARGE, effects.FLY):
            start_charging(position, side)
            return
        if start != AIMED:
            announce(position, side)
            phase = effects.PHASES[user.move.effect]
            if phase & (effects.INSTEAD | effects.BEFORE):
                run_effect(position, side, tables)
            if phase & effects.INSTEAD:
                return
        aim(position, side, tables)
        if user.move.effect == effects.MIRROR_MOVE:
            if not copy_last_move(position, side, tables):
                return
        elif user.move.effect == effects.METRONOME:
            draw_move(position, side, tables)
        else:
            strike(position, side, tables)
            return
        start = CHOSEN


@compiled
def announce(position: Position, side: int) -> None:
    """Note the move for Mirror Move, and spend its PP (DisplayUsedMoveText, DecrementPP)."""
    user = position.sides[side]
    user.used = user.move.number
    free = user.volatile & (codes.BIDING | codes.THRASHING | codes.HITTING_AGAIN | codes.RAGING)
    if user.selected != effects.MOVE_STRUGGLE and not free:
        change_pp(position, side, -1)


@compiled
def copy_last_move(position: Position, side: int, tables: Tables) -> bool:
    """Load the last move that the other side announced; return whether there is one (MirrorMoveCopyMove)."""
    user = position.sides[side]
    copied = int(position.sides[1 - side].used)
    user.selected = copied
    if copied in (0, effects.MOVE_MIRROR_MOVE):
        return False
    load_move(position, side, copied, tables)
    change_pp(position, side, 1)
    return True


@compiled
def draw_move(position: Position, side: int, tables: Tables) -> None:
    """Load any move but Metronome and Struggle (MetronomePickMove)."""
    number = 1 + below(position, LAST_DRAWN)
    while number == effects.MOVE_METRONOME:
        number = 1 + below(position, LAST_DRAWN)
    position.sides[side].selected = number
    load_move(position, side, number, tables)
    change_pp(position, side, 1)


@compiled
def strike(position: Position, side: int, tables: Tables) -> None:
    """Do the damage, once or several times, and what comes with it."""
    user, target = position.sides[side], position.sides[1 - side]
    if effects.PHASES[user.move.effect] & effects.AFTER_TEST:
        run_effect(position, side, tables)
        return
    if position.missed:
        crash(position, side)
        if user.move.effect != effects.EXPLODE:
            return
    while True:
        if not position.missed:
            attack(position, side)
        if effects.PHASES[user.move.effect] & effects.ALWAYS:
            run_effect(position, side, tables)
        if target.hp == 0:
            return
        build_rage(position, 1 - side, tables)
        if not hits_again(position, side):
            break
    if effects.PHASES[user.move.effect] & effects.AT_END:
        run_effect(position, side, tables)


@compiled
def hits_again(position: Position, side: int) -> bool:
    """Count a hit of a move that hits more than once; return whether one follows."""
    user = position.sides[side]
    if not user.volatile & codes.HITTING_AGAIN:
        return False
    user.attacks_left -= 1
    if user.attacks_left:
        return True
    user.volatile &= ~codes.HITTING_AGAIN
    return False


@compiled
def build_rage(position: Position, side: int, tables: Tables) -> None:
    """Raise the attack of a raging target; any move that comes this far does, even one without damage."""
    mon = position.sides[side]
    if mon.volatile & codes.RAGING and mon.stages[0] < HIGHEST_STAGE:
        raise_stage(position, side, effects.ATTACK_UP_1, tables)
        mon.move.number, mon.move.effect = effects.MOVE_RAGE, 0


@compiled
def run_effect(position: Position, side: int, tables: Tables) -> None:
    """Run the effect of the loaded move (JumpMoveEffect)."""
    effect = int(position.sides[side].move.effect)
    if not (
        run_status(position, side, effect, tables)
        or run_stages(position, side, effect, tables)
        or run_multi_turn(position, side, effect)
        or run_after_damage(position, side, effect)
    ):
        run_special(position, side, effect, tables)


@compiled
def run_status(position: Position, side: int, effect: int, tables: Tables) -> bool:
    """Run an effect of `status`; return whether it is one."""
    if effect in (effects.SLEEP, 1):
        put_to_sleep(position, side, tables)
    elif effect in (effects.POISON, effects.POISON_SIDE_1, effects.POISON_SIDE_2):
        poison(position, side, tables)
    elif (
        effects.BURN_SIDE_1 <= effect <= effects.PARALYZE_SIDE_1
        or effects.BURN_SIDE_2 <= effect <= effects.PARALYZE_SIDE_2
    ):
        burn_freeze_or_paralyze(position, side)
    elif effect == effects.PARALYZE:
        paralyze(position, side, tables)
    elif effect in (effects.CONFUSE, effects.CONFUSION_SIDE):
        confuse(position, side, tables)
    elif effect in (effects.FLINCH_SIDE_1, effects.FLINCH_SIDE_2):
        flinch(position, side)
    elif effect == effects.LEECH_SEED:
        seed(position, side, tables)
    else:
        return False
    return True


@compiled
def run_stages(position: Position, side: int, effect: int, tables: Tables) -> bool:
    """Run an effect of `stages`; return whether it is one."""
    if (
        effects.ATTACK_UP_1 <= effect <= effects.EVASION_UP_1
        or effects.ATTACK_UP_2 <= effect <= effects.EVASION_UP_2
    ):
        raise_stage(position, side, effect, tables)
    elif (
        effects.ATTACK_DOWN_1 <= effect <= effects.EVASION_DOWN_1
        or effects.ATTACK_DOWN_2 <= effect <= effects.EVASION_DOWN_2
        or effects.ATTACK_DOWN_SIDE <= effect <= effects.SPECIAL_DOWN_SIDE
    ):
        lower_stage(position, side, tables)
    elif effect == effects.HAZE:
        haze(position, side)
    else:
        return False
    return True


@compiled
def run_multi_turn(position: Position, side: int, effect: int) -> bool:
    """Run an effect of `multi_turn`; return whether it is one."""
    user = position.sides[side]
    if effect == effects.BIDE:
        start_bide(position, side)
    elif effect == effects.THRASH:
        start_thrash(position, side)
    elif effect == effects.TRAP:
        start_trapping(position, side)
    elif effect in (*effects.SEVERAL_HITS, effects.TWICE, effects.TWINEEDLE):
        start_hitting_again(position, side)
    elif effect == effects.HYPER_BEAM:
        user.volatile |= codes.RECHARGING
    elif effect == effects.RAGE:
        user.volatile |= codes.RAGING
    else:
        return False
    return True


@compiled
def run_after_damage(position: Position, side: int, effect: int) -> bool:
    """Run an effect that follows the damage; return whether it is one."""
    if effect in (effects.DRAIN, effects.DREAM_EATER):
        drain(position, side)
    elif effect == effects.RECOIL:
        recoil(position, side)
    elif effect == effects.EXPLODE:
        explode(position, side)
    elif effect == effects.PAY_DAY:
        scatter_coins(position, side)
    else:
        return False
    return True


@compiled
def run_special(position: Position, side: int, effect: int, tables: Tables) -> None:
    """Run an effect of `special`."""
    if effect in (effects.MIST, effects.FOCUS_ENERGY, effects.LIGHT_SCREEN, effects.REFLECT):
        protect(position, side)
    elif effect == effects.HEAL:
        heal(position, side)
    elif effect == effects.SUBSTITUTE:
        make_substitute(position, side)
    elif effect == effects.TRANSFORM:
        transform(position, side, tables)
    elif effect == effects.CONVERSION:
        convert(position, side)
    elif effect == effects.MIMIC:
        mimic(position, side, tables)
    elif effect == effects.DISABLE:
        disable(position, side, tables)
    elif effect == effects.SWITCH_AND_TELEPORT:
        leave(position, side)
