/* Chance of hitting, and of hitting well. */
#pragma bank 57
#include "battle_parts.h"

#define HIGH_CRITICAL_BANK 15
#define HIGH_CRITICAL_MOVES 0x608E
#define HIGH_CRITICAL_COUNT 4
#define BASE_STAT_SPEED 3
#define STAGE_SUM (2 * NEUTRAL_STAGE)
#define CERTAIN 0xFF

static bool is_high_critical(uint8_t move)
{
    uint8_t i;

    for (i = 0; i != HIGH_CRITICAL_COUNT; i++)
        if (far_byte(HIGH_CRITICAL_BANK, HIGH_CRITICAL_MOVES + i) == move)
            return true;
    return false;
}

/* Of 256: half the species' speed; eight times that for some moves; a quarter for who is focused, as in the original. */
static uint8_t critical_odds(void)
{
    uint16_t odds;

    load_mon_header(user->mon->species);
    odds = wMonHeader.stats[BASE_STAT_SPEED] >> 1;
    if (user->status[1] & FOCUSED)
        odds >>= 1;
    else
        odds <<= 1;
    if (is_high_critical(user->move->id))
        odds <<= 2;
    else
        odds >>= 1;
    return odds > CERTAIN ? CERTAIN : odds;
}

void roll_critical(void)
{
    wCriticalHitOrOHKO = random() < critical_odds();
}

static void miss(void)
{
    wMoveMissed = 1;
    set_big(wDamage, 0);
}

/* Dreams need a sleeper. */
static bool is_out_of_reach(void)
{
    return user->move->effect == EFFECT_DREAM && !(target->mon->status & STATUS_SLEEP);
}

/* Even a certain move misses once in 256, unless it never misses. Only that reaches who is away. */
void test_hit(void)
{
    uint16_t odds;

    if (is_out_of_reach()) {
        miss();
        return;
    }
    if (user->move->effect == EFFECT_NEVER_MISSES)
        return;
    if (target->status[0] & INVULNERABLE) {
        miss();
        return;
    }
    if (user->status[1] & ALWAYS_HITS)
        return;
    odds = scale(user->move->accuracy, user->stages[ACCURACY]);
    odds = scale(odds, STAGE_SUM - target->stages[EVASION]);
    if (random() >= (odds > CERTAIN ? CERTAIN : (uint8_t)odds))
        miss();
}
