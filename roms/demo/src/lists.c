/* Lists in what is mapped now. */
#include "home.h"

bool is_listed(uint8_t value, const uint8_t *list, uint8_t end)
{
    for (; *list != end; list++)
        if (*list == value)
            return true;
    return false;
}
