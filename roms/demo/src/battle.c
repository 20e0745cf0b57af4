/* A battle from its first text to its last. */
#pragma bank 56
#include "battle.h"
#include "ram.h"

void battle(void) BANKED
{
    wCurOpponent = 0;
    wIsInBattle = IN_NO_BATTLE;
}
