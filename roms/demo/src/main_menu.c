/* NEW GAME or OPTION, until there is a saved game to continue. */
#pragma bank 46
#include "hardware.h"
#include "ram.h"
#include "screens.h"
#include "ui.h"
#include "world.h"

#define NO_SAVE 1
enum { ITEM_NEW_GAME, ITEM_OPTION, ITEM_COUNT };

static const uint8_t new_game[] = {STR_NEW_GAME};
static const uint8_t option[] = {STR_OPTION};

static void draw(void)
{
    clear_screen();
    place_box(0, 0, 13, 4);
    place_string(TILE_AT(2, 2), new_game);
    place_string(TILE_AT(2, 4), option);
}

/* Whether a new game begins; otherwise the title comes back. */
bool main_menu(void) BANKED
{
    uint8_t keys, item;

    wSaveFileStatus = NO_SAVE;
    for (item = ITEM_NEW_GAME;;) {
        draw();
        start_menu_at(1, 2, ITEM_COUNT - 1, PAD_A | PAD_B | PAD_START);
        wCurrentMenuItem = item;
        keys = handle_menu_input();
        if (keys & PAD_B)
            return false;
        item = wCurrentMenuItem;
        if (item == ITEM_NEW_GAME)
            return true;
        options_menu();
    }
}
