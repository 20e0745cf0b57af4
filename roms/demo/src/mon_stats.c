/* Stats from base values, DVs, stat experience and level; experience from level. */
#pragma bank 58
#include "mon.h"

#define STATS 5
#define HP 0
#define MAX_STAT 999

enum { GROWTH_STEADY = 0, GROWTH_EARLY = 3, GROWTH_QUICK = 4, GROWTH_SLOW = 5 };

/* HP has the lowest bits of the other four. */
static uint8_t dv(const uint8_t *dvs, uint8_t stat)
{
    switch (stat) {
    case 1:
        return dvs[0] >> 4;
    case 2:
        return dvs[0] & 0x0F;
    case 3:
        return dvs[1] >> 4;
    case 4:
        return dvs[1] & 0x0F;
    }
    return (dvs[0] >> 1 & 8) | (dvs[0] << 2 & 4) | (dvs[1] >> 3 & 2) | (dvs[1] & 1);
}

/* The root rounded up, 255 at most. */
static uint8_t root(uint16_t value)
{
    uint8_t n = 0;

    while (n != 255 && (uint16_t)n * n < value)
        n++;
    return n;
}

static uint16_t stat_of(const PartyMon *mon, uint8_t stat)
{
    uint16_t core = wMonHeader.stats[stat] + dv(mon->dvs, stat);

    core = (core << 1) + (root(big(mon->stat_experience + 2 * stat)) >> 2);
    core = core * mon->level / 100;
    core += stat == HP ? mon->level + 10 : 5;
    return core > MAX_STAT ? MAX_STAT : core;
}

void calculate_stats(PartyMon *mon) BANKED
{
    uint8_t stat;

    /* The greatest HP and the four stats follow one another. */
    for (stat = 0; stat != STATS; stat++)
        set_big(mon->max_hp + 2 * stat, stat_of(mon, stat));
}

uint32_t experience_at(uint8_t level) BANKED
{
    uint32_t square = (uint16_t)level * level;
    uint32_t cube = square * level;

    switch (wMonHeader.growth) {
    case GROWTH_EARLY:
        return cube * 6 / 5 + 100 * (uint16_t)level - 15 * square - 140;
    case GROWTH_QUICK:
        return cube * 4 / 5;
    case GROWTH_SLOW:
        return cube * 5 / 4;
    }
    return cube;
}
