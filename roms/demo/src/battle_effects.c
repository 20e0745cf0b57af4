/* What moves do besides damage, by the effect in their record. */
#pragma bank 57
#include "battle_parts.h"

#define TYPE_POISON 3
#define TYPE_GROUND 4
#define TYPE_ELECTRIC 23
#define LONGEST_SLEEP 7
#define RARE 26
#define FREQUENT 77
#define POISON_RARE 52
#define POISON_FREQUENT 103

static bool target_has_type(uint8_t type)
{
    return target->mon->types[0] == type || target->mon->types[1] == type;
}

static void afflict(uint8_t status, uint8_t text)
{
    target->mon->status = status;
    weaken_by_status(target);
    draw_huds();
    print_system_text(text);
}

static void put_to_sleep(void)
{
    afflict(1 + ((uint16_t)random() * LONGEST_SLEEP >> 8), TEXT_BATTLE_FELL_ASLEEP);
}

/* Whether a move that only afflicts comes through; says so when not. */
static bool lands(bool immune)
{
    if (target->mon->status || immune) {
        print_system_text(TEXT_BATTLE_FAILED);
        return false;
    }
    test_hit();
    if (wMoveMissed)
        print_system_text(TEXT_BATTLE_MISSED);
    return !wMoveMissed;
}

static bool is_between(uint8_t effect, uint8_t first, uint8_t count)
{
    return (uint8_t)(effect - first) < count;
}

/* Moves without power. */
void status_effect(void)
{
    uint8_t effect = user->move->effect;

    if (is_between(effect, EFFECT_UP, STAT_MODS))
        raise_stat(effect - EFFECT_UP, 1);
    else if (is_between(effect, EFFECT_UP_2, STAT_MODS))
        raise_stat(effect - EFFECT_UP_2, 2);
    else if (is_between(effect, EFFECT_DOWN, STAT_MODS))
        lower_stat(effect - EFFECT_DOWN, 1, false);
    else if (is_between(effect, EFFECT_DOWN_2, STAT_MODS))
        lower_stat(effect - EFFECT_DOWN_2, 2, false);
    else if (effect == EFFECT_SLEEP) {
        if (lands(false))
            put_to_sleep();
    } else if (effect == EFFECT_POISON) {
        if (lands(target_has_type(TYPE_POISON)))
            afflict(STATUS_POISON, TEXT_BATTLE_POISONED);
    } else if (effect == EFFECT_PARALYZE) {
        if (lands(user->move->type == TYPE_ELECTRIC && target_has_type(TYPE_GROUND)))
            afflict(STATUS_PARALYSIS, TEXT_BATTLE_PARALYZED);
    } else {
        print_system_text(TEXT_BATTLE_FAILED);
    }
}

/* A type does not suffer from its own fire, frost or sparks; fire thaws. */
static void may_afflict(uint8_t status, uint8_t text, uint8_t odds)
{
    if (status == STATUS_BURN && target->mon->status & STATUS_FREEZE) {
        afflict(0, TEXT_BATTLE_THAWED);
        return;
    }
    if (!target->mon->status && !target_has_type(user->move->type) && random() < odds)
        afflict(status, text);
}

static void may_poison(uint8_t odds)
{
    if (!target->mon->status && !target_has_type(TYPE_POISON) && random() < odds)
        afflict(STATUS_POISON, TEXT_BATTLE_POISONED);
}

/* After damage, to somebody who still stands. */
void side_effect(void)
{
    uint8_t effect = user->move->effect;

    switch (effect) {
    case EFFECT_MAY_POISON:
        may_poison(POISON_RARE);
        return;
    case EFFECT_OFTEN_POISONS:
        may_poison(POISON_FREQUENT);
        return;
    case EFFECT_MAY_BURN:
    case EFFECT_OFTEN_BURNS:
        may_afflict(STATUS_BURN, TEXT_BATTLE_BURNED, effect == EFFECT_MAY_BURN ? RARE : FREQUENT);
        return;
    case EFFECT_MAY_FREEZE:
    case EFFECT_OFTEN_FREEZES:
        may_afflict(STATUS_FREEZE, TEXT_BATTLE_FROZEN, effect == EFFECT_MAY_FREEZE ? RARE : FREQUENT);
        return;
    case EFFECT_MAY_PARALYZE:
    case EFFECT_OFTEN_PARALYZES:
        may_afflict(STATUS_PARALYSIS, TEXT_BATTLE_PARALYZED, effect == EFFECT_MAY_PARALYZE ? RARE : FREQUENT);
        return;
    }
    if (is_between(effect, EFFECT_MAY_LOWER, MAY_LOWER_STATS))
        lower_stat(effect - EFFECT_MAY_LOWER, 1, true);
}

/* Half of the damage comes back; wDamage tells how much that is. */
static void drain(void)
{
    BattleMon *mon = user->mon;
    uint16_t hp = big(mon->hp), most = big(mon->max_hp), gain = big(wDamage) >> 1;

    if (!gain)
        gain = 1;
    set_big(wDamage, gain);
    set_big(mon->hp, hp + gain > most ? most : hp + gain);
    animate_hp(hWhoseTurn, hp);
    print_system_text(TEXT_BATTLE_DRAINED);
}

static void recoil(void)
{
    BattleMon *mon = user->mon;
    uint16_t hp = big(mon->hp), loss = big(wDamage) >> (*user->selected == LAST_RESORT ? 1 : 2);

    if (!loss)
        loss = 1;
    set_big(mon->hp, hp > loss ? hp - loss : 0);
    animate_hp(hWhoseTurn, hp);
    print_system_text(TEXT_BATTLE_RECOIL);
}

/* Whether the target stands or fell. */
void drain_or_recoil(void)
{
    if (user->move->effect == EFFECT_DRAIN)
        drain();
    else if (user->move->effect == EFFECT_RECOIL)
        recoil();
}
