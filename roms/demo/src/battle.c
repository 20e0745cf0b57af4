/* A battle from its first text to its last. */
#pragma bank 56
#include "battle_parts.h"
#include "events.h"

/* From wCriticalHitOrOHKO to the counters of both sides. */
#define BATTLE_STATE BYTES(0xD05E)
#define BATTLE_STATE_SIZE 0x18

static void clear_state(void)
{
    fill(BATTLE_STATE, 0, BATTLE_STATE_SIZE);
    wBattleResult = BATTLE_WON;
    wEscapedFromBattle = 0;
    wNumRunAttempts = 0;
    wPartyGainExpFlags = wPartyFoughtCurrentEnemyFlags = wCanEvolveFlags = 0;
    wStartSavedMenuItem = 0;
    wPlayerMoveListIndex = 0;
    wPlayerSelectedMove = wEnemySelectedMove = 0;
    wCapturedMonSpecies = 0;
    wInHandlePlayerMonFainted = 0;
    wFirstMonsNotOutYet = 1;
    wJoyIgnore = 0;
}

static void meet_wild_mon(void)
{
    wIsInBattle = IN_WILD_BATTLE;
    open_battle_screen();
    load_wild_mon();
    show_enemy();
    print_system_text(TEXT_BATTLE_WILD);
}

static void meet_trainer(void)
{
    wIsInBattle = IN_TRAINER_BATTLE;
    wEnemyMon.position = NO_MON;
    open_battle_screen();
    load_trainer();
    show_trainer();
    print_system_text(TEXT_BATTLE_TRAINER);
    send_out_enemy(0);
}

/* False when every Pokemon of the team has fainted. */
static bool begin(void)
{
    uint8_t place = first_alive();

    clear_state();
    if (wCurOpponent >= FIRST_TRAINER)
        meet_trainer();
    else
        meet_wild_mon();
    if (place == NO_MON)
        return false;
    send_out(place);
    wFirstMonsNotOutYet = 0;
    return true;
}

/* Rows that menus remember are those of one battle. */
static void forget_rows(void)
{
    wPartySavedMenuItem = wBagSavedMenuItem = wStartSavedMenuItem = wPlayerMoveListIndex = 0;
    wListScrollOffset = 0;
}

static void end(void)
{
    if (wBattleResult == BATTLE_WON)
        evolve_after_battle();
    close_battle_screen();
    forget_rows();
    wNumRunAttempts = wLowHealthAlarm = 0;
    wCurOpponent = 0;
    wBattleType = 0;
    wEndBattleWinTextPointer = wEndBattleLoseTextPointer = 0;
    wEscapedFromBattle = 0;
    wIsInBattle = first_alive() == NO_MON ? LOST_BATTLE : IN_NO_BATTLE;
}

/* Nobody of the team comes out. */
static void visit(void)
{
    wBattleType = SAFARI_BATTLE;
    wSafariEscapeFactor = wSafariBaitFactor = 0;
    clear_state();
    meet_wild_mon();
    while (safari_turn())
        ;
}

void battle(void) BANKED
{
    if (has_happened(EVENT_IN_SAFARI_ZONE))
        visit();
    else if (begin())
        do
            play_turn();
        while (settle_faints());
    else
        lose();
    end();
}
