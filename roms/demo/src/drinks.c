/* A machine with three drinks, at prices of its own: one for each time that it is asked. */
#pragma bank 60
#include "hardware.h"
#include "overworld.h"
#include "ram.h"
#include "services.h"
#include "things.h"
#include "ui.h"
#include "world.h"

#define WARES_BANK 29
#define WARES 0x5000
#define WARE_SIZE 4
#define FIRST_ROW 5
#define RATTLE 40

enum { NO_DRINK = 3 };

static const uint8_t cancel[] = {STR_CANCEL};

static uint8_t load_drink(uint8_t row, uint8_t *price)
{
    uint16_t ware = WARES + WARE_SIZE * row;

    far_copy(price, WARES_BANK, ware + 1, MONEY_SIZE);
    return far_byte(WARES_BANK, ware);
}

static void draw(void)
{
    uint8_t price[MONEY_SIZE];
    uint8_t row;
    uint8_t *at = TILE_AT(2, FIRST_ROW);

    place_money_box();
    place_box(0, 3, 12, 8);
    for (row = 0; row != NO_DRINK; row++, at += 40) {
        item_name(load_drink(row, price));
        place_string(at, wNameBuffer);
        place_money(at + 24, price);
    }
    place_string(at, cancel);
    update_sprites();
}

static uint8_t choose_drink(void)
{
    uint8_t keys;

    draw();
    start_menu_at(1, FIRST_ROW, NO_DRINK, PAD_A | PAD_B);
    keys = handle_menu_input();
    mark_choice();
    return keys & PAD_B ? NO_DRINK : wCurrentMenuItem;
}

static void sell(uint8_t row)
{
    uint8_t price[MONEY_SIZE];
    uint8_t item = load_drink(row, price);

    item_name(item);
    if (!pay(price)) {
        print_system_text(TEXT_MACHINE_TOO_DEAR);
        return;
    }
    if (!give_item(item, 1)) {
        add_money(wPlayerMoney, price);
        print_system_text(TEXT_MACHINE_BAG_FULL);
        return;
    }
    place_money_box();
    delay_frames(RATTLE);
    print_system_text(TEXT_MACHINE_SOLD);
}

void drinks_machine(void) BANKED
{
    uint8_t row;

    print_system_text(TEXT_MACHINE_OFFERS);
    row = choose_drink();
    if (row == NO_DRINK)
        print_system_text(TEXT_MACHINE_NOTHING);
    else
        sell(row);
}
