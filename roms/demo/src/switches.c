/* Special squares: switches under boulders, and holes, into which boulders and the player fall. */
#pragma bank 45
#include "events.h"
#include "overworld.h"
#include "scenes.h"
#include "world.h"

/* Rows of the two tables begin with map, Y and X; the compiler of the world knows the rest. */
#define SWITCH_SIZE 8
#define SWITCH_EVENT 3
#define SWITCH_BLOCK 5
#define HOLE_SIZE 8
#define HOLE_TARGET 3
#define HOLE_EVENT 5
#define HOLE_APPEARS 7
#define NO_EVENT 0xFFFF
#define NOBODY 0xFF
#define LIST_END 0xFF
#define NOT_HERE 0

#define DUNGEON_WARPS_BANK 1
#define DUNGEON_WARP_LIST 0x63BF
#define DUNGEON_WARP_DATA 0x63D8
#define DUNGEON_WARP_SIZE 6
#define ALL_KEYS 0xFF

/* The first rows of the present map. */
static uint16_t switches, holes;

static uint8_t byte_of(uint16_t row, uint8_t offset)
{
    return far_byte(GROUND_BANK, row + offset);
}

static uint16_t first_of_map(uint16_t row, uint8_t size)
{
    uint8_t map;

    for (; (map = byte_of(row, 0)) != LIST_END; row += size)
        if (map == wCurMap)
            return row;
    return NOT_HERE;
}

/* Rows of a map follow one another. */
static uint16_t row_at(uint16_t row, uint8_t size, uint8_t y, uint8_t x)
{
    for (; row && byte_of(row, 0) == wCurMap; row += size)
        if (byte_of(row, 1) == y && byte_of(row, 2) == x)
            return row;
    return NOT_HERE;
}

void find_ground(void)
{
    switches = first_of_map(SWITCHES_ADDR, SWITCH_SIZE);
    holes = first_of_map(HOLES_ADDR, HOLE_SIZE);
}

static void open_way(uint16_t row)
{
    put_block(byte_of(row, SWITCH_BLOCK), byte_of(row, SWITCH_BLOCK + 1), byte_of(row, SWITCH_BLOCK + 2));
}

/* A way that was opened stays so. */
void open_ways(void)
{
    uint16_t row;

    for (row = switches; row && byte_of(row, 0) == wCurMap; row += SWITCH_SIZE)
        if (has_happened(far_word(GROUND_BANK, row + SWITCH_EVENT)))
            open_way(row);
}

static void press_switch(uint16_t row)
{
    set_event(far_word(GROUND_BANK, row + SWITCH_EVENT));
    open_way(row);
    redraw_view();
}

static void swallow(uint16_t row, uint8_t slot)
{
    uint16_t event = far_word(GROUND_BANK, row + HOLE_EVENT);
    uint8_t appears = byte_of(row, HOLE_APPEARS);

    hide_object(slot);
    if (appears != NOBODY)
        show_elsewhere(appears);
    if (event != NO_EVENT)
        set_event(event);
}

void boulder_rests(uint8_t slot)
{
    uint8_t y = wSprites2[slot].map_y - COORDINATE_OFFSET, x = wSprites2[slot].map_x - COORDINATE_OFFSET;
    uint16_t row = row_at(switches, SWITCH_SIZE, y, x);

    if (row)
        press_switch(row);
    row = row_at(holes, HOLE_SIZE, y, x);
    if (row)
        swallow(row, slot);
}

static uint16_t landing(void)
{
    uint16_t entry = DUNGEON_WARP_LIST, data = DUNGEON_WARP_DATA;

    while (far_byte(DUNGEON_WARPS_BANK, entry) != wDungeonWarpDestinationMap
           || far_byte(DUNGEON_WARPS_BANK, entry + 1) != wWhichDungeonWarp) {
        entry += 2;
        data += DUNGEON_WARP_SIZE;
    }
    return data;
}

static void fall(void)
{
    uint16_t data = landing();

    wJoyIgnore = ALL_KEYS;
    wStatusFlags3 |= STATUS3_DUNGEON_WARP;
    wWalkBikeSurfState = WALKING;
    update_sprites();
    fade_out();
    wCurMap = wDungeonWarpDestinationMap;
    wDestinationWarpID = NO_WARP;
    wYCoord = far_byte(DUNGEON_WARPS_BANK, data + 2);
    wXCoord = far_byte(DUNGEON_WARPS_BANK, data + 3);
    enter_map();
    wStatusFlags3 &= (uint8_t)~STATUS3_DUNGEON_WARP;
}

/* As a step ends. */
bool fall_down_hole(void)
{
    uint16_t row = row_at(holes, HOLE_SIZE, wYCoord, wXCoord);

    if (!row)
        return false;
    wDungeonWarpDestinationMap = byte_of(row, HOLE_TARGET);
    wWhichDungeonWarp = byte_of(row, HOLE_TARGET + 1);
    fall();
    return true;
}
