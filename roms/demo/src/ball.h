/* Catching (code bank 62). */
#ifndef BALL_H
#define BALL_H

#include "home.h"

/* Says why not: a trainer's creature, or no room left for another. No ball is spent then. */
bool can_throw_ball(void) BANKED;
/* Whether the one that is fought was caught, which ends the battle. The ball stays in the bag: taking it is the caller's. */
bool throw_ball(uint8_t item) BANKED;

#endif
