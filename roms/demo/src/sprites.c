/* Map objects on screen: pixel positions, image indices and the 40 hardware objects. */
#pragma bank 45
#include "overworld.h"

#define HIDDEN 0xFF
#define OBJECTS 40
#define OBJECTS_PER_SPRITE 4
#define OBJECT_MIRRORED 0x20
#define OBJECT_BEHIND 0x80
#define PLAYER_Y 0x3C
#define PLAYER_X 0x40
#define IN_GRASS 0x80
#define FIRST_BOX_TILE 0x60
#define WALKING_TILES 12
#define SHEET_TILES 24
#define SINGLE_POSE_TILES 4

static uint8_t *object;
static uint8_t objects_left;
static uint8_t unused_before;

static uint8_t walked_pixels(void)
{
    return wWalkCounter ? (8 - wWalkCounter) << 1 : 0;
}

static int16_t screen_y(uint8_t slot)
{
    return PLAYER_Y + (((int16_t)wSprites2[slot].map_y - COORDINATE_OFFSET - wYCoord) << 4)
           - (int8_t)wSprites1[slot].y_step * (int8_t)wSprites2[slot].walk_counter
           - (int8_t)player1.y_step * (int8_t)walked_pixels();
}

static int16_t screen_x(uint8_t slot)
{
    return PLAYER_X + (((int16_t)wSprites2[slot].map_x - COORDINATE_OFFSET - wXCoord) << 4)
           - (int8_t)wSprites1[slot].x_step * (int8_t)wSprites2[slot].walk_counter
           - (int8_t)player1.x_step * (int8_t)walked_pixels();
}

static bool is_box_at(int16_t y, int16_t x)
{
    if (y < 0 || y > 143 || x < 0 || x > 159)
        return false;
    return *TILE_AT((uint8_t)x >> 3, (uint8_t)y >> 3) >= FIRST_BOX_TILE;
}

/* Objects are drawn over the window, so those under a box must go. */
static bool is_under_box(int16_t y, int16_t x)
{
    if (!(wFontLoaded & FONT_LOADED))
        return false;
    return is_box_at(y + 4, x) || is_box_at(y + 4, x + 15) || is_box_at(y + 15, x) || is_box_at(y + 15, x + 15);
}

static void add_object(uint8_t y, uint8_t x, uint8_t tile, uint8_t flags)
{
    object[0] = y + 16;
    object[1] = x + 8;
    object[2] = tile;
    object[3] = flags;
    object += 4;
    objects_left--;
}

static void draw_sprite(uint8_t slot)
{
    const SpriteState1 *one = &wSprites1[slot];
    uint8_t count = slot_tile_count(slot);
    uint8_t tile = slot_tile(slot);
    uint8_t pose = one->facing >> 2;
    uint8_t flags = 0, low_flags;
    uint8_t left = one->x_pixels, right = one->x_pixels + 8;

    if (objects_left < OBJECTS_PER_SPRITE || !count)
        return;
    if (count > SINGLE_POSE_TILES) {
        if (pose == 3 || (pose < 2 && one->frame == 3))
            flags = OBJECT_MIRRORED;
        tile += (pose < 3 ? pose : 2) << 2;
        if (one->frame & 1 && count == SHEET_TILES)
            tile += WALKING_TILES;
    }
    if (flags) {
        left = right;
        right = one->x_pixels;
    }
    low_flags = flags | (wSprites2[slot].grass & OBJECT_BEHIND);
    add_object(one->y_pixels, left, tile, flags);
    add_object(one->y_pixels, right, tile + 1, flags);
    add_object(one->y_pixels + 8, left, tile + 2, low_flags);
    add_object(one->y_pixels + 8, right, tile + 3, low_flags);
}

static void update_sprite(uint8_t slot)
{
    SpriteState1 *one = &wSprites1[slot];
    int16_t y = screen_y(slot), x = screen_x(slot);

    one->y_pixels = (uint8_t)y;
    one->x_pixels = (uint8_t)x;
    if (y <= -16 || y >= 144 || x <= -16 || x >= 160 || is_under_box(y, x)) {
        one->image = HIDDEN;
        return;
    }
    one->image = (uint8_t)((wSprites2[slot].image_base - 1) << 4) | one->facing | one->frame;
    draw_sprite(slot);
}

static void update_player(void)
{
    player2.grass = wTilePlayerStandingOn == wGrassTile && !wWalkCounter ? IN_GRASS : 0;
    if (is_under_box(PLAYER_Y, PLAYER_X)) {
        player1.image = HIDDEN;
        return;
    }
    player1.image = player1.facing | player1.frame;
    draw_sprite(0);
}

/* Only those that were shown last time: the others are hidden already. */
static void hide_rest(void)
{
    uint8_t left = objects_left;

    for (; left > unused_before; left--) {
        *object = 0;
        object += 4;
    }
    unused_before = objects_left;
}

void update_sprites(void) BANKED
{
    uint8_t slot;

    object = wShadowOAM;
    objects_left = OBJECTS;
    update_player();
    for (slot = 1; slot <= wNumSprites; slot++)
        if (wSprites1[slot].picture)
            update_sprite(slot);
    hide_rest();
}
