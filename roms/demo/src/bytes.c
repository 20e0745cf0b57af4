/* Bytes and lists of them, in what is mapped now. */
#include "home.h"

bool is_listed(uint8_t value, const uint8_t *list, uint8_t end)
{
    for (; *list != end; list++)
        if (*list == value)
            return true;
    return false;
}

uint8_t count_bits(uint8_t bits)
{
    uint8_t count = 0;

    for (; bits; bits >>= 1)
        count += bits & 1;
    return count;
}

void swap_bytes(uint8_t *a, uint8_t *b, uint8_t count)
{
    uint8_t byte;

    do {
        byte = *a;
        *a++ = *b;
        *b++ = byte;
    } while (--count);
}
