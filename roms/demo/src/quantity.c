/* How many: a small box with a number, and in a shop what they cost together. */
#pragma bank 47
#include "hardware.h"
#include "ram.h"
#include "things.h"
#include "ui.h"

#define TOP 9
#define ROW 10
#define NARROW_X 15
#define WIDE_X 7
#define WATCHED (PAD_A | PAD_B | PAD_UP | PAD_DOWN)

static uint8_t unit[MONEY_SIZE];

static bool has_prices(void)
{
    return wListMenuID == LIST_PRICED_ITEMS;
}

static void open_box_for_number(void)
{
    uint8_t x = has_prices() ? WIDE_X : NARROW_X;

    place_box(x, TOP, 18 - x, 1);
    *TILE_AT(x + 1, ROW) = TIMES;
    if (!has_prices())
        return;
    load_price(unit, wCurItem);
    if (hHalveItemPrices)
        halve_money(unit);
}

static void show_number(void)
{
    place_decimal(TILE_AT((has_prices() ? WIDE_X : NARROW_X) + 2, ROW), wItemQuantity, 2, DIGIT_ZERO);
    if (!has_prices())
        return;
    multiply_money(hMoney, unit, wItemQuantity);
    place_money(TILE_AT(12, ROW), hMoney);
}

static uint8_t wait_for_press(void)
{
    hJoy7 = 0;
    do {
        delay_frame();
        joypad_low_sensitivity();
    } while (!(hJoy5 & WATCHED));
    return hJoy5;
}

static void count(uint8_t keys)
{
    if (keys & PAD_UP)
        wItemQuantity = wItemQuantity == wMaxItemQuantity ? 1 : wItemQuantity + 1;
    else
        wItemQuantity = wItemQuantity == 1 ? wMaxItemQuantity : wItemQuantity - 1;
}

/* Whether a number from 1 to `most` was chosen, and not B: it is in wItemQuantity then. In lists with prices, those of
   wCurItem in hMoney; half of them when hHalveItemPrices is set. */
bool choose_quantity(uint8_t most) BANKED
{
    uint8_t keys;

    wItemQuantity = 1;
    wMaxItemQuantity = most;
    open_box_for_number();
    for (;;) {
        show_number();
        keys = wait_for_press();
        if (keys & (PAD_A | PAD_B))
            return keys & PAD_A;
        count(keys);
    }
}
