/* Which map has a scene for the player's position, for people, for signs, and for changed blocks. */
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
#define ROOM_DOOR_ROW 10
#define WARDEN_ROW 2
#define WARDEN_COLUMN 3
#define LAST_ROOM_DOOR_ROW 14
#define GREEN_COLUMN 14
#define GREEN_ROW 6
#define GAP_COLUMN 4
#define GAP_ROW 5
#define LOCK_TILE 0x18
#define LOCK_TOP_TILE 0x24
#define STONECROSS_EAST_EDGE 19
#define MOOR_GATE_ROW 4
#define CURRENT_COLUMN 9
#define CURRENT_SHORE 8

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

static bool is_stopped_by_rambler(void)
{
    if (wXCoord != STONECROSS_EAST_EDGE || wObtainedBadges & BADGE_1)
        return false;
    road_guard_turns_back();
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

static bool is_held_in_room(uint8_t row)
{
    if (wYCoord < row)
        return false;
    room_of_four_holds();
    return true;
}

static bool is_asked_by_warden(void)
{
    if (!wYCoord && has_happened(EVENT_IN_SAFARI_ZONE))
        reserve_sees_out();
    else if (wYCoord == WARDEN_ROW && (wXCoord == WARDEN_COLUMN || wXCoord == WARDEN_COLUMN + 1))
        reserve_asks();
    else
        return false;
    return true;
}

static bool is_out_of_nets(void)
{
    if (wNumSafariBalls || !has_happened(EVENT_IN_SAFARI_ZONE))
        return false;
    last_net_flew();
    return true;
}

static bool is_swept(void)
{
    if (wXCoord != CURRENT_COLUMN || wYCoord >= CURRENT_SHORE || !is_surfing()
        || has_happened(EVENT_SEAFOAM4_BOULDER1_DOWN_HOLE))
        return false;
    fill(wSimulatedJoypadStates, PAD_DOWN, CURRENT_SHORE);
    wSimulatedJoypadIndex = CURRENT_SHORE - wYCoord;
    wStatusFlags5 |= STATUS5_SCRIPTED_WALK;
    wJoyIgnore = ALL_BUT_A_B;
    return true;
}

/* Houses between two roads say at each pass which of them is outside; a gate house by the row one stands in. */
static void name_last_map(void)
{
    switch (wCurMap) {
    case MAP_HEDGE_HOUSE:
        wLastMap = MAP_HEDGE_ROAD;
        break;
    case MAP_DITCH_HOUSE:
        wLastMap = MAP_DITCH_ROAD;
        break;
    case MAP_MOOR_GATE:
        wLastMap = wYCoord < MOOR_GATE_ROW ? MAP_MOOR_ROAD : MAP_DITCH_ROAD;
        break;
    }
}

static bool is_met_by_basil(void)
{
    if (wXCoord != GREEN_COLUMN || wYCoord != GREEN_ROW || has_happened(EVENT_BEAT_CERULEAN_RIVAL))
        return false;
    basil_waits();
    return true;
}

static bool is_before_gap(void)
{
    if (wXCoord != GAP_COLUMN || wYCoord != GAP_ROW || has_happened(EVENT_BEAT_GHOST_MAROWAK))
        return false;
    restless_one_wakes();
    return true;
}

/* Every pass asks, so the answer is quick. */
bool scene_begins(void)
{
    name_last_map();
    switch (wCurMap) {
    case MAP_THISTLE_END:
        return is_turned_back();
    case MAP_LAB:
        return wYCoord >= LAB_DOOR_ROW && lab_calls_back();
    case MAP_ALDERBROOK:
        return is_stopped_by_guard();
    case MAP_STONECROSS:
        return is_stopped_by_rambler();
    case MAP_GENERAL_STORE:
        return is_called_by_clerk();
    case MAP_THIRSTY_GATE:
        return is_called_by_thirsty_guard();
    case MAP_SNORE_LANE:
        return is_sleeper_roused();
    case MAP_SUMP:
        return is_swept();
    case MAP_GALLOWS_GREEN:
        return is_met_by_basil();
    case MAP_HUSH_TOWER:
        return is_before_gap();
    case MAP_WARDEN_GATE:
        return is_asked_by_warden();
    case MAP_RESERVE:
        return is_out_of_nets();
    case MAP_TANSY_ROOM:
    case MAP_BRAM_ROOM:
    case MAP_MAUD_ROOM:
        return is_held_in_room(ROOM_DOOR_ROW);
    case MAP_ROOK_ROOM:
        return !has_happened(EVENT_LANCES_ROOM_LOCK_DOOR) && is_held_in_room(LAST_ROOM_DOOR_ROW);
    case MAP_CORRIDOR_HALL:
        enter_hall();
        return true;
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
    case MAP_STONECROSS:
        return road_guard_speaks(slot);
    case MAP_CARVER:
        return carver_speaks(slot);
    case MAP_LAMP_HOUSE:
        return lamp_maker_speaks(slot);
    case MAP_FERRYMAN:
        return ferryman_speaks(slot);
    case MAP_STEVEDORE:
        return stevedore_speaks(slot);
    case MAP_GENERAL_STORE:
        return clerk_speaks(slot);
    case MAP_BAZAAR:
        return piper_speaks(slot);
    case MAP_THIRSTY_GATE:
        return thirsty_guard_speaks(slot);
    case MAP_ARCADE:
        return keeper_speaks(slot);
    case MAP_FOSSIL_ROOM:
        return fossil_keeper_speaks(slot);
    }
    return false;
}

/* The same of what is read. */
bool sign_speaks(uint8_t text)
{
    switch (wCurMap) {
    case MAP_GYM:
        return gym_speaks(text) || statue_speaks(text);
    case MAP_WORKS_TINS:
        return tins_speak(text);
    case MAP_WORKS_QUIZ:
        return quiz_speaks(text);
    case MAP_WORKS_LIFT:
    case MAP_MILL_LIFT:
    case MAP_TOWER_LIFT:
        return lift_speaks();
    }
    return statue_speaks(text);
}

/* The same of a door that wants a card, told by its tile. */
bool door_speaks(uint8_t tile)
{
    if (wCurMap != MAP_WORKS_HALL || (tile != LOCK_TILE && tile != LOCK_TOP_TILE))
        return false;
    try_lock();
    return true;
}

/* What scenes have changed in the live blocks of this map. */
void change_blocks(void)
{
    switch (wCurMap) {
    case MAP_GYM:
        change_gym();
        break;
    case MAP_TANSY_ROOM:
    case MAP_BRAM_ROOM:
    case MAP_MAUD_ROOM:
    case MAP_ROOK_ROOM:
        change_room_of_four();
        break;
    case MAP_WORKS_HALL:
        change_hall();
        break;
    case MAP_WORKS_TINS:
        change_tins();
        break;
    case MAP_WORKS_QUIZ:
        change_quiz();
        break;
    }
}

/* What a map is made ready with whenever one comes in. */
void set_scene(void)
{
    switch (wCurMap) {
    case MAP_BAZAAR: /* waking somebody up takes as long as a turn about the hall */
        reset_event(EVENT_LAB_STILL_REVIVING_FOSSIL);
        break;
    case MAP_ARCADE: /* whoever came by the green left another road last */
        wLastMap = MAP_SORREL_ROAD;
        break;
    case MAP_CORRIDOR_LOBBY:
        enter_lobby();
        break;
    case MAP_WORKS_TINS:
        hide_switch();
        break;
    case MAP_WORKS_LIFT:
    case MAP_MILL_LIFT:
    case MAP_TOWER_LIFT:
        lift_waits();
        break;
    }
}
