/* What a new player owns. */
#pragma bank 46
#include "overworld.h"
#include "ram.h"
#include "screens.h"
#include "world.h"

#define END_OF_LIST 0xFF
#define ITEM_HEALING 0x14

static const uint8_t player_name[] = {STR_PLAYER_NAME};
static const uint8_t rival_name[] = {STR_RIVAL_NAME};

void reset_player(void) BANKED
{
    uint8_t options = wOptions;

    fill(BYTES(NEW_GAME_FIRST), 0, NEW_GAME_END - NEW_GAME_FIRST);
    wOptions = options;
    wLetterPrintingDelayFlags = LETTER_DELAY_BY_OPTION;
    copy_string(wPlayerName, player_name);
    copy_string(wRivalName, rival_name);
    wPlayerID[0] = random();
    wPlayerID[1] = random();
    wPlayerMoney[1] = 0x30; /* 003000, two decimal digits a byte */
    reset_toggles();
    wPartySpecies[0] = END_OF_LIST;
    wBagItems[0] = END_OF_LIST;
    wBoxSpecies[0] = END_OF_LIST;
    wNumBoxItems = 1;
    wBoxItems[0] = ITEM_HEALING;
    wBoxItems[1] = 1;
    wBoxItems[2] = END_OF_LIST;
}
