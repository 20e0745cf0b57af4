/* The keyboard for names: five rows of keys, and a sixth that changes between capitals and small letters. */
#pragma bank 46
#include "hardware.h"
#include "ram.h"
#include "mon.h"
#include "screens.h"
#include "ui.h"
#include "world.h"

#define DASH 0xE3
#define ROWS 5
#define COLUMNS 9
#define FIRST_ROW 1
#define CASE_ROW 6
#define FIRST_COLUMN 1
#define LAST_COLUMN 17
#define MENU_TOP 3
#define LAST_ITEM 7
#define ANY_KEY 0xFF
#define NAME_CELL TILE_AT(10, 2)
#define LINE_CELL TILE_AT(10, 3)
#define LONGEST_PLAYER 7
#define LONGEST_MON 10
#define FONT_BANK 4
#define END_GLYPH (0x5A80 + 8 * 0x70)
#define END_TILE (VRAM_FONT + 16 * 0x70)
#define GLYPH_ROWS 8
/* A press that comes too early is lost. */
#define LOADING_FRAMES 20

static const uint8_t upper_1[] = {STR_KEYS_UPPER_1};
static const uint8_t upper_2[] = {STR_KEYS_UPPER_2};
static const uint8_t upper_3[] = {STR_KEYS_UPPER_3};
static const uint8_t upper_4[] = {STR_KEYS_UPPER_4};
static const uint8_t upper_5[] = {STR_KEYS_UPPER_5};
static const uint8_t lower_1[] = {STR_KEYS_LOWER_1};
static const uint8_t lower_2[] = {STR_KEYS_LOWER_2};
static const uint8_t lower_3[] = {STR_KEYS_LOWER_3};
static const uint8_t lower_4[] = {STR_KEYS_LOWER_4};
static const uint8_t lower_5[] = {STR_KEYS_LOWER_5};
static const uint8_t *const keys_of_case[2][ROWS] = {
    {upper_1, upper_2, upper_3, upper_4, upper_5},
    {lower_1, lower_2, lower_3, lower_4, lower_5},
};
static const uint8_t to_upper[] = {STR_UPPER_CASE};
static const uint8_t to_lower[] = {STR_LOWER_CASE};
static const uint8_t your_name[] = {STR_YOUR_NAME};
static const uint8_t nickname[] = {STR_NICKNAME};

static uint8_t longest(void)
{
    return wNamingScreenType == NAME_OF_MON ? LONGEST_MON : LONGEST_PLAYER;
}

/* The END key borrows a letter's tile: one bit a pixel in the cartridge, two in video memory. */
static void load_end_key(uint8_t bank, uint16_t from)
{
    uint8_t row;

    for (row = 0; row != GLYPH_ROWS; row++)
        chunk_buffer[2 * row] = chunk_buffer[2 * row + 1] = far_byte(bank, from + row);
    chunk_dest = END_TILE;
    chunk_tiles = 1;
    delay_frame();
}

static void draw_keys(void)
{
    uint8_t row, column;
    uint8_t *at;

    for (row = 0; row != ROWS; row++) {
        at = TILE_AT(2, 5 + 2 * row);
        for (column = 0; column != COLUMNS; column++, at += 2)
            *at = keys_of_case[wAlphabetCase][row][column];
    }
    place_string(TILE_AT(2, 15), wAlphabetCase ? to_upper : to_lower);
}

static void draw_name(void)
{
    fill(NAME_CELL, SPACE, LONGEST_MON);
    place_string(NAME_CELL, wStringBuffer);
}

static void draw(void)
{
    hAutoBGTransferEnabled = 0;
    clear_screen();
    place_box(0, 4, 18, 9);
    if (wNamingScreenType == NAME_OF_MON) {
        load_mon_name(wNameBuffer, wCurPartySpecies);
        place_string(TILE_AT(0, 1), wNameBuffer);
        place_string(TILE_AT(0, 2), nickname);
    } else {
        place_string(TILE_AT(0, 1), your_name);
    }
    fill(LINE_CELL, DASH, longest());
    draw_keys();
    draw_name();
    hAutoBGTransferEnabled = 1;
    delay_frames(LOADING_FRAMES);
}

static void point_at(uint8_t row, uint8_t column)
{
    *BYTES(wMenuCursorLocation) = SPACE;
    wCurrentMenuItem = wLastMenuItem = row;
    wTopMenuItemX = row == CASE_ROW ? FIRST_COLUMN : column;
    place_menu_cursor();
}

static void move(uint8_t pad)
{
    uint8_t row = wCurrentMenuItem, column = wTopMenuItemX;

    if (pad & PAD_DOWN)
        row = row == CASE_ROW ? FIRST_ROW : row + 1;
    else if (pad & PAD_UP)
        row = row == FIRST_ROW ? CASE_ROW : row - 1;
    else if (pad & PAD_RIGHT)
        column = column == LAST_COLUMN ? FIRST_COLUMN : column + 2;
    else
        column = column == FIRST_COLUMN ? LAST_COLUMN : column - 2;
    point_at(row, column);
}

static void change_case(void)
{
    wAlphabetCase ^= 1;
    draw_keys();
}

static void erase(void)
{
    if (!wNamingScreenNameLength)
        return;
    wStringBuffer[--wNamingScreenNameLength] = END_OF_STRING;
    draw_name();
}

/* A full name leaves nothing but to end it. */
static void add(uint8_t letter)
{
    if (wNamingScreenNameLength == longest())
        return;
    wStringBuffer[wNamingScreenNameLength++] = letter;
    wStringBuffer[wNamingScreenNameLength] = END_OF_STRING;
    draw_name();
    if (wNamingScreenNameLength == longest())
        point_at(ROWS, LAST_COLUMN);
}

static void press_key(void)
{
    uint8_t row = wCurrentMenuItem - 1, column = wTopMenuItemX >> 1;

    if (wCurrentMenuItem == CASE_ROW)
        change_case();
    else if (row == ROWS - 1 && column == COLUMNS - 1)
        wNamingScreenSubmitName = 1;
    else
        add(keys_of_case[wAlphabetCase][row][column]);
}

static void obey(uint8_t pad)
{
    if (pad & PAD_START)
        wNamingScreenSubmitName = 1;
    else if (pad & PAD_A)
        press_key();
    else if (pad & PAD_B)
        erase();
    else if (pad & PAD_SELECT)
        change_case();
    else if (pad & PAD_DIRECTIONS)
        move(pad);
}

static void begin(uint8_t type)
{
    wNamingScreenType = type;
    wNamingScreenNameLength = wNamingScreenSubmitName = wAlphabetCase = 0;
    wStringBuffer[0] = END_OF_STRING;
    load_end_key(ED_TILE_BANK, ED_TILE_ADDR);
    draw();
    start_menu_at(FIRST_COLUMN, MENU_TOP, LAST_ITEM, ANY_KEY);
    wCurrentMenuItem = wLastMenuItem = FIRST_ROW;
    place_menu_cursor();
}

/* What is typed is in wStringBuffer; whether it is anything. wCurPartySpecies says whose nickname it is. Leaves the screen empty. */
bool type_name(uint8_t type) BANKED
{
    begin(type);
    do {
        delay_frame();
        joypad();
        obey(hJoyPressed);
    } while (!wNamingScreenSubmitName);
    clear_screen();
    wait_transfer();
    load_end_key(FONT_BANK, END_GLYPH);
    return wNamingScreenNameLength;
}
