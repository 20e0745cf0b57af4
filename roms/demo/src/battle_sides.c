/* The two who fight; hWhoseTurn says who acts. */
#include "battle_parts.h"

const Side sides[2] = {
    {&wBattleMon, &wPlayerMonUnmodified, &wPlayerMove, wPlayerMonStatMods, wPlayerBattleStatus, &wPlayerSelectedMove,
     &wPlayerUsedMove, wBattleMonNick, &wPlayerCounters, &wPlayerDisabledMoveNumber, &wPlayerSubstituteHP,
     wPlayerBideDamage},
    {&wEnemyMon, &wEnemyMonUnmodified, &wEnemyMove, wEnemyMonStatMods, wEnemyBattleStatus, &wEnemySelectedMove,
     &wEnemyUsedMove, wEnemyMonNick, &wEnemyCounters, &wEnemyDisabledMoveNumber, &wEnemySubstituteHP,
     wEnemyBideDamage},
};
