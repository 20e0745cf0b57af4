/* The bag: stacks of up to 99 of one item, twenty at most. */
#pragma bank 61
#include "hardware.h"
#include "ram.h"
#include "things.h"

#define KEY_FLAGS_BANK 3
#define KEY_FLAGS 0x6799

typedef struct {
    uint8_t item, quantity;
} Stack;
#define bag ((Stack *)wBagItems)

/* The hidden machines are kept, the others may go. */
bool is_key_item(uint8_t item) BANKED
{
    uint8_t bit = item - 1;

    if (is_machine(item))
        return item < FIRST_MACHINE;
    return far_byte(KEY_FLAGS_BANK, KEY_FLAGS + (bit >> 3)) >> (bit & 7) & 1;
}

/* All of them or, when there is no room for all, none: false. */
bool give_item(uint8_t item, uint8_t quantity) BANKED
{
    return add_items(&wNumBagItems, BAG_CAPACITY, item, quantity);
}

/* The list is another one now, so it is shown from its top. */
static void forget_row(void)
{
    wListScrollOffset = 0;
    wBagSavedMenuItem = 0;
}

void take_from_stack(uint8_t index, uint8_t quantity) BANKED
{
    uint8_t stacks = wNumBagItems;

    remove_items(&wNumBagItems, index, quantity);
    if (wNumBagItems != stacks)
        forget_row();
}

bool has_item(uint8_t item) BANKED
{
    uint8_t i;

    for (i = 0; i != wNumBagItems; i++)
        if (bag[i].item == item)
            return true;
    return false;
}

/* One of them; false when there is none. */
bool take_item(uint8_t item) BANKED
{
    uint8_t i;

    for (i = 0; i != wNumBagItems; i++)
        if (bag[i].item == item) {
            take_from_stack(i, 1);
            return true;
        }
    return false;
}

/* For list_menu(), with the row as it was left. */
void list_bag(void) BANKED
{
    wListMenuID = LIST_ITEMS;
    wPrintItemPrices = false;
    wListPointer = (uint16_t)&wNumBagItems;
    wCurrentMenuItem = wBagSavedMenuItem;
}
