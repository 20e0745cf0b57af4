/* Words, numbers and boxes drawn straight into wTileMap. */
#include "home.h"
#include "ram.h"

#define BOX_TOP_LEFT 0x79
#define BOX_HORIZONTAL 0x7A
#define BOX_TOP_RIGHT 0x7B
#define BOX_VERTICAL 0x7C
#define BOX_BOTTOM_LEFT 0x7D
#define BOX_BOTTOM_RIGHT 0x7E

uint8_t *place_string(uint8_t *at, const uint8_t *string)
{
    while (*string != END_OF_STRING)
        *at++ = *string++;
    return at;
}

void copy_string(uint8_t *to, const uint8_t *string)
{
    while (*string != END_OF_STRING)
        *to++ = *string++;
    *to = END_OF_STRING;
}

/* `digits` places, leading zeros shown as `pad`. */
uint8_t *place_decimal(uint8_t *at, uint8_t value, uint8_t digits, uint8_t pad)
{
    uint8_t i = digits;

    do {
        i--;
        at[i] = (value || i == digits - 1) ? DIGIT_ZERO + value % 10 : pad;
        value /= 10;
    } while (i);
    return at + digits;
}

static void place_box_row(uint8_t *at, uint8_t left, uint8_t middle, uint8_t inner_width)
{
    *at++ = left;
    fill(at, middle, inner_width);
    /* The three pairs of edges are numbered left, middle, right, except the sides: there left is right. */
    at[inner_width] = left == BOX_VERTICAL ? BOX_VERTICAL : left == BOX_TOP_LEFT ? BOX_TOP_RIGHT : BOX_BOTTOM_RIGHT;
}

void place_box(uint8_t x, uint8_t y, uint8_t inner_width, uint8_t inner_height)
{
    uint8_t *at = TILE_AT(x, y);

    place_box_row(at, BOX_TOP_LEFT, BOX_HORIZONTAL, inner_width);
    do {
        at += 20;
        place_box_row(at, BOX_VERTICAL, SPACE, inner_width);
    } while (--inner_height);
    place_box_row(at + 20, BOX_BOTTOM_LEFT, BOX_HORIZONTAL, inner_width);
}

void clear_screen(void)
{
    fill(wTileMap, SPACE, TILE_MAP_SIZE);
}
