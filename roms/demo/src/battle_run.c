/* Running from wild creatures. */
#pragma bank 56
#include "battle_parts.h"

#define MORE_EACH_TIME 30

static bool is_lucky(void)
{
    uint16_t own = big(wBattleMon.stats + 2 * SPEED), other = big(wEnemyMon.stats + 2 * SPEED);
    uint8_t divisor = other >> 2;
    uint16_t odds;
    uint8_t tries;

    if (own >= other || !divisor)
        return true;
    odds = (own << 5) / divisor;
    for (tries = wNumRunAttempts; tries > 1 && odds <= 0xFF; tries--)
        odds += MORE_EACH_TIME;
    return odds > 0xFF || random() <= (uint8_t)odds;
}

bool try_to_run(void)
{
    wNumRunAttempts++;
    if (is_lucky()) {
        wBattleResult = BATTLE_LEFT;
        print_system_text(TEXT_BATTLE_GOT_AWAY);
        return true;
    }
    print_system_text(TEXT_BATTLE_NO_ESCAPE);
    return false;
}
