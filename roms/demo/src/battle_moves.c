/* The list of moves: single-spaced, counted from 1 while it is open. */
#pragma bank 56
#include "battle_parts.h"

#define LOADING_FRAMES 8
#define LIST_X 5
#define LIST_Y 12
#define SLASH 0xF3

static const uint8_t type_word[] = {STR_TYPE};
static const uint8_t no_move_word[] = {STR_NO_MOVE};

static uint8_t count_moves(void)
{
    uint8_t count = 0;

    while (count != MOVES && wBattleMon.moves[count])
        count++;
    return count;
}

/* Whether a move continues from the last turn, so that no move is chosen. */
bool is_committed(const Side *side)
{
    return side->status[0] & (THRASHING | CHARGING) || side->status[1] & (RECHARGING | RAGING);
}

/* The slot from 1 that is forgotten for now, or 0. */
static uint8_t disabled_slot(const Side *side)
{
    return side->counters->disabled >> 4;
}

/* A bit for every slot with a move that is not forgotten; the player's must have PP. */
uint8_t usable_moves(const Side *side)
{
    uint8_t slot, bits = 0;

    for (slot = MOVES; slot--;) {
        bits <<= 1;
        if (side->mon->moves[slot] && slot + 1 != disabled_slot(side) &&
            (side == enemy || side->mon->pp[slot] & PP_MASK))
            bits |= 1;
    }
    return bits;
}

/* FIGHT asks nothing of who could not follow, or is in the middle of something. */
bool cannot_choose(void)
{
    if (wBattleMon.status & (STATUS_SLEEP | STATUS_FREEZE) || wPlayerBattleStatus[0] & (BIDING | TRAPPING))
        return true;
    if (!(wEnemyBattleStatus[0] & TRAPPING))
        return false;
    wPlayerSelectedMove = CANNOT_MOVE;
    return true;
}

static void draw_list(void)
{
    uint8_t i;

    place_box(4, LIST_Y, 14, MOVES);
    for (i = 0; i != MOVES; i++) {
        if (wBattleMon.moves[i]) {
            load_move_name(wBattleMon.moves[i]);
            place_string(TILE_AT(LIST_X + 1, LIST_Y + 1 + i), wNameBuffer);
        } else {
            place_string(TILE_AT(LIST_X + 1, LIST_Y + 1 + i), no_move_word);
        }
    }
}

static void draw_details(uint8_t index)
{
    Move move;
    uint8_t *at;

    load_move(&move, wBattleMon.moves[index]);
    load_type_name(wStringBuffer, move.type);
    place_box(0, 8, 9, 3);
    place_string(TILE_AT(1, 9), type_word);
    place_string(TILE_AT(2, 10), wStringBuffer);
    at = place_decimal(TILE_AT(5, 11), wBattleMon.pp[index] & PP_MASK, 2, SPACE);
    *at++ = SLASH;
    place_decimal(at, full_pp(wBattleMon.moves[index], wBattleMon.pp[index]) & PP_MASK, 2, SPACE);
}

/* The places above the first and below the last are never shown: they wrap. */
static void wrap(uint8_t count)
{
    if (!wCurrentMenuItem)
        wCurrentMenuItem = count;
    else if (wCurrentMenuItem > count)
        wCurrentMenuItem = 1;
}

/* Whether A was pressed; then wCurrentMenuItem counts from 0. */
static bool choose_row(uint8_t count)
{
    uint8_t keys;

    start_menu_at(LIST_X, LIST_Y, count + 1, PAD_A | PAD_B | PAD_UP | PAD_DOWN);
    wCurrentMenuItem = wLastMenuItem = wPlayerMoveListIndex < count ? wPlayerMoveListIndex + 1 : 1;
    hUILayoutFlags |= UI_SINGLE_SPACED;
    do {
        draw_details(wCurrentMenuItem - 1);
        keys = handle_menu_input();
        wrap(count);
    } while (keys & (PAD_UP | PAD_DOWN));
    hUILayoutFlags &= (uint8_t)~UI_SINGLE_SPACED;
    wCurrentMenuItem--;
    return keys & PAD_A;
}

/* Whether a move was chosen; without any PP the last resort is. */
bool choose_move(void)
{
    uint8_t count = count_moves();
    bool chosen;

    if (!usable_moves(player)) {
        print_system_text(TEXT_BATTLE_NO_MOVES);
        wPlayerSelectedMove = LAST_RESORT;
        return true;
    }
    wNumMovesMinusOne = count - 1;
    draw_list();
    delay_frames(LOADING_FRAMES);
    chosen = choose_row(count);
    wPlayerMoveListIndex = wCurrentMenuItem;
    draw_battle();
    if (!chosen)
        return false;
    if (!(wBattleMon.pp[wPlayerMoveListIndex] & PP_MASK)) {
        print_system_text(TEXT_BATTLE_NO_PP);
        return false;
    }
    if (wPlayerMoveListIndex + 1 == disabled_slot(player)) {
        print_system_text(TEXT_BATTLE_IS_FORGOTTEN);
        return false;
    }
    wPlayerSelectedMove = wBattleMon.moves[wPlayerMoveListIndex];
    return true;
}
