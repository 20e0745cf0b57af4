/* One side uses its move. */
#pragma bank 57
#include "battle_parts.h"

static void spend_pp(void)
{
    if (hWhoseTurn != PLAYERS_TURN || wPlayerSelectedMove == LAST_RESORT)
        return;
    if (!(wBattleMon.pp[wPlayerMoveListIndex] & PP_MASK))
        return;
    wBattleMon.pp[wPlayerMoveListIndex]--;
    wPartyMons[wPlayerMonNumber].pp[wPlayerMoveListIndex]--;
}

static void announce(void)
{
    *user->used = *user->selected;
    load_move(user->move, *user->selected);
    load_move_name(*user->selected);
    spend_pp();
    print_system_text(TEXT_BATTLE_USED);
}

static void tell_miss(void)
{
    print_system_text(wDamageMultipliers & ~SAME_TYPE_BONUS ? TEXT_BATTLE_MISSED : TEXT_BATTLE_NO_EFFECT);
}

static void tell_hit(void)
{
    uint8_t multiplier = wDamageMultipliers & (uint8_t)~SAME_TYPE_BONUS;

    if (wCriticalHitOrOHKO)
        print_system_text(TEXT_BATTLE_CRITICAL);
    if (multiplier > NORMAL_DAMAGE)
        print_system_text(TEXT_BATTLE_STRONG);
    else if (multiplier < NORMAL_DAMAGE)
        print_system_text(TEXT_BATTLE_WEAK);
}

/* More than there is cannot be taken: wDamage tells what was. */
static void deal_damage(void)
{
    uint16_t hp = big(target->mon->hp);

    if (big(wDamage) > hp)
        set_big(wDamage, hp);
    set_big(target->mon->hp, hp - big(wDamage));
    animate_hp(hWhoseTurn ^ 1, hp);
}

static void attack(void)
{
    roll_critical();
    roll_damage();
    if (!wMoveMissed)
        test_hit();
    if (wMoveMissed) {
        tell_miss();
        return;
    }
    deal_damage();
    tell_hit();
    drain_or_recoil();
    if (!is_fainted(target->mon->hp))
        side_effect();
}

/* Who is thawed in the middle of a turn repeats the last move, if there was one. */
void use_move(void) BANKED
{
    wMoveMissed = wCriticalHitOrOHKO = 0;
    wDamageMultipliers = NORMAL_DAMAGE;
    set_big(wDamage, 0);
    if (!can_act() || !*user->selected)
        return;
    announce();
    if (user->move->power)
        attack();
    else
        status_effect();
}
