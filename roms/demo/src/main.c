/* From power-on to the overworld. */
#include "hardware.h"
#include "home.h"
#include "overworld.h"
#include "ram.h"
#include "screens.h"

#define MEDIUM_TEXT 3
#define INTERRUPT_VBLANK 0x01

static void start_machine(void)
{
    rLCDC = 0; /* The boot program leaves us in V-blank or with nothing worth keeping on screen. */
    rBGP = rOBP0 = 0;
    rWX = 7;
    hWY = WINDOW_HIDDEN;
    install_oam_transfer();
    load_font();
    rIF = 0;
    rIE = INTERRUPT_VBLANK;
    rLCDC = LCDC_GAME;
    __asm__("ei");
}

void main(void)
{
    start_machine();
    wOptions = MEDIUM_TEXT;
    wLetterPrintingDelayFlags = LETTER_DELAY_BY_OPTION;
    do
        title_screen();
    while (!main_menu());
    reset_player();
    intro();
    new_game_map();
    overworld();
}
