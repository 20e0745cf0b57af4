/* The saved game in bank 1 of cartridge RAM (code bank 63). */
#ifndef SAVE_H
#define SAVE_H

#include "home.h"

enum { NO_SAVE = 1, SAVED = 2 }; /* wSaveFileStatus */

/* Writes what is played now over what was saved. */
void save_game(void) BANKED;
/* Whether the saved game is that of the one who plays now. */
bool is_own_save(void) BANKED;
/* Tells in wSaveFileStatus whether there is a saved game, and brings it into RAM, to look at. */
void load_game(void) BANKED;
/* From the loaded game onto its map. The picture is faded out before. */
void continue_game(void) BANKED;

#endif
