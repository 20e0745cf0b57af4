/* Who was just caught: noted in the dex, perhaps named, and put with the team or into the box. */
#pragma bank 62
#include "ball.h"
#include "battle_parts.h"
#include "box.h"
#include "screens.h"

static uint8_t nick[NAME_SIZE];

/* As it was met: the fight's marks stay, its trainer is the player from now on. */
static void load_captured(void)
{
    wLoadedMon.dvs[0] = wEnemyMon.dvs[0];
    wLoadedMon.dvs[1] = wEnemyMon.dvs[1];
    create_mon(&wLoadedMon, wEnemyMon.species, wEnemyMon.level);
    wLoadedMon.hp[0] = wEnemyMon.hp[0];
    wLoadedMon.hp[1] = wEnemyMon.hp[1];
    wLoadedMon.status = wEnemyMon.status;
    copy(wLoadedMon.moves, wEnemyMon.moves, MOVES);
    copy(wLoadedMon.pp, wEnemyMon.pp, MOVES);
}

static void choose_nick(void)
{
    load_mon_name(nick, wCurPartySpecies);
    print_system_text(TEXT_NICK_ASK);
    if (!yes_no() && type_name(NAME_OF_MON))
        copy_string(nick, wStringBuffer);
}

void keep_captured(void)
{
    wCurPartySpecies = wCapturedMonSpecies = wEnemyMon.species;
    mark_owned(wCapturedMonSpecies);
    choose_nick();
    load_captured();
    if (!is_full(&team)) {
        append_mon(&team, (const uint8_t *)&wLoadedMon, wPlayerName, nick);
        return;
    }
    prepend_mon(&box, (const uint8_t *)&wLoadedMon, wPlayerName, nick);
    copy_string(wStringBuffer, nick);
    print_system_text(TEXT_BOX_SENT);
}
