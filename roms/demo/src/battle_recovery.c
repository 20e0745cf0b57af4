/* Moves by which a creature mends itself, hides behind something, or wipes everything away. */
#pragma bank 57
#include "battle_parts.h"

#define LONG_SLEEP 156
#define SLEEPS 2
#define SUBSTITUTE_SHARE 4
#define LASTING (ALWAYS_HITS | MISTY | FOCUSED | SEEDED)
#define ALL_OF_THIRD (BADLY_POISONED | LIGHT_SCREEN | REFLECT)

/* Half of all HP, or all of them for two turns of sleep, whatever else it had. */
void heal(void)
{
    BattleMon *mon = user->mon;
    uint16_t most = big(mon->max_hp);

    if (big(mon->hp) >= most) {
        print_system_text(TEXT_BATTLE_FAILED);
        return;
    }
    if (user->move->id != LONG_SLEEP) {
        give_hp(user, most >> 1);
        print_system_text(TEXT_BATTLE_RECOVERED);
        return;
    }
    mon->status = SLEEPS;
    give_hp(user, most);
    print_system_text(TEXT_BATTLE_RESTS);
}

void make_substitute(void)
{
    BattleMon *mon = user->mon;
    uint16_t cost = big(mon->max_hp) / SUBSTITUTE_SHARE;

    if (user->status[1] & HAS_SUBSTITUTE || big(mon->hp) < cost) {
        print_system_text(TEXT_BATTLE_FAILED);
        return;
    }
    user->status[1] |= HAS_SUBSTITUTE;
    *user->substitute = (uint8_t)cost;
    take_hp(user, cost);
    print_system_text(TEXT_BATTLE_STAND_IN);
}

static void forget_all(const Side *side)
{
    fill(side->stages, NEUTRAL_STAGE, STAT_MODS);
    copy(side->mon->stats, side->unmodified->stats, sizeof side->unmodified->stats);
    side->status[0] &= (uint8_t)~CONFUSED;
    side->status[1] &= (uint8_t)~LASTING;
    side->status[2] &= (uint8_t)~ALL_OF_THIRD;
    side->counters->confused = side->counters->disabled = *side->disabled_move = 0;
}

/* Only the other one is healed, and does nothing more this turn when it was asleep or frozen. */
void clear_the_air(void)
{
    uint8_t *status = &target->mon->status;

    forget_all(user);
    forget_all(target);
    if (*status & (STATUS_SLEEP | STATUS_FREEZE))
        *target->selected = CANNOT_MOVE;
    *status = 0;
    draw_huds();
    print_system_text(TEXT_BATTLE_AIR_IS_CLEAR);
}
