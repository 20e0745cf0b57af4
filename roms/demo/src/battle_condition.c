/* Sleep, poison, burn, frost, paralysis: who cannot act, who suffers, whose stats are less. */
#pragma bank 57
#include "battle_parts.h"

#define FULLY_PARALYZED 63
#define RESIDUAL_SHARE 16

/* The turn of waking up is lost as well. */
static bool sleeps(BattleMon *mon)
{
    if (!(mon->status & STATUS_SLEEP))
        return false;
    mon->status--;
    if (mon->status & STATUS_SLEEP) {
        print_system_text(TEXT_BATTLE_SLEEPS);
        return true;
    }
    print_system_text(TEXT_BATTLE_WOKE);
    draw_huds();
    return true;
}

bool can_act(void)
{
    BattleMon *mon = user->mon;

    if (sleeps(mon))
        return false;
    if (mon->status & STATUS_FREEZE) {
        print_system_text(TEXT_BATTLE_IS_FROZEN);
        return false;
    }
    if (mon->status & STATUS_PARALYSIS && random() < FULLY_PARALYZED) {
        print_system_text(TEXT_BATTLE_CANNOT_MOVE);
        return false;
    }
    return true;
}

/* Poison and burn take their share of whoever has acted. */
void suffer(void) BANKED
{
    BattleMon *mon = user->mon;
    uint16_t hp = big(mon->hp), loss = big(mon->max_hp) / RESIDUAL_SHARE;

    if (!(mon->status & (STATUS_POISON | STATUS_BURN)))
        return;
    if (!loss)
        loss = 1;
    print_system_text(mon->status & STATUS_BURN ? TEXT_BATTLE_BURN_HURTS : TEXT_BATTLE_POISON_HURTS);
    set_big(mon->hp, hp > loss ? hp - loss : 0);
    animate_hp(hWhoseTurn, hp);
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
