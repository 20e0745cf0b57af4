/* Moves used on the map, from the team's menu (code bank 58). */
#ifndef FIELD_MOVES_H
#define FIELD_MOVES_H

#include "mon.h"

/* By the contract's numbers. */
enum { NO_FIELD_MOVE = 0, FIELD_CUT = 1, FIELD_FLY = 2, FIELD_SURF = 4, FIELD_STRENGTH = 5, FIELD_FLASH = 6 };

/* field_menu.c: what to do with one of the team; a number below wNumFieldMoves is one of wFieldMoves, CANCEL comes last */
uint8_t choose_deed(const PartyMon *mon);
enum { DEED_STATS, DEED_SWITCH, DEED_CANCEL };
bool has_badge_for(uint8_t field_move);

/* field_moves.c: whether the player can from where he stands (says why not), and, on the map, what comes of it */
bool can_use_field_move(uint8_t field_move);
void use_field_move(uint8_t field_move) BANKED;

/* cut.c */
bool is_anything_to_cut(void);
void cut_down(void);

/* town_map.c: into wDestinationMap; false when B left the map */
bool choose_town(void);

#endif
