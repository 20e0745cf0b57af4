/* All is lost: the way back to where the team was last looked after. */
#pragma bank 60
#include "battle.h"
#include "events.h"
#include "overworld.h"
#include "services.h"
#include "things.h"
#include "ui.h"
#include "world.h"

#define LANDINGS_BANK 1
#define LANDINGS 0x6448
#define LANDINGS_END (LANDINGS + 13 * 4)

static void tell(void)
{
    wFontLoaded = 0;
    clear_screen();
    show_plain_screen();
    wait_transfer();
    fade_in();
    print_system_text(TEXT_BLACK_OUT);
    fade_out();
}

/* The landing record of a map; that of the first when it has none. */
static uint16_t landing_of(uint8_t map)
{
    uint16_t entry;

    for (entry = LANDINGS; entry != LANDINGS_END; entry += 4)
        if (far_byte(LANDINGS_BANK, entry) == map)
            return far_word(LANDINGS_BANK, entry + 2);
    return far_word(LANDINGS_BANK, LANDINGS + 2);
}

void go_to_landing(uint8_t town) BANKED
{
    uint16_t record = landing_of(town);

    wCurMap = town;
    wDestinationWarpID = NO_WARP;
    wYCoord = far_byte(LANDINGS_BANK, record + 2);
    wXCoord = far_byte(LANDINGS_BANK, record + 3);
    wMovementFlags = 0;
    wWalkBikeSurfState = WALKING;
    reset_event(EVENT_IN_SAFARI_ZONE);
    player1.facing = FACING_DOWN;
}

void black_out(void) BANKED
{
    tell();
    halve_money(wPlayerMoney);
    heal_party();
    wIsInBattle = 0;
    go_to_landing(wLastBlackoutMap);
    enter_map();
}

void land_in(uint8_t town) BANKED
{
    fade_out();
    go_to_landing(town);
    enter_map();
}

void climb_out(void) BANKED
{
    land_in(wLastBlackoutMap);
}
