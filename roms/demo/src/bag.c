/* The bag's list. Nothing in it has a use yet. */
#pragma bank 46
#include "hardware.h"
#include "ram.h"
#include "screens.h"
#include "ui.h"
#include "world.h"

static void refuse(void)
{
    copy(wTileMapBackup, wTileMap, TILE_MAP_SIZE);
    print_system_text(TEXT_NO_USE_HERE);
    copy(wTileMap, wTileMapBackup, TILE_MAP_SIZE);
}

void bag_menu(void) BANKED
{
    wListMenuID = LIST_ITEMS;
    wListPointer = (uint16_t)&wNumBagItems;
    wCurrentMenuItem = wBagSavedMenuItem;
    while (list_menu()) {
        wBagSavedMenuItem = wChosenMenuItem;
        refuse();
        wCurrentMenuItem = wBagSavedMenuItem;
    }
    wBagSavedMenuItem = wChosenMenuItem;
}
