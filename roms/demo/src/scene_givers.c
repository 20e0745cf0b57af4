/* Gifts of field move machines, for a badge; and the guard of Sorrel Road, who requires one. */
#pragma bank 59
#include "events.h"
#include "scenes.h"
#include "things.h"
#include "world.h"

#define ITEM_HM01 196
#define ITEM_HM03 198
#define ITEM_HM04 199
#define ITEM_HM05 200

typedef struct {
    uint8_t badge;
    uint16_t event;
    uint8_t item;
    uint8_t gives, got, after, full; /* texts */
} Gift;

/* Whether the giver had something else to say than what strangers hear. */
static bool give(const Gift *gift)
{
    if (has_happened(gift->event)) {
        display_text(gift->after);
        return true;
    }
    if (!(wObtainedBadges & gift->badge))
        return false;
    tell(gift->gives);
    if (!give_item(gift->item, 1)) {
        display_text(gift->full);
        return true;
    }
    set_event(gift->event);
    tell(gift->got);
    display_text(gift->after);
    return true;
}

bool carver_speaks(uint8_t slot) BANKED
{
    static const Gift gift = {BADGE_1, EVENT_GOT_HM01, ITEM_HM01, MAP_TEXT_CARVER_CARVER_GIVES, MAP_TEXT_CARVER_CARVER_GOT,
                              MAP_TEXT_CARVER_CARVER_AFTER, MAP_TEXT_CARVER_CARVER_FULL};

    return slot == SLOT_CARVER_CARVER && give(&gift);
}

bool lamp_maker_speaks(uint8_t slot) BANKED
{
    static const Gift gift = {BADGE_1, EVENT_GOT_HM05, ITEM_HM05, MAP_TEXT_LAMP_HOUSE_MAKER_GIVES, MAP_TEXT_LAMP_HOUSE_MAKER_GOT,
                              MAP_TEXT_LAMP_HOUSE_MAKER_AFTER, MAP_TEXT_LAMP_HOUSE_MAKER_FULL};

    return slot == SLOT_LAMP_HOUSE_MAKER && give(&gift);
}

bool ferryman_speaks(uint8_t slot) BANKED
{
    static const Gift gift = {BADGE_2, EVENT_GOT_HM03, ITEM_HM03, MAP_TEXT_FERRYMAN_FERRYMAN_GIVES, MAP_TEXT_FERRYMAN_FERRYMAN_GOT,
                              MAP_TEXT_FERRYMAN_FERRYMAN_AFTER, MAP_TEXT_FERRYMAN_FERRYMAN_FULL};

    return slot == SLOT_FERRYMAN_FERRYMAN && give(&gift);
}

bool stevedore_speaks(uint8_t slot) BANKED
{
    static const Gift gift = {BADGE_2, EVENT_GOT_HM04, ITEM_HM04, MAP_TEXT_STEVEDORE_STEVEDORE_GIVES, MAP_TEXT_STEVEDORE_STEVEDORE_GOT,
                              MAP_TEXT_STEVEDORE_STEVEDORE_AFTER, MAP_TEXT_STEVEDORE_STEVEDORE_FULL};

    return slot == SLOT_STEVEDORE_STEVEDORE && give(&gift);
}

void road_guard_turns_back(void) BANKED
{
    face_player(FACING_UP);
    tell(MAP_TEXT_STONECROSS_GUARD_TURNS_BACK);
    walk_player(FACING_LEFT, 1);
}

bool road_guard_speaks(uint8_t slot) BANKED
{
    if (slot != SLOT_STONECROSS_GUARD || !(wObtainedBadges & BADGE_1))
        return false;
    display_text(MAP_TEXT_STONECROSS_GUARD_LETS_PASS);
    return true;
}
