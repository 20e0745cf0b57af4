/* The story's events, by their numbers in the contract. */
#ifndef EVENTS_H
#define EVENTS_H

#include "home.h"

#define EVENT_ASKED_TO_CHOOSE 0x021
#define EVENT_GOT_STARTER 0x022
#define EVENT_BATTLED_RIVAL 0x023

bool has_happened(uint16_t event);
void set_event(uint16_t event);

#endif
