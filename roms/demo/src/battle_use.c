/* One side uses its move. */
#pragma bank 57
#include "battle_parts.h"

#define CRITICAL 1
#define KNOCKOUT 2
#define LAST_PHYSICAL_TO_COUNTER 1 /* the types 0 and 1 */

/* A move that goes on from an earlier turn was paid for then. */
static bool goes_on;

static void change_pp(int8_t by)
{
    if (hWhoseTurn != PLAYERS_TURN)
        return;
    wBattleMon.pp[wPlayerMoveListIndex] += by;
    wPartyMons[wPlayerMonNumber].pp[wPlayerMoveListIndex] += by;
}

static void spend_pp(void)
{
    if (goes_on || wPlayerSelectedMove == LAST_RESORT)
        return;
    if (wBattleMon.pp[wPlayerMoveListIndex] & PP_MASK)
        change_pp(-1);
}

static void announce(void)
{
    *user->used = user->move->id;
    load_move_name(user->move->id);
    print_system_text(TEXT_BATTLE_USED);
}

static void tell_miss(void)
{
    print_system_text(wDamageMultipliers & ~SAME_TYPE_BONUS ? TEXT_BATTLE_MISSED : TEXT_BATTLE_NO_EFFECT);
}

static void tell_hit(void)
{
    uint8_t multiplier = wDamageMultipliers & (uint8_t)~SAME_TYPE_BONUS;

    if (wCriticalHitOrOHKO == CRITICAL)
        print_system_text(TEXT_BATTLE_CRITICAL);
    else if (wCriticalHitOrOHKO == KNOCKOUT)
        print_system_text(TEXT_BATTLE_KNOCKOUT);
    if (multiplier > NORMAL_DAMAGE)
        print_system_text(TEXT_BATTLE_STRONG);
    else if (multiplier < NORMAL_DAMAGE)
        print_system_text(TEXT_BATTLE_WEAK);
}

/* Counter: twice the last damage of either side, only from a normal attack. wDamage is still that of the last move. */
static void give_back(void)
{
    uint16_t damage = big(wDamage);

    if (!damage || !target->move->power || target->move->type > LAST_PHYSICAL_TO_COUNTER ||
        *target->selected == GOES_LAST) {
        wMoveMissed = 1;
        return;
    }
    test_hit();
    if (!wMoveMissed)
        set_big(wDamage, damage << 1);
}

/* Draws the chances of a blow in the order of the rules; wMoveMissed and wDamage tell what came of it. */
static void roll_blow(void)
{
    uint8_t effect = user->move->effect;

    if (user->move->id == GOES_LAST) {
        give_back();
        return;
    }
    set_big(wDamage, 0);
    if (effect == EFFECT_FIXED || effect == EFFECT_HALF) {
        test_hit();
        if (!wMoveMissed)
            set_fixed_damage();
        return;
    }
    roll_critical();
    roll_damage();
    if (!wMoveMissed)
        test_hit();
}

static void fail(void)
{
    user->status[0] &= (uint8_t)~TRAPPING;
    tell_miss();
    if (user->move->effect == EFFECT_CRASH) {
        set_big(wDamage, 1);
        hurt_itself();
        print_system_text(TEXT_BATTLE_CRASHED);
    }
}

/* Every blow of a move does the same; who breaks something to hide behind strikes no more. */
static void strike(void)
{
    uint8_t hits;

    deal_damage();
    tell_hit();
    hits = count_hits();
    if (hits == 1)
        return;
    user->status[0] |= HITTING_AGAIN;
    user->counters->attacks_left = hits;
    while (--user->counters->attacks_left && user->move->effect && !is_fainted(target->mon->hp))
        deal_damage();
    user->status[0] &= (uint8_t)~HITTING_AGAIN;
    print_system_text(TEXT_BATTLE_SEVERAL_HITS);
}

/* Whether it hit or not. */
static void burst(void)
{
    user->mon->status = 0;
    user->status[1] &= (uint8_t)~SEEDED;
    take_hp(user, big(user->mon->hp));
}

static void attack(void)
{
    if (!goes_on)
        begin_several_turns();
    roll_blow();
    if (wMoveMissed) {
        fail();
    } else {
        strike();
        settle_hit();
        if (!is_fainted(target->mon->hp))
            side_effect();
    }
    if (user->move->effect == EFFECT_EXPLODE) {
        burst();
        if (wMoveMissed)
            feed_rage();
    }
}

/* What goes on is the move of the turn before, whatever it was chosen as. */
static void prepare(void)
{
    wMoveMissed = wCriticalHitOrOHKO = 0;
    wDamageMultipliers = NORMAL_DAMAGE;
    goes_on = user->status[0] & THRASHING || user->status[1] & RAGING;
    if (!goes_on && !(user->status[0] & CHARGING))
        load_move(user->move, *user->selected);
    go_on_thrashing();
}

/* Whether there is something to do instead, and not only to prepare in this turn; it is paid in the place of the first. */
static bool borrow(void)
{
    uint8_t id = borrowed_move();

    set_big(wDamage, 0);
    *user->selected = id;
    if (!id) {
        print_system_text(TEXT_BATTLE_FAILED);
        return false;
    }
    load_move(user->move, id);
    change_pp(1);
    if (begins_charging())
        return false;
    spend_pp();
    announce();
    return true;
}

static bool is_borrower(void)
{
    return user->move->effect == EFFECT_ANYTHING || user->move->effect == EFFECT_MIRROR;
}

/* Who is thawed in the middle of a turn repeats the last move, if there was one. */
void use_move(void) BANKED
{
    if (*user->selected == CANNOT_MOVE)
        return;
    if (hWhoseTurn == ENEMYS_TURN)
        wAILayer2Encouragement++;
    if (!can_act() || bides() || holds_on())
        return;
    if (!*user->selected)
        return;
    prepare();
    if (begins_charging())
        return;
    spend_pp();
    announce();
    while (is_borrower())
        if (!borrow())
            return;
    if (user->move->power)
        attack();
    else
        status_effect();
}
