/* Doors of the hall that want a card: A before one puts open ground in its place and remembers it. */
#pragma bank 59
#include "events.h"
#include "scenes.h"
#include "things.h"
#include "world.h"

enum { SCRIPT_HALL_OPENS = 1 };

typedef struct {
    uint16_t event;
    uint8_t y, x, block;
} Lock;
static const Lock locks[] = {
    {EVENT_SILPH_CO_2_UNLOCKED_DOOR1, BLOCK_WORKS_HALL_WEST_OPEN_Y, BLOCK_WORKS_HALL_WEST_OPEN_X,
     BLOCK_WORKS_HALL_WEST_OPEN},
    {EVENT_SILPH_CO_2_UNLOCKED_DOOR2, BLOCK_WORKS_HALL_EAST_OPEN_Y, BLOCK_WORKS_HALL_EAST_OPEN_X,
     BLOCK_WORKS_HALL_EAST_OPEN},
};
#define LOCKS (sizeof(locks) / sizeof(locks[0]))

void change_hall(void) BANKED
{
    uint8_t i;

    for (i = 0; i != LOCKS; i++)
        if (has_happened(locks[i].event))
            put_block(locks[i].y, locks[i].x, locks[i].block);
}

/* The door that waits to be opened, by its block. */
static void note_door(void)
{
    uint8_t y, x;

    step_ahead(&y, &x);
    wCardKeyDoorY = y >> 1;
    wCardKeyDoorX = x >> 1;
}

static void remember_door(void)
{
    uint8_t i;

    for (i = 0; i != LOCKS; i++)
        if (locks[i].y == wCardKeyDoorY && locks[i].x == wCardKeyDoorX)
            set_event(locks[i].event);
    wCardKeyDoorY = wCardKeyDoorX = 0;
}

/* The door ahead, by who may have the card. */
void try_lock(void) BANKED
{
    if (!has_item(ITEM_BRASS_PASS)) {
        display_text(MAP_TEXT_WORKS_HALL_LOCKED);
        return;
    }
    wSilphCo2FCurScript = SCRIPT_HALL_OPENS;
    display_text(MAP_TEXT_WORKS_HALL_OPENS);
    note_door();
    remember_door();
    change_hall();
    redraw_view();
    wSilphCo2FCurScript = 0;
}
