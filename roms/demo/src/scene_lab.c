/* HAZEL's lab: the choice of the first creature, and what its people say before and after. */
#pragma bank 59
#include "battle.h"
#include "events.h"
#include "scenes.h"
#include "ui.h"
#include "world.h"

#define STARTER_LEVEL 5
#define NAMES_BANK 7
#define NAMES 0x421E
#define NAME_LENGTH 10

static const uint8_t starters[] = {SPECIES_STARTER_1, SPECIES_STARTER_2, SPECIES_STARTER_3};
static const uint8_t rival_starters[] = {RIVAL_STARTER_1, RIVAL_STARTER_2, RIVAL_STARTER_3};

static uint8_t ball_of(uint8_t species)
{
    uint8_t ball = 0;

    while (starters[ball] != species)
        ball++;
    return ball;
}

static void name_species(uint8_t species)
{
    far_copy(wStringBuffer, NAMES_BANK, NAMES + NAME_LENGTH * (species - 1), NAME_LENGTH);
    wStringBuffer[NAME_LENGTH] = END_OF_STRING;
}

static void take_ball(uint8_t ball)
{
    wPlayerStarter = starters[ball];
    wRivalStarter = rival_starters[ball];
    hide_object(SLOT_LAB_BALL_1 + ball);
    name_species(wPlayerStarter);
    say(MAP_TEXT_LAB_GOT_IT);
    close_box();
    give_mon(wPlayerStarter, STARTER_LEVEL);
    set_event(EVENT_ASKED_TO_CHOOSE);
    set_event(EVENT_GOT_STARTER);
    wStatusFlags4 |= STATUS4_GOT_STARTER;
    rival_takes(ball_of(wRivalStarter));
}

static void offer_ball(uint8_t ball)
{
    open_box();
    say(MAP_TEXT_LAB_BALL_1 + ball);
    if (yes_no())
        close_box();
    else
        take_ball(ball);
}

static void hazel_speaks(void)
{
    if (hazel_has_errand()) {
        return;
    } else if (has_happened(EVENT_BATTLED_RIVAL)) {
        display_text(MAP_TEXT_LAB_HAZEL_GO_NORTH);
    } else if (has_happened(EVENT_GOT_STARTER)) {
        display_text(MAP_TEXT_LAB_HAZEL_CHOSEN);
    } else {
        display_text(MAP_TEXT_LAB_HAZEL_CHOOSE);
        set_event(EVENT_ASKED_TO_CHOOSE);
    }
}

static void ball_answers(uint8_t ball)
{
    if (has_happened(EVENT_GOT_STARTER))
        display_text(MAP_TEXT_LAB_LAST_BALL);
    else
        offer_ball(ball);
}

/* Whether the lab has more to say than the person's own text. */
bool lab_speaks(uint8_t slot) BANKED
{
    switch (slot) {
    case SLOT_LAB_BALL_1:
    case SLOT_LAB_BALL_2:
    case SLOT_LAB_BALL_3:
        ball_answers(slot - SLOT_LAB_BALL_1);
        return true;
    case SLOT_LAB_HAZEL:
        hazel_speaks();
        return true;
    case SLOT_LAB_BASIL:
        display_text(has_happened(EVENT_GOT_STARTER) ? MAP_TEXT_LAB_BASIL_TAKES : MAP_TEXT_LAB_BASIL_WAITS);
        return true;
    }
    return false;
}

static void send_back_to_table(void)
{
    wOaksLabCurScript = SCRIPT_LAB_NOT_YET;
    display_text(MAP_TEXT_LAB_HAZEL_NOT_YET);
    walk_player(FACING_UP, 1);
    wOaksLabCurScript = 0;
}

/* At the exit. Whether a person stopped the player. */
bool lab_calls_back(void) BANKED
{
    if (has_happened(EVENT_BATTLED_RIVAL) || !has_happened(EVENT_ASKED_TO_CHOOSE))
        return false;
    if (has_happened(EVENT_GOT_STARTER))
        rival_challenges();
    else
        send_back_to_table();
    return true;
}
