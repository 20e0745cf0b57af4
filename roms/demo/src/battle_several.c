/* Moves that strike several times, or go on for several turns. */
#pragma bank 57
#include "battle_parts.h"

#define BURROW 91
#define BIDE 117
#define HITS_MASK 3
#define RARE_HITS 2
#define LEAST_HITS 2
#define LEAST_TURNS 2
#define TURNS_MASK 1
#define SECOND_NAME_FOR_SEVERAL 30

/* 0 and 1 in three of eight cases each, 2 and 3 in one. */
static uint8_t few(void)
{
    uint8_t count = random() & HITS_MASK;

    return count < RARE_HITS ? count : random() & HITS_MASK;
}

uint8_t count_hits(void)
{
    switch (user->move->effect) {
    case EFFECT_SEVERAL_HITS:
    case SECOND_NAME_FOR_SEVERAL:
        return LEAST_HITS + few();
    case EFFECT_TWO_HITS:
    case EFFECT_TWIN_NEEDLE:
        return 2;
    }
    return 1;
}

/* The first of the two turns of a move that gathers strength. In the second it is an ordinary one. */
bool begins_charging(void)
{
    if (user->status[0] & CHARGING) {
        user->status[0] &= (uint8_t)~(CHARGING | INVULNERABLE);
        return false;
    }
    if (user->move->effect != EFFECT_CHARGE && user->move->effect != EFFECT_FLY)
        return false;
    user->status[0] |= CHARGING;
    if (user->move->effect == EFFECT_CHARGE && user->move->id != BURROW) {
        print_system_text(TEXT_BATTLE_GATHERS);
        return true;
    }
    user->status[0] |= INVULNERABLE;
    print_system_text(TEXT_BATTLE_HIDES);
    return true;
}

/* Whoever has raged long enough is confused by it, and strikes once more. */
void go_on_thrashing(void)
{
    if (!(user->status[0] & THRASHING) || --user->counters->attacks_left)
        return;
    user->status[0] &= (uint8_t)~THRASHING;
    begin_confusion(user);
}

/* Who holds on strikes with the damage of the first time, and does not miss. */
bool holds_on(void)
{
    if (!(user->status[0] & TRAPPING))
        return false;
    user->counters->attacks_left--;
    print_system_text(TEXT_BATTLE_HOLDS_ON);
    deal_damage();
    return true;
}

/* Before the chances of the blow itself. */
void begin_several_turns(void)
{
    switch (user->move->effect) {
    case EFFECT_THRASH:
        user->counters->attacks_left = LEAST_TURNS + (random() & TURNS_MASK);
        user->status[0] |= THRASHING;
        return;
    case EFFECT_TRAP:
        user->counters->attacks_left = 1 + few();
        user->status[0] |= TRAPPING;
        let_off();
        return;
    }
}

static void unleash(void)
{
    uint16_t damage = big(user->bide_damage) << 1;

    user->status[0] &= (uint8_t)~BIDING;
    user->move->id = BIDE;
    user->move->power = 1;
    set_big(user->bide_damage, 0);
    set_big(wDamage, damage);
    print_system_text(TEXT_BATTLE_UNLEASHES);
    if (damage)
        deal_damage();
    else
        print_system_text(TEXT_BATTLE_FAILED);
}

/* Whether it bides its time, or ends it by giving back twice what was done at its turns, by whichever side. */
bool bides(void)
{
    if (!(user->status[0] & BIDING))
        return false;
    user->move->id = 0;
    set_big(user->bide_damage, big(user->bide_damage) + big(wDamage));
    if (--user->counters->attacks_left)
        print_system_text(TEXT_BATTLE_BIDES);
    else
        unleash();
    return true;
}
