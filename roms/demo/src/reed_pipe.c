/* The pipe that wakes the sleeper who blocks the way. */
#pragma bank 61
#include "events.h"
#include "overworld.h"
#include "things.h"
#include "ui.h"
#include "world.h"

static bool is_beside_sleeper(void)
{
    uint8_t dy, dx;

    if (wCurMap != MAP_SNORE_LANE || has_happened(EVENT_BEAT_ROUTE16_SNORLAX))
        return false;
    dy = wYCoord + COORDINATE_OFFSET - wSprites2[SLOT_SNORE_LANE_SLEEPER].map_y;
    dx = wXCoord + COORDINATE_OFFSET - wSprites2[SLOT_SNORE_LANE_SLEEPER].map_x;
    if (dy)
        return !dx && (dy == 1 || dy == 0xFF);
    return dx == 1 || dx == 0xFF;
}

/* The scene of the lane goes on from there, once the menus are closed. */
uint8_t play_pipe(void)
{
    if (is_beside_sleeper()) {
        print_system_text(TEXT_PIPE_HEARD);
        set_event(EVENT_FIGHT_ROUTE16_SNORLAX);
    } else {
        print_system_text(TEXT_PIPE_PLAYED);
    }
    return ITEM_PLAYED;
}
