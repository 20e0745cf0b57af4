/* The list of names to choose from. A keyboard of its own is still to come. */
#pragma bank 46
#include "hardware.h"
#include "ram.h"
#include "screens.h"
#include "ui.h"
#include "world.h"

#define PRESETS 3

static const uint8_t title[] = {STR_NAME};
static const uint8_t new_name[] = {STR_NEW_NAME};
static const uint8_t preset_1[] = {STR_PRESET_1};
static const uint8_t preset_2[] = {STR_PRESET_2};
static const uint8_t preset_3[] = {STR_PRESET_3};
static const uint8_t *const presets[PRESETS] = {preset_1, preset_2, preset_3};

static void draw(void)
{
    uint8_t i;

    place_box(0, 0, 9, 10);
    place_string(TILE_AT(3, 0), title);
    place_string(TILE_AT(2, 2), new_name);
    for (i = 0; i != PRESETS; i++)
        place_string(TILE_AT(2, 4 + 2 * i), presets[i]);
}

void choose_player_name(void) BANKED
{
    for (;;) {
        draw();
        start_menu_at(1, 2, PRESETS, PAD_A);
        handle_menu_input();
        if (wCurrentMenuItem)
            break;
        print_system_text(TEXT_NAME_FROM_LIST);
    }
    copy_string(wPlayerName, presets[wCurrentMenuItem - 1]);
    clear_screen();
}
