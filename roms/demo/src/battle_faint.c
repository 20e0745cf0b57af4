/* Who fell, what that is worth, and who comes next, or how it ends. */
#pragma bank 56
#include "battle_parts.h"
#include "things.h"

#define STYLE_SET 0x40

uint8_t first_alive(void)
{
    uint8_t place;

    for (place = 0; place != wPartyCount; place++)
        if (!is_fainted(wPartyMons[place].hp))
            return place;
    return NO_MON;
}

uint8_t next_enemy(void)
{
    uint8_t place;

    if (wIsInBattle == IN_TRAINER_BATTLE)
        for (place = 0; place != wEnemyPartyCount; place++)
            if (place != wEnemyMon.position && !is_fainted(wEnemyMons[place].hp))
                return place;
    return NO_MON;
}

static void faint_enemy(void)
{
    wBattleResult = BATTLE_WON;
    wPlayerBideDamage[0] = 0; /* One byte of two, as in the original. */
    sink(ENEMYS_TURN);
    print_system_text(TEXT_BATTLE_ENEMY_FAINTED);
}

/* The fallen gain nothing; the battle counts as lost until an opponent falls, too. */
static void faint_player(void)
{
    uint8_t bit = 1 << wPlayerMonNumber;

    wPartyGainExpFlags &= (uint8_t)~bit;
    wPartyFoughtCurrentEnemyFlags &= (uint8_t)~bit;
    wBattleResult = BATTLE_LOST;
    set_big(wEnemyBideDamage, 0);
    wBattleMon.status = 0;
    save_battle_mon();
    sink(PLAYERS_TURN);
    print_system_text(TEXT_BATTLE_FAINTED);
}

static void print_trainers_words(uint16_t text)
{
    if (wIsInBattle == IN_TRAINER_BATTLE && text) {
        place_message_box();
        print_text(wEndBattleTextBank, text);
    }
}

void lose(void)
{
    wBattleResult = BATTLE_LOST;
    print_trainers_words(wEndBattleLoseTextPointer);
    print_system_text(TEXT_BATTLE_NO_MORE);
}

static void win(void)
{
    wBattleResult = BATTLE_WON;
    if (wIsInBattle != IN_TRAINER_BATTLE)
        return;
    show_trainer();
    print_system_text(TEXT_BATTLE_WON);
    print_trainers_words(wEndBattleWinTextPointer);
    add_money(wPlayerMoney, wAmountMoneyWon);
    print_system_text(TEXT_BATTLE_PRIZE);
}

/* False when the player ran instead; a failed attempt leaves no choice. */
static bool bring_next(void)
{
    uint8_t place;

    if (wIsInBattle == IN_WILD_BATTLE) {
        print_system_text(TEXT_BATTLE_USE_NEXT);
        if (two_option_box(YES_NO, 13, 9) && try_to_run())
            return false;
    }
    wInHandlePlayerMonFainted = 1;
    place = choose_mon(true);
    wInHandlePlayerMonFainted = 0;
    draw_battle();
    send_out(place);
    return true;
}

static bool may_change(void)
{
    return !(wOptions & STYLE_SET) && wPartyCount > 1;
}

/* SHIFT: before an opponent's next the player may change for free. */
static void offer_change(uint8_t next)
{
    uint8_t place;

    load_mon_name(wStringBuffer, wEnemyPartySpecies[next]);
    print_system_text(TEXT_BATTLE_WILL_CHANGE);
    if (two_option_box(YES_NO, 0, 7))
        return;
    place = choose_mon(false);
    draw_battle();
    if (place == NO_MON)
        return;
    call_back();
    send_out(place);
}

static void bring_enemy(uint8_t next, bool offer)
{
    if (offer && may_change())
        offer_change(next);
    send_out_enemy(next);
}

/* Whether the battle goes on. */
bool settle_faints(void)
{
    bool own = is_fainted(wBattleMon.hp), other = is_fainted(wEnemyMon.hp);
    uint8_t next;

    if (wBattleResult == BATTLE_LEFT || wEscapedFromBattle)
        return false;
    if (other)
        faint_enemy();
    if (own)
        faint_player();
    if (other)
        share_experience();
    if (first_alive() == NO_MON) {
        lose();
        return false;
    }
    next = next_enemy();
    if (other && next == NO_MON) {
        win();
        return false;
    }
    if (own && !bring_next())
        return false;
    if (other)
        bring_enemy(next, !own);
    return true;
}
