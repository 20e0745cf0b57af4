/* A turn: what both want, who is first, and what happens until somebody falls. */
#pragma bank 56
#include "battle_parts.h"

#define HALF 0x80

/* Uniformly among the moves it has. Its PP are not counted. */
static void choose_enemy_move(void)
{
    uint8_t count = 0;

    while (count != MOVES && wEnemyMon.moves[count])
        count++;
    wEnemyMoveListIndex = (uint16_t)random() * count >> 8;
    wEnemySelectedMove = count ? wEnemyMon.moves[wEnemyMoveListIndex] : LAST_RESORT;
}

static uint8_t who_is_first(void)
{
    uint16_t own = big(wBattleMon.stats + 2 * SPEED), other = big(wEnemyMon.stats + 2 * SPEED);

    if (wPlayerSelectedMove == GOES_FIRST && wEnemySelectedMove != GOES_FIRST)
        return PLAYERS_TURN;
    if (wEnemySelectedMove == GOES_FIRST && wPlayerSelectedMove != GOES_FIRST)
        return ENEMYS_TURN;
    if (own != other)
        return own > other ? PLAYERS_TURN : ENEMYS_TURN;
    return random() < HALF ? PLAYERS_TURN : ENEMYS_TURN;
}

static bool are_both_up(void)
{
    return !is_fainted(wBattleMon.hp) && !is_fainted(wEnemyMon.hp);
}

/* One side's move, unless its turn went to something else, and what its poison or burn does then, unless the other fell. */
static bool act(uint8_t side, bool moves)
{
    hWhoseTurn = side;
    if (moves)
        use_move();
    if (!are_both_up())
        return false;
    suffer();
    return are_both_up();
}

void play_turn(void)
{
    uint8_t action, first;
    bool fights;

    save_battle_mon();
    action = choose_action();
    if (action == ACTION_LEAVE)
        return;
    choose_enemy_move();
    fights = action == ACTION_FIGHT;
    first = who_is_first();
    if (act(first, fights || first == ENEMYS_TURN))
        act(first ^ 1, fights || first == PLAYERS_TURN);
    hWhoseTurn = PLAYERS_TURN;
    save_battle_mon();
}
