/* Keys that the game presses itself, such as the step out of a door. */
#pragma bank 45
#include "overworld.h"

bool is_scripted(void)
{
    return wStatusFlags5 & STATUS5_SCRIPTED_WALK;
}

static void end_script(void)
{
    wStatusFlags5 &= (uint8_t)~STATUS5_SCRIPTED_WALK;
    wMovementFlags &= (uint8_t)~MOVEMENT_LEAVING_DOOR;
    if (wMovementFlags & MOVEMENT_LEDGE)
        land();
    if (wMovementFlags & MOVEMENT_SPIN)
        stop_spinning();
    wJoyIgnore = 0;
    hJoyPressed = hJoyHeld = 0;
}

/* The pad, or the next key of the script while there is one. */
void joypad_overworld(void)
{
    joypad();
    if (!is_scripted())
        return;
    if (!wSimulatedJoypadIndex) {
        end_script();
        return;
    }
    hJoyHeld = wSimulatedJoypadStates[--wSimulatedJoypadIndex];
}

void step_out_of_door(void)
{
    if (!(wMovementFlags & MOVEMENT_ON_DOOR))
        return;
    wMovementFlags &= (uint8_t)~MOVEMENT_ON_DOOR;
    if (!is_on_door_tile())
        return;
    wMovementFlags |= MOVEMENT_LEAVING_DOOR;
    wStatusFlags5 |= STATUS5_SCRIPTED_WALK;
    wJoyIgnore = ALL_BUT_A_B;
    wSimulatedJoypadStates[0] = PAD_DOWN;
    wSimulatedJoypadIndex = 1;
}
