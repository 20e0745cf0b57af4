/* Bytes moved about inside what is mapped now. */
#include "home.h"

void fill(uint8_t *to, uint8_t value, uint16_t length)
{
    while (length--)
        *to++ = value;
}

void copy(uint8_t *to, const uint8_t *from, uint16_t length)
{
    while (length--)
        *to++ = *from++;
}

bool is_listed(uint8_t value, const uint8_t *list, uint8_t end)
{
    for (; *list != end; list++)
        if (*list == value)
            return true;
    return false;
}
