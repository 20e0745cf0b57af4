/* Thistle End: the player cannot walk the lane without a Pokemon. */
#pragma bank 59
#include "scenes.h"
#include "world.h"

#define SCRIPT_TURN_BACK 1
#define FREE_ROW 2

void tell(uint8_t text) BANKED
{
    wDoNotWaitAfterText = 1;
    display_text(text);
}

void turn_back(void) BANKED
{
    wPalletTownCurScript = SCRIPT_TURN_BACK;
    face_player(FACING_DOWN);
    tell(MAP_TEXT_THISTLE_END_GO_BACK);
    walk_player(FACING_DOWN, FREE_ROW - wYCoord);
    wPalletTownCurScript = 0;
}
