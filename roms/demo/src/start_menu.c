/* The menu behind START. */
#pragma bank 46
#include "battle.h"
#include "field_moves.h"
#include "hardware.h"
#include "overworld.h"
#include "ram.h"
#include "screens.h"
#include "services.h"
#include "things.h"
#include "ui.h"
#include "world.h"

enum { TEAM, BAG, PLAYER, SAVE, OPTION, EXIT, ITEMS };

static const uint8_t team[] = {STR_TEAM};
static const uint8_t bag[] = {STR_BAG};
static const uint8_t save[] = {STR_SAVE};
static const uint8_t option[] = {STR_OPTION};
static const uint8_t leave[] = {STR_EXIT};

/* Not shown before it is whole: the map alone would flash. */
void draw_start_menu(void)
{
    hAutoBGTransferEnabled = 0;
    load_view();
    place_box(10, 0, 8, 12);
    place_string(TILE_AT(12, 2), team);
    place_string(TILE_AT(12, 4), bag);
    place_string(TILE_AT(12, 6), wPlayerName);
    place_string(TILE_AT(12, 8), save);
    place_string(TILE_AT(12, 10), option);
    place_string(TILE_AT(12, 12), leave);
    hAutoBGTransferEnabled = 1;
}

/* The place below the last item is never shown: it wraps to the first. */
static void wrap(uint8_t keys)
{
    if (keys & PAD_UP && !wCurrentMenuItem && !wLastMenuItem)
        wCurrentMenuItem = EXIT;
    else if (wCurrentMenuItem == ITEMS)
        wCurrentMenuItem = TEAM;
}

static uint8_t choose(void)
{
    uint8_t keys;

    start_menu_at(11, 2, ITEMS, PAD_A | PAD_B | PAD_START | PAD_UP | PAD_DOWN);
    wCurrentMenuItem = wLastMenuItem = wStartSavedMenuItem;
    while ((keys = handle_menu_input()) & (PAD_UP | PAD_DOWN))
        wrap(keys);
    wStartSavedMenuItem = wCurrentMenuItem;
    return keys;
}

/* The map may lie in the dark; other screens never do. */
static void whole_screen(void)
{
    clear_screen();
    update_sprites();
    show_palettes();
}

/* How something of the bag was used that closes the menus. */
static uint8_t used;
/* The move that is to be used on the map. */
static uint8_t field_move;

static void open_item(uint8_t item)
{
    switch (item) {
    case TEAM:
        whole_screen();
        field_move = party_menu();
        break;
    case BAG:
        used = bag_menu();
        break;
    case PLAYER:
        whole_screen();
        player_card();
        break;
    case SAVE:
        save_menu();
        return;
    case OPTION:
        whole_screen();
        options_menu();
        break;
    }
    draw_start_menu();
    show_map_palettes();
    update_sprites();
}

/* Who saves is back on the map. */
void start_menu(void) BANKED
{
    uint8_t item;

    wFontLoaded |= FONT_LOADED;
    draw_start_menu();
    window_open();
    update_sprites();
    used = ITEM_KEPT;
    field_move = NO_FIELD_MOVE;
    while (used == ITEM_KEPT && !field_move && choose() & PAD_A && (item = wCurrentMenuItem) != EXIT) {
        if (item != TEAM || wPartyCount)
            open_item(item);
        if (item == SAVE)
            break;
    }
    wait_for_release();
    load_view();
    window_close();
    wFontLoaded &= (uint8_t)~FONT_LOADED;
    update_sprites();
    if (used == ITEM_LEADS_OUT)
        climb_out();
    else if (field_move)
        use_field_move(field_move);
}
