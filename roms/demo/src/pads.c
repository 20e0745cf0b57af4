/* Warp plates: the player spins on one before the warp. */
#pragma bank 59
#include "scenes.h"

#define TURNS 8
#define FRAMES_A_TURN 4

void whirl_away(void) BANKED
{
    static const uint8_t facings[4] = {FACING_DOWN, FACING_LEFT, FACING_UP, FACING_RIGHT};
    uint8_t before = player1.facing, i;

    wStandingOnWarpPadOrHole = ON_WARP_PAD;
    for (i = 0; i != TURNS; i++) {
        face_player(facings[i & 3]);
        delay_frames(FRAMES_A_TURN);
    }
    face_player(before);
}
