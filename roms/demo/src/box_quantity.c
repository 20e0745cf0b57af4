/* How many: a number that turns with new presses of up and down. */
#pragma bank 62
#include "box.h"
#include "overworld.h"
#include "ui.h"

#define TIMES 0xF1
#define DIGIT_ZERO 0xF6

static void draw_number(void)
{
    place_decimal(TILE_AT(17, 10), wItemQuantity, 2, DIGIT_ZERO);
}

static void turn(uint8_t pad)
{
    if (pad & PAD_UP)
        wItemQuantity = wItemQuantity == wMaxItemQuantity ? 1 : wItemQuantity + 1;
    else if (pad & PAD_DOWN)
        wItemQuantity = wItemQuantity == 1 ? wMaxItemQuantity : wItemQuantity - 1;
    draw_number();
}

/* Into wItemQuantity, from 1 to wMaxItemQuantity; false when B took it back. */
bool box_quantity(void)
{
    wItemQuantity = 1;
    place_box(15, 9, 3, 1);
    *TILE_AT(16, 10) = TIMES;
    draw_number();
    update_sprites();
    do {
        delay_frame();
        joypad();
        turn(hJoyPressed);
    } while (!(hJoyPressed & (PAD_A | PAD_B)));
    return hJoyPressed & PAD_A;
}
