/* CONTINUE, when there is a saved game, NEW GAME or OPTION. */
#pragma bank 46
#include "hardware.h"
#include "ram.h"
#include "save.h"
#include "screens.h"
#include "ui.h"
#include "world.h"

enum { ITEM_CONTINUE, ITEM_NEW_GAME, ITEM_OPTION, ITEMS };

static const uint8_t continue_word[] = {STR_CONTINUE};
static const uint8_t new_game_word[] = {STR_NEW_GAME};
static const uint8_t option_word[] = {STR_OPTION};
static const uint8_t *const words[ITEMS] = {continue_word, new_game_word, option_word};

static void draw(uint8_t first)
{
    uint8_t item, y = 2;

    clear_screen();
    place_box(0, 0, 13, 2 * (ITEMS - first));
    for (item = first; item != ITEMS; item++, y += 2)
        place_string(TILE_AT(2, y), words[item]);
}

/* The menu stays behind the box, and B goes back to it. */
static bool confirms(void)
{
    place_summary(4, 7);
    wait_for_button();
    return hJoy5 & PAD_A;
}

uint8_t main_menu(void) BANKED
{
    uint8_t keys, item, first;

    load_game();
    first = item = wSaveFileStatus == SAVED ? ITEM_CONTINUE : ITEM_NEW_GAME;
    for (;;) {
        draw(first);
        start_menu_at(1, 2, ITEM_OPTION - first, PAD_A | PAD_B | PAD_START);
        wCurrentMenuItem = item - first;
        keys = handle_menu_input();
        if (keys & PAD_B)
            return BACK_TO_TITLE;
        item = wCurrentMenuItem + first;
        if (item == ITEM_NEW_GAME)
            return NEW_GAME;
        if (item == ITEM_OPTION)
            options_menu();
        else if (confirms())
            return CONTINUE_GAME;
    }
}
