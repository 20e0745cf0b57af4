/* The gym of Stonecross: two levers and a gate, who has won, and what comes of beating the leader. */
#pragma bank 59
#include "events.h"
#include "scenes.h"
#include "world.h"

enum { SCRIPT_GYM_LEVER = 1, SCRIPT_GYM_BADGE };

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

static bool name_winners(void)
{
    if (!(wObtainedBadges & BADGE_1))
        return false;
    display_text(MAP_TEXT_GYM_WINNERS);
    return true;
}

/* Whether what is read moved, or had something else to say than its text. */
bool gym_speaks(uint8_t text) BANKED
{
    switch (text) {
    case MAP_TEXT_GYM_LEVER_LEFT:
        return pull_left_lever();
    case MAP_TEXT_GYM_LEVER_RIGHT:
        return pull_right_lever();
    case MAP_TEXT_GYM_STATUE:
        return name_winners();
    }
    return false;
}

static void give_badge(void)
{
    wPewterGymCurScript = SCRIPT_GYM_BADGE;
    wObtainedBadges |= BADGE_1;
    wBeatGymFlags |= BADGE_1;
    set_event(EVENT_BEAT_PEWTER_GYM_TRAINER_0);
    set_event(EVENT_BEAT_PEWTER_GYM_TRAINER_1);
    tell(MAP_TEXT_GYM_BADGE);
    display_text(MAP_TEXT_GYM_LEADER_ADVICE);
    wPewterGymCurScript = 0;
}

/* He is beaten, the map is shown again. */
void trainer_falls(uint8_t slot)
{
    if (wCurMap == MAP_GYM && slot == SLOT_GYM_LEADER)
        give_badge();
    else if (wCurMap == MAP_WORKS_QUIZ)
        guest_falls(slot);
}
