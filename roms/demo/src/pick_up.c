/* Things that lie on the ground: into the bag and out of sight, unless the bag is full. */
#pragma bank 45
#include "overworld.h"
#include "things.h"
#include "ui.h"
#include "world.h"

void pick_up(uint8_t slot)
{
    uint8_t item = wMapSpriteExtraData[2 * (slot - 1)];
    bool taken = give_item(item, 1);

    if (taken)
        hide_object(slot);
    item_name(item);
    display_system_text(taken ? TEXT_FOUND_ITEM : TEXT_NO_ROOM);
}
