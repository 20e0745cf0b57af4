/* The list of names to choose from, and the way to one's own. */
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

/* The number of the name, or 0 for one of the player's own. */
static uint8_t choose(void)
{
    draw();
    start_menu_at(1, 2, PRESETS, PAD_A);
    handle_menu_input();
    return wCurrentMenuItem;
}

void choose_player_name(void) BANKED
{
    uint8_t preset;

    do
        preset = choose();
    while (!preset && !type_name(NAME_OF_PLAYER));
    copy_string(wPlayerName, preset ? presets[preset - 1] : wStringBuffer);
    clear_screen();
}
