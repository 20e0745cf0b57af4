/* Things put to use on the map. */
#pragma bank 61
#include "overworld.h"
#include "things.h"
#include "ui.h"
#include "world.h"

enum { TILESET_CEMETERY = 15, TILESET_INTERIOR = 16, TILESET_CAVERN = 17 };
#define LIST_END 0xFF

static const uint8_t twine_tilesets[] = {TILESET_FOREST,  TILESET_CEMETERY, TILESET_INTERIOR,
                                         TILESET_CAVERN, TILESET_FACILITY, LIST_END};

static uint8_t keep_away(uint8_t steps)
{
    wRepelRemainingSteps = steps;
    print_system_text(TEXT_REPEL_SMELLS);
    return ITEM_USED;
}

static uint8_t follow_twine(void)
{
    if (!is_listed(wCurMapTileset, twine_tilesets, LIST_END)) {
        print_system_text(TEXT_NO_USE_HERE);
        return ITEM_KEPT;
    }
    return ITEM_LEADS_OUT;
}

static uint8_t use(uint8_t item)
{
    if (is_medicine(item))
        return use_medicine(item) ? ITEM_USED : ITEM_KEPT;
    if (is_machine(item))
        return use_machine(item);
    switch (item) {
    case ITEM_GARLIC_CLOVE:
        return keep_away(100);
    case ITEM_GARLIC_BULB:
        return keep_away(200);
    case ITEM_GARLIC_BRAID:
        return keep_away(250);
    case ITEM_LONG_TWINE:
        return follow_twine();
    case ITEM_REED_PIPE:
        return play_pipe();
    case ITEM_LANE_MAP:
        print_system_text(TEXT_MAP_FADED);
        return ITEM_KEPT;
    }
    print_system_text(TEXT_NO_USE_HERE);
    return ITEM_KEPT;
}

uint8_t use_item(void) BANKED
{
    /* Choosing one of the team overwrites both. */
    uint8_t item = wCurItem, index = wWhichPokemon;
    uint8_t outcome = use(item);

    wActionResultOrTookBattleTurn = outcome != ITEM_KEPT;
    if (outcome == ITEM_USED || outcome == ITEM_LEADS_OUT)
        take_from_stack(index, 1);
    return outcome;
}
