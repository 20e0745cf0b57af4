/* Money: three bytes of two decimal digits each, the highest first. */
#pragma bank 58
#include "battle_parts.h"

#define MONEY_BYTES 3
#define ALL_NINES 0x99

static uint8_t add_digits(uint8_t a, uint8_t b, uint8_t *carry)
{
    uint8_t low = (a & 0x0F) + (b & 0x0F) + *carry;
    uint8_t high = (a >> 4) + (b >> 4);

    if (low > 9) {
        low -= 10;
        high++;
    }
    *carry = high > 9;
    if (high > 9)
        high -= 10;
    return high << 4 | low;
}

/* 999999 is the most there can be. */
void add_money(uint8_t *to, const uint8_t *amount) BANKED
{
    uint8_t carry = 0;
    uint8_t i = MONEY_BYTES;

    do {
        i--;
        to[i] = add_digits(to[i], amount[i], &carry);
    } while (i);
    if (carry)
        fill(to, ALL_NINES, MONEY_BYTES);
}

void pay_prize(void) BANKED
{
    add_money(wPlayerMoney, wAmountMoneyWon);
}
