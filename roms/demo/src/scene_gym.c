/* The gym of Stonecross: two levers and a gate. */
#pragma bank 59
#include "events.h"
#include "scenes.h"
#include "world.h"

#define SCRIPT_GYM_LEVER 1

void change_gym(void) BANKED
{
    if (has_happened(EVENT_VICTORY_ROAD_2_BOULDER_ON_SWITCH1))
        put_block(BLOCK_GYM_LEFT_DOWN_Y, BLOCK_GYM_LEFT_DOWN_X, BLOCK_GYM_LEFT_DOWN);
    if (!has_happened(EVENT_VICTORY_ROAD_2_BOULDER_ON_SWITCH2))
        return;
    put_block(BLOCK_GYM_RIGHT_DOWN_Y, BLOCK_GYM_RIGHT_DOWN_X, BLOCK_GYM_RIGHT_DOWN);
    put_block(BLOCK_GYM_GATE_OPEN_Y, BLOCK_GYM_GATE_OPEN_X, BLOCK_GYM_GATE_OPEN);
}

static void lever_falls(uint16_t event, uint8_t text)
{
    wPewterGymCurScript = SCRIPT_GYM_LEVER;
    set_event(event);
    change_gym();
    redraw_view();
    display_text(text);
    wPewterGymCurScript = 0;
}

static bool pull_left_lever(void)
{
    if (has_happened(EVENT_VICTORY_ROAD_2_BOULDER_ON_SWITCH1))
        return false;
    lever_falls(EVENT_VICTORY_ROAD_2_BOULDER_ON_SWITCH1, MAP_TEXT_GYM_LEVER_LEFT_FALLS);
    return true;
}

/* It waits for the left one. */
static bool pull_right_lever(void)
{
    if (!has_happened(EVENT_VICTORY_ROAD_2_BOULDER_ON_SWITCH1))
        return false;
    if (has_happened(EVENT_VICTORY_ROAD_2_BOULDER_ON_SWITCH2))
        display_text(MAP_TEXT_GYM_LEVER_RIGHT_DOWN);
    else
        lever_falls(EVENT_VICTORY_ROAD_2_BOULDER_ON_SWITCH2, MAP_TEXT_GYM_LEVER_RIGHT_FALLS);
    return true;
}

/* Whether what is read moved. */
bool gym_speaks(uint8_t text) BANKED
{
    switch (text) {
    case MAP_TEXT_GYM_LEVER_LEFT:
        return pull_left_lever();
    case MAP_TEXT_GYM_LEVER_RIGHT:
        return pull_right_lever();
    }
    return false;
}
