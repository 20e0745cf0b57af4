/* Money: three bytes of two decimal digits each, the highest first. */
#include "hardware.h"
#include "home.h"
#include "ram.h"
#include "things.h"

#define PRICES_BANK 1
#define PRICES 0x4608
#define MACHINE_PRICES_BANK 30
#define MACHINE_PRICES 0x7FA7
#define ALL_NINES 0x99
#define DIGITS (2 * MONEY_SIZE)

static uint8_t digit(const uint8_t *money, uint8_t place)
{
    uint8_t two = money[place >> 1];

    return place & 1 ? two & 0x0F : two >> 4;
}

/* Seven cells, the sign close before the first digit. */
uint8_t *place_money(uint8_t *at, const uint8_t *money)
{
    uint8_t place = 0;

    while (place != DIGITS - 1 && !digit(money, place)) {
        *at++ = SPACE;
        place++;
    }
    *at++ = MONEY_SIGN;
    for (; place != DIGITS; place++)
        *at++ = DIGIT_ZERO + digit(money, place);
    return at;
}

/* A nibble each, in thousands. */
static void load_machine_price(uint8_t *to, uint8_t number)
{
    uint8_t two = far_byte(MACHINE_PRICES_BANK, MACHINE_PRICES + (number >> 1));

    to[0] = to[2] = 0;
    to[1] = (number & 1 ? two & 0x0F : two >> 4) << 4;
    if (to[1] >= 10 << 4) {
        to[0] = 1;
        to[1] -= 10 << 4;
    }
}

void load_price(uint8_t *to, uint8_t item)
{
    if (item >= FIRST_MACHINE) {
        load_machine_price(to, item - FIRST_MACHINE);
        return;
    }
    far_copy(to, PRICES_BANK, PRICES + MONEY_SIZE * (item - 1), MONEY_SIZE);
}

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
void add_money(uint8_t *to, const uint8_t *amount)
{
    uint8_t carry = 0;
    uint8_t i = MONEY_SIZE;

    do {
        i--;
        to[i] = add_digits(to[i], amount[i], &carry);
    } while (i);
    if (carry)
        fill(to, ALL_NINES, MONEY_SIZE);
}

void multiply_money(uint8_t *to, const uint8_t *unit, uint8_t times)
{
    uint8_t power[MONEY_SIZE];

    copy(power, unit, MONEY_SIZE);
    fill(to, 0, MONEY_SIZE);
    for (; times; times >>= 1) {
        if (times & 1)
            add_money(to, power);
        add_money(power, power);
    }
}

void halve_money(uint8_t *money)
{
    uint8_t i, high, low, rest = 0;

    for (i = 0; i != MONEY_SIZE; i++) {
        high = (money[i] >> 4) + rest;
        rest = high & 1 ? 10 : 0;
        low = (money[i] & 0x0F) + rest;
        rest = low & 1 ? 10 : 0;
        money[i] = (uint8_t)(high >> 1 << 4) | low >> 1;
    }
}

static bool is_enough(const uint8_t *amount)
{
    uint8_t i;

    for (i = 0; i != MONEY_SIZE; i++)
        if (wPlayerMoney[i] != amount[i])
            return wPlayerMoney[i] > amount[i];
    return true;
}

static uint8_t subtract_digits(uint8_t a, uint8_t b, uint8_t *borrow)
{
    int8_t low = (a & 0x0F) - (b & 0x0F) - *borrow;
    int8_t high = (a >> 4) - (b >> 4);

    if (low < 0) {
        low += 10;
        high--;
    }
    *borrow = high < 0;
    if (high < 0)
        high += 10;
    return (uint8_t)(high << 4) | low;
}

/* What the player has; false, and nothing taken, when it is too little. */
bool pay(const uint8_t *amount)
{
    uint8_t borrow = 0;
    uint8_t i = MONEY_SIZE;

    if (!is_enough(amount))
        return false;
    do {
        i--;
        wPlayerMoney[i] = subtract_digits(wPlayerMoney[i], amount[i], &borrow);
    } while (i);
    return true;
}
