/* Creatures in a list that scrolls: a name, and the level in the row below. */
#pragma bank 62
#include "box.h"

void place_mon_entry(uint8_t index, uint8_t *at) BANKED
{
    const Group *group = wListPointer == (uint16_t)team.count ? &team : &box;
    const PartyMon *mon = (const PartyMon *)mon_of(group, index);

    place_string(at, nick_of(group, index));
    place_level(at + 28, group == &team ? mon->level : mon->box_level);
}
