/* What may be walked on, and what stands in the way. */
#pragma bank 45
#include "overworld.h"

#define LIST_END 0xFF

bool is_passable(uint8_t tile)
{
    return is_listed(tile, BYTES(wTilesetCollisionPtr), LIST_END);
}

/* In a list of tileset, tile, tile. */
bool is_forbidden_pair(const uint8_t *pair, uint8_t a, uint8_t b)
{
    for (; *pair != LIST_END; pair += 3) {
        if (*pair != wCurMapTileset)
            continue;
        if ((pair[1] == a && pair[2] == b) || (pair[1] == b && pair[2] == a))
            return true;
    }
    return false;
}

/* The tile that decides about a step of this map: bottom left of its four. */
uint8_t step_tile(uint8_t y, uint8_t x)
{
    uint8_t stride = wCurMapWidth + 6;
    uint16_t at = wOverworldMap + ((y >> 1) + 3) * stride + (x >> 1) + 3;
    uint8_t within = (y & 1 ? 12 : 4) + (x & 1 ? 2 : 0);

    return far_byte(wTilesetBank, wTilesetBlocksPtr + ((uint16_t)BYTE(at) << 4) + within);
}

static bool has_just_left(uint8_t slot, uint8_t map_y, uint8_t map_x)
{
    const SpriteState1 *one = &wSprites1[slot];
    const SpriteState2 *two = &wSprites2[slot];

    return two->walk_counter && (uint8_t)(two->map_y - one->y_step) == map_y
           && (uint8_t)(two->map_x - one->x_step) == map_x;
}

/* By a map object that is there, other than `except`; one that walks holds the step it leaves as well. */
bool is_occupied(uint8_t map_y, uint8_t map_x, uint8_t except)
{
    uint8_t slot;

    for (slot = 1; slot <= wNumSprites; slot++) {
        if (slot == except || !wSprites1[slot].picture || slot_hidden[slot])
            continue;
        if (wSprites2[slot].map_y == map_y && wSprites2[slot].map_x == map_x)
            return true;
        if (has_just_left(slot, map_y, map_x))
            return true;
    }
    return false;
}

static uint8_t tile_ahead(uint8_t facing)
{
    switch (facing) {
    case FACING_DOWN:
        return *TILE_AT(8, 11);
    case FACING_UP:
        return *TILE_AT(8, 7);
    case FACING_LEFT:
        return *TILE_AT(6, 9);
    default:
        return *TILE_AT(10, 9);
    }
}

void look_at_tiles(void)
{
    wTilePlayerStandingOn = *TILE_AT(8, 9);
    wTileInFrontOfPlayer = tile_ahead(player1.facing);
}

/* Which step of the map the player faces. */
void step_ahead(uint8_t *y, uint8_t *x) BANKED
{
    const Direction *direction = player_direction();

    *y = wYCoord + direction->dy;
    *x = wXCoord + direction->dx;
}

bool is_blocked(const Direction *direction)
{
    uint8_t map_y = wYCoord + direction->dy + COORDINATE_OFFSET;
    uint8_t map_x = wXCoord + direction->dx + COORDINATE_OFFSET;

    look_at_tiles();
    if (wMovementFlags & MOVEMENT_LEDGE)
        return false;
    if (is_beyond_edge(direction) || is_occupied(map_y, map_x, 0))
        return true;
    if (is_surfing())
        return is_blocked_on_water();
    return !is_passable(wTileInFrontOfPlayer)
           || is_forbidden_pair(PAIRS_ON_LAND, wTilePlayerStandingOn, wTileInFrontOfPlayer);
}
