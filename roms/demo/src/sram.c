/* The other banks of cartridge RAM. While one is mapped all C variables are hidden, those of the V-blank interrupt as well, so
   bytes cross in pieces too short to keep it waiting, and nothing here lives outside registers and the stack. What is copied
   has to lie in work RAM: on the stack, not in a variable. */
#include "home.h"

#define PIECE 8

/* sram_piece.s */
void sram_piece(uint8_t *to, const uint8_t *from, uint8_t count, uint8_t bank);

void sram_copy(uint8_t bank, uint16_t sram_address, uint8_t *ram, uint16_t size, bool to_sram)
{
    uint8_t *sram = (uint8_t *)sram_address;
    uint8_t count;

    while (size) {
        count = size < PIECE ? (uint8_t)size : PIECE;
        if (to_sram)
            sram_piece(sram, ram, count, bank);
        else
            sram_piece(ram, sram, count, bank);
        sram += count;
        ram += count;
        size -= count;
    }
}
