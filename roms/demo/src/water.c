/* Water: where surfing begins, what is open to who surfs, and where it ends. */
#pragma bank 45
#include "overworld.h"

#define WATER_TILESETS_BANK 3
#define WATER_TILESETS 0x68E0
#define WATER_TILESETS_COUNT 9
#define WATER_TILE 0x14
#define SHORE_RIGHT 0x32
#define SHORE_OF_PARK 0x48
enum { TILESET_DOJO = 5, TILESET_GYM = 7, TILESET_SHIP_PORT = 14 };

bool is_surfing(void)
{
    return wWalkBikeSurfState == SURFING;
}

static bool is_tileset_with_water(void)
{
    uint8_t i;

    for (i = 0; i != WATER_TILESETS_COUNT; i++)
        if (far_byte(WATER_TILESETS_BANK, WATER_TILESETS + i) == wCurMapTileset)
            return true;
    return false;
}

/* Shores count as water, but for three tilesets that use their numbers for something else. */
static bool is_shore(uint8_t tile)
{
    if (tile != SHORE_RIGHT && tile != SHORE_OF_PARK)
        return false;
    return wCurMapTileset != TILESET_DOJO && wCurMapTileset != TILESET_GYM && wCurMapTileset != TILESET_SHIP_PORT;
}

static bool is_water(uint8_t tile)
{
    return is_tileset_with_water() && (tile == WATER_TILE || is_shore(tile));
}

/* Onto land as well: it is a step like any other. */
bool is_blocked_on_water(void)
{
    if (is_forbidden_pair(PAIRS_ON_WATER, wTilePlayerStandingOn, wTileInFrontOfPlayer))
        return true;
    return !is_water(wTileInFrontOfPlayer) && !is_passable(wTileInFrontOfPlayer);
}

/* As a step begins. */
void leave_water(void)
{
    if (!is_water(wTileInFrontOfPlayer))
        wWalkBikeSurfState = WALKING;
}

/* Asked from a menu, which covers the map: by the tiles that were noted before. */
bool may_surf(void) BANKED
{
    const Direction *direction = player_direction();

    if (is_surfing())
        return false;
    return is_water(wTileInFrontOfPlayer)
           && !is_forbidden_pair(PAIRS_ON_WATER, wTilePlayerStandingOn, wTileInFrontOfPlayer)
           && !is_occupied(wYCoord + direction->dy + COORDINATE_OFFSET, wXCoord + direction->dx + COORDINATE_OFFSET, 0);
}

/* The step onto the water is the game's own. */
void begin_surf(void) BANKED
{
    wWalkBikeSurfState = SURFING;
    wStatusFlags5 |= STATUS5_SCRIPTED_WALK;
    wJoyIgnore = ALL_BUT_A_B;
    wSimulatedJoypadStates[0] = player_direction()->pad;
    wSimulatedJoypadIndex = 1;
}
