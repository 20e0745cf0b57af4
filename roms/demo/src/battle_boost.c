/* What raises a stat of who fights for the player, without a move. */
#pragma bank 57
#include "battle_parts.h"
#include "things.h"

void boost(uint8_t stat) BANKED
{
    hWhoseTurn = PLAYERS_TURN;
    raise_stat(stat, 1);
}
