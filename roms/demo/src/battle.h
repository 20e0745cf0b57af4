/* Battles and the team: what the rest of the game may ask of them. */
#ifndef BATTLE_H
#define BATTLE_H

#include "home.h"

/* Plays what wCurOpponent, wTrainerNo and wCurEnemyLevel ask for. Afterwards wCurOpponent is 0, wBattleResult tells how it
   ended, and wIsInBattle is 0, or 0xFF when all is lost. The screen is left faded out, with the map's tiles loaded again. */
void battle(void) BANKED;

/* Appends to the team: chance DVs, full HP, the moves of the level, the species' name, the player as trainer. A full team
   takes nobody. */
void give_mon(uint8_t species, uint8_t level) BANKED;
void heal_party(void) BANKED;
/* START > TEAM, over the whole of wTileMap; B leaves. The team must not be empty. Returns the field move to be used on the map
   when all menus are closed, or 0. */
uint8_t party_menu(void) BANKED;

#endif
