/* The menu of a turn: two columns of two, and what each of the four does. */
#pragma bank 56
#include "ball.h"
#include "battle_parts.h"
#include "things.h"

#define BATTLE_MENU_BOX 0x0B
#define LEFT_X 9
#define RIGHT_X 15
#define TOP_Y 14

enum { FIGHT, BAG, TEAM, RUN };

static const uint8_t fight_word[] = {STR_FIGHT};
static const uint8_t team_word[] = {STR_CREATURES};
static const uint8_t bag_word[] = {STR_BAG};
static const uint8_t run_word[] = {STR_RUN};

static void draw(void)
{
    wTextBoxID = BATTLE_MENU_BOX;
    place_message_box();
    place_box(8, 12, 10, 4);
    place_string(TILE_AT(LEFT_X + 1, TOP_Y), fight_word);
    place_string(TILE_AT(RIGHT_X + 1, TOP_Y), team_word);
    place_string(TILE_AT(LEFT_X + 1, TOP_Y + 2), bag_word);
    place_string(TILE_AT(RIGHT_X + 1, TOP_Y + 2), run_word);
}

static bool fight(void)
{
    wNumRunAttempts = 0;
    return cannot_choose() || choose_move();
}

static bool change(void)
{
    uint8_t place;

    save_battle_mon();
    place = choose_switch();
    draw_battle();
    if (place == NO_MON)
        return false;
    call_back();
    send_out(place);
    return true;
}

/* Until the turn is spent, or the battle left. */
uint8_t choose_action(void)
{
    wActionResultOrTookBattleTurn = 0;
    for (;;) {
        draw();
        switch (choose_in_columns(LEFT_X, RIGHT_X, TOP_Y)) {
        case FIGHT:
            if (fight())
                return ACTION_FIGHT;
            break;
        case BAG:
            switch (battle_bag()) {
            case TURN_SPENT:
                wActionResultOrTookBattleTurn = 1;
                return ACTION_DONE;
            case BATTLE_ENDED:
                return ACTION_LEAVE;
            }
            break;
        case TEAM:
            if (change()) {
                wActionResultOrTookBattleTurn = 1;
                return ACTION_DONE;
            }
            break;
        case RUN:
            if (wIsInBattle == IN_TRAINER_BATTLE) {
                print_system_text(TEXT_BATTLE_NO_RUNNING);
                break;
            }
            if (try_to_run())
                return ACTION_LEAVE;
            wActionResultOrTookBattleTurn = 1;
            return ACTION_DONE;
        }
    }
}
