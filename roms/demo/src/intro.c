/* The speech before a new game. */
#pragma bank 46
#include "hardware.h"
#include "ram.h"
#include "screens.h"
#include "ui.h"
#include "world.h"

void intro(void) BANKED
{
    clear_screen();
    wait_transfer();
    print_system_text(TEXT_INTRO);
    print_system_text(TEXT_ASK_NAME);
    choose_player_name();
    print_system_text(TEXT_NAME_DONE);
    fade_out();
}
