/* What raises a stat without a move, of the side whose turn it is. */
#pragma bank 57
#include "battle_parts.h"
#include "things.h"

void boost(uint8_t stat) BANKED
{
    raise_stat(stat, 1);
}
