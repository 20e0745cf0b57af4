/* Which sprite picture lies where in video memory; a picture stays until the room is needed. */
#pragma bank 45
#include "overworld.h"
#include "world.h"

#define ROOM FIRST_BUBBLE_TILE
#define STANDING_TILES 12
#define MAX_PICTURES 16

static uint8_t cached_picture[MAX_PICTURES];
static uint8_t cached_tile[MAX_PICTURES];
static uint8_t cached_count[MAX_PICTURES];
static uint8_t pictures;
static uint8_t next_tile;
/* Where a slot's picture begins, and how much of it is there. */
uint8_t slot_tile[SPRITE_SLOTS];
uint8_t slot_tile_count[SPRITE_SLOTS];

void forget_pictures(void)
{
    pictures = 0;
    next_tile = 0;
}

static uint8_t tiles_that_fit(uint8_t wanted)
{
    uint8_t left = ROOM - next_tile;

    if (wanted <= left)
        return wanted;
    return left >= STANDING_TILES ? STANDING_TILES : 0;
}

static void load_picture(uint8_t picture)
{
    uint16_t record = SPRITE_SHEETS_ADDR + 3 * (picture - 1);
    uint8_t tiles = tiles_that_fit(far_byte(SPRITE_SHEETS_BANK, record + 2));

    cached_picture[pictures] = picture;
    cached_tile[pictures] = next_tile;
    cached_count[pictures] = tiles;
    copy_tiles(VRAM_SPRITES + ((uint16_t)next_tile << 4), SPRITE_SHEETS_BANK,
               far_word(SPRITE_SHEETS_BANK, record), tiles);
    next_tile += tiles;
    pictures++;
}

static uint8_t find_picture(uint8_t picture)
{
    uint8_t i;

    for (i = 0; i != pictures; i++)
        if (cached_picture[i] == picture)
            return i;
    return pictures;
}

static bool is_first_of_its_picture(uint8_t slot)
{
    uint8_t before;

    for (before = 0; before != slot; before++)
        if (wSprites1[before].picture == wSprites1[slot].picture)
            return false;
    return true;
}

/* Beside what is there already. */
static bool fit_all(void)
{
    uint8_t slot, missing = 0;
    uint16_t tiles = 0;

    for (slot = 0; slot <= wNumSprites; slot++) {
        if (find_picture(wSprites1[slot].picture) != pictures || !is_first_of_its_picture(slot))
            continue;
        missing++;
        tiles += far_byte(SPRITE_SHEETS_BANK, SPRITE_SHEETS_ADDR + 3 * (wSprites1[slot].picture - 1) + 2);
    }
    return pictures + missing <= MAX_PICTURES && tiles <= ROOM - next_tile;
}

void load_pictures(void)
{
    uint8_t slot, index;

    if (!fit_all())
        forget_pictures();
    for (slot = 0; slot <= wNumSprites; slot++) {
        index = find_picture(wSprites1[slot].picture);
        if (index == pictures)
            load_picture(wSprites1[slot].picture);
        slot_tile[slot] = cached_tile[index];
        slot_tile_count[slot] = cached_count[index];
        wSprites2[slot].image_base = index + 1;
    }
}
