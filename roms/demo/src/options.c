/* The option screen: text speed, battle scene, battle style. */
#pragma bank 46
#include "hardware.h"
#include "ram.h"
#include "screens.h"
#include "ui.h"
#include "world.h"

#define CURSOR 0xED
#define OPTION_SPEED 0x0F
#define OPTION_STYLE_SET 0x40
#define OPTION_NO_SCENE 0x80

enum { ROW_SPEED, ROW_SCENE, ROW_STYLE, ROW_CANCEL };
static const uint8_t row_y[] = {3, 8, 13, 16};

static const uint8_t speed_title[] = {STR_TEXT_SPEED};
static const uint8_t fast[] = {STR_FAST};
static const uint8_t medium[] = {STR_MEDIUM};
static const uint8_t slow[] = {STR_SLOW};
static const uint8_t scene_title[] = {STR_BATTLE_SCENE};
static const uint8_t on[] = {STR_ON};
static const uint8_t off[] = {STR_OFF};
static const uint8_t style_title[] = {STR_BATTLE_STYLE};
static const uint8_t shift[] = {STR_SHIFT};
static const uint8_t set[] = {STR_SET};
static const uint8_t cancel[] = {STR_CANCEL};

/* The chosen column of each row lies in RAM where the contract has it. */
#define row_x (&wOptionsTextSpeedCursorX)

static void draw(void)
{
    clear_screen();
    place_box(0, 0, 18, 3);
    place_box(0, 5, 18, 3);
    place_box(0, 10, 18, 3);
    place_string(TILE_AT(1, 1), speed_title);
    place_string(TILE_AT(2, 3), fast);
    place_string(TILE_AT(8, 3), medium);
    place_string(TILE_AT(15, 3), slow);
    place_string(TILE_AT(1, 6), scene_title);
    place_string(TILE_AT(2, 8), on);
    place_string(TILE_AT(11, 8), off);
    place_string(TILE_AT(1, 11), style_title);
    place_string(TILE_AT(2, 13), shift);
    place_string(TILE_AT(11, 13), set);
    place_string(TILE_AT(2, 16), cancel);
}

static void read_options(void)
{
    uint8_t speed = wOptions & OPTION_SPEED;

    row_x[ROW_SPEED] = speed <= 1 ? 1 : speed <= 3 ? 7 : 14;
    row_x[ROW_SCENE] = wOptions & OPTION_NO_SCENE ? 10 : 1;
    row_x[ROW_STYLE] = wOptions & OPTION_STYLE_SET ? 10 : 1;
    row_x[ROW_CANCEL] = 1;
}

static void write_options(void)
{
    uint8_t x = row_x[ROW_SPEED];

    wOptions = x == 1 ? 1 : x == 7 ? 3 : 5;
    if (row_x[ROW_SCENE] != 1)
        wOptions |= OPTION_NO_SCENE;
    if (row_x[ROW_STYLE] != 1)
        wOptions |= OPTION_STYLE_SET;
}

static void mark_row(uint8_t row, uint8_t tile)
{
    *TILE_AT(row_x[row], row_y[row]) = tile;
}

static void change_column(uint8_t row, uint8_t keys)
{
    uint8_t x = row_x[row];

    if (row == ROW_CANCEL)
        return;
    if (row != ROW_SPEED)
        x = x == 1 ? 10 : 1;
    else if (keys & PAD_LEFT)
        x = x == 14 ? 7 : 1;
    else
        x = x == 1 ? 7 : 14;
    mark_row(row, SPACE);
    row_x[row] = x;
}

static uint8_t change_row(uint8_t row, uint8_t keys)
{
    mark_row(row, CHOSEN_CURSOR);
    if (keys & PAD_UP)
        return row == ROW_SPEED ? ROW_CANCEL : row - 1;
    return row == ROW_CANCEL ? ROW_SPEED : row + 1;
}

static uint8_t next_key(void)
{
    hJoy7 = 1;
    do {
        delay_frame();
        joypad_low_sensitivity();
    } while (!hJoy5);
    return hJoy5;
}

/* The cursor's place is told where every menu tells it. */
static void place_cursor(uint8_t row)
{
    mark_row(row, CURSOR);
    wTopMenuItemX = row_x[row];
    wTopMenuItemY = row_y[row];
    wMenuCursorLocation = (uint16_t)TILE_AT(row_x[row], row_y[row]);
}

void options_menu(void) BANKED
{
    uint8_t row = ROW_SPEED;
    uint8_t keys;

    draw();
    start_menu_at(1, 3, 0, PAD_B | PAD_START);
    read_options();
    mark_row(ROW_SCENE, CHOSEN_CURSOR);
    mark_row(ROW_STYLE, CHOSEN_CURSOR);
    mark_row(ROW_CANCEL, CHOSEN_CURSOR);
    for (;;) {
        place_cursor(row);
        keys = next_key();
        if (keys & (PAD_B | PAD_START) || (keys & PAD_A && row == ROW_CANCEL))
            break;
        if (keys & (PAD_LEFT | PAD_RIGHT))
            change_column(row, keys);
        else if (keys & (PAD_UP | PAD_DOWN))
            row = change_row(row, keys);
    }
    hJoy7 = 0;
    write_options();
}
