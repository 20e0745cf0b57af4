/* People who wander: a random direction, a step if it is free, a random wait. */
#pragma bank 45
#include "overworld.h"

#define MOVES_WALK 0xFE
#define ANY_DIRECTION 0x00
#define UP_DOWN 0x01
#define FACES_DOWN 0xD0
#define FACES_RIGHT 0xD3
#define HIDDEN 0xFF
#define PIXELS_PER_STEP 16
#define PASSES_PER_ANIMATION 4
#define LONGEST_WAIT 0x7F
#define RANGE_LOW 5
#define RANGE_HIGH 11

enum { NEW, READY, WAITING, MOVING };

static SpriteState1 *one;
static SpriteState2 *two;
static uint8_t slot;

static void wait(void)
{
    one->status = WAITING;
    one->frame = one->intra_frame = 0;
    one->y_step = one->x_step = 0;
    two->delay = random() & LONGEST_WAIT;
}

static bool is_player_at(uint8_t map_y, uint8_t map_x)
{
    uint8_t y = wYCoord + COORDINATE_OFFSET, x = wXCoord + COORDINATE_OFFSET;

    if (map_y == y && map_x == x)
        return true;
    return wWalkCounter && map_y == (uint8_t)(y + player1.y_step) && map_x == (uint8_t)(x + player1.x_step);
}

static bool is_in_range(uint8_t displacement)
{
    return displacement >= RANGE_LOW && displacement <= RANGE_HIGH;
}

static bool is_free(uint8_t map_y, uint8_t map_x)
{
    uint8_t y = map_y - COORDINATE_OFFSET, x = map_x - COORDINATE_OFFSET;
    uint8_t tile;

    if (y >= wCurrentMapHeight2 || x >= wCurrentMapWidth2)
        return false;
    if (is_player_at(map_y, map_x) || is_occupied(map_y, map_x, slot) || warp_at(y, x) != NO_WARP)
        return false;
    tile = step_tile(y, x);
    return is_passable(tile) && !is_forbidden_pair(PAIRS_ON_LAND, tile,
                                                   step_tile(two->map_y - COORDINATE_OFFSET,
                                                             two->map_x - COORDINATE_OFFSET));
}

static void begin_step(const Direction *direction)
{
    one->facing = direction->facing;
    one->y_step = direction->dy;
    one->x_step = direction->dx;
    two->map_y += direction->dy;
    two->map_x += direction->dx;
    two->walk_counter = PIXELS_PER_STEP;
    one->status = MOVING;
}

static void try_step(const Direction *direction)
{
    uint8_t map_y = two->map_y + direction->dy, map_x = two->map_x + direction->dx;
    uint8_t range_y = two->y_displacement + direction->dy, range_x = two->x_displacement + direction->dx;

    one->facing = direction->facing;
    if (!is_in_range(range_y) || !is_in_range(range_x) || !is_free(map_y, map_x)) {
        wait();
        return;
    }
    two->y_displacement = range_y;
    two->x_displacement = range_x;
    begin_step(direction);
}

static uint8_t random_direction(uint8_t kind)
{
    uint8_t direction = random() >> 6;

    if (kind == ANY_DIRECTION)
        return direction;
    return kind == UP_DOWN ? direction & 1 : 2 | (direction & 1);
}

static void begin(uint8_t kind)
{
    if (two->movement_1 == MOVES_WALK) {
        try_step(&directions[random_direction(kind)]);
        return;
    }
    if (kind >= FACES_DOWN && kind <= FACES_RIGHT)
        one->facing = (kind - FACES_DOWN) << 2;
}

static void walk_on(void)
{
    if (++one->intra_frame == PASSES_PER_ANIMATION) {
        one->intra_frame = 0;
        one->frame = (one->frame + 1) & 3;
    }
    if (--two->walk_counter == 0)
        wait();
}

static void move(void)
{
    switch (one->status) {
    case NEW:
        one->status = READY;
        break;
    case READY:
        if (one->image != HIDDEN)
            begin(wMapSpriteData[2 * (slot - 1)]);
        break;
    case WAITING:
        if (one->image == HIDDEN)
            break;
        if (!two->delay || --two->delay == 0)
            one->status = READY;
        break;
    default:
        walk_on();
    }
}

/* Whatever lies there: a scene knows its stage. */
void push_npc(uint8_t pushed, const Direction *direction)
{
    one = &wSprites1[pushed];
    two = &wSprites2[pushed];
    begin_step(direction);
}

/* Who has left the screen ends his step and then stays. */
void move_npcs(void)
{
    for (slot = 1; slot <= wNumSprites; slot++) {
        one = &wSprites1[slot];
        two = &wSprites2[slot];
        if (one->picture && !slot_hidden[slot])
            move();
    }
}
