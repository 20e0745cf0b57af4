/* Numbers as the contract keeps them, high byte first, and their digits. */
#include "mon.h"


uint16_t big(const uint8_t *at)
{
    return (uint16_t)at[0] << 8 | at[1];
}

void set_big(uint8_t *at, uint16_t value)
{
    at[0] = value >> 8;
    at[1] = (uint8_t)value;
}

bool is_fainted(const uint8_t *hp)
{
    return !(hp[0] | hp[1]);
}

/* `digits` places, leading zeros shown as `pad`. */
uint8_t *place_number(uint8_t *at, uint16_t value, uint8_t digits, uint8_t pad)
{
    uint8_t i = digits;

    do {
        i--;
        at[i] = (value || i == digits - 1) ? DIGIT_ZERO + value % 10 : pad;
        value /= 10;
    } while (i);
    return at + digits;
}
