/* Stages of stats: up and down between 1 and 13, and what a stat is then. */
#pragma bank 57
#include "battle_parts.h"

#define RATIOS_BANK 15
#define RATIOS 0x76CB
#define HIGHEST_STAGE 13
#define LOWEST_STAGE 1
#define REAL_STATS 4
#define ENEMY_FUMBLES 64
#define SIDE_EFFECT_ODDS 85

static const uint8_t attack_word[] = {STR_ATTACK};
static const uint8_t defense_word[] = {STR_DEFENSE};
static const uint8_t speed_word[] = {STR_SPEED};
static const uint8_t special_word[] = {STR_SPECIAL};
static const uint8_t accuracy_word[] = {STR_ACCURACY};
static const uint8_t evasion_word[] = {STR_EVASION};
static const uint8_t *const stat_words[STAT_MODS] = {attack_word,  defense_word,  speed_word,
                                                     special_word, accuracy_word, evasion_word};

/* Never less than 1. */
uint16_t scale(uint16_t value, uint8_t stage)
{
    uint16_t ratio = RATIOS + 2 * (stage - 1);
    uint16_t scaled = (uint32_t)value * far_byte(RATIOS_BANK, ratio) / far_byte(RATIOS_BANK, ratio + 1);

    return scaled ? scaled : 1;
}

static void apply_stage(const Side *side, uint8_t stat)
{
    uint16_t value = scale(big(side->unmodified->stats + 2 * stat), side->stages[stat]);

    set_big(side->mon->stats + 2 * stat, value > MAX_STAT ? MAX_STAT : value);
}

void apply_stages(const Side *side) BANKED
{
    uint8_t stat;

    for (stat = 0; stat != REAL_STATS; stat++)
        apply_stage(side, stat);
    weaken_by_status(side);
    boost_by_badges(side);
}

static void boost(uint8_t *stat)
{
    uint16_t value = big(stat);

    value += value >> 3;
    set_big(stat, value > MAX_STAT ? MAX_STAT : value);
}

/* Every other badge is worth an eighth more of a stat, to the player alone. */
void boost_by_badges(const Side *side) BANKED
{
    uint8_t badges = wObtainedBadges, stat;

    if (side != player)
        return;
    for (stat = 0; stat != REAL_STATS; stat++, badges >>= 2)
        if (badges & 1)
            boost(side->mon->stats + 2 * stat);
}

/* As in the original: badges count again for all stats of who has changed, and burn and paralysis of who did not act. */
static void change_stage(const Side *side, uint8_t stat, uint8_t stage)
{
    side->stages[stat] = stage;
    if (stat < REAL_STATS)
        apply_stage(side, stat);
    boost_by_badges(side);
    copy_string(wStringBuffer, stat_words[stat]);
    weaken_speed(target);
    weaken_attack(target);
}

static bool is_stat(const Side *side, uint8_t stat, uint16_t value)
{
    return stat < REAL_STATS && big(side->mon->stats + 2 * stat) == value;
}

void raise_stat(uint8_t stat, uint8_t by)
{
    uint8_t stage = user->stages[stat];

    if (stage == HIGHEST_STAGE || is_stat(user, stat, MAX_STAT)) {
        print_system_text(TEXT_BATTLE_FAILED);
        return;
    }
    stage = stage + by > HIGHEST_STAGE ? HIGHEST_STAGE : stage + by;
    change_stage(user, stat, stage);
    print_system_text(by > 1 ? TEXT_BATTLE_ROSE_MUCH : TEXT_BATTLE_ROSE);
}

/* An opponent's attempt goes wrong once in four, as in the original; a side effect comes once in three. */
static bool is_lowering_averted(bool side_effect)
{
    if (hWhoseTurn == ENEMYS_TURN && random() < ENEMY_FUMBLES)
        return true;
    if (side_effect)
        return random() >= SIDE_EFFECT_ODDS;
    test_hit();
    return wMoveMissed;
}

/* Mist and what stands in for the target; only who tried on purpose is told. */
static bool is_protected(bool side_effect)
{
    if (!(target->status[1] & (MISTY | HAS_SUBSTITUTE)))
        return false;
    if (!side_effect)
        print_system_text(target->status[1] & MISTY ? TEXT_BATTLE_MIST_PROTECTS : TEXT_BATTLE_FAILED);
    return true;
}

void lower_stat(uint8_t stat, uint8_t by, bool side_effect)
{
    uint8_t stage = target->stages[stat];

    if (is_protected(side_effect))
        return;
    if (is_lowering_averted(side_effect)) {
        if (!side_effect)
            print_system_text(TEXT_BATTLE_MISSED);
        return;
    }
    if (stage == LOWEST_STAGE || is_stat(target, stat, 1)) {
        if (!side_effect)
            print_system_text(TEXT_BATTLE_FAILED);
        return;
    }
    stage = stage > by ? stage - by : LOWEST_STAGE;
    change_stage(target, stat, stage);
    print_system_text(by > 1 ? TEXT_BATTLE_FELL_MUCH : TEXT_BATTLE_FELL);
}
