/* Ledges: walking into one from above is a hop of two steps, which the game plays by itself. */
#pragma bank 45
#include "overworld.h"

#define LEDGES_BANK 6
#define LEDGES 0x66CF
#define LEDGE_SIZE 4
#define LIST_END 0xFF
#define HOP_STEPS 2
#define HOP_PASSES 16
#define ALL_KEYS 0xFF

/* How high the player is above the ground, pass by pass. */
static const uint8_t heights[HOP_PASSES] = {1, 4, 6, 8, 10, 11, 11, 12, 12, 11, 11, 10, 8, 6, 4, 1};

static bool is_ledge_ahead(const Direction *direction)
{
    uint16_t ledge = LEDGES;
    uint8_t facing;

    while ((facing = far_byte(LEDGES_BANK, ledge)) != LIST_END) {
        if (facing == direction->facing && far_byte(LEDGES_BANK, ledge + 1) == wTilePlayerStandingOn
            && far_byte(LEDGES_BANK, ledge + 2) == wTileInFrontOfPlayer
            && far_byte(LEDGES_BANK, ledge + 3) & hJoyHeld)
            return true;
        ledge += LEDGE_SIZE;
    }
    return false;
}

/* Whether a hop begins; what lies behind the ledge is not asked. */
bool hop_ledge(const Direction *direction)
{
    if (wCurMapTileset != TILESET_OVERWORLD || !is_ledge_ahead(direction))
        return false;
    wMovementFlags |= MOVEMENT_LEDGE;
    wStatusFlags5 |= STATUS5_SCRIPTED_WALK;
    wJoyIgnore = ALL_KEYS;
    fill(wSimulatedJoypadStates, direction->pad, HOP_STEPS);
    wSimulatedJoypadIndex = HOP_STEPS;
    return true;
}

void rise_over_ledge(void)
{
    if (wPlayerJumpingIndex == HOP_PASSES)
        return;
    player1.y_pixels = PLAYER_Y_PIXELS - heights[wPlayerJumpingIndex];
    wPlayerJumpingIndex++;
}

void land(void)
{
    wMovementFlags &= (uint8_t)~MOVEMENT_LEDGE;
    wPlayerJumpingIndex = 0;
    player1.y_pixels = PLAYER_Y_PIXELS;
}
