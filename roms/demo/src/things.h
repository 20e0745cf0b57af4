/* What the player carries (code bank 61). */
#ifndef THINGS_H
#define THINGS_H

#include "home.h"

/* Whether there was room. */
bool give_item(uint8_t item, uint8_t quantity) BANKED;
/* One of them; whether there was one. */
bool take_item(uint8_t item) BANKED;

#endif
