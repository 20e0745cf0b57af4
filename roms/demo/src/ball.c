/* Throwing a ball, which nobody stays in yet. */
#pragma bank 62
#include "ball.h"
#include "battle_parts.h"

bool can_throw_ball(void) BANKED
{
    if (wIsInBattle == IN_WILD_BATTLE)
        return true;
    print_system_text(TEXT_NO_USE_HERE);
    return false;
}

bool throw_ball(uint8_t item) BANKED
{
    (void)item;
    print_system_text(TEXT_BATTLE_FAILED);
    return false;
}
