/* The bag: pairs of item and quantity, and an end. */
#pragma bank 61
#include "ram.h"
#include "things.h"

#define BAG_SIZE 20
#define LARGEST_STACK 99
#define LIST_END 0xFF

static uint8_t find(uint8_t item)
{
    uint8_t i;

    for (i = 0; i != wNumBagItems; i++)
        if (wBagItems[2 * i] == item)
            return i;
    return wNumBagItems;
}

bool give_item(uint8_t item, uint8_t quantity) BANKED
{
    uint8_t i = find(item);
    uint8_t *stack = wBagItems + 2 * i;

    if (i != wNumBagItems) {
        if (stack[1] + quantity > LARGEST_STACK)
            return false;
        stack[1] += quantity;
        return true;
    }
    if (i == BAG_SIZE)
        return false;
    stack[0] = item;
    stack[1] = quantity;
    stack[2] = LIST_END;
    wNumBagItems++;
    return true;
}

static void close_gap(uint8_t i)
{
    wNumBagItems--;
    for (; i != wNumBagItems; i++) {
        wBagItems[2 * i] = wBagItems[2 * i + 2];
        wBagItems[2 * i + 1] = wBagItems[2 * i + 3];
    }
    wBagItems[2 * i] = LIST_END;
}

bool take_item(uint8_t item) BANKED
{
    uint8_t i = find(item);

    if (i == wNumBagItems)
        return false;
    if (!--wBagItems[2 * i + 1])
        close_gap(i);
    return true;
}
