/* Lists that scroll: four names are seen, the cursor goes over three, and CANCEL comes last. */
#pragma bank 47
#include "box.h"
#include "hardware.h"
#include "overworld.h"
#include "ram.h"
#include "ui.h"
#include "world.h"

#define LIST_BOX 0x0D
#define NAMES 4
#define LAST_ROW 2
#define ROWS_OF_CURSOR 3
#define ITEM_NAMES_BANK 1
#define ITEM_NAMES 0x472B
#define LONGEST_NAME 12
#define SPACE 0x7F
#define TIMES 0xF1
#define MORE_BELOW 0xEE
#define CHOSEN_CURSOR 0xEC
#define MORE_BELOW_CELL TILE_AT(18, 11)
#define list BYTES(wListPointer)
enum { EXIT_CHOSEN = 1, EXIT_CANCELLED = 2 };

static const uint8_t cancel[] = {STR_CANCEL};

/* To wNameBuffer; the names follow each other without an index. */
void item_name(uint8_t item) BANKED
{
    uint16_t at = ITEM_NAMES;
    uint8_t length = 0;

    while (--item)
        while (far_byte(ITEM_NAMES_BANK, at++) != END_OF_STRING)
            ;
    far_copy(wNameBuffer, ITEM_NAMES_BANK, at, LONGEST_NAME);
    while (length != LONGEST_NAME && wNameBuffer[length] != END_OF_STRING)
        length++;
    wNameBuffer[length] = END_OF_STRING;
}

static void draw_entry(uint8_t index, uint8_t *at)
{
    const uint8_t *entry = list + 1 + 2 * index;

    if (wListMenuID == LIST_MONS) {
        place_mon_entry(index, at);
        return;
    }
    item_name(entry[0]);
    place_string(at, wNameBuffer);
    at += 28;
    *at++ = TIMES;
    place_decimal(at, entry[1], 2, SPACE);
}

static void draw_names(void)
{
    uint8_t index = wListScrollOffset;
    uint8_t left = NAMES;
    uint8_t *at = TILE_AT(6, 4);

    for (; left; left--, index++, at += 40) {
        fill(at, SPACE, 12);
        fill(at + 20, SPACE, 12);
        if (index == wListCount)
            place_string(at, cancel);
        else if (index < wListCount)
            draw_entry(index, at);
    }
    *MORE_BELOW_CELL = index <= wListCount ? MORE_BELOW : SPACE;
}

static void draw(void)
{
    place_box(4, 2, 14, 9);
    draw_names();
    update_sprites();
}

/* Whether the list moved under the cursor. */
static bool scroll(uint8_t keys)
{
    if (keys & PAD_DOWN && wListScrollOffset + ROWS_OF_CURSOR <= wListCount)
        wListScrollOffset++;
    else if (keys & PAD_UP && wListScrollOffset)
        wListScrollOffset--;
    else
        return false;
    return true;
}

static uint8_t choose(void)
{
    uint8_t row = wCurrentMenuItem;
    uint8_t keys;

    start_menu_at(5, 4, wListCount < LAST_ROW ? wListCount : LAST_ROW, PAD_A | PAD_B | PAD_SELECT);
    wCurrentMenuItem = wLastMenuItem = row > wMaxMenuItem ? wMaxMenuItem : row;
    for (;;) {
        wMenuWatchMovingOutOfBounds = 1;
        keys = handle_menu_input();
        if (keys & (PAD_A | PAD_B))
            break;
        if (scroll(keys))
            draw_names();
    }
    wMenuWatchMovingOutOfBounds = 0;
    return keys;
}

static void take(uint8_t index)
{
    const uint8_t *entry = list + 1 + 2 * index;

    *BYTES(wMenuCursorLocation) = CHOSEN_CURSOR;
    wWhichPokemon = index;
    if (wListMenuID == LIST_MONS) {
        wCurPartySpecies = list[1 + index];
        return;
    }
    wCurItem = entry[0];
    wMaxItemQuantity = entry[1];
}

/* Whether an entry was chosen. wListPointer, wListMenuID and the row in wCurrentMenuItem are the caller's. */
bool list_menu(void) BANKED
{
    uint8_t keys, index;

    wTextBoxID = LIST_BOX;
    wMenuItemToSwap = 0;
    wListCount = list[0];
    if (wListScrollOffset > wListCount)
        wListScrollOffset = 0;
    draw();
    keys = choose();
    index = wListScrollOffset + wCurrentMenuItem;
    wChosenMenuItem = wCurrentMenuItem;
    wMenuExitMethod = keys & PAD_A && index != wListCount ? EXIT_CHOSEN : EXIT_CANCELLED;
    if (wMenuExitMethod == EXIT_CANCELLED)
        return false;
    take(index);
    return true;
}
