/* Fern Reserve: paid for at its gate, walked for so many steps, left by the gate again. */
#pragma bank 62
#include "events.h"
#include "scenes.h"
#include "things.h"
#include "ui.h"
#include "world.h"

enum { SCRIPT_ASKED = 1, SCRIPT_WALKS_IN, SCRIPT_LEAVES };

#define NETS 30
#define STEPS 502
#define STEPS_IN 3
#define STEPS_OUT 3
#define WAY_OUT 2 /* the gate's warp that leads into the reserve */

static const uint8_t fee[MONEY_SIZE] = {0x00, 0x05, 0x00};

static void walk_in(void)
{
    wNumSafariBalls = NETS;
    wSafariSteps[0] = STEPS >> 8;
    wSafariSteps[1] = STEPS & 0xFF;
    wSafariZoneGameOver = 0;
    tell(MAP_TEXT_WARDEN_GATE_WELCOME);
    set_event(EVENT_IN_SAFARI_ZONE);
    reset_event(EVENT_SAFARI_GAME_OVER);
    wSafariZoneGateCurScript = SCRIPT_WALKS_IN;
    walk_player(FACING_UP, STEPS_IN);
    wSafariZoneGateCurScript = 0;
}

static void send_back(uint8_t text)
{
    tell(text);
    walk_player(FACING_DOWN, 1);
    wSafariZoneGateCurScript = 0;
}

static bool is_agreed(uint8_t text)
{
    bool agreed;

    open_box();
    say(text);
    agreed = !yes_no();
    close_box();
    return agreed;
}

/* He stands before the way in. */
void reserve_asks(void) BANKED
{
    wSafariZoneGateCurScript = SCRIPT_ASKED;
    face_player(FACING_RIGHT);
    if (!is_agreed(MAP_TEXT_WARDEN_GATE_ASK))
        send_back(MAP_TEXT_WARDEN_GATE_NOT_TODAY);
    else if (!pay(fee))
        send_back(MAP_TEXT_WARDEN_GATE_TOO_DEAR);
    else
        walk_in();
}

static void leave(uint8_t text)
{
    tell(text);
    reset_event(EVENT_IN_SAFARI_ZONE);
    reset_event(EVENT_SAFARI_GAME_OVER);
    wNumSafariBalls = 0;
    wSafariZoneGameOver = 0;
    walk_player(FACING_DOWN, STEPS_OUT);
}

/* He has come out at the gate. */
void reserve_sees_out(void) BANKED
{
    wSafariZoneGateCurScript = SCRIPT_LEAVES;
    face_player(FACING_DOWN);
    if (has_happened(EVENT_SAFARI_GAME_OVER)) {
        leave(MAP_TEXT_WARDEN_GATE_HAUL);
    } else if (is_agreed(MAP_TEXT_WARDEN_GATE_EARLY)) {
        leave(MAP_TEXT_WARDEN_GATE_GOODBYE);
    } else {
        tell(MAP_TEXT_WARDEN_GATE_GOES_ON);
        walk_player(FACING_UP, 1);
    }
    wSafariZoneGateCurScript = 0;
}

static void put_out(uint8_t text)
{
    wSafariZoneGameOver = 1;
    tell(text);
    set_event(EVENT_SAFARI_GAME_OVER);
    fade_out();
    wCurMap = MAP_WARDEN_GATE;
    wDestinationWarpID = WAY_OUT;
    player1.facing = FACING_DOWN;
    enter_map();
}

void last_net_flew(void) BANKED
{
    put_out(MAP_TEXT_RESERVE_NO_NETS);
}

/* Whether it was the last: then he stands at the gate. */
bool count_reserve_step(void) BANKED
{
    if (!wSafariSteps[1]--)
        wSafariSteps[0]--;
    if (wSafariSteps[0] | wSafariSteps[1])
        return false;
    put_out(MAP_TEXT_RESERVE_WHISTLE);
    return true;
}
