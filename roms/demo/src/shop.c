/* A shop: wares and their prices, and what it pays for things from the bag. */
#pragma bank 60
#include "battle_parts.h"
#include "overworld.h"
#include "things.h"

#define SHOP_BOX 0x15
#define GOODS_MOST 14

enum { BUY, SELL, QUIT };

static const uint8_t money_word[] = {STR_MONEY};
static const uint8_t buy_word[] = {STR_BUY};
static const uint8_t sell_word[] = {STR_SELL};
static const uint8_t quit_word[] = {STR_QUIT};

void place_money_box(void)
{
    place_box(11, 0, 7, 1);
    place_string(TILE_AT(13, 0), money_word);
    place_money(TILE_AT(12, 1), wPlayerMoney);
}

/* The map with the shop's boxes over it, shown when it is whole. */
static void draw_shop(void)
{
    hAutoBGTransferEnabled = 0;
    load_view();
    place_money_box();
    place_message_box();
    hAutoBGTransferEnabled = 1;
    update_sprites();
}

static uint8_t choose_service(void)
{
    wTextBoxID = SHOP_BOX;
    place_money_box();
    place_box(0, 0, 9, 5);
    place_string(TILE_AT(2, 1), buy_word);
    place_string(TILE_AT(2, 3), sell_word);
    place_string(TILE_AT(2, 5), quit_word);
    update_sprites();
    start_menu_at(1, 1, QUIT, PAD_A | PAD_B);
    return handle_menu_input() & PAD_B ? QUIT : wCurrentMenuItem;
}

static bool is_agreed(uint8_t question)
{
    item_name(wCurItem);
    print_system_text(question);
    return !yes_no();
}

/* Whether the shop goes on selling. */
static bool sell_to_player(void)
{
    hHalveItemPrices = 0;
    if (!choose_quantity(99) || !is_agreed(TEXT_SHOP_COSTS))
        return true;
    if (!pay(hMoney)) {
        print_system_text(TEXT_SHOP_TOO_DEAR);
        return false;
    }
    if (!give_item(wCurItem, wItemQuantity)) {
        add_money(wPlayerMoney, hMoney);
        print_system_text(TEXT_SHOP_BAG_FULL);
        return false;
    }
    place_money_box();
    print_system_text(TEXT_SHOP_THANKS);
    return true;
}

/* Each time from the first row, wherever the list was scrolled to. */
static void buy(void)
{
    print_system_text(TEXT_SHOP_LOOK);
    do {
        draw_shop();
        wListMenuID = LIST_PRICED_ITEMS;
        wPrintItemPrices = true;
        wListPointer = (uint16_t)wItemList;
        wCurrentMenuItem = 0;
    } while (list_menu() && sell_to_player());
}

static bool is_worthless(uint8_t item)
{
    load_price(hMoney, item);
    return is_key_item(item) || !(hMoney[0] | hMoney[1] | hMoney[2]);
}

static bool buy_from_player(void)
{
    uint8_t index = wWhichPokemon;

    if (is_worthless(wCurItem)) {
        print_system_text(TEXT_SHOP_NOT_THAT);
        return false;
    }
    hHalveItemPrices = 1;
    wListMenuID = LIST_PRICED_ITEMS;
    if (!choose_quantity(wMaxItemQuantity) || !is_agreed(TEXT_SHOP_PAYS))
        return true;
    add_money(wPlayerMoney, hMoney);
    take_from_stack(index, wItemQuantity);
    place_money_box();
    print_system_text(TEXT_SHOP_SOLD);
    return true;
}

static void sell(void)
{
    if (!wNumBagItems) {
        print_system_text(TEXT_BAG_EMPTY);
        return;
    }
    print_system_text(TEXT_SHOP_SHOW);
    do {
        draw_shop();
        list_bag();
        wCurrentMenuItem = 0;
    } while (list_menu() && buy_from_player());
}

static void ask_again(void)
{
    draw_shop();
    print_system_text(TEXT_SHOP_MORE);
}

/* The script of its text: a mark, how many wares, which, and an end. */
static void load_wares(uint8_t bank, uint16_t script)
{
    uint8_t count = far_byte(bank, script + 1);

    if (count > GOODS_MOST)
        count = GOODS_MOST;
    wItemListPointer = script;
    far_copy(wItemList, bank, script + 1, count + 2);
}

/* In an open message box. */
void shop(uint8_t bank, uint16_t script) BANKED
{
    uint8_t action, offset_of_bag = wListScrollOffset;

    load_wares(bank, script);
    print_system_text(TEXT_SHOP_WELCOME);
    while ((action = choose_service()) != QUIT) {
        if (action == BUY)
            buy();
        else
            sell();
        ask_again();
    }
    wListScrollOffset = offset_of_bag;
    draw_shop();
    print_system_text(TEXT_SHOP_GOODBYE);
}
