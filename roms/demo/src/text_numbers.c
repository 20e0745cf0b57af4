/* Numbers inside texts: binary ones with the high byte first, and decimal digits two a byte. */
#pragma bank 47
#include "ram.h"
#include "text.h"


/* Without leading zeros, so that the words after it stand close; sixteen bits are the most a text shows. */
void put_number(const uint8_t *at, uint8_t bytes, uint8_t digits)
{
    static const uint16_t powers[] = {1, 10, 100, 1000, 10000};
    uint16_t value = 0;
    uint8_t digit;
    bool started = false;

    while (bytes--)
        value = value << 8 | *at++;
    while (digits--) {
        for (digit = 0; value >= powers[digits]; digit++)
            value -= powers[digits];
        started |= digit != 0 || digits == 0;
        if (started)
            put_letter(DIGIT_ZERO + digit);
    }
}

void put_bcd(const uint8_t *at, uint8_t bytes, bool zeros, bool money)
{
    uint8_t digits = bytes << 1;
    uint8_t digit;
    bool started = zeros;

    if (money)
        put_letter(MONEY_SIGN);
    while (digits--) {
        digit = digits & 1 ? *at >> 4 : *at++ & 0x0F;
        started |= digit != 0 || digits == 0;
        if (started)
            put_letter(DIGIT_ZERO + digit);
    }
}
