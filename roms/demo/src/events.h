/* The story's events, by their numbers in the contract. */
#ifndef EVENTS_H
#define EVENTS_H

#include "home.h"

#define EVENT_ASKED_TO_CHOOSE 0x021
#define EVENT_GOT_STARTER 0x022
#define EVENT_BATTLED_RIVAL 0x023
#define EVENT_GOT_POKEBALLS_FROM_OAK 0x024
#define EVENT_OAK_GOT_PARCEL 0x038
#define EVENT_GOT_OAKS_PARCEL 0x039
#define EVENT_BEAT_PEWTER_GYM_TRAINER_0 0x072
#define EVENT_BEAT_PEWTER_GYM_TRAINER_1 0x073
#define EVENT_2ND_LOCK_OPENED 0x160
#define EVENT_1ST_LOCK_OPENED 0x161
#define EVENT_CINNABAR_GYM_GATE0_UNLOCKED 0x2A8
#define EVENT_VICTORY_ROAD_2_BOULDER_ON_SWITCH1 0x538
#define EVENT_VICTORY_ROAD_2_BOULDER_ON_SWITCH2 0x53F
#define EVENT_SILPH_CO_2_UNLOCKED_DOOR1 0x6FD
#define EVENT_SILPH_CO_2_UNLOCKED_DOOR2 0x6FE

bool has_happened(uint16_t event);
void set_event(uint16_t event);
void reset_event(uint16_t event);

#endif
