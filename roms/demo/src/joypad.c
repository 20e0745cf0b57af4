/* The pad as the rest of the game sees it: edges, masks and slow repeat. */
#include "hardware.h"
#include "home.h"
#include "ram.h"

#define FIRST_REPEAT 30
#define NEXT_REPEAT 5

static bool is_input_blocked(void)
{
    if (!(wStatusFlags5 & STATUS5_NO_JOYPAD))
        return false;
    if (wIgnoreInputCounter)
        return true;
    wStatusFlags5 &= (uint8_t)~(STATUS5_NO_JOYPAD | STATUS5_AFTER_WARP);
    return false;
}

void joypad(void)
{
    uint8_t input = hJoyInput;
    uint8_t changed = input ^ hJoyLast;
    uint8_t allowed = is_input_blocked() ? 0 : (uint8_t)~wJoyIgnore;

    hJoyReleased = changed & hJoyLast & allowed;
    hJoyPressed = changed & input & allowed;
    hJoyHeld = input & allowed;
    hJoyLast = input;
}

/* hJoy5 gets new presses and, when hJoy7 is set, held keys again after 30 and then every 5 frames. */
void joypad_low_sensitivity(void)
{
    joypad();
    hJoy5 = hJoyPressed;
    if (hJoyPressed) {
        hFrameCounter = FIRST_REPEAT;
        return;
    }
    if (!hJoy7 || hFrameCounter)
        return;
    if (hJoy6 || !(hJoyHeld & (PAD_A | PAD_B)))
        hJoy5 = hJoyHeld;
    hFrameCounter = NEXT_REPEAT;
}
