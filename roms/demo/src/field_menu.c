/* What can be done with one of the team outside of battles: its field moves, STATS, SWITCH, CANCEL. */
#pragma bank 58
#include "field_moves.h"
#include "ui.h"
#include "world.h"

#define SUBMENU_BOX 0x0C
#define RIGHT_EDGE 19
#define BOTTOM_ROW 17
#define LAST_WORDS 3

/* `x` is the leftmost column of a menu that has its name in it. */
typedef struct {
    uint8_t move, field_move, x, badge;
} FieldMove;

static const FieldMove field_moves[] = {
    {CUT, FIELD_CUT, 12, BADGE_1},           {FLY, FIELD_FLY, 12, BADGE_3},     {SURF, FIELD_SURF, 12, BADGE_2},
    {STRENGTH, FIELD_STRENGTH, 10, BADGE_2}, {FLASH, FIELD_FLASH, 12, BADGE_1},
};
#define KINDS (sizeof field_moves / sizeof *field_moves)

static const uint8_t stats_word[] = {STR_STATS};
static const uint8_t switch_word[] = {STR_SWITCH};
static const uint8_t cancel_word[] = {STR_CANCEL};
static const uint8_t *const last_words[LAST_WORDS] = {stats_word, switch_word, cancel_word};

static void list_move(uint8_t move)
{
    uint8_t i;

    for (i = 0; i != KINDS; i++) {
        if (field_moves[i].move != move)
            continue;
        wFieldMoves[wNumFieldMoves++] = field_moves[i].field_move;
        if (field_moves[i].x < wFieldMovesLeftmostX)
            wFieldMovesLeftmostX = field_moves[i].x;
    }
}

static void list_moves(const PartyMon *mon)
{
    uint8_t i;

    fill(wFieldMoves, 0, FIELD_MOVES);
    wNumFieldMoves = 0;
    wFieldMovesLeftmostX = 12;
    for (i = 0; i != MOVES; i++)
        list_move(mon->moves[i]);
}

static const FieldMove *kind_of(uint8_t field_move)
{
    const FieldMove *kind = field_moves;

    while (kind->field_move != field_move)
        kind++;
    return kind;
}

/* The menu stands in the corner and grows upwards. */
static uint8_t draw(void)
{
    uint8_t x = wFieldMovesLeftmostX, y = BOTTOM_ROW - 2 * (wNumFieldMoves + LAST_WORDS), top = y + 1, i;

    place_box(x - 1, y, RIGHT_EDGE - x, 2 * (wNumFieldMoves + LAST_WORDS) - 1);
    for (i = 0; i != wNumFieldMoves; i++) {
        load_move_name(kind_of(wFieldMoves[i])->move);
        place_string(TILE_AT(x + 1, top + 2 * i), wNameBuffer);
    }
    for (; i != wNumFieldMoves + LAST_WORDS; i++)
        place_string(TILE_AT(x + 1, top + 2 * i), last_words[i - wNumFieldMoves]);
    return top;
}

uint8_t choose_deed(const PartyMon *mon)
{
    uint8_t top;

    wTextBoxID = SUBMENU_BOX;
    list_moves(mon);
    top = draw();
    hFieldMoveMenuX = wFieldMovesLeftmostX;
    start_menu_at(hFieldMoveMenuX, top, wNumFieldMoves + DEED_CANCEL, PAD_A | PAD_B);
    return handle_menu_input() & PAD_B ? wNumFieldMoves + DEED_CANCEL : wCurrentMenuItem;
}

bool has_badge_for(uint8_t field_move)
{
    return wObtainedBadges & kind_of(field_move)->badge;
}
