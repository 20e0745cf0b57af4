/* Creatures in and out of the team and the current box. */
#pragma bank 62
#include "box.h"

#define LIST_END 0xFF

const Group team = {&wPartyCount, wPartySpecies, (uint8_t *)wPartyMons, wPartyMonOT, wPartyMonNicks, sizeof(PartyMon), PARTY_SIZE};
const Group box = {&wBoxCount, wBoxSpecies, wBoxMons, wBoxMonOT, wBoxMonNicks, BOX_MON_SIZE, BOX_SIZE};

static void put(const Group *group, uint8_t index, const uint8_t *mon, const uint8_t *trainer, const uint8_t *nick)
{
    group->species[index] = mon[0];
    copy(mon_of(group, index), mon, group->mon_size);
    copy(group->trainers + NAME_SIZE * index, trainer, NAME_SIZE);
    copy(nick_of(group, index), nick, NAME_SIZE);
}

void append_mon(const Group *to, const uint8_t *mon, const uint8_t *trainer, const uint8_t *nick)
{
    uint8_t index = (*to->count)++;

    put(to, index, mon, trainer, nick);
    to->species[index + 1] = LIST_END;
}

void prepend_mon(const Group *to, const uint8_t *mon, const uint8_t *trainer, const uint8_t *nick)
{
    uint8_t index = (*to->count)++, before;

    for (to->species[index + 1] = LIST_END; index; index = before) {
        before = index - 1;
        put(to, index, mon_of(to, before), to->trainers + NAME_SIZE * before, nick_of(to, before));
    }
    put(to, 0, mon, trainer, nick);
}

void remove_mon(const Group *from, uint8_t index)
{
    uint8_t next = index + 1, behind = --*from->count - index;

    copy(from->species + index, from->species + next, behind + 1);
    copy(mon_of(from, index), mon_of(from, next), (uint16_t)from->mon_size * behind);
    copy(from->trainers + NAME_SIZE * index, from->trainers + NAME_SIZE * next, NAME_SIZE * behind);
    copy(nick_of(from, index), nick_of(from, next), NAME_SIZE * behind);
}

/* In the box the level is that of the structure's first part. */
void deposit(uint8_t index)
{
    PartyMon *mon = &wPartyMons[index];

    mon->box_level = mon->level;
    append_mon(&box, (uint8_t *)mon, wPartyMonOT + NAME_SIZE * index, nick_of(&team, index));
    remove_mon(&team, index);
}

/* As it would be in the team, into wLoadedMon: its stats are computed anew. */
void load_boxed_mon(uint8_t index)
{
    copy((uint8_t *)&wLoadedMon, mon_of(&box, index), BOX_MON_SIZE);
    wLoadedMon.level = wLoadedMon.box_level;
    load_mon_header(wLoadedMon.species);
    calculate_stats(&wLoadedMon);
}

void withdraw(uint8_t index)
{
    load_boxed_mon(index);
    append_mon(&team, (const uint8_t *)&wLoadedMon, wBoxMonOT + NAME_SIZE * index, nick_of(&box, index));
    remove_mon(&box, index);
}
