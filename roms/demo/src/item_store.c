/* Lists of things: a count, pairs of item and quantity, and 0xFF. */
#pragma bank 62
#include "ram.h"
#include "things.h"

#define LIST_END 0xFF
#define MOST_OF_ONE 99

static uint8_t *entry_of(uint8_t *list, uint8_t index)
{
    return list + 1 + 2 * index;
}

/* Where there is room for more of `item`: its own entry, or a new one. NULL when there is neither. */
static uint8_t *room_for(uint8_t *list, uint8_t capacity, uint8_t item)
{
    uint8_t i;
    uint8_t *entry;

    for (i = 0; i != *list; i++) {
        entry = entry_of(list, i);
        if (entry[0] == item && entry[1] != MOST_OF_ONE)
            return entry;
    }
    if (*list == capacity)
        return 0;
    entry = entry_of(list, (*list)++);
    entry[0] = item;
    entry[1] = 0;
    entry[2] = LIST_END;
    return entry;
}

static uint8_t room_left(uint8_t *list, uint8_t capacity, uint8_t item)
{
    uint8_t room = *list == capacity ? 0 : MOST_OF_ONE, i;
    const uint8_t *entry;

    for (i = 0; i != *list; i++) {
        entry = entry_of(list, i);
        if (entry[0] == item && room < MOST_OF_ONE)
            room += MOST_OF_ONE - entry[1];
    }
    return room;
}

/* All of them, or none for want of room. */
bool add_items(uint8_t *list, uint8_t capacity, uint8_t item, uint8_t quantity) BANKED
{
    uint8_t *entry;
    uint8_t count;

    if (room_left(list, capacity, item) < quantity)
        return false;
    while (quantity) {
        entry = room_for(list, capacity, item);
        count = MOST_OF_ONE - entry[1];
        if (count > quantity)
            count = quantity;
        entry[1] += count;
        quantity -= count;
    }
    return true;
}

void remove_items(uint8_t *list, uint8_t index, uint8_t quantity) BANKED
{
    uint8_t *entry = entry_of(list, index);

    entry[1] -= quantity;
    if (entry[1])
        return;
    copy(entry, entry + 2, 2 * (--*list - index) + 1);
}
