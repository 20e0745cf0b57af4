/* From the map into a battle, and back onto the map. */
#pragma bank 45
#include "battle.h"
#include "overworld.h"
#include "services.h"

#define PEACEFUL_STEPS 3
#define NOT_THE_MAP 0xFF
#define LOST 0xFF
#define TRANSITION_FRAMES 40

/* Until the picture has gone nothing but wCurOpponent tells of a trainer's battle. */
static void leave_map(void)
{
    stand_still();
    update_sprites();
    wJoyIgnore = 0; /* what a scene keeps from the player on the map is his in a battle */
    if (wCurOpponent >= FIRST_TRAINER)
        delay_frames(TRANSITION_FRAMES);
    fade_out();
    wUpdateSpritesEnabled = NOT_THE_MAP;
    clear_sprites();
}

/* Plays the battle that wCurOpponent asks for. Whether it was lost: then the map is not shown again yet. */
bool fight_opponent(void) BANKED
{
    leave_map();
    battle();
    wCurOpponent = 0;
    wNumberOfNoRandomBattleStepsLeft = PEACEFUL_STEPS;
    wStatusFlags2 |= STATUS2_COOLDOWN;
    return wIsInBattle == LOST;
}

void fight(void) BANKED
{
    if (fight_opponent())
        black_out();
    else
        return_to_map();
}
