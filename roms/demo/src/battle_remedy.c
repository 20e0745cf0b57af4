/* What trainers of some classes do for their creatures instead of a move. */
#pragma bank 56
#include "battle_parts.h"

#define LEADER 34
#define REMEDIES 1
#define LOW_SHARE 4
#define HEALED 20
#define HEALS_BELOW 0x80

/* For the Pokemon that has just come out. */
void ready_remedies(void)
{
    wAICount = wTrainerClass == LEADER ? REMEDIES : 0;
    wAILayer2Encouragement = 0;
}

static bool needs_healing(uint8_t chance)
{
    return chance < HEALS_BELOW && big(wEnemyMon.hp) < big(wEnemyMon.max_hp) / LOW_SHARE;
}

/* An ailment is cured at once; low HP are seen to every other time. Whether the turn is spent. */
bool use_remedy(void)
{
    uint8_t chance;

    if (wIsInBattle != IN_TRAINER_BATTLE || !wAICount)
        return false;
    chance = random();
    if (!wEnemyMon.status && !needs_healing(chance))
        return false;
    wAICount--;
    print_system_text(TEXT_BATTLE_TRAINER_HELPS);
    if (wEnemyMon.status) {
        wEnemyMon.status = 0;
        wEnemyBattleStatus[2] &= (uint8_t)~BADLY_POISONED;
        draw_huds();
    } else {
        give_hp(enemy, HEALED);
    }
    return true;
}
