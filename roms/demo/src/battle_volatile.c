/* What passes with the battle: confusion, flinching, seeds, moves that are forgotten for a while. */
#pragma bank 57
#include "battle_parts.h"

#define TYPE_MOSS 22
#define ACTS_ALL_THE_SAME 0x80
#define SELF_HIT_POWER 40
#define LEAST_CONFUSION 2
#define CONFUSION_MASK 3
#define DISABLED_MASK 7
#define DISABLED_TURNS 0x0F

/* By its own Attack against its own Defense; no type, no luck, never critical. What it was in the middle of is over. */
static void hit_itself(void)
{
    uint8_t *stats = user->mon->stats;
    uint16_t defense = big(stats + 2 * DEFENSE);

    /* A bug of the original: what the other side has put up protects. */
    if (target->status[2] & REFLECT)
        defense <<= 1;

    user->status[0] &= CONFUSED;
    print_system_text(TEXT_BATTLE_HURTS_ITSELF);
    set_big(wDamage, formula(user->mon->level, SELF_HIT_POWER, big(stats + 2 * ATTACK), defense));
    hurt_itself();
}

/* Whether confusion has cost the turn. */
bool is_confused(void)
{
    if (!(user->status[0] & CONFUSED))
        return false;
    if (!--user->counters->confused) {
        user->status[0] &= (uint8_t)~CONFUSED;
        print_system_text(TEXT_BATTLE_CLEAR_HEADED);
        return false;
    }
    print_system_text(TEXT_BATTLE_IS_CONFUSED);
    if (random() < ACTS_ALL_THE_SAME)
        return false;
    hit_itself();
    return true;
}

void begin_confusion(const Side *side)
{
    side->status[0] |= CONFUSED;
    side->counters->confused = LEAST_CONFUSION + (random() & CONFUSION_MASK);
}

void confuse(void)
{
    begin_confusion(target);
    print_system_text(TEXT_BATTLE_CONFUSED);
}

/* Who is stopped need not recharge, as in the original. */
void let_off(void)
{
    target->status[1] &= (uint8_t)~RECHARGING;
}

void flinch(void)
{
    target->status[0] |= FLINCHED;
    let_off();
}

void seed(void)
{
    const BattleMon *mon = target->mon;
    bool immune = mon->types[0] == TYPE_MOSS || mon->types[1] == TYPE_MOSS;

    test_hit();
    if (wMoveMissed || immune || target->status[1] & SEEDED) {
        print_system_text(wMoveMissed ? TEXT_BATTLE_MISSED : TEXT_BATTLE_FAILED);
        return;
    }
    target->status[1] |= SEEDED;
    print_system_text(TEXT_BATTLE_SEEDED);
}

void count_disabling(void)
{
    Counters *counters = user->counters;

    if (!counters->disabled || --counters->disabled & DISABLED_TURNS)
        return;
    counters->disabled = *user->disabled_move = 0;
    print_system_text(TEXT_BATTLE_REMEMBERED);
}

/* A move that was chosen before it was forgotten. */
bool tries_disabled(void)
{
    if (!*user->disabled_move || *user->selected != *user->disabled_move)
        return false;
    user->status[0] &= (uint8_t)~CHARGING;
    load_move_name(*user->selected);
    print_system_text(TEXT_BATTLE_HAS_FORGOTTEN);
    return true;
}

/* The slot that a byte points at, or the next after it with a move; the player's must have PP as well. NO_MON: none. */
static uint8_t slot_to_forget(uint8_t slot)
{
    const BattleMon *mon = target->mon;
    uint8_t tries;

    for (tries = 0; tries != MOVES; tries++, slot++) {
        slot &= MOVES - 1;
        if (mon->moves[slot] && (hWhoseTurn == PLAYERS_TURN || mon->pp[slot] & PP_MASK))
            return slot;
    }
    return NO_MON;
}

void disable(void)
{
    uint8_t slot;

    test_hit();
    if (wMoveMissed) {
        print_system_text(TEXT_BATTLE_MISSED);
        return;
    }
    slot = target->counters->disabled ? NO_MON : slot_to_forget(random());
    if (slot == NO_MON) {
        print_system_text(TEXT_BATTLE_FAILED);
        return;
    }
    target->counters->disabled = (uint8_t)((slot + 1) << 4) | ((random() & DISABLED_MASK) + 1);
    *target->disabled_move = target->mon->moves[slot];
    load_move_name(*target->disabled_move);
    print_system_text(TEXT_BATTLE_FORGOT);
}

/* What its user has or has not, once. */
void set_once(uint8_t byte, uint8_t bit, uint8_t text)
{
    if (user->status[byte] & bit) {
        print_system_text(TEXT_BATTLE_FAILED);
        return;
    }
    user->status[byte] |= bit;
    print_system_text(text);
}
