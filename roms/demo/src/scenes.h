/* What maps do by themselves (code banks 45 and 59). */
#ifndef SCENES_H
#define SCENES_H

#include "overworld.h"

/* wOaksLabCurScript while one of its scenes plays; 0 otherwise. */
enum { SCRIPT_LAB_NOT_YET = 1, SCRIPT_LAB_RIVAL_TAKES, SCRIPT_LAB_CHALLENGE };

/* scenes.c */
bool scene_begins(void);

/* scene_town.c */
void turn_back(void) BANKED;

/* scene_lab.c */
bool lab_speaks(uint8_t slot) BANKED;
bool lab_calls_back(void) BANKED;

/* scene_rival.c */
void rival_takes(uint8_t ball) BANKED;
void rival_challenges(void) BANKED;

/* scene_trainer.c */
void meet_trainer(const Trainer *trainer, uint8_t distance) BANKED;
void talk_to_trainer(const Trainer *trainer) BANKED;

#endif
