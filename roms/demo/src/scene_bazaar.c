/* Around the bazaar: a thirsty guard, and a sleeper who blocks the only way. */
#pragma bank 60
#include "events.h"
#include "scenes.h"
#include "services.h"
#include "things.h"
#include "world.h"

enum { SCRIPT_GUARD = 1, SCRIPT_SLEEPER };

#define SLEEPER_LEVEL 12

static const uint8_t drinks[] = {ITEM_COLD_TEA, ITEM_FIZZ_POP, ITEM_PEAR_JUICE};

static bool take_drink(void)
{
    uint8_t i;

    for (i = 0; i != sizeof drinks; i++)
        if (take_item(drinks[i]))
            return true;
    return false;
}

/* Whether he lets pass from now on. */
static bool is_given_drink(void)
{
    if (!take_drink()) {
        tell(MAP_TEXT_THIRSTY_GATE_GUARD_TURNS_BACK);
        return false;
    }
    wStatusFlags1 |= STATUS1_GUARDS_DRANK;
    tell(MAP_TEXT_THIRSTY_GATE_GUARD_DRINKS);
    return true;
}

void thirsty_guard_calls(void) BANKED
{
    wRoute7GateCurScript = SCRIPT_GUARD;
    face_player(FACING_UP);
    if (!is_given_drink())
        walk_player(FACING_LEFT, 1);
    wRoute7GateCurScript = 0;
}

/* Whether he had something else to say than his thanks. */
bool thirsty_guard_speaks(uint8_t slot) BANKED
{
    if (slot != SLOT_THIRSTY_GATE_GUARD || wStatusFlags1 & STATUS1_GUARDS_DRANK)
        return false;
    is_given_drink();
    return true;
}

/* Whether he had something else to say than how to play. */
bool piper_speaks(uint8_t slot) BANKED
{
    if (slot != SLOT_BAZAAR_PIPER)
        return false;
    if (has_happened(EVENT_GOT_POKE_FLUTE)) {
        display_text(MAP_TEXT_BAZAAR_PIPER_AFTER);
        return true;
    }
    tell(MAP_TEXT_BAZAAR_PIPER);
    if (!give_item(ITEM_REED_PIPE, 1)) {
        display_text(MAP_TEXT_BAZAAR_PIPER_BAG_FULL);
        return true;
    }
    set_event(EVENT_GOT_POKE_FLUTE);
    display_text(MAP_TEXT_BAZAAR_PIPER_GIVES);
    return true;
}

/* The pipe was played beside him. He is gone from the way then, however the fight ends. */
void sleeper_wakes(void) BANKED
{
    bool lost;

    reset_event(EVENT_FIGHT_ROUTE16_SNORLAX);
    wRoute16CurScript = SCRIPT_SLEEPER;
    tell(MAP_TEXT_SNORE_LANE_SLEEPER_WAKES);
    hide_object(SLOT_SNORE_LANE_SLEEPER);
    wCurOpponent = SPECIES_GRUMBADGER;
    wCurEnemyLevel = SLEEPER_LEVEL;
    lost = fight_opponent();
    wRoute16CurScript = 0;
    if (lost) {
        black_out();
        return;
    }
    set_event(EVENT_BEAT_ROUTE16_SNORLAX);
    return_to_map();
}
