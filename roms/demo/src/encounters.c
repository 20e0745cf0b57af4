/* Wild creatures: which live on a map, and when a step or a turn meets one. */
#pragma bank 45
#include "overworld.h"
#include "things.h"
#include "world.h"

#define WILD_BANK 3
#define WILD_POINTERS 0x4EEB
#define CHANCES_BANK 4
#define CHANCES 0x7918
#define WATER_TILE 0x14

/* A rate, and its ten slots only when the rate is not 0. */
static uint16_t load_table(uint16_t from, uint8_t *rate)
{
    *rate = far_byte(WILD_BANK, from++);
    if (!*rate)
        return from;
    far_copy(rate + 1, WILD_BANK, from, WILD_SLOTS_SIZE);
    return from + WILD_SLOTS_SIZE;
}

void load_wild_data(void)
{
    uint16_t from = far_word(WILD_BANK, WILD_POINTERS + 2 * wCurMap);

    from = load_table(from, &wGrassRate);
    load_table(from, &wWaterRate);
}

/* The square's bottom right tile says how likely a meeting is. */
static uint8_t rate_here(void)
{
    uint8_t tile = *TILE_AT(9, 9);

    if (tile == wGrassTile)
        return wGrassRate;
    if (tile == WATER_TILE)
        return wWaterRate;
    if (wCurMap < FIRST_INDOOR_MAP || wCurMapTileset == TILESET_FOREST)
        return 0;
    return wGrassRate;
}

static bool is_safe_here(void)
{
    if (!wPartyCount || wMovementFlags || wNPCMovementScript || wStatusFlags4 & STATUS4_NO_BATTLES)
        return true;
    return wNumberOfNoRandomBattleStepsLeft || warp_at(wYCoord, wXCoord) != NO_WARP || is_on_door_tile();
}

static uint8_t slot_by_chance(void)
{
    uint16_t chance = CHANCES;

    while (far_byte(CHANCES_BANK, chance) < hRandomSub)
        chance += 2;
    return far_byte(CHANCES_BANK, chance + 1);
}

void count_peaceful_step(void)
{
    if (wNumberOfNoRandomBattleStepsLeft && --wNumberOfNoRandomBattleStepsLeft == 0)
        wStatusFlags2 &= (uint8_t)~STATUS2_COOLDOWN;
}

/* Each step or turn uses the smell up, wherever it is made; false on the last. */
static bool smell_lasts(void)
{
    if (!wRepelRemainingSteps || --wRepelRemainingSteps)
        return true;
    display_system_text(TEXT_REPEL_OVER);
    return false;
}

static bool is_kept_away(void)
{
    return wRepelRemainingSteps && wCurEnemyLevel < wPartyMons[0].level;
}

/* Whether the step or turn just made meets one; who it is stands in wCurOpponent and wCurEnemyLevel then. */
bool meets_wild_creature(void)
{
    const uint8_t *slot;
    uint8_t rate = rate_here();

    if (is_safe_here() || !smell_lasts() || hRandomAdd >= rate)
        return false;
    slot = (*TILE_AT(8, 9) == WATER_TILE ? wWaterMons : wGrassMons) + slot_by_chance();
    wCurEnemyLevel = slot[0];
    if (is_kept_away())
        return false;
    wCurOpponent = slot[1];
    return true;
}
