/* Moves that end a fight in the wild: one of the two is gone. */
#pragma bank 57
#include "battle_parts.h"

#define SHARE 4

/* A byte as one of the numbers from 0 to both levels together; less than a quarter of the other's level is too little. */
static bool is_strong_enough(void)
{
    uint8_t own = user->mon->level, other = target->mon->level;

    return own >= other || ((uint16_t)random() * (own + other + 1) >> 8) >= other / SHARE;
}

void leave(void)
{
    if (wIsInBattle == IN_TRAINER_BATTLE || !is_strong_enough()) {
        print_system_text(TEXT_BATTLE_FAILED);
        return;
    }
    wEscapedFromBattle = 1;
    print_system_text(TEXT_BATTLE_BLOWN_APART);
}
