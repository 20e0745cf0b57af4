/* The twelve boxes in cartridge RAM, six a bank, and their checksums. */
#pragma bank 62
#include "box.h"

#define FIRST_BANK 2
#define BOXES_PER_BANK 6
#define SLOTS 0xA000
#define CHECKSUM_OF_ALL 0xBA4C
#define CHECKSUMS 0xBA4D
#define LIST_END 0xFF

#define bank_of(number) (FIRST_BANK + (number) / BOXES_PER_BANK)
#define place_of(number) ((number) % BOXES_PER_BANK)
#define slot_of(number) (SLOTS + BOX_DATA_SIZE * place_of(number))

static uint8_t sum_of(const uint8_t *at, uint16_t size)
{
    uint8_t sum = 0;

    while (size--)
        sum += *at++;
    return sum;
}

/* That of all six follows from those of each: sums add up. */
static void write_checksums(uint8_t number)
{
    uint8_t sums[BOXES_PER_BANK];
    uint8_t bank = bank_of(number), all = 0, i;

    sums[0] = ~sum_of(wBoxData, BOX_DATA_SIZE);
    sram_copy(bank, CHECKSUMS + place_of(number), sums, 1, true);
    sram_copy(bank, CHECKSUMS, sums, BOXES_PER_BANK, false);
    for (i = 0; i != BOXES_PER_BANK; i++)
        all += ~sums[i];
    sums[0] = ~all;
    sram_copy(bank, CHECKSUM_OF_ALL, sums, 1, true);
}

static void store_box(uint8_t number)
{
    sram_copy(bank_of(number), slot_of(number), wBoxData, BOX_DATA_SIZE, true);
    write_checksums(number);
}

/* Empty ones everywhere but in slot `used`. */
static void clear_other_boxes(uint8_t used)
{
    uint8_t number;

    fill(wBoxData, 0, BOX_DATA_SIZE);
    wBoxSpecies[0] = LIST_END;
    for (number = 0; number != BOXES; number++)
        if (number != used)
            store_box(number);
}

void change_box_to(uint8_t number)
{
    uint8_t current = wCurrentBoxNum & BOX_NUMBER;

    store_box(current);
    if (!(wCurrentBoxNum & BOXES_IN_USE))
        clear_other_boxes(current);
    sram_copy(bank_of(number), slot_of(number), wBoxData, BOX_DATA_SIZE, false);
    wCurrentBoxNum = number | BOXES_IN_USE;
}

uint8_t mons_in_box(uint8_t number)
{
    uint8_t count;

    if (number == (wCurrentBoxNum & BOX_NUMBER))
        return wBoxCount;
    if (!(wCurrentBoxNum & BOXES_IN_USE))
        return 0;
    sram_copy(bank_of(number), slot_of(number), &count, 1, false);
    return count;
}
