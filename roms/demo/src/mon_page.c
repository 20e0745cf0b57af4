/* Everything about one creature on one screen. */
#pragma bank 58
#include "mon.h"
#include "ui.h"
#include "world.h"

#define SLASH 0xF3
#define PP_MASK 0x3F
#define STATS 4
#define STATS_TOP 5
#define MOVES_TOP 13

static const uint8_t type_word[] = {STR_TYPE};
static const uint8_t pp_word[] = {STR_PP};
static const uint8_t healthy_word[] = {STR_HEALTHY};
static const uint8_t no_move_word[] = {STR_NO_MOVE};
static const uint8_t attack_word[] = {STR_ATTACK};
static const uint8_t defense_word[] = {STR_DEFENSE};
static const uint8_t speed_word[] = {STR_SPEED};
static const uint8_t special_word[] = {STR_SPECIAL};
static const uint8_t *const stat_words[STATS] = {attack_word, defense_word, speed_word, special_word};

/* Also the box of a new level: the words with their values two rows apart, values in three digits. */
void place_stats(uint8_t x, uint8_t y, const uint8_t *stats) BANKED
{
    uint8_t i;

    for (i = 0; i != STATS; i++, y += 2) {
        place_string(TILE_AT(x, y), stat_words[i]);
        place_number(TILE_AT(x + 6, y + 1), big(stats + 2 * i), 3, SPACE);
    }
}

static void place_types(const PartyMon *mon)
{
    place_string(TILE_AT(11, 6), type_word);
    load_type_name(wStringBuffer, mon->types[0]);
    place_string(TILE_AT(12, 7), wStringBuffer);
    if (mon->types[1] == mon->types[0])
        return;
    load_type_name(wStringBuffer, mon->types[1]);
    place_string(TILE_AT(12, 8), wStringBuffer);
}

static void place_move(uint8_t y, uint8_t move, uint8_t pp)
{
    uint8_t *at;

    if (!move) {
        place_string(TILE_AT(1, y), no_move_word);
        return;
    }
    load_move_name(move);
    place_string(TILE_AT(1, y), wNameBuffer);
    at = place_decimal(TILE_AT(14, y), pp & PP_MASK, 2, SPACE);
    *at++ = SLASH;
    place_decimal(at, full_pp(move, pp) & PP_MASK, 2, SPACE);
}

static void draw(const PartyMon *mon, const uint8_t *nick)
{
    uint8_t i;

    clear_screen();
    place_string(TILE_AT(1, 1), nick);
    place_level(TILE_AT(13, 1), mon->level);
    place_hp_bar(TILE_AT(1, 2), big(mon->hp), big(mon->max_hp), BAR_END);
    place_hp_numbers(TILE_AT(11, 2), big(mon->hp), big(mon->max_hp));
    place_box(0, STATS_TOP - 1, 9, 2 * STATS);
    place_stats(1, STATS_TOP, mon->stats);
    if (!place_status(TILE_AT(12, 4), mon->status))
        place_string(TILE_AT(12, 4), healthy_word);
    place_types(mon);
    place_string(TILE_AT(15, MOVES_TOP - 1), pp_word);
    for (i = 0; i != MOVES; i++)
        place_move(MOVES_TOP + 1 + i, mon->moves[i], mon->pp[i]);
}

void mon_page(const PartyMon *mon, const uint8_t *nick) BANKED
{
    hAutoBGTransferEnabled = 0;
    draw(mon, nick);
    hAutoBGTransferEnabled = 1;
    wait_for_button();
    wait_for_release();
}
