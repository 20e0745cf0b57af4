/* People and the player as a scene moves them. */
#pragma bank 45
#include "overworld.h"

#define NO_FACING 0xFF
#define LONGEST_PATIENCE 255
#define SCENE_SCRIPT 1

/* Somebody wandering in the way gets the time to leave it. */
static void wait_for_room(uint8_t slot, const Direction *direction)
{
    uint8_t map_y = wSprites2[slot].map_y + direction->dy, map_x = wSprites2[slot].map_x + direction->dx;
    uint8_t patience = LONGEST_PATIENCE;

    while (patience-- && is_occupied(map_y, map_x, slot))
        scene_pass();
}

static void step_person(uint8_t slot, const Direction *direction)
{
    wait_for_room(slot, direction);
    push_npc(slot, direction);
    while (wSprites2[slot].walk_counter)
        scene_pass();
}

/* Who is moved by a scene does not turn back by himself. */
static void direct(uint8_t slot)
{
    wSpriteIndex = slot;
    wMapSpriteData[2 * (slot - 1)] = NO_FACING;
}

void walk_person(uint8_t slot, uint8_t facing, uint8_t steps) BANKED
{
    direct(slot);
    wStatusFlags5 |= STATUS5_SCRIPTED_NPC;
    wNPCMovementScript = SCENE_SCRIPT;
    for (wNPCNumScriptedSteps = steps; wNPCNumScriptedSteps; wNPCNumScriptedSteps--)
        step_person(slot, &directions[facing >> 2]);
    wNPCMovementScript = 0;
    wStatusFlags5 &= (uint8_t)~STATUS5_SCRIPTED_NPC;
}

void face_person(uint8_t slot, uint8_t facing) BANKED
{
    direct(slot);
    wSprites1[slot].facing = facing;
    update_sprites();
}

/* By keys that the game presses, so what is in the way stops him. */
void walk_player(uint8_t facing, uint8_t steps) BANKED
{
    if (!steps)
        return;
    fill(wSimulatedJoypadStates, directions[facing >> 2].pad, steps);
    wSimulatedJoypadIndex = steps;
    wStatusFlags5 |= STATUS5_SCRIPTED_WALK;
    wJoyIgnore = ALL_BUT_A_B;
    play_script();
}

void face_player(uint8_t facing) BANKED
{
    stand_still();
    player1.facing = facing;
    update_sprites();
}
