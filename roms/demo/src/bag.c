/* The bag. Nothing can be put into it yet, so its list is CANCEL alone. */
#pragma bank 46
#include "hardware.h"
#include "ram.h"
#include "screens.h"
#include "ui.h"
#include "world.h"

#define EXIT_CANCELLED 2
#define LAST_ROW 2

static const uint8_t cancel[] = {STR_CANCEL};

void bag_menu(void) BANKED
{
    wListMenuID = LIST_ITEMS;
    wListCount = wNumBagItems;
    wListPointer = (uint16_t)&wNumBagItems;
    wMenuItemToSwap = 0;
    place_box(4, 2, 14, 9);
    place_string(TILE_AT(6, 4), cancel);
    start_menu_at(5, 4, wListCount < LAST_ROW ? wListCount : LAST_ROW, PAD_A | PAD_B | PAD_SELECT);
    while (!(handle_menu_input() & (PAD_A | PAD_B)))
        ;
    wBagSavedMenuItem = wCurrentMenuItem;
    wMenuExitMethod = EXIT_CANCELLED;
}
