/* What the V-blank interrupt counts in C: play time and the pause of the pad after a warp. */
#include "home.h"
#include "ram.h"

volatile uint8_t frames_shown;

void count_frame(void)
{
    frames_shown++;
    if (wIgnoreInputCounter)
        wIgnoreInputCounter--;
    if (!(wStatusFlags6 & STATUS6_TIMER) || wPlayTimeMaxed)
        return;
    if (++wPlayTimeFrames < 60)
        return;
    wPlayTimeFrames = 0;
    if (++wPlayTimeSeconds < 60)
        return;
    wPlayTimeSeconds = 0;
    if (++wPlayTimeMinutes < 60)
        return;
    wPlayTimeMinutes = 0;
    if (++wPlayTimeHours == 0)
        wPlayTimeMaxed = wPlayTimeHours = 0xFF;
}
