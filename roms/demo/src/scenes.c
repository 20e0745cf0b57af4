/* Whether the place where the player stands begins a scene. Every pass asks, so the answer is quick. */
#pragma bank 45
#include "events.h"
#include "scenes.h"
#include "world.h"

#define LANE_ROW 1
#define LAB_DOOR_ROW 6

bool scene_begins(void)
{
    if (wCurMap == MAP_THISTLE_END) {
        if (wYCoord > LANE_ROW || has_happened(EVENT_GOT_STARTER))
            return false;
        turn_back();
        return true;
    }
    if (wCurMap == MAP_LAB && wYCoord >= LAB_DOOR_ROW)
        return lab_calls_back();
    return false;
}
