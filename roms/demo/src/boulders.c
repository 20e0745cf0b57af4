/* Boulders: with STRENGTH, leaning against one is noted first, and moves it a step the next time. */
#pragma bank 45
#include "overworld.h"

#define BOULDER 0x10 /* movement byte 2 */
#define NOTHING 0
#define STAIRS_OF_CAVES 0x15
#define ALL_KEYS 0xFF
#define DUST_FRAMES 16

static uint8_t ahead_y, ahead_x; /* of the boulder's, as map objects count */

void forget_strength(void)
{
    wStatusFlags1 &= (uint8_t)~STATUS1_STRENGTH;
}

static void forget_push(void)
{
    wMiscFlags &= (uint8_t)~(MISC_TRIED_BOULDER | MISC_BOULDER_DUST);
}

static uint8_t boulder_ahead(const Direction *direction)
{
    uint8_t y = wYCoord + direction->dy + COORDINATE_OFFSET, x = wXCoord + direction->dx + COORDINATE_OFFSET;
    uint8_t slot;

    for (slot = 1; slot <= wNumSprites; slot++)
        if (wSprites1[slot].picture && !slot_hidden[slot] && wMapSpriteData[2 * (slot - 1)] == BOULDER
            && wSprites2[slot].map_y == y && wSprites2[slot].map_x == x)
            return slot;
    return NOTHING;
}

/* Even what is hidden or was picked up keeps its square from boulders. */
static bool is_taken(void)
{
    uint8_t slot;

    for (slot = 1; slot <= wNumSprites; slot++)
        if (wSprites2[slot].map_y == ahead_y && wSprites2[slot].map_x == ahead_x)
            return true;
    return false;
}

static bool is_stuck(void)
{
    uint8_t y = ahead_y - COORDINATE_OFFSET, x = ahead_x - COORDINATE_OFFSET, tile;

    if (y >= wCurrentMapHeight2 || x >= wCurrentMapWidth2 || is_taken())
        return true;
    tile = step_tile(y, x);
    look_at_tiles();
    return tile == STAIRS_OF_CAVES || !is_passable(tile)
           || is_forbidden_pair(PAIRS_ON_LAND, wTilePlayerStandingOn, tile);
}

static void roll(uint8_t slot, const Direction *direction)
{
    stand_still();
    wJoyIgnore = ALL_KEYS;
    wStatusFlags5 |= STATUS5_SCRIPTED_NPC;
    wMiscFlags |= MISC_BOULDER_DUST;
    push_npc(slot, direction);
    while (wSprites2[slot].walk_counter)
        scene_pass();
    wStatusFlags5 &= (uint8_t)~STATUS5_SCRIPTED_NPC;
    delay_frames(DUST_FRAMES);
    forget_push();
    wMiscFlags |= MISC_PUSHED_BOULDER;
    wJoyIgnore = 0;
}

/* Each pass asks; whether one rolled. */
bool push_boulder(void)
{
    const Direction *direction = player_direction();
    uint8_t slot;

    if (!(wStatusFlags1 & STATUS1_STRENGTH))
        return false;
    slot = wBoulderSpriteIndex = boulder_ahead(direction);
    if (slot == NOTHING) {
        forget_push();
        return false;
    }
    if (!(wMiscFlags & MISC_TRIED_BOULDER)) {
        wMiscFlags |= MISC_TRIED_BOULDER;
        return false;
    }
    if (!(hJoyHeld & direction->pad))
        return false;
    ahead_y = wSprites2[slot].map_y + direction->dy;
    ahead_x = wSprites2[slot].map_x + direction->dx;
    if (is_stuck()) {
        forget_push();
        return false;
    }
    roll(slot, direction);
    boulder_rests(slot);
    return true;
}
