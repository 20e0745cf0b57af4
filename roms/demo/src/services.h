/* What the world does for a tired team (code bank 60). */
#ifndef SERVICES_H
#define SERVICES_H

#include "home.h"

void black_out(void) BANKED;
/* From underground to where one was last looked after. */
void climb_out(void) BANKED;
/* Into the open message box. */
void nurse(void) BANKED;

#endif
