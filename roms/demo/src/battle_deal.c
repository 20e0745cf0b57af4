/* HP go down and up, of a creature or of what stands in for it. */
#pragma bank 57
#include "battle_parts.h"

#define RAGE_RISE 1

void take_hp(const Side *side, uint16_t loss) BANKED
{
    uint16_t hp = big(side->mon->hp);

    set_big(side->mon->hp, hp > loss ? hp - loss : 0);
    animate_hp(side == enemy, hp);
}

void give_hp(const Side *side, uint16_t gain) BANKED
{
    uint16_t hp = big(side->mon->hp), most = big(side->mon->max_hp);

    set_big(side->mon->hp, hp + gain > most ? most : hp + gain);
    animate_hp(side == enemy, hp);
}

/* What breaks it has no further effect, as in the original. */
static void hit_substitute(void)
{
    if (big(wDamage) <= *target->substitute) {
        *target->substitute -= (uint8_t)big(wDamage);
        print_system_text(TEXT_BATTLE_STAND_IN_HIT);
        return;
    }
    *target->substitute = 0;
    target->status[1] &= (uint8_t)~HAS_SUBSTITUTE;
    user->move->effect = 0;
    print_system_text(TEXT_BATTLE_STAND_IN_BROKE);
}

/* Rage feeds on all that is done to it or to what stands in for it, with damage or without. */
void feed_rage(void)
{
    if (!(target->status[1] & RAGING) || is_fainted(target->mon->hp))
        return;
    hWhoseTurn ^= 1;
    raise_stat(ATTACK, RAGE_RISE);
    hWhoseTurn ^= 1;
}

/* More than there is cannot be taken: wDamage tells what was. A bug of the original: who hides behind something and
   hurts itself hits what the other side hides behind. */
static void take_damage(const Side *side)
{
    uint16_t hp = big(side->mon->hp);

    if (side->status[1] & HAS_SUBSTITUTE) {
        hit_substitute();
        return;
    }
    if (big(wDamage) > hp)
        set_big(wDamage, hp);
    take_hp(side, big(wDamage));
}

void deal_damage(void)
{
    take_damage(target);
    feed_rage();
}

void hurt_itself(void)
{
    take_damage(user);
}
