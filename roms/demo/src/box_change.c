/* Choosing another of the twelve boxes. */
#pragma bank 62
#include "box.h"
#include "overworld.h"
#include "save.h"
#include "ui.h"
#include "world.h"

#define IN_USE 0x8E

static const uint8_t box_word[] = {STR_BOX};

/* A ball marks a box that is not empty. */
static void draw(void)
{
    uint8_t number, *at;

    place_box(11, 0, 7, 12);
    for (number = 0; number != BOXES; number++) {
        at = place_string(TILE_AT(13, 1 + number), box_word);
        at = place_decimal(at, number + 1, 2, SPACE);
        if (mons_in_box(number))
            *at = IN_USE;
    }
    update_sprites();
}

static bool choose_box(void)
{
    uint8_t keys;

    start_menu_at(12, 1, BOXES - 1, PAD_A | PAD_B);
    wCurrentMenuItem = wLastMenuItem = wCurrentBoxNum & BOX_NUMBER;
    hUILayoutFlags |= UI_SINGLE_SPACED;
    keys = handle_menu_input();
    hUILayoutFlags &= (uint8_t)~UI_SINGLE_SPACED;
    return keys & PAD_A;
}

void change_box(void)
{
    print_system_text(TEXT_BOX_CHANGE_ASK);
    if (yes_no())
        return;
    print_system_text(TEXT_BOX_CHOOSE);
    draw();
    if (!choose_box())
        return;
    change_box_to(wCurrentMenuItem);
    save_game();
    print_system_text(TEXT_BOX_CHANGED);
}
