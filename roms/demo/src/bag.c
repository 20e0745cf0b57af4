/* The bag behind START: what to use, what to throw away. */
#pragma bank 46
#include "hardware.h"
#include "overworld.h"
#include "ram.h"
#include "screens.h"
#include "things.h"
#include "ui.h"
#include "world.h"

#define USE_TOSS_BOX 0x06

enum { USE, TOSS, NEITHER };

static const uint8_t use_word[] = {STR_USE};
static const uint8_t toss_word[] = {STR_TOSS};

static uint8_t use_or_toss(void)
{
    wTextBoxID = USE_TOSS_BOX;
    place_box(13, 10, 5, 3);
    place_string(TILE_AT(15, 11), use_word);
    place_string(TILE_AT(15, 13), toss_word);
    update_sprites();
    start_menu_at(14, 11, TOSS, PAD_A | PAD_B);
    if (handle_menu_input() & PAD_B)
        return NEITHER;
    mark_choice();
    return wCurrentMenuItem;
}

static void toss(void)
{
    uint8_t index = wWhichPokemon;

    if (is_key_item(wCurItem)) {
        print_system_text(TEXT_TOSS_REFUSED);
        return;
    }
    if (!choose_quantity(wMaxItemQuantity))
        return;
    item_name(wCurItem);
    print_system_text(TEXT_TOSS_ASK);
    if (yes_no())
        return;
    take_from_stack(index, wItemQuantity);
    print_system_text(TEXT_TOSSED);
}

/* How it was used where that closes the menus, or ITEM_KEPT. */
static uint8_t handle_chosen(void)
{
    uint8_t outcome;

    switch (use_or_toss()) {
    case USE:
        outcome = use_item();
        if (outcome == ITEM_LEADS_OUT || outcome == ITEM_PLAYED)
            return outcome;
        break;
    case TOSS:
        toss();
        break;
    }
    draw_start_menu();
    update_sprites();
    return ITEM_KEPT;
}

/* How something was used where that closes the menus, or ITEM_KEPT. */
uint8_t bag_menu(void) BANKED
{
    uint8_t outcome;

    for (;;) {
        list_bag();
        if (!list_menu())
            break;
        wBagSavedMenuItem = wChosenMenuItem;
        outcome = handle_chosen();
        if (outcome != ITEM_KEPT)
            return outcome;
    }
    wBagSavedMenuItem = wChosenMenuItem;
    return ITEM_KEPT;
}
