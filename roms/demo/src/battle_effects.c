/* What moves do besides damage, by the effect in their record. */
#pragma bank 57
#include "battle_parts.h"

#define TYPE_POISON 3
#define TYPE_GROUND 4
#define TYPE_ELECTRIC 23
#define WORSENS 92
#define LONGEST_SLEEP 7
#define LEAST_TURNS 2
#define CONFUSION_ODDS 25
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
    if (status & STATUS_FREEZE)
        let_off();
    weaken_by_status(target);
    draw_huds();
    print_system_text(text);
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

/* Who must recharge falls asleep surely, whatever ails it, as in the original. */
static void put_to_sleep(void)
{
    bool surely = target->status[1] & RECHARGING;

    let_off();
    if (surely || lands(false))
        afflict(1 + ((uint16_t)random() * LONGEST_SLEEP >> 8), TEXT_BATTLE_FELL_ASLEEP);
}

static bool is_shielded(void)
{
    return target->status[1] & HAS_SUBSTITUTE;
}

static void poison(void)
{
    if (!lands(target_has_type(TYPE_POISON) || is_shielded()))
        return;
    if (user->move->id != WORSENS) {
        afflict(STATUS_POISON, TEXT_BATTLE_POISONED);
        return;
    }
    target->status[2] |= BADLY_POISONED;
    target->counters->toxic = 0;
    afflict(STATUS_POISON, TEXT_BATTLE_BADLY_POISONED);
}

static void confuse_on_purpose(void)
{
    test_hit();
    if (wMoveMissed)
        print_system_text(TEXT_BATTLE_MISSED);
    else if (target->status[0] & CONFUSED || is_shielded())
        print_system_text(TEXT_BATTLE_FAILED);
    else
        confuse();
}

/* It waits, and remembers from nothing on. */
static void begin_biding(void)
{
    set_big(user->bide_damage, 0);
    user->counters->attacks_left = LEAST_TURNS + (random() & 1);
    user->move->effect = target->move->effect = 0;
    set_once(0, BIDING, TEXT_BATTLE_BIDES);
}

static bool is_between(uint8_t effect, uint8_t first, uint8_t count)
{
    return (uint8_t)(effect - first) < count;
}

static bool change_stats(uint8_t effect)
{
    if (is_between(effect, EFFECT_UP, STAT_MODS))
        raise_stat(effect - EFFECT_UP, 1);
    else if (is_between(effect, EFFECT_UP_2, STAT_MODS))
        raise_stat(effect - EFFECT_UP_2, 2);
    else if (is_between(effect, EFFECT_DOWN, STAT_MODS))
        lower_stat(effect - EFFECT_DOWN, 1, false);
    else if (is_between(effect, EFFECT_DOWN_2, STAT_MODS))
        lower_stat(effect - EFFECT_DOWN_2, 2, false);
    else
        return false;
    return true;
}

/* Moves without power. Some of them do a damage of nothing, which is then the last that was done. */
void status_effect(void)
{
    uint8_t effect = user->move->effect;

    if (change_stats(effect)) {
        set_big(wDamage, 0);
        return;
    }
    switch (effect) {
    case EFFECT_SLEEP:
        put_to_sleep();
        break;
    case EFFECT_POISON:
        poison();
        return;
    case EFFECT_PARALYZE:
        if (lands(user->move->type == TYPE_ELECTRIC && target_has_type(TYPE_GROUND)))
            afflict(STATUS_PARALYSIS, TEXT_BATTLE_PARALYZED);
        return;
    case EFFECT_CONFUSE:
        confuse_on_purpose();
        return;
    case EFFECT_SEED:
        seed();
        return;
    case EFFECT_DISABLE:
        feed_rage();
        disable();
        break;
    case EFFECT_MIST:
        set_once(1, MISTY, TEXT_BATTLE_MISTY);
        return;
    case EFFECT_FOCUS:
        set_once(1, FOCUSED, TEXT_BATTLE_FOCUSED);
        return;
    case EFFECT_LIGHT_SCREEN:
        set_once(2, LIGHT_SCREEN, TEXT_BATTLE_SHADED);
        return;
    case EFFECT_REFLECT:
        set_once(2, REFLECT, TEXT_BATTLE_HEDGED);
        return;
    case EFFECT_CONVERT:
        borrow_types();
        return;
    case EFFECT_HAZE:
        clear_the_air();
        return;
    case EFFECT_LEAVE:
        leave();
        return;
    case EFFECT_HEAL:
        heal();
        return;
    case EFFECT_SUBSTITUTE:
        make_substitute();
        return;
    case EFFECT_BIDE:
        begin_biding();
        break;
    default:
        print_system_text(TEXT_BATTLE_FAILED);
        return;
    }
    set_big(wDamage, 0);
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

static void may_flinch(uint8_t odds)
{
    if (random() < odds)
        flinch();
}

static void may_confuse(void)
{
    if (random() < CONFUSION_ODDS && !(target->status[0] & CONFUSED))
        confuse();
}

/* Effects after damage, on a target that has not fainted; a substitute blocks all of them but recharging. */
void side_effect(void)
{
    uint8_t effect = user->move->effect;

    if (effect == EFFECT_RECHARGE)
        user->status[1] |= RECHARGING;
    if (is_shielded())
        return;
    switch (effect) {
    case EFFECT_MAY_FLINCH:
        may_flinch(RARE);
        return;
    case EFFECT_OFTEN_FLINCHES:
        may_flinch(FREQUENT);
        return;
    case EFFECT_MAY_CONFUSE:
        may_confuse();
        return;
    case EFFECT_TWIN_NEEDLE:
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
    uint16_t gain = big(wDamage) >> 1;

    if (!gain)
        gain = 1;
    set_big(wDamage, gain);
    give_hp(user, gain);
    print_system_text(TEXT_BATTLE_DRAINED);
}

static void recoil(void)
{
    uint16_t loss = big(wDamage) >> (user->move->id == LAST_RESORT ? 1 : 2);

    take_hp(user, loss ? loss : 1);
    print_system_text(TEXT_BATTLE_RECOIL);
}

/* Whether the target stands or fell. */
void settle_hit(void)
{
    if (user->move->effect == EFFECT_RAGE)
        user->status[1] |= RAGING;
    else if (user->move->effect == EFFECT_DRAIN || user->move->effect == EFFECT_DREAM)
        drain();
    else if (user->move->effect == EFFECT_RECOIL)
        recoil();
}
