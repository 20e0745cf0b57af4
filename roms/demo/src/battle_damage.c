/* How much a move takes: level, power, stats, types and chance. */
#pragma bank 57
#include "battle_parts.h"

#define TYPE_EFFECTS_BANK 15
#define TYPE_EFFECTS 0x6474
#define TYPE_EFFECTS_END 0xFF
#define FIRST_SPECIAL_TYPE 0x14
#define MOST_DAMAGE 997
#define LEAST_DAMAGE 2
#define LEAST_LUCK 217
#define LUCKS 39
#define MOST_LUCK 255
#define EVERYTHING 0xFFFF
#define CRITICAL 1
#define KNOCKOUT 2
#define KNOCKOUT_FAILED 0xFF
#define TAKES_20 49
#define TAKES_40 82
#define TAKES_CHANCE 149

typedef struct {
    uint8_t attacker, defender, multiplier;
} TypeEffect;

/* A critical hit looks past stages, burn and paralysis of both. */
static uint16_t stat_of(const Side *side, uint8_t stat)
{
    return big((wCriticalHitOrOHKO == CRITICAL ? side->unmodified->stats : side->mon->stats) + 2 * stat);
}

/* Where the original would divide by nothing and hang, the least counts. */
uint16_t formula(uint8_t level, uint8_t power, uint16_t attack, uint16_t defense)
{
    uint32_t damage;

    if (attack > 0xFF || defense > 0xFF) {
        attack = attack >> 2 & 0xFF;
        defense = defense >> 2 & 0xFF;
    }
    if (!attack)
        attack = 1;
    if (user->move->effect == EFFECT_EXPLODE)
        defense >>= 1;
    if (!defense)
        defense = 1;
    damage = (uint32_t)(uint8_t)((level << 1) / 5 + 2) * power * attack / defense / 50;
    return (damage > MOST_DAMAGE ? MOST_DAMAGE : (uint16_t)damage) + LEAST_DAMAGE;
}

static uint16_t basic_damage(void)
{
    bool special = user->move->type >= FIRST_SPECIAL_TYPE;
    uint16_t defense = stat_of(target, special ? SPECIAL : DEFENSE);
    uint8_t level = user->mon->level;

    if (wCriticalHitOrOHKO == CRITICAL)
        level <<= 1;
    else if (target->status[2] & (special ? LIGHT_SCREEN : REFLECT))
        defense <<= 1;
    return formula(level, user->move->power, stat_of(user, special ? SPECIAL : ATTACK), defense);
}

static bool has_type(const BattleMon *mon, uint8_t type)
{
    return mon->types[0] == type || mon->types[1] == type;
}

/* Entry by entry in the order of the table, rounded down each time. What the last one said is told to the player. */
static uint16_t adjust_for_types(uint16_t damage)
{
    uint16_t at = TYPE_EFFECTS;
    TypeEffect entry;

    if (has_type(user->mon, user->move->type)) {
        damage += damage >> 1;
        wDamageMultipliers |= SAME_TYPE_BONUS;
    }
    while (far_byte(TYPE_EFFECTS_BANK, at) != TYPE_EFFECTS_END) {
        far_copy(&entry, TYPE_EFFECTS_BANK, at, sizeof(TypeEffect));
        at += sizeof(TypeEffect);
        if (entry.attacker != user->move->type || !has_type(target->mon, entry.defender))
            continue;
        damage = damage * entry.multiplier / 10;
        wDamageMultipliers = (wDamageMultipliers & SAME_TYPE_BONUS) | entry.multiplier;
    }
    return damage;
}

/* One of 217 to 255 parts of 255, each as likely: calls in a row come out too much alike to wait for a good one. */
static uint16_t vary(uint16_t damage)
{
    uint8_t luck;

    if (damage <= 1)
        return damage;
    luck = LEAST_LUCK + ((uint16_t)random() * LUCKS >> 8);
    return (uint32_t)damage * luck / MOST_LUCK;
}

/* All there is, unless the target is faster. */
static uint16_t knockout(void)
{
    if (big(target->mon->stats + 2 * SPEED) > big(user->mon->stats + 2 * SPEED)) {
        wCriticalHitOrOHKO = KNOCKOUT_FAILED;
        return 0;
    }
    wCriticalHitOrOHKO = KNOCKOUT;
    return adjust_for_types(basic_damage()) ? EVERYTHING : 0;
}

void roll_damage(void)
{
    uint16_t damage = user->move->effect == EFFECT_ONE_HIT ? knockout() : adjust_for_types(basic_damage());

    if (!damage)
        wMoveMissed = 1;
    set_big(wDamage, vary(damage));
}

/* From 1 to half as much again as the level, without that. */
static uint16_t chance_amount(void)
{
    uint8_t most = user->mon->level + (user->mon->level >> 1) - 1;

    return most ? 1 + ((uint16_t)random() * most >> 8) : 1;
}

static uint16_t half_of_rest(void)
{
    uint16_t half = big(target->mon->hp) >> 1;

    return half ? half : 1;
}

static uint16_t fixed_amount(void)
{
    if (user->move->effect == EFFECT_HALF)
        return half_of_rest();
    switch (user->move->id) {
    case TAKES_20:
        return 20;
    case TAKES_40:
        return 40;
    case TAKES_CHANCE:
        return chance_amount();
    }
    return user->mon->level;
}

/* Neither stats nor types count. */
void set_fixed_damage(void)
{
    set_big(wDamage, fixed_amount());
}
