/* The player's card: name, money, time. */
#pragma bank 46
#include "hardware.h"
#include "ram.h"
#include "screens.h"
#include "ui.h"
#include "world.h"

#define SPACE 0x7F
#define DIGIT_ZERO 0xF6
#define COLON 0x9C
#define MONEY_SIGN 0xF0

static const uint8_t name[] = {STR_NAME};
static const uint8_t money[] = {STR_MONEY};
static const uint8_t time[] = {STR_TIME};
static const uint8_t badges[] = {STR_BADGES};

uint8_t count_bits(uint8_t bits)
{
    uint8_t count = 0;

    for (; bits; bits >>= 1)
        count += bits & 1;
    return count;
}

static void place_money(uint8_t *at)
{
    uint8_t i, digit;
    bool started = false;

    *at++ = MONEY_SIGN;
    for (i = 0; i != 6; i++) {
        digit = wPlayerMoney[i >> 1];
        digit = i & 1 ? digit & 0x0F : digit >> 4;
        started |= digit != 0 || i == 5;
        if (started)
            *at++ = DIGIT_ZERO + digit;
    }
}

void place_time(uint8_t *at)
{
    at = place_decimal(at, wPlayTimeHours, 3, SPACE);
    *at++ = COLON;
    place_decimal(at, wPlayTimeMinutes, 2, DIGIT_ZERO);
}

void player_card(void) BANKED
{
    clear_screen();
    place_box(0, 0, 18, 9);
    place_string(TILE_AT(2, 2), name);
    place_string(TILE_AT(10, 2), wPlayerName);
    place_string(TILE_AT(2, 4), money);
    place_money(TILE_AT(10, 4));
    place_string(TILE_AT(2, 6), time);
    place_time(TILE_AT(10, 6));
    place_string(TILE_AT(2, 8), badges);
    place_decimal(TILE_AT(10, 8), count_bits(wObtainedBadges), 1, SPACE);
    wait_for_button();
    wait_for_release();
}
