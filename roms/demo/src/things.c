/* The bag: stacks of up to 99 of one item, twenty at most. */
#pragma bank 61
#include "hardware.h"
#include "ram.h"
#include "things.h"

#define STACKS 20
#define MOST 99
#define LIST_END 0xFF
#define KEY_FLAGS_BANK 3
#define KEY_FLAGS 0x6799

typedef struct {
    uint8_t item, quantity;
} Stack;
#define bag ((Stack *)wBagItems)

bool is_key_item(uint8_t item) BANKED
{
    item--;
    return far_byte(KEY_FLAGS_BANK, KEY_FLAGS + (item >> 3)) >> (item & 7) & 1;
}

static uint16_t room_for(uint8_t item)
{
    uint16_t room = wNumBagItems < STACKS ? MOST : 0;
    uint8_t i;

    for (i = 0; i != wNumBagItems; i++)
        if (bag[i].item == item)
            room += MOST - bag[i].quantity;
    return room;
}

/* What does not fit onto it. */
static uint8_t pile_up(Stack *stack, uint8_t quantity)
{
    uint8_t part = MOST - stack->quantity;

    if (part > quantity)
        part = quantity;
    stack->quantity += part;
    return quantity - part;
}

/* All of them or, when there is no room for all, none: false. */
bool give_item(uint8_t item, uint8_t quantity) BANKED
{
    uint8_t i;

    if (room_for(item) < quantity)
        return false;
    for (i = 0; i != wNumBagItems; i++)
        if (bag[i].item == item)
            quantity = pile_up(&bag[i], quantity);
    if (quantity) {
        bag[i].item = item;
        bag[i].quantity = quantity;
        bag[i + 1].item = LIST_END;
        wNumBagItems++;
    }
    return true;
}

/* The list is another one now, so it is shown from its top. */
static void forget_row(void)
{
    wListScrollOffset = 0;
    wBagSavedMenuItem = 0;
}

void take_from_stack(uint8_t index, uint8_t quantity) BANKED
{
    bag[index].quantity -= quantity;
    if (bag[index].quantity)
        return;
    /* The end of the list moves along. */
    copy((uint8_t *)&bag[index], (uint8_t *)&bag[index + 1], 2 * (wNumBagItems - index) - 1);
    wNumBagItems--;
    forget_row();
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

/* 255 at most. */
uint8_t item_count(uint8_t item) BANKED
{
    uint16_t count = 0;
    uint8_t i;

    for (i = 0; i != wNumBagItems; i++)
        if (bag[i].item == item)
            count += bag[i].quantity;
    return count > 0xFF ? 0xFF : count;
}

/* For list_menu(), with the row as it was left. */
void list_bag(void) BANKED
{
    wListMenuID = LIST_ITEMS;
    wPrintItemPrices = false;
    wListPointer = (uint16_t)&wNumBagItems;
    wCurrentMenuItem = wBagSavedMenuItem;
}
