/* When a warp fires, and where it leads. */
#pragma bank 45
#include "overworld.h"
#include "scenes.h"

#define CARPETS_BANK 3
#define CARPET_POINTERS 0x4477
#define WARP_TILE_POINTERS 0x44CC
#define DOORS_BANK 6
#define DOOR_TILES 0x662C
#define LAST_MAP 0xFF
#define DARK_MAP 82 /* and what lies behind it */
#define LIST_END 0xFF
#define PAD_TILE 0x20

uint8_t warp_at(uint8_t y, uint8_t x)
{
    uint8_t i;

    for (i = 0; i != wNumberOfWarps; i++)
        if (wWarps[i].y == y && wWarps[i].x == x)
            return i;
    return NO_WARP;
}

static bool is_in_far_list(uint8_t tile, uint8_t bank, uint16_t list, uint8_t end)
{
    uint8_t entry;

    while ((entry = far_byte(bank, list++)) != end)
        if (entry == tile)
            return true;
    return false;
}

bool is_on_door_tile(void)
{
    uint16_t entry = DOOR_TILES;
    uint8_t tileset;

    while ((tileset = far_byte(DOORS_BANK, entry)) != LIST_END) {
        if (tileset == wCurMapTileset)
            return is_in_far_list(wTilePlayerStandingOn, DOORS_BANK, far_word(DOORS_BANK, entry + 1), 0);
        entry += 3;
    }
    return false;
}

static bool is_on_warp_tile(void)
{
    uint16_t list = far_word(CARPETS_BANK, WARP_TILE_POINTERS + 2 * wCurMapTileset);

    return is_in_far_list(wTilePlayerStandingOn, CARPETS_BANK, list, LIST_END);
}

static bool is_facing_map_edge(void)
{
    switch (player1.facing) {
    case FACING_DOWN:
        return wYCoord == wCurrentMapHeight2 - 1;
    case FACING_UP:
        return wYCoord == 0;
    case FACING_LEFT:
        return wXCoord == 0;
    default:
        return wXCoord == wCurrentMapWidth2 - 1;
    }
}

static bool is_facing_carpet(void)
{
    uint16_t list = far_word(CARPETS_BANK, CARPET_POINTERS + (player1.facing >> 1));

    look_at_tiles();
    return is_in_far_list(wTileInFrontOfPlayer, CARPETS_BANK, list, LIST_END);
}

/* Tilesets whose mats are told by the tile ahead; elsewhere the map's edge tells. */
static bool has_carpets(void)
{
    static const uint8_t tilesets[] = {0, 13, 14, 23, LIST_END};

    return is_listed(wCurMapTileset, tilesets, LIST_END);
}

static bool is_leaving_by_mat(void)
{
    return has_carpets() ? is_facing_carpet() : is_facing_map_edge();
}

void note_standing_on_warp(void)
{
    if (warp_at(wYCoord, wXCoord) == NO_WARP)
        wMovementFlags &= (uint8_t)~MOVEMENT_ON_WARP;
    else
        wMovementFlags |= MOVEMENT_ON_WARP;
}

/* wCurMap is the new map from the first frame on; the rest of the map in RAM, and whoever holds the pad, are the old
   one's until the fade is over. */
static void take_warp(uint8_t index)
{
    const Warp *warp = &wWarps[index];
    bool was_dark = wMapPalOffset;

    wStandingOnWarpPadOrHole = 0;
    wWarpedFromWhichWarp = index;
    wWarpedFromWhichMap = wCurMap;
    wDestinationWarpID = warp->destination_warp;
    if (is_outside()) {
        wLastMap = wCurMap;
        if (warp->destination_map == DARK_MAP)
            wMapPalOffset = DARK;
    }
    wCurMap = warp->destination_map == LAST_MAP ? wLastMap : warp->destination_map;
    if (wCurMapTileset == TILESET_FACILITY && wTilePlayerStandingOn == PAD_TILE)
        whirl_away();
    wMovementFlags |= MOVEMENT_ON_DOOR;
    update_sprites();
    if (!was_dark)
        fade_to_black();
    enter_map();
}

/* On arrival: doors and stairs at once, mats when the way out is still held. */
bool warp_after_step(void)
{
    uint8_t index = warp_at(wYCoord, wXCoord);

    if (index == NO_WARP)
        return false;
    if (!is_on_door_tile() && !is_on_warp_tile()) {
        joypad();
        if (!(hJoyHeld & player_direction()->pad) || !is_leaving_by_mat())
            return false;
    }
    take_warp(index);
    return true;
}

bool warp_after_bump(void)
{
    uint8_t index = warp_at(wYCoord, wXCoord);

    if (index == NO_WARP || !is_leaving_by_mat())
        return false;
    take_warp(index);
    return true;
}
