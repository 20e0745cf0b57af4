/* Who cannot act and why, who suffers for having acted, whose stats are less. */
#pragma bank 57
#include "battle_parts.h"

#define FULLY_PARALYZED 63
#define RESIDUAL_SHARE 16

/* The turn of waking up is lost as well. */
static bool sleeps(void)
{
    BattleMon *mon = user->mon;

    if (!(mon->status & STATUS_SLEEP))
        return false;
    mon->status--;
    *user->used = 0;
    if (mon->status & STATUS_SLEEP) {
        print_system_text(TEXT_BATTLE_SLEEPS);
        return true;
    }
    print_system_text(TEXT_BATTLE_WOKE);
    draw_huds();
    return true;
}

static bool is_frozen(void)
{
    if (!(user->mon->status & STATUS_FREEZE))
        return false;
    *user->used = 0;
    print_system_text(TEXT_BATTLE_IS_FROZEN);
    return true;
}

static bool is_held(void)
{
    if (!(target->status[0] & TRAPPING))
        return false;
    print_system_text(TEXT_BATTLE_IS_HELD);
    return true;
}

static bool flinches(void)
{
    if (!(user->status[0] & FLINCHED))
        return false;
    user->status[0] &= (uint8_t)~FLINCHED;
    print_system_text(TEXT_BATTLE_FLINCHED);
    return true;
}

static bool recharges(void)
{
    if (!(user->status[1] & RECHARGING))
        return false;
    user->status[1] &= (uint8_t)~RECHARGING;
    print_system_text(TEXT_BATTLE_RECHARGES);
    return true;
}

/* Whoever was in the air or in the ground stays out of reach, as in the original. */
static bool is_paralyzed(void)
{
    if (!(user->mon->status & STATUS_PARALYSIS) || random() >= FULLY_PARALYZED)
        return false;
    user->status[0] &= (uint8_t)~(BIDING | THRASHING | CHARGING | TRAPPING);
    print_system_text(TEXT_BATTLE_CANNOT_MOVE);
    return true;
}

bool can_act(void)
{
    if (sleeps() || is_frozen() || is_held() || flinches() || recharges())
        return false;
    count_disabling();
    return !is_confused() && !tries_disabled() && !is_paralyzed();
}

/* A sixteenth; in bad poison it grows by another each time, for whatever asks, as in the original. */
static uint16_t residual_loss(void)
{
    uint16_t loss = big(user->mon->max_hp) / RESIDUAL_SHARE;

    if (!loss)
        loss = 1;
    if (user->status[2] & BADLY_POISONED)
        loss *= ++user->counters->toxic;
    return loss;
}

static void sap(void)
{
    uint16_t loss = residual_loss();

    print_system_text(TEXT_BATTLE_SAPPED);
    take_hp(user, loss);
    give_hp(target, loss);
}

/* Poison, burn and Leech Seed damage, for the Pokemon that has acted. The seed saps one that fainted, as in the original. */
void suffer(void) BANKED
{
    BattleMon *mon = user->mon;

    if (mon->status & (STATUS_POISON | STATUS_BURN)) {
        print_system_text(mon->status & STATUS_BURN ? TEXT_BATTLE_BURN_HURTS : TEXT_BATTLE_POISON_HURTS);
        take_hp(user, residual_loss());
    }
    if (user->status[1] & SEEDED)
        sap();
}

static void divide(uint8_t *stat, uint8_t shift)
{
    uint16_t value = big(stat) >> shift;

    set_big(stat, value ? value : 1);
}

void weaken_speed(const Side *side)
{
    if (side->mon->status & STATUS_PARALYSIS)
        divide(side->mon->stats + 2 * SPEED, 2);
}

void weaken_attack(const Side *side)
{
    if (side->mon->status & STATUS_BURN)
        divide(side->mon->stats + 2 * ATTACK, 1);
}

void weaken_by_status(const Side *side) BANKED
{
    weaken_speed(side);
    weaken_attack(side);
}
