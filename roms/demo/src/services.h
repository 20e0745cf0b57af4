/* What the world does for a tired team (code banks 60, 62). */
#ifndef SERVICES_H
#define SERVICES_H

#include "home.h"

void black_out(void) BANKED;
/* Out of where one is, to the door of a town's rest house. */
void land_in(uint8_t town) BANKED;
/* The door of that rest house is where enter_map() leads then. */
void go_to_landing(uint8_t town) BANKED;
/* From underground to where one was last looked after. */
void climb_out(void) BANKED;
/* Into the open message box. */
void nurse(void) BANKED;
/* drinks.c: over the map, into the open message box */
void drinks_machine(void) BANKED;
/* pc.c (62): over the map, until the player is done with them. */
void rest_house_pc(void) BANKED;
void bedroom_pc(void) BANKED;
void boxes_pc(void) BANKED;

#endif
