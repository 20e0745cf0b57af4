/* The cartridge's tables of machines: their moves, and which creatures can learn them. */
#pragma bank 58
#include "mon.h"
#include "things.h"

#define MACHINES_BANK 4
#define MACHINES 0x7773
#define TMS 50

/* From 0: those that are used up come first in the tables. */
static uint8_t number_of(uint8_t machine)
{
    return machine < FIRST_MACHINE ? machine - FIRST_HIDDEN_MACHINE + TMS : machine - FIRST_MACHINE;
}

uint8_t move_of_machine(uint8_t machine) BANKED
{
    return far_byte(MACHINES_BANK, MACHINES + number_of(machine));
}

bool can_learn(uint8_t species, uint8_t machine) BANKED
{
    uint8_t number = number_of(machine);

    load_mon_header(species);
    return wMonHeader.machines[number >> 3] >> (number & 7) & 1;
}
