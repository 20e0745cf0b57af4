/* From power-on to the overworld. */
#include "hardware.h"
#include "home.h"
#include "overworld.h"
#include "ram.h"
#include "save.h"
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

static void begin_new_game(void)
{
    reset_player();
    intro();
    new_game_map();
}

static void go_on(void)
{
    fade_out();
    continue_game();
}

void main(void)
{
    uint8_t choice;

    start_machine();
    wOptions = MEDIUM_TEXT;
    wLetterPrintingDelayFlags = LETTER_DELAY_BY_OPTION;
    do {
        title_screen();
        choice = main_menu();
    } while (choice == BACK_TO_TITLE);
    if (choice == CONTINUE_GAME)
        go_on();
    else
        begin_new_game();
    overworld();
}
