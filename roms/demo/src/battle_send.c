/* Coming out and going back. */
#pragma bank 56
#include "battle_parts.h"

#define STATUS_BYTES 3
#define LOOK 30

/* The first twelve bytes are alike, with the place in the team instead of the box's level. */
void load_battle_mon(const Side *side, const PartyMon *mon, uint8_t position) BANKED
{
    BattleMon *to = side->mon;

    copy((uint8_t *)to, (const uint8_t *)mon, 12);
    to->position = position;
    to->dvs[0] = mon->dvs[0];
    to->dvs[1] = mon->dvs[1];
    copy(&to->level, &mon->level, sizeof(Unmodified));
    copy(to->pp, mon->pp, MOVES);
    copy(&side->unmodified->level, &mon->level, sizeof(Unmodified));
    fill(side->stages, NEUTRAL_STAGE, STAT_MODS);
    fill(side->status, 0, STATUS_BYTES);
    fill((uint8_t *)side->counters, 0, sizeof(Counters));
    *side->disabled_move = *side->substitute = 0;
    *side->selected = wPlayerUsedMove = wEnemyUsedMove = 0;
    (side == player ? enemy : player)->status[0] &= (uint8_t)~TRAPPING;
    if (side == player) /* As in the original: a trainer's is not weaker for its ailment. */
        weaken_by_status(side);
    boost_by_badges(side);
}

/* What the fight did to the one who is out, into the team. */
void save_battle_mon(void) BANKED
{
    PartyMon *mon = &wPartyMons[wPlayerMonNumber];

    mon->hp[0] = wBattleMon.hp[0];
    mon->hp[1] = wBattleMon.hp[1];
    mon->status = wBattleMon.status;
    if (wIsInBattle != IN_TRAINER_BATTLE)
        return;
    mon = &wEnemyMons[wEnemyMon.position];
    mon->hp[0] = wEnemyMon.hp[0];
    mon->hp[1] = wEnemyMon.hp[1];
    mon->status = wEnemyMon.status;
}

static void note_fought(void)
{
    wPartyGainExpFlags |= 1 << wPlayerMonNumber;
    wPartyFoughtCurrentEnemyFlags |= 1 << wPlayerMonNumber;
}

void send_out(uint8_t place)
{
    wPlayerMonNumber = wWhichPokemon = place;
    load_battle_mon(player, &wPartyMons[place], place);
    wBattleMonSpecies2 = wBattleMon.species;
    copy(wBattleMonNick, wPartyMonNicks + NAME_SIZE * place, NAME_SIZE);
    wStartSavedMenuItem = wPlayerMoveListIndex = 0;
    note_fought();
    print_system_text(TEXT_BATTLE_GO);
    show_player();
    delay_frames(LOOK);
}

void call_back(void)
{
    save_battle_mon();
    print_system_text(TEXT_BATTLE_COME_BACK);
    delay_frames(LOOK);
    hide(PLAYERS_TURN);
}

/* Only who is out now, or comes out against this one, gains from it. */
void send_out_enemy(uint8_t place)
{
    load_enemy(&wEnemyMons[place], place);
    wPartyGainExpFlags = wPartyFoughtCurrentEnemyFlags = 0;
    if (!wFirstMonsNotOutYet && !is_fainted(wBattleMon.hp))
        note_fought();
    print_system_text(TEXT_BATTLE_TRAINER_SENDS);
    show_enemy();
    delay_frames(LOOK);
}
