/* The parcel: the store in Alderbrook gives it, HAZEL takes it, and then the way north is open. */
#pragma bank 59
#include "events.h"
#include "scenes.h"
#include "things.h"
#include "world.h"

#define CAPS 5
#define CLERK_X 3
#define STEPS_TO_COUNTER 4
#define SCRIPT_TURN_BACK 1

static void give_parcel(void)
{
    tell(MAP_TEXT_GENERAL_STORE_CLERK_GIVES);
    if (!give_item(ITEM_NEAT_PARCEL, 1)) {
        display_text(MAP_TEXT_GENERAL_STORE_BAG_FULL);
        return;
    }
    set_event(EVENT_GOT_OAKS_PARCEL);
    tell(MAP_TEXT_GENERAL_STORE_GOT_PARCEL);
}

/* To the counter, at the player's first coming. */
void clerk_calls(void) BANKED
{
    wViridianMartCurScript = SCRIPT_STORE_CALLS;
    tell(MAP_TEXT_GENERAL_STORE_CLERK_CALLS);
    walk_player(FACING_UP, STEPS_TO_COUNTER);
    walk_player(FACING_LEFT, wXCoord - CLERK_X);
    face_player(FACING_UP);
    wViridianMartCurScript = SCRIPT_STORE_GIVES;
    give_parcel();
    wViridianMartCurScript = 0;
}

/* Whether the clerk had something else to say than what he sells. */
bool clerk_speaks(uint8_t slot) BANKED
{
    if (slot != SLOT_GENERAL_STORE_CLERK || has_happened(EVENT_OAK_GOT_PARCEL))
        return false;
    if (has_happened(EVENT_GOT_OAKS_PARCEL))
        display_text(MAP_TEXT_GENERAL_STORE_CLERK_WAITS);
    else
        give_parcel();
    return true;
}

static void give_caps(void)
{
    if (!give_item(ITEM_ACORN_CAP, CAPS)) {
        display_text(MAP_TEXT_LAB_HAZEL_BAG_FULL);
        return;
    }
    set_event(EVENT_GOT_POKEBALLS_FROM_OAK);
    tell(MAP_TEXT_LAB_HAZEL_GIVES_CAPS);
    tell(MAP_TEXT_LAB_GOT_CAPS);
}

static void take_parcel(void)
{
    if (!take_item(ITEM_NEAT_PARCEL)) {
        display_text(MAP_TEXT_LAB_HAZEL_LOST_PARCEL);
        return;
    }
    set_event(EVENT_OAK_GOT_PARCEL);
    tell(MAP_TEXT_LAB_HAZEL_TAKES_PARCEL);
    give_caps();
}

/* Whether she spoke of the parcel and what comes of it. */
bool hazel_has_errand(void)
{
    if (!has_happened(EVENT_GOT_OAKS_PARCEL))
        return false;
    if (!has_happened(EVENT_OAK_GOT_PARCEL))
        take_parcel();
    else if (!has_happened(EVENT_GOT_POKEBALLS_FROM_OAK))
        give_caps();
    else
        display_text(MAP_TEXT_LAB_HAZEL_ONWARD);
    return true;
}

void guard_turns_back(void) BANKED
{
    wViridianCityCurScript = SCRIPT_TURN_BACK;
    face_player(FACING_UP);
    tell(MAP_TEXT_ALDERBROOK_GUARD_TURNS_BACK);
    walk_player(FACING_DOWN, 1);
    wViridianCityCurScript = 0;
}

bool guard_speaks(uint8_t slot) BANKED
{
    if (slot != SLOT_ALDERBROOK_GUARD || !has_happened(EVENT_OAK_GOT_PARCEL))
        return false;
    display_text(MAP_TEXT_ALDERBROOK_GUARD_LETS_PASS);
    return true;
}
