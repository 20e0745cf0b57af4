/* The player's card: name, money, time. */
#pragma bank 46
#include "hardware.h"
#include "ram.h"
#include "screens.h"
#include "things.h"
#include "ui.h"
#include "world.h"


static const uint8_t name[] = {STR_NAME};
static const uint8_t money[] = {STR_MONEY};
static const uint8_t time[] = {STR_TIME};
static const uint8_t badges[] = {STR_BADGES};

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
    place_money(TILE_AT(10, 4), wPlayerMoney);
    place_string(TILE_AT(2, 6), time);
    place_time(TILE_AT(11, 6));
    place_string(TILE_AT(2, 8), badges);
    place_decimal(TILE_AT(16, 8), count_bits(wObtainedBadges), 1, SPACE);
    wait_for_button();
    wait_for_release();
}
