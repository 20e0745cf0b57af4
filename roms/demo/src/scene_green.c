/* Gallows Green: BASIL in the only way, and a restless creature that has to be beaten; before it somebody given away. */
#pragma bank 60
#include "battle.h"
#include "events.h"
#include "scenes.h"
#include "services.h"
#include "ui.h"
#include "world.h"

enum { SCRIPT_BASIL = 1, SCRIPT_RESTLESS };

#define TRAINER 200
#define FIRST_SET 4
#define STEPS_TO_PLAYER 7
#define RESTLESS_LEVEL 14
#define GIFT_LEVEL 12
#define TEAM_SIZE 6
#define LOOK_INTO_THE_TUB 24
#define FANFARE 70

/* By what he took at the beginning. */
static uint8_t basils_set(void)
{
    return wRivalStarter == RIVAL_STARTER_1 ? FIRST_SET : wRivalStarter == RIVAL_STARTER_2 ? FIRST_SET + 1 : FIRST_SET + 2;
}

static uint16_t map_text(uint8_t id)
{
    return far_word(hMapROMBank, wCurMapTextPtr + 2 * (id - 1));
}

/* Whether it was lost. */
static bool fight_basil(void)
{
    wCurOpponent = (uint8_t)(TRAINER + TRAINER_BASIL);
    wEngagedTrainerClass = wEnemyMonOrTrainerClass = wCurOpponent;
    wTrainerNo = wEngagedTrainerSet = basils_set();
    wEndBattleWinTextPointer = map_text(MAP_TEXT_GALLOWS_GREEN_BASIL_LOST);
    wEndBattleLoseTextPointer = map_text(MAP_TEXT_GALLOWS_GREEN_BASIL_WON);
    wEndBattleTextBank = hMapROMBank;
    return fight_opponent();
}

/* He comes out of the west, and goes there. Who lost to him meets him here again. */
void basil_waits(void) BANKED
{
    wRoute24CurScript = SCRIPT_BASIL;
    wJoyIgnore = PAD_DIRECTIONS;
    face_player(FACING_LEFT);
    show_object(SLOT_GALLOWS_GREEN_BASIL);
    walk_person(SLOT_GALLOWS_GREEN_BASIL, FACING_RIGHT, STEPS_TO_PLAYER);
    tell(MAP_TEXT_GALLOWS_GREEN_BASIL_CHALLENGE);
    if (fight_basil()) {
        wRoute24CurScript = 0;
        hide_object(SLOT_GALLOWS_GREEN_BASIL);
        black_out();
        return;
    }
    set_event(EVENT_BEAT_CERULEAN_RIVAL);
    return_to_map();
    wJoyIgnore = PAD_DIRECTIONS;
    tell(MAP_TEXT_GALLOWS_GREEN_BASIL_LEAVES);
    walk_person(SLOT_GALLOWS_GREEN_BASIL, FACING_LEFT, STEPS_TO_PLAYER);
    hide_object(SLOT_GALLOWS_GREEN_BASIL);
    wJoyIgnore = 0;
    wRoute24CurScript = 0;
}

/* Only a victory counts. Whatever else ended it, the player is pushed a step aside, and the next one back begins it again. */
void restless_one_wakes(void) BANKED
{
    wPokemonTower6FCurScript = SCRIPT_RESTLESS;
    tell(MAP_TEXT_HUSH_TOWER_GO_AWAY);
    wCurOpponent = SPECIES_GRUMBADGER;
    wCurEnemyLevel = RESTLESS_LEVEL;
    if (fight_opponent()) {
        wPokemonTower6FCurScript = 0;
        black_out();
        return;
    }
    return_to_map();
    if (wBattleResult == BATTLE_WON) {
        set_event(EVENT_BEAT_GHOST_MAROWAK);
        tell(MAP_TEXT_HUSH_TOWER_DEPARTS);
    } else {
        walk_player(FACING_RIGHT, 1);
    }
    wPokemonTower6FCurScript = 0;
}

/* Waits for a key without an arrow, as a text does that has ended. */
static void hold(void)
{
    wait_for_button();
    wait_for_release();
}

/* The pad is not polled while the fanfare plays: B held then is NO to the question after it. */
static void offer(void)
{
    say(MAP_TEXT_ARCADE_KEEPER_OFFERS);
    hold();
    if (wPartyCount == TEAM_SIZE) {
        say(MAP_TEXT_ARCADE_KEEPER_WAITS);
        return;
    }
    delay_frames(LOOK_INTO_THE_TUB);
    say(MAP_TEXT_ARCADE_KEEPER_ASKS);
    delay_frames(FANFARE);
    if (yes_no()) {
        say(MAP_TEXT_ARCADE_KEEPER_WAITS);
        return;
    }
    give_mon(SPECIES_OTTERLY, GIFT_LEVEL);
    wStatusFlags4 |= STATUS4_GOT_GIFT;
    say(MAP_TEXT_ARCADE_KEEPER_GIVES);
}

/* Whether there was an OTTERLY to speak of: it is given once, to who has room in the team. The box has no arrow throughout,
 * and goes on by itself to its question. */
bool keeper_speaks(uint8_t slot) BANKED
{
    if (slot != SLOT_ARCADE_KEEPER || wStatusFlags4 & STATUS4_GOT_GIFT)
        return false;
    open_box();
    offer();
    hold();
    close_box();
    return true;
}
