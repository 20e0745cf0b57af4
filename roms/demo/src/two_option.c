/* Questions with two answers: a small box over what is there, gone again when answered. */
#pragma bank 47
#include "hardware.h"
#include "overworld.h"
#include "ram.h"
#include "ui.h"
#include "world.h"

#define TWO_OPTION_BOX 0x14
#define AFTER_ANSWER 15
enum { EXIT_FIRST = 1, EXIT_SECOND = 2 };

static const uint8_t yes[] = {STR_YES};
static const uint8_t no[] = {STR_NO};
static const uint8_t heal[] = {STR_HEAL};
static const uint8_t cancel[] = {STR_CANCEL};

/* The words, the inner width, and how far below the edge the first of them stands. */
typedef struct {
    uint8_t id;
    const uint8_t *first, *second;
    uint8_t width, top;
} Template;
static const Template templates[] = {
    {YES_NO, yes, no, 4, 1},
    {HEAL_CANCEL, heal, cancel, 7, 2},
};

static const Template *template_of(uint8_t id)
{
    const Template *template = templates;

    while (template->id != id)
        template++;
    return template;
}

static void draw(const Template *template, uint8_t x, uint8_t y)
{
    place_box(x, y, template->width, template->top + 2);
    y += template->top;
    place_string(TILE_AT(x + 2, y), template->first);
    place_string(TILE_AT(x + 2, y + 2), template->second);
    start_menu_at(x + 1, y, 1, PAD_A | PAD_B);
    place_menu_cursor();
    update_sprites();
}

/* 0 for the first answer, 1 for the second, which B gives as well. The box's corner is at x, y. */
uint8_t two_option_box(uint8_t id, uint8_t x, uint8_t y) BANKED
{
    copy(wTileMapBackup, wTileMap, TILE_MAP_SIZE);
    wTwoOptionMenuID = id;
    wTextBoxID = TWO_OPTION_BOX;
    draw(template_of(id), x, y);
    if (handle_menu_input() & PAD_B) {
        wCurrentMenuItem = 1;
        place_menu_cursor();
    }
    wChosenMenuItem = wCurrentMenuItem;
    wMenuExitMethod = wCurrentMenuItem ? EXIT_SECOND : EXIT_FIRST;
    delay_frames(AFTER_ANSWER);
    copy(wTileMap, wTileMapBackup, TILE_MAP_SIZE);
    update_sprites();
    return wChosenMenuItem;
}

uint8_t yes_no(void) BANKED
{
    return two_option_box(YES_NO, 14, 7);
}
