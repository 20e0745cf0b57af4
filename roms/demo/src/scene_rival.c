/* BASIL in the lab: he takes what beats the player's creature, tries it out, and leaves. */
#pragma bank 59
#include "battle.h"
#include "events.h"
#include "scenes.h"
#include "world.h"

#define FIRST_BALL_X 6
#define TABLE_Y 4
#define AISLE_Y 5
#define DOOR_Y 11
#define DOOR_LEFT_X 4
#define DOOR_RIGHT_X 5
#define TRAINER 200
#define FIRST_SET 1

#define basil2 wSprites2[SLOT_LAB_BASIL]

static void walk_to_column(uint8_t x)
{
    int8_t steps = x + COORDINATE_OFFSET - basil2.map_x;

    if (steps > 0)
        walk_person(SLOT_LAB_BASIL, FACING_RIGHT, steps);
    else
        walk_person(SLOT_LAB_BASIL, FACING_LEFT, -steps);
}

static void walk_to_row(uint8_t y)
{
    int8_t steps = y + COORDINATE_OFFSET - basil2.map_y;

    if (steps > 0)
        walk_person(SLOT_LAB_BASIL, FACING_DOWN, steps);
    else
        walk_person(SLOT_LAB_BASIL, FACING_UP, -steps);
}

/* By the aisle, as the player stands at the table. */
void rival_takes(uint8_t ball) BANKED
{
    wOaksLabCurScript = SCRIPT_LAB_RIVAL_TAKES;
    wJoyIgnore = PAD_DIRECTIONS;
    walk_to_row(AISLE_Y);
    walk_to_column(FIRST_BALL_X + ball);
    walk_to_row(TABLE_Y);
    face_person(SLOT_LAB_BASIL, FACING_UP);
    tell(MAP_TEXT_LAB_BASIL_TAKES);
    hide_object(SLOT_LAB_BALL_1 + ball);
    wJoyIgnore = 0;
    wOaksLabCurScript = 0;
}

static uint8_t set_against(uint8_t starter)
{
    return starter == SPECIES_STARTER_1 ? FIRST_SET : starter == SPECIES_STARTER_2 ? FIRST_SET + 1 : FIRST_SET + 2;
}

static uint16_t lab_text(uint8_t id)
{
    return far_word(hMapROMBank, wCurMapTextPtr + 2 * (id - 1));
}

/* Lost or won, play goes on here. */
static void try_it_out(void)
{
    wCurOpponent = (uint8_t)(TRAINER + TRAINER_BASIL);
    wEngagedTrainerClass = wEnemyMonOrTrainerClass = wCurOpponent;
    wTrainerNo = set_against(wPlayerStarter);
    wEngagedTrainerSet = wTrainerNo;
    wEndBattleWinTextPointer = lab_text(MAP_TEXT_LAB_BASIL_LOST);
    wEndBattleLoseTextPointer = lab_text(MAP_TEXT_LAB_BASIL_WON);
    wEndBattleTextBank = hMapROMBank;
    fight_opponent();
    wIsInBattle = 0;
    heal_party();
    return_to_map();
}

static void leave(void)
{
    tell(MAP_TEXT_LAB_BASIL_LEAVES);
    walk_to_column(wXCoord == DOOR_LEFT_X ? DOOR_RIGHT_X : DOOR_LEFT_X);
    walk_to_row(DOOR_Y);
    hide_object(SLOT_LAB_BASIL);
}

void rival_challenges(void) BANKED
{
    wOaksLabCurScript = SCRIPT_LAB_CHALLENGE;
    wJoyIgnore = PAD_DIRECTIONS;
    face_player(FACING_UP);
    tell(MAP_TEXT_LAB_BASIL_CHALLENGE);
    walk_to_row(AISLE_Y);
    walk_to_column(wXCoord);
    face_person(SLOT_LAB_BASIL, FACING_DOWN);
    try_it_out();
    set_event(EVENT_BATTLED_RIVAL);
    wJoyIgnore = PAD_DIRECTIONS; /* the battle gave them back */
    leave();
    wJoyIgnore = 0;
    wOaksLabCurScript = 0;
}
