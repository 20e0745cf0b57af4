/* A turn: both choices, the order of moves, and everything until a Pokemon faints. */
#pragma bank 56
#include "battle_parts.h"

#define HALF 0x80

static int8_t priority(uint8_t move)
{
    return (move == GOES_FIRST) - (move == GOES_LAST);
}

static uint8_t who_is_first(void)
{
    uint16_t own = big(wBattleMon.stats + 2 * SPEED), other = big(wEnemyMon.stats + 2 * SPEED);
    int8_t lead = priority(wPlayerSelectedMove) - priority(wEnemySelectedMove);

    if (lead)
        return lead > 0 ? PLAYERS_TURN : ENEMYS_TURN;
    if (own != other)
        return own > other ? PLAYERS_TURN : ENEMYS_TURN;
    return random() < HALF ? PLAYERS_TURN : ENEMYS_TURN;
}

static bool are_both_up(void)
{
    return !is_fainted(wBattleMon.hp) && !is_fainted(wEnemyMon.hp);
}

/* One side's move, unless its turn was used otherwise, and its status damage, unless the other side fainted or it left;
   one that fainted by its own move still suffers, as in the original. */
static bool act(uint8_t side, bool moves)
{
    hWhoseTurn = side;
    if (moves && !(side == ENEMYS_TURN && use_remedy()))
        use_move();
    if (wEscapedFromBattle || is_fainted(side == ENEMYS_TURN ? wBattleMon.hp : wEnemyMon.hp))
        return false;
    suffer();
    return are_both_up();
}

/* Nobody flinches from what was done in an earlier turn. */
static void begin_turn(void)
{
    wPlayerBattleStatus[0] &= (uint8_t)~FLINCHED;
    wEnemyBattleStatus[0] &= (uint8_t)~FLINCHED;
}

static void let_go(const Side *side)
{
    if (!side->counters->attacks_left)
        side->status[0] &= (uint8_t)~TRAPPING;
}

void play_turn(void)
{
    uint8_t action, first;
    bool fights;

    save_battle_mon();
    begin_turn();
    action = is_committed(player) ? ACTION_FIGHT : choose_action();
    if (action == ACTION_LEAVE)
        return;
    choose_enemy_move();
    fights = action == ACTION_FIGHT;
    first = who_is_first();
    if (act(first, fights || first == ENEMYS_TURN))
        act(first ^ 1, fights || first == PLAYERS_TURN);
    hWhoseTurn = PLAYERS_TURN;
    let_go(player);
    let_go(enemy);
    save_battle_mon();
}
