/* Map objects on screen: pixel positions, image indices and the 40 hardware objects. */
#pragma bank 45
#include "overworld.h"

#define HIDDEN 0xFF
#define OBJECTS 40
#define OBJECTS_PER_SPRITE 4
#define OBJECT_MIRRORED 0x20
#define OBJECT_BEHIND 0x80
#define IN_GRASS 0x80
#define FIRST_BOX_TILE 0x60
#define WALKING_TILES 12
#define SHEET_TILES 24
#define SINGLE_POSE_TILES 4

/* A sprite's place on screen is kept with this much added, so that just off the top and left is no wrap. */
#define MARGIN 32
#define GONE_BEFORE (MARGIN - 16)
#define GONE_BELOW (MARGIN + 144)
#define GONE_RIGHT (MARGIN + 160)
#define DRAWN_HIGHER 4
#define LAST_LINE 143

/* The sprite at work: its slot in the three tables. */
static SpriteState1 *one;
static SpriteState2 *two;
static uint8_t slot;

static uint8_t *object;
static uint8_t objects_left;
static uint8_t unused_before;
static uint8_t scrolled_y, scrolled_x;

static uint8_t moved(uint8_t step, uint8_t pixels)
{
    if (!step)
        return 0;
    return step == 1 ? pixels : (uint8_t)-pixels;
}

static void note_scroll(void)
{
    uint8_t pixels = wWalkCounter ? (8 - wWalkCounter) << 1 : 0;

    scrolled_y = moved(player1.y_step, pixels);
    scrolled_x = moved(player1.x_step, pixels);
}

static bool is_box_at(int16_t y, int16_t x)
{
    if (y < 0 || y > LAST_LINE || x < 0 || x > 159)
        return false;
    return *TILE_AT((uint8_t)x >> 3, (uint8_t)y >> 3) >= FIRST_BOX_TILE;
}

/* Objects are drawn over the window, so those under a box must go. Both places come with the margin. */
static bool is_under_box(uint8_t far_y, uint8_t far_x)
{
    int16_t y = (int16_t)far_y - MARGIN, x = (int16_t)far_x - MARGIN, top;

    if (!(wFontLoaded & FONT_LOADED))
        return false;
    top = y + DRAWN_HIGHER > LAST_LINE ? y : y + DRAWN_HIGHER; /* below the picture only the head is seen */
    return is_box_at(top, x) || is_box_at(top, x + 15) || is_box_at(y + 15, x) || is_box_at(y + 15, x + 15);
}

static void add_pair(uint8_t y, uint8_t x, uint8_t tile, uint8_t flags)
{
    uint8_t *to = object;
    uint8_t second = flags & OBJECT_MIRRORED ? 0 : 8;

    *to++ = y;
    *to++ = x + 8 - second;
    *to++ = tile;
    *to++ = flags;
    *to++ = y;
    *to++ = x + second;
    *to++ = tile + 1;
    *to++ = flags;
    object = to;
}

static void draw_sprite(void)
{
    uint8_t count = slot_tile_count[slot];
    uint8_t tile = slot_tile[slot];
    uint8_t pose = one->facing >> 2;
    uint8_t frame = one->frame;
    uint8_t flags = 0;

    if (objects_left < OBJECTS_PER_SPRITE || !count)
        return;
    if (count > SINGLE_POSE_TILES) {
        if (pose == 3 || (pose < 2 && frame == 3))
            flags = OBJECT_MIRRORED;
        tile += (pose < 3 ? pose : 2) << 2;
        if (frame & 1 && count == SHEET_TILES)
            tile += WALKING_TILES;
    }
    add_pair(one->y_pixels + 16, one->x_pixels + 8, tile, flags);
    add_pair(one->y_pixels + 24, one->x_pixels + 8, tile + 2, flags | (two->grass & OBJECT_BEHIND));
    objects_left -= OBJECTS_PER_SPRITE;
}

static bool is_far_away(void)
{
    return (uint8_t)(two->map_y - wYCoord + 1) > 10 || (uint8_t)(two->map_x - wXCoord + 1) > 11;
}

/* The player's step is four down and right of the corner, and so much is in map_y and map_x already. */
static bool is_on_screen(void)
{
    uint8_t counter = two->walk_counter;
    uint8_t y = ((two->map_y - wYCoord) << 4) + (MARGIN - DRAWN_HIGHER) - moved(one->y_step, counter) - scrolled_y;
    uint8_t x = ((two->map_x - wXCoord) << 4) + MARGIN - moved(one->x_step, counter) - scrolled_x;

    one->y_pixels = y - MARGIN;
    one->x_pixels = x - MARGIN;
    return y > GONE_BEFORE && y < GONE_BELOW && x > GONE_BEFORE && x < GONE_RIGHT && !is_under_box(y, x);
}

static void update_sprite(void)
{
    if (is_far_away() || !is_on_screen()) {
        one->image = HIDDEN;
        return;
    }
    one->image = (uint8_t)((two->image_base - 1) << 4) | one->facing | one->frame;
    draw_sprite();
}

static void update_player(void)
{
    two->grass = wTilePlayerStandingOn == wGrassTile && !wWalkCounter ? IN_GRASS : 0;
    if (is_under_box(PLAYER_Y_PIXELS + MARGIN, PLAYER_X_PIXELS + MARGIN)) {
        one->image = HIDDEN;
        return;
    }
    one->image = one->facing | one->frame;
    draw_sprite();
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

/* Other screens than the map's draw their own objects and say so in wUpdateSpritesEnabled. */
void update_sprites(void) BANKED
{
    if (wUpdateSpritesEnabled != 1)
        return;
    object = wShadowOAM;
    objects_left = OBJECTS;
    note_scroll();
    one = wSprites1;
    two = wSprites2;
    slot = 0;
    update_player();
    while (slot != wNumSprites) {
        slot++;
        one++;
        two++;
        if (one->picture && !slot_hidden[slot])
            update_sprite();
    }
    hide_rest();
}
