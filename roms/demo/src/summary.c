/* The box that tells how far a game has come, where one saves it and where one goes on. */
#pragma bank 46
#include "ram.h"
#include "screens.h"
#include "world.h"

#define DEX_BYTES 19

static const uint8_t player[] = {STR_PLAYER};
static const uint8_t badges[] = {STR_BADGES};
static const uint8_t owned[] = {STR_OWNED};
static const uint8_t time[] = {STR_TIME};

static uint8_t count_owned(void)
{
    uint8_t i, count = 0;

    for (i = 0; i != DEX_BYTES; i++)
        count += count_bits(wPokedexOwned[i]);
    return count;
}

void place_summary(uint8_t x, uint8_t y)
{
    place_box(x, y, 14, 8);
    place_string(TILE_AT(x + 1, y + 2), player);
    place_string(TILE_AT(x + 8, y + 2), wPlayerName);
    place_string(TILE_AT(x + 1, y + 4), badges);
    place_decimal(TILE_AT(x + 14, y + 4), count_bits(wObtainedBadges), 1, SPACE);
    place_string(TILE_AT(x + 1, y + 6), owned);
    place_decimal(TILE_AT(x + 12, y + 6), count_owned(), 3, SPACE);
    place_string(TILE_AT(x + 1, y + 8), time);
    place_time(TILE_AT(x + 9, y + 8));
}
