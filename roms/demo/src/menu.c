/* The one menu of the game: a cursor that moves between items until a watched key is pressed. */
#pragma bank 47
#include "hardware.h"
#include "ram.h"
#include "ui.h"

#define CURSOR 0xED

void start_menu_at(uint8_t x, uint8_t y, uint8_t last, uint8_t keys) BANKED
{
    wTopMenuItemX = x;
    wTopMenuItemY = y;
    wCurrentMenuItem = 0;
    wLastMenuItem = 0;
    wMaxMenuItem = last;
    wMenuWatchedKeys = keys;
    wTileBehindCursor = SPACE;
    wMenuWrappingEnabled = 0;
    wMenuWatchMovingOutOfBounds = 0;
    wMenuJoypadPollCount = 0;
}

static uint8_t *cursor_cell(uint8_t item)
{
    uint8_t spacing = hUILayoutFlags & UI_SINGLE_SPACED ? 1 : 2;

    return TILE_AT(wTopMenuItemX, wTopMenuItemY + item * spacing);
}

void place_menu_cursor(void) BANKED
{
    uint8_t *cell = cursor_cell(wLastMenuItem);

    if (*cell == CURSOR)
        *cell = wTileBehindCursor;
    cell = cursor_cell(wCurrentMenuItem);
    if (*cell != CURSOR) {
        wTileBehindCursor = *cell;
        *cell = CURSOR;
    }
    wMenuCursorLocation = (uint16_t)cell;
    wLastMenuItem = wCurrentMenuItem;
}

/* Whether the press went past an end that the menu reports. */
static bool move_cursor(uint8_t keys)
{
    if (keys & PAD_UP) {
        if (wCurrentMenuItem) {
            wCurrentMenuItem--;
            return false;
        }
        if (wMenuWrappingEnabled)
            wCurrentMenuItem = wMaxMenuItem;
        return wMenuWatchMovingOutOfBounds;
    }
    if (keys & PAD_DOWN) {
        if (wCurrentMenuItem < wMaxMenuItem) {
            wCurrentMenuItem++;
            return false;
        }
        if (wMenuWrappingEnabled)
            wCurrentMenuItem = 0;
        return wMenuWatchMovingOutOfBounds;
    }
    return false;
}

/* The watched keys that were pressed. */
uint8_t handle_menu_input(void) BANKED
{
    bool left;

    hJoy7 = 1;
    do {
        place_menu_cursor();
        do {
            delay_frame();
            joypad_low_sensitivity();
        } while (!hJoy5);
        left = move_cursor(hJoy5);
    } while (!left && !(hJoy5 & wMenuWatchedKeys));
    hJoy7 = 0;
    wMenuWrappingEnabled = 0;
    return hJoy5;
}

/* One column; whether it was left for the other one, whose cursor is wiped, and not by A. */
static bool leave_column(uint8_t x, uint8_t other, uint8_t y, uint8_t way_out)
{
    uint8_t row = wCurrentMenuItem;

    *TILE_AT(other, y) = *TILE_AT(other, y + 2) = SPACE;
    start_menu_at(x, y, 1, PAD_A | way_out);
    wCurrentMenuItem = wLastMenuItem = row;
    return handle_menu_input() & way_out;
}

/* Rows are 0 and 1 in both columns until A is pressed; then the right ones become 2 and 3. */
uint8_t choose_in_columns(uint8_t left, uint8_t right, uint8_t y) BANKED
{
    bool is_right = wStartSavedMenuItem >= RIGHT_COLUMN;

    wCurrentMenuItem = wStartSavedMenuItem & 1;
    while (is_right ? leave_column(right, left, y, PAD_LEFT) : leave_column(left, right, y, PAD_RIGHT))
        is_right = !is_right;
    if (is_right)
        wCurrentMenuItem += RIGHT_COLUMN;
    wStartSavedMenuItem = wCurrentMenuItem;
    return wCurrentMenuItem;
}

/* A menu that waits behind another box. */
void mark_choice(void) BANKED
{
    *BYTES(wMenuCursorLocation) = CHOSEN_CURSOR;
}
