/* Which map has a scene for where the player stands, whom he talks to, what he reads, and what has been changed. */
#pragma bank 45
#include "events.h"
#include "scenes.h"
#include "world.h"

#define LANE_ROW 1
#define LAB_DOOR_ROW 6
#define NORTH_EDGE 0
#define STORE_DOOR_ROW 7
#define THIRSTY_COLUMN 3
#define THIRSTY_ROW 3

static bool is_turned_back(void)
{
    if (wYCoord > LANE_ROW || has_happened(EVENT_GOT_STARTER))
        return false;
    turn_back();
    return true;
}

static bool is_stopped_by_guard(void)
{
    if (wYCoord != NORTH_EDGE || has_happened(EVENT_OAK_GOT_PARCEL))
        return false;
    guard_turns_back();
    return true;
}

/* Only who comes in looks up at the door. */
static bool is_called_by_clerk(void)
{
    if (wYCoord != STORE_DOOR_ROW || player1.facing != FACING_UP || has_happened(EVENT_GOT_OAKS_PARCEL))
        return false;
    clerk_calls();
    return true;
}

static bool is_called_by_thirsty_guard(void)
{
    if (wXCoord != THIRSTY_COLUMN || wYCoord < THIRSTY_ROW || wStatusFlags1 & STATUS1_GUARDS_DRANK)
        return false;
    thirsty_guard_calls();
    return true;
}

static bool is_sleeper_roused(void)
{
    if (!has_happened(EVENT_FIGHT_ROUTE16_SNORLAX))
        return false;
    sleeper_wakes();
    return true;
}

/* What coming to a map changes, before it is shown. */
void enter_scene(void)
{
    switch (wCurMap) {
    case MAP_BAZAAR: /* it takes as long as a turn about the hall */
        reset_event(EVENT_LAB_STILL_REVIVING_FOSSIL);
        break;
    }
}

/* Every pass asks, so the answer is quick. */
bool scene_begins(void)
{
    switch (wCurMap) {
    case MAP_THISTLE_END:
        return is_turned_back();
    case MAP_LAB:
        return wYCoord >= LAB_DOOR_ROW && lab_calls_back();
    case MAP_ALDERBROOK:
        return is_stopped_by_guard();
    case MAP_GENERAL_STORE:
        return is_called_by_clerk();
    case MAP_BAZAAR_GATE:
        return is_called_by_thirsty_guard();
    case MAP_SNORE_LANE:
        return is_sleeper_roused();
    }
    return false;
}

/* Whether the scene has spoken, so that the person's own text is not due. */
bool person_speaks(uint8_t slot)
{
    switch (wCurMap) {
    case MAP_LAB:
        return lab_speaks(slot);
    case MAP_ALDERBROOK:
        return guard_speaks(slot);
    case MAP_GENERAL_STORE:
        return clerk_speaks(slot);
    case MAP_BAZAAR_GATE:
        return thirsty_guard_speaks(slot);
    case MAP_FOSSIL_ROOM:
        return fossil_keeper_speaks(slot);
    }
    return false;
}

/* The same of what is read. */
bool sign_speaks(uint8_t text)
{
    return wCurMap == MAP_GYM && gym_speaks(text);
}

/* What scenes have changed in the live blocks of this map. */
void change_blocks(void)
{
    if (wCurMap == MAP_GYM)
        change_gym();
}
