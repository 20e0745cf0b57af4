/* The store of tins: two switches under neighbours raise the bars, and a wrong second tin hides both anew. */
#pragma bank 59
#include "events.h"
#include "scenes.h"
#include "world.h"

#define FIRST_TIN_X 1
#define FIRST_TIN_Y 7
#define TINS 15
#define ROWS 3
#define TIN_MASK 0x0F
#define NO_TIN 0xFF

enum { SCRIPT_TINS_CLICK = 1 };

static uint8_t random_tin(void)
{
    uint8_t tin;

    do
        tin = random() & TIN_MASK;
    while (tin >= TINS);
    return tin;
}

/* Above, below, to the left or to the right of it, by `side`. */
static uint8_t neighbour(uint8_t tin, uint8_t side)
{
    switch (side) {
    case 0:
        return tin % ROWS ? tin - 1 : NO_TIN;
    case 1:
        return tin % ROWS != ROWS - 1 ? tin + 1 : NO_TIN;
    case 2:
        return tin >= ROWS ? tin - ROWS : NO_TIN;
    default:
        return tin < TINS - ROWS ? tin + ROWS : NO_TIN;
    }
}

static uint8_t random_neighbour(uint8_t tin)
{
    uint8_t found;

    do
        found = neighbour(tin, random() & 3);
    while (found == NO_TIN);
    return found;
}

/* The first switch, unless it was found already. */
void hide_switch(void) BANKED
{
    if (!has_happened(EVENT_1ST_LOCK_OPENED) && !has_happened(EVENT_2ND_LOCK_OPENED))
        wFirstLockTrashCanIndex = random_tin();
}

void change_tins(void) BANKED
{
    if (has_happened(EVENT_2ND_LOCK_OPENED))
        put_block(BLOCK_WORKS_TINS_BARS_OPEN_Y, BLOCK_WORKS_TINS_BARS_OPEN_X, BLOCK_WORKS_TINS_BARS_OPEN);
}

static void try_first(void)
{
    if (wGymTrashCanIndex != wFirstLockTrashCanIndex) {
        display_text(MAP_TEXT_WORKS_TINS_TIN);
        return;
    }
    set_event(EVENT_1ST_LOCK_OPENED);
    wSecondLockTrashCanIndex = random_neighbour(wFirstLockTrashCanIndex);
    display_text(MAP_TEXT_WORKS_TINS_FIRST);
}

static void try_second(void)
{
    if (wGymTrashCanIndex != wSecondLockTrashCanIndex) {
        reset_event(EVENT_1ST_LOCK_OPENED);
        hide_switch();
        display_text(MAP_TEXT_WORKS_TINS_WRONG);
        return;
    }
    wVermilionGymCurScript = SCRIPT_TINS_CLICK;
    set_event(EVENT_2ND_LOCK_OPENED);
    change_tins();
    redraw_view();
    display_text(MAP_TEXT_WORKS_TINS_SECOND);
    wVermilionGymCurScript = 0;
}

static void note_tin(void)
{
    uint8_t y, x;

    step_ahead(&y, &x);
    wGymTrashCanIndex = ROWS * ((x - FIRST_TIN_X) >> 1) + ((y - FIRST_TIN_Y) >> 1);
}

/* Whether the tin had something else to say than that there is nothing. */
bool tins_speak(uint8_t text) BANKED
{
    if (text != MAP_TEXT_WORKS_TINS_TIN || has_happened(EVENT_2ND_LOCK_OPENED))
        return false;
    note_tin();
    if (has_happened(EVENT_1ST_LOCK_OPENED))
        try_second();
    else
        try_first();
    return true;
}
