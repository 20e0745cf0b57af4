/* Floors that spin: an arrow carries one on, over further arrows, up to a landing or something solid. */
#pragma bank 45
#include "overworld.h"

#define TILESET_GYM 7
#define MOST_STEPS 64
#define ALL_KEYS 0xFF
#define PASSES_PER_TURN 2
#define KINDS 4

/* Tiles in the order of the directions, and the landing. */
static const uint8_t tiles_of_facility[KINDS + 1] = {0x30, 0x31, 0x32, 0x33, 0x10};
static const uint8_t tiles_of_gym[KINDS + 1] = {0x3C, 0x3D, 0x4C, 0x4D, 0x3F};

static const Direction *course; /* of the last arrow */
static uint8_t passes;

static const uint8_t *tiles_here(void)
{
    switch (wCurMapTileset) {
    case TILESET_FACILITY:
        return tiles_of_facility;
    case TILESET_GYM:
        return tiles_of_gym;
    }
    return 0;
}

static bool note_arrow(const uint8_t *tiles, uint8_t tile)
{
    uint8_t i;

    for (i = 0; i != KINDS; i++)
        if (tiles[i] == tile) {
            course = &directions[i];
            return true;
        }
    return false;
}

/* Beyond the map's edge coordinates are great: unsigned numbers wrap. */
static bool is_open(uint8_t y, uint8_t x)
{
    return y < wCurrentMapHeight2 && x < wCurrentMapWidth2 && is_passable(step_tile(y, x));
}

/* Keys are played from the highest index down. */
static void reverse(uint8_t *keys, uint8_t count)
{
    uint8_t *last = keys + count - 1, key;

    for (; keys < last; keys++, last--) {
        key = *keys;
        *keys = *last;
        *last = key;
    }
}

static uint8_t note_keys(const uint8_t *tiles)
{
    uint8_t y = wYCoord, x = wXCoord, count = 0, tile;

    while (count != MOST_STEPS && is_open(y + course->dy, x + course->dx)) {
        wSimulatedJoypadStates[count++] = course->pad;
        y += course->dy;
        x += course->dx;
        tile = step_tile(y, x);
        if (tile == tiles[KINDS])
            break;
        note_arrow(tiles, tile);
    }
    return count;
}

/* Each pass of who stands asks. */
bool spins(void)
{
    const uint8_t *tiles = tiles_here();
    uint8_t count;

    if (!tiles || !note_arrow(tiles, wTilePlayerStandingOn))
        return false;
    count = note_keys(tiles);
    if (!count)
        return false;
    reverse(wSimulatedJoypadStates, count);
    wSimulatedJoypadIndex = count;
    wMovementFlags |= MOVEMENT_SPIN;
    wStatusFlags5 |= STATUS5_SCRIPTED_WALK;
    wJoyIgnore = ALL_KEYS;
    passes = 0;
    return true;
}

/* While the course is held one looks everywhere. */
void whirl(void)
{
    static const uint8_t next[KINDS] = {FACING_LEFT, FACING_RIGHT, FACING_UP, FACING_DOWN};

    if (++passes != PASSES_PER_TURN)
        return;
    passes = 0;
    player1.facing = next[player1.facing >> 2];
}

void stop_spinning(void)
{
    wMovementFlags &= (uint8_t)~MOVEMENT_SPIN;
    player1.facing = course->facing;
}
