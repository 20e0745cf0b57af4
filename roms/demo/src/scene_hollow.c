/* Cairn Hollow: the slab stays drawn back once a boulder has lain on the switch. */
#pragma bank 59
#include "events.h"
#include "scenes.h"
#include "world.h"

void change_hollow(void) BANKED
{
    if (has_happened(EVENT_VICTORY_ROAD_1_BOULDER_ON_SWITCH))
        put_block(BLOCK_CAIRN_HOLLOW_OPEN_Y, BLOCK_CAIRN_HOLLOW_OPEN_X, BLOCK_CAIRN_HOLLOW_OPEN);
}
