/* Lists that scroll: four names are seen, the cursor goes over three, and CANCEL comes last. */
#pragma bank 47
#include "box.h"
#include "hardware.h"
#include "overworld.h"
#include "ram.h"
#include "things.h"
#include "ui.h"
#include "world.h"

#define LIST_BOX 0x0D
#define NAMES 4
#define ENTRY_SIZE 2
#define LAST_ROW 2
#define ROWS_OF_CURSOR 3
#define ITEM_NAMES_BANK 1
#define ITEM_NAMES 0x472B
#define LONGEST_NAME 12
#define MORE_BELOW 0xEE
#define CURSOR_X 5
#define LOADING_FRAMES 10
#define DRAWING_FRAMES 3
#define SWAP_FRAMES 20
#define MORE_BELOW_CELL TILE_AT(18, 11)
#define list BYTES(wListPointer)
enum { EXIT_CHOSEN = 1, EXIT_CANCELLED = 2 };

static const uint8_t cancel[] = {STR_CANCEL};
static const uint8_t hidden_machine[] = {STR_HIDDEN_MACHINE};
static const uint8_t machine[] = {STR_MACHINE};
#define MACHINE_WORD 2

static void machine_name(uint8_t item)
{
    bool hidden = item < FIRST_MACHINE;

    copy_string(wNameBuffer, hidden ? hidden_machine : machine);
    place_decimal(wNameBuffer + MACHINE_WORD, item - (hidden ? FIRST_HIDDEN_MACHINE : FIRST_MACHINE) + 1, 2, DIGIT_ZERO);
    wNameBuffer[MACHINE_WORD + 2] = END_OF_STRING;
}

/* To wNameBuffer; the names follow each other without an index. */
void item_name(uint8_t item) BANKED
{
    uint16_t at = ITEM_NAMES;
    uint8_t length = 0;

    if (is_machine(item)) {
        machine_name(item);
        return;
    }
    while (--item)
        while (far_byte(ITEM_NAMES_BANK, at++) != END_OF_STRING)
            ;
    far_copy(wNameBuffer, ITEM_NAMES_BANK, at, LONGEST_NAME);
    while (length != LONGEST_NAME && wNameBuffer[length] != END_OF_STRING)
        length++;
    wNameBuffer[length] = END_OF_STRING;
}

static bool is_single(void)
{
    return wListMenuID != LIST_ITEMS;
}

/* Where an entry begins: items of the bag come with a quantity, what a shop has does not. */
static uint8_t *entry_at(uint8_t index)
{
    return list + 1 + (is_single() ? index : 2 * index);
}

static void draw_price(uint8_t item, uint8_t *at)
{
    uint8_t price[MONEY_SIZE];

    load_price(price, item);
    place_money(at, price);
}

/* Of what cannot be thrown away there is but one. */
static void draw_quantity(const uint8_t *entry, uint8_t *at)
{
    if (is_key_item(entry[0]))
        return;
    *at++ = TIMES;
    place_decimal(at, entry[1], 2, SPACE);
}

static void draw_entry(uint8_t index, uint8_t *at)
{
    const uint8_t *entry = entry_at(index);

    if (wListMenuID == LIST_MONS) {
        place_mon_entry(index, at);
        return;
    }
    item_name(entry[0]);
    place_string(at, wNameBuffer);
    if (wPrintItemPrices)
        draw_price(entry[0], at + 25);
    else if (!is_single())
        draw_quantity(entry, at + 28);
}

static void draw_names(void)
{
    uint8_t index = wListScrollOffset;
    uint8_t left = NAMES;
    uint8_t *at = TILE_AT(6, 4);

    for (; left; left--, index++, at += 40) {
        fill(at - 1, SPACE, 13);
        fill(at + 20, SPACE, 13);
        if (wMenuItemToSwap && index == wMenuItemToSwap - 1)
            at[-1] = CHOSEN_CURSOR;
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

/* SELECT marks an entry, and once more, on another, lets the two change places; on the same, takes the mark away. */
static void select_entry(void)
{
    uint8_t index = wListScrollOffset + wCurrentMenuItem;

    if (is_single() || index >= wListCount)
        return;
    if (!wMenuItemToSwap) {
        wMenuItemToSwap = index + 1;
    } else {
        if (index != wMenuItemToSwap - 1)
            swap_bytes(entry_at(wMenuItemToSwap - 1), entry_at(index), ENTRY_SIZE);
        wMenuItemToSwap = 0;
    }
    delay_frames(SWAP_FRAMES);
    draw_names();
}

static uint8_t choose(void)
{
    uint8_t row = wCurrentMenuItem;
    uint8_t keys;

    start_menu_at(CURSOR_X, 4, wListCount < LAST_ROW ? wListCount : LAST_ROW, PAD_A | PAD_B | PAD_SELECT);
    wCurrentMenuItem = wLastMenuItem = row > wMaxMenuItem ? wMaxMenuItem : row;
    for (;;) {
        delay_frames(DRAWING_FRAMES);
        wMenuWatchMovingOutOfBounds = 1;
        keys = handle_menu_input();
        if (keys & (PAD_A | PAD_B))
            break;
        if (keys & PAD_SELECT)
            select_entry();
        else if (scroll(keys))
            draw_names();
    }
    wMenuWatchMovingOutOfBounds = 0;
    return keys;
}

static void take(uint8_t index)
{
    const uint8_t *entry = entry_at(index);

    mark_choice();
    wWhichPokemon = index;
    if (wListMenuID == LIST_MONS) {
        wCurPartySpecies = list[1 + index];
        return;
    }
    wCurItem = entry[0];
    if (!is_single())
        wMaxItemQuantity = entry[1];
}

/* Whether an entry was chosen. wListPointer, wListMenuID and the row in wCurrentMenuItem are the caller's. */
bool list_menu(void) BANKED
{
    uint8_t keys, index;

    wTextBoxID = LIST_BOX;
    wMenuItemToSwap = 0;
    wListCount = list[0];
    if (wListScrollOffset && wListScrollOffset + LAST_ROW > wListCount)
        wListScrollOffset = 0;
    draw();
    delay_frames(LOADING_FRAMES);
    keys = choose();
    wMenuItemToSwap = 0;
    index = wListScrollOffset + wCurrentMenuItem;
    wChosenMenuItem = wCurrentMenuItem;
    wMenuExitMethod = keys & PAD_A && index != wListCount ? EXIT_CHOSEN : EXIT_CANCELLED;
    if (wMenuExitMethod == EXIT_CANCELLED)
        return false;
    take(index);
    return true;
}
