/* The bag in battle: balls, medicine, and what raises a stat. Who uses one gives away the turn. */
#pragma bank 61
#include "ball.h"
#include "battle_parts.h"
#include "things.h"

#define LAST_BALL ITEM_ACORN_CAP
#define FIRST_TONIC ITEM_BITTER_ROOT
#define LAST_TONIC ITEM_CLEAR_TONIC

/* A trainer strikes the ball away, and the turn with it; without room for another the bag stays open. */
static uint8_t throw(uint8_t item, uint8_t index)
{
    bool caught;

    if (!can_throw_ball())
        return wIsInBattle == IN_TRAINER_BATTLE ? TURN_SPENT : BAG_CLOSED;
    caught = throw_ball(item);
    take_from_stack(index, 1);
    return caught ? BATTLE_ENDED : TURN_SPENT;
}

static void drink(uint8_t item)
{
    item_name(item);
    print_system_text(TEXT_BATTLE_USED_ITEM);
    hWhoseTurn = PLAYERS_TURN;
    boost(ATTACK + item - FIRST_TONIC);
}

static uint8_t use(uint8_t item, uint8_t index)
{
    if (item <= LAST_BALL)
        return throw(item, index);
    if (is_medicine(item)) {
        if (!use_medicine(item))
            return BAG_CLOSED;
    } else if (item >= FIRST_TONIC && item <= LAST_TONIC) {
        drink(item);
    } else {
        print_system_text(TEXT_NO_USE_HERE);
        return BAG_CLOSED;
    }
    take_from_stack(index, 1);
    return TURN_SPENT;
}

/* A turn of holding on passes, without the damage. */
static void hold_on_meanwhile(void)
{
    if (wPlayerBattleStatus[0] & TRAPPING && !--wPlayerCounters.attacks_left)
        wPlayerBattleStatus[0] &= (uint8_t)~TRAPPING;
}

static uint8_t use_chosen(void)
{
    uint8_t outcome;

    wBagSavedMenuItem = wChosenMenuItem;
    draw_battle();
    outcome = use(wCurItem, wWhichPokemon);
    if (outcome == TURN_SPENT)
        hold_on_meanwhile();
    if (outcome != BATTLE_ENDED)
        draw_battle();
    return outcome;
}

/* Until something was used; BAG_CLOSED when nothing was. */
uint8_t battle_bag(void) BANKED
{
    uint8_t outcome = BAG_CLOSED;

    save_battle_mon();
    while (outcome == BAG_CLOSED) {
        list_bag();
        if (!list_menu()) {
            wBagSavedMenuItem = wChosenMenuItem;
            draw_battle();
            return BAG_CLOSED;
        }
        outcome = use_chosen();
    }
    return outcome;
}
