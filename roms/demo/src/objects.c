/* Warps, signs and people of a map, from its object data into RAM. */
#pragma bank 45
#include "overworld.h"

#define TEXT_ID 0x3F
#define FLAG_TRAINER 0x40
#define FLAG_ITEM 0x80
#define MIDDLE_OF_RANGE 8

static uint16_t from;

static uint8_t next_byte(void)
{
    return far_byte(hMapROMBank, from++);
}

static void load_warps(void)
{
    wNumberOfWarps = next_byte();
    far_copy(wWarps, hMapROMBank, from, (uint16_t)wNumberOfWarps * sizeof(Warp));
    from += (uint16_t)wNumberOfWarps * sizeof(Warp);
}

static void load_signs(void)
{
    uint8_t i;

    wNumSigns = next_byte();
    for (i = 0; i != wNumSigns; i++) {
        wSignCoords[2 * i] = next_byte();
        wSignCoords[2 * i + 1] = next_byte();
        wSignTextIDs[i] = next_byte();
    }
}

static void load_sprite(uint8_t slot)
{
    SpriteState1 *one = &wSprites1[slot];
    SpriteState2 *two = &wSprites2[slot];
    uint8_t *data = wMapSpriteData + 2 * (slot - 1);
    uint8_t *extra = wMapSpriteExtraData + 2 * (slot - 1);
    uint8_t id;

    one->picture = next_byte();
    one->image = 0xFF;
    two->picture_copy = one->picture;
    two->map_y = next_byte();
    two->map_x = next_byte();
    two->movement_1 = next_byte();
    two->y_displacement = two->x_displacement = MIDDLE_OF_RANGE;
    data[0] = next_byte();
    id = next_byte();
    data[1] = id & TEXT_ID;
    extra[0] = extra[1] = 0;
    if (id & (FLAG_TRAINER | FLAG_ITEM))
        extra[0] = next_byte();
    if (id & FLAG_TRAINER)
        extra[1] = next_byte();
}

void load_objects(void)
{
    uint8_t slot;

    from = wObjectDataPointer;
    wMapBackgroundTile = next_byte();
    load_warps();
    load_signs();
    fill((uint8_t *)&wSprites1[1], 0, (SPRITE_SLOTS - 1) * sizeof(SpriteState1));
    fill((uint8_t *)&wSprites2[1], 0, (SPRITE_SLOTS - 1) * sizeof(SpriteState2));
    wNumSprites = next_byte();
    for (slot = 1; slot <= wNumSprites; slot++)
        load_sprite(slot);
}
