/* Hidden items: found once, by pressing A in front of their square. */
#pragma bank 61
#include "overworld.h"
#include "things.h"
#include "ui.h"
#include "world.h"

#define COORDS_BANK 29
#define COORDS 0x66B8
#define COUNT 54
#define EVENTS_BANK 17
#define MAPS 0x6A40
#define POINTERS 0x6A96
#define EVENT_SIZE 6
#define LIST_END 0xFF
#define NOTHING 0

/* The records of the present map; 0 when it has none. */
static uint16_t events_of_map(void)
{
    uint16_t at = MAPS;
    uint8_t map;

    while ((map = far_byte(EVENTS_BANK, at)) != LIST_END) {
        if (map == wCurMap)
            return far_word(EVENTS_BANK, POINTERS + 2 * (at - MAPS));
        at++;
    }
    return 0;
}

static uint8_t item_at(uint8_t y, uint8_t x)
{
    uint16_t event = events_of_map();

    if (!event)
        return NOTHING;
    for (; far_byte(EVENTS_BANK, event) != LIST_END; event += EVENT_SIZE)
        if (far_byte(EVENTS_BANK, event) == y && far_byte(EVENTS_BANK, event + 1) == x)
            return far_byte(EVENTS_BANK, event + 2);
    return NOTHING;
}

/* Which bit remembers it. */
static uint8_t number_of(uint8_t y, uint8_t x)
{
    uint16_t at = COORDS;
    uint8_t number;

    for (number = 0; number != COUNT; number++, at += 3)
        if (far_byte(COORDS_BANK, at) == wCurMap && far_byte(COORDS_BANK, at + 1) == y
            && far_byte(COORDS_BANK, at + 2) == x)
            break;
    return number;
}

bool find_hidden(uint8_t y, uint8_t x) BANKED
{
    uint8_t item = item_at(y, x), number, bit;
    uint8_t *flags;

    if (item == NOTHING)
        return false;
    number = number_of(y, x);
    flags = wObtainedHiddenItemsFlags + (number >> 3);
    bit = 1 << (number & 7);
    if (number == COUNT || *flags & bit)
        return false;
    item_name(item);
    if (give_item(item, 1)) {
        *flags |= bit;
        display_system_text(TEXT_FOUND_ITEM);
    } else {
        display_system_text(TEXT_NO_ROOM);
    }
    return true;
}
