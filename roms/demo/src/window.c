/* The two ways to show wTileMap: as the background itself, or as a window over the scrolled map. */
#pragma bank 47
#include "hardware.h"
#include "ram.h"
#include "ui.h"

#define THIRDS 3

/* Until every third has been copied once. */
void wait_transfer(void) BANKED
{
    hAutoBGTransferPortion = 0;
    delay_frames(THIRDS);
}

/* Title, main menu, intro: no scrolled map below, so the background follows wTileMap. */
void show_plain_screen(void) BANKED
{
    hWY = WINDOW_HIDDEN;
    hSCX = hSCY = 0;
    hAutoBGTransferDest = VRAM_MAP;
    hAutoBGTransferEnabled = 1;
}

void window_open(void) BANKED
{
    hAutoBGTransferDest = VRAM_WINDOW;
    hAutoBGTransferEnabled = 1;
    wait_transfer();
    hWY = 0;
}

void window_close(void) BANKED
{
    hAutoBGTransferEnabled = 0;
    hWY = WINDOW_HIDDEN;
}
