/* What has happened: a bit each in wEventFlags. */
#include "events.h"
#include "ram.h"

static uint8_t bit_of(uint16_t event)
{
    return 1 << (event & 7);
}

bool has_happened(uint16_t event)
{
    return wEventFlags[event >> 3] & bit_of(event) ? true : false;
}

void set_event(uint16_t event)
{
    wEventFlags[event >> 3] |= bit_of(event);
}

void reset_event(uint16_t event)
{
    wEventFlags[event >> 3] &= (uint8_t)~bit_of(event);
}
