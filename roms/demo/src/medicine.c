/* What helps one of the team: against wounds, against a state, after a faint. */
#pragma bank 61
#include "battle_parts.h"
#include "things.h"

#define BAR_X 6
#define NUMBERS_X 13
#define FRAMES_PER_PIXEL 2
#define EVERY_STATE 0x7F
#define HALF_OF_ALL 0

typedef struct {
    uint8_t item, cures, hp;
} Medicine;

enum { WAKES_UP = 0xFF };
static const Medicine medicines[] = {
    {ITEM_DOCK_LEAF, STATUS_POISON, 0},  {ITEM_COOL_MUD, STATUS_BURN, 0},
    {ITEM_WOOLLY_SOCK, STATUS_FREEZE, 0}, {ITEM_MINT_SPRIG, STATUS_SLEEP, 0},
    {ITEM_WARM_STONE, STATUS_PARALYSIS, 0}, {ITEM_SPRING_WATER, EVERY_STATE, 0},
    {ITEM_HONEY_JUG, 0, 200},            {ITEM_HONEY_POT, 0, 50},
    {ITEM_HONEY_DROP, 0, 20},            {ITEM_SUNRISE_BUD, WAKES_UP, HALF_OF_ALL},
    {ITEM_COLD_TEA, 0, 50},              {ITEM_FIZZ_POP, 0, 60},
    {ITEM_PEAR_JUICE, 0, 80},
};
#define MEDICINES (sizeof medicines / sizeof *medicines)

static const Medicine *medicine_of(uint8_t item)
{
    uint8_t i;

    for (i = 0; i != MEDICINES; i++)
        if (medicines[i].item == item)
            return &medicines[i];
    return 0;
}

bool is_medicine(uint8_t item)
{
    return medicine_of(item) != 0;
}

static bool helps(const Medicine *medicine, const PartyMon *mon)
{
    if (is_fainted(mon->hp) || medicine->cures == WAKES_UP)
        return is_fainted(mon->hp) && medicine->cures == WAKES_UP;
    if (medicine->cures)
        return mon->status & medicine->cures;
    return big(mon->hp) < big(mon->max_hp);
}

static void raise_bar(uint8_t place, uint16_t hp, uint16_t max_hp)
{
    uint8_t row = 2 * place + 1;
    uint8_t pixels = hp_pixels(big(wPartyMons[place].hp), max_hp), last = hp_pixels(hp, max_hp);

    while (pixels != last) {
        place_hp_pixels(TILE_AT(BAR_X, row), ++pixels);
        place_number(TILE_AT(NUMBERS_X, row), pixels * (uint32_t)max_hp / 48, 3, SPACE);
        delay_frames(FRAMES_PER_PIXEL);
    }
    place_number(TILE_AT(NUMBERS_X, row), hp, 3, SPACE);
}

static void fill_up(uint8_t place, uint8_t hp)
{
    PartyMon *mon = &wPartyMons[place];
    uint16_t before = big(mon->hp), max = big(mon->max_hp);
    uint16_t after = hp == HALF_OF_ALL ? max / 2 : before + hp;

    if (after > max)
        after = max;
    if (!after)
        after = 1;
    raise_bar(place, after, max);
    set_big(wHPBarHPDifference, after - before);
    set_big(mon->hp, after);
}

static void wipe_state(uint8_t place)
{
    fill(TILE_AT(17, 2 * place), SPACE, 3);
}

static uint8_t text_of_cure(uint8_t cures)
{
    switch (cures) {
    case STATUS_POISON:
        return TEXT_CURED_POISON;
    case STATUS_BURN:
        return TEXT_CURED_BURN;
    case STATUS_FREEZE:
        return TEXT_CURED_FREEZE;
    case STATUS_SLEEP:
        return TEXT_CURED_SLEEP;
    case STATUS_PARALYSIS:
        return TEXT_CURED_PARALYSIS;
    }
    return TEXT_CURED_ALL;
}

/* Who fights has his own copy of what was treated. A cure leaves his stats without stages and badges, as in the original. */
static void refresh_fighter(uint8_t place)
{
    const PartyMon *mon = &wPartyMons[place];

    if (!wIsInBattle || place != wPlayerMonNumber)
        return;
    copy(wBattleMon.hp, mon->hp, 2);
    if (wBattleMon.status == mon->status)
        return;
    wBattleMon.status = mon->status;
    wPlayerBattleStatus[2] &= (uint8_t)~BADLY_POISONED;
    copy(wBattleMon.stats, mon->stats, sizeof mon->stats);
}

static void treat(const Medicine *medicine, uint8_t place)
{
    PartyMon *mon = &wPartyMons[place];

    if (medicine->cures) {
        mon->status = 0;
        wipe_state(place);
    }
    if (!medicine->cures || medicine->cures == WAKES_UP)
        fill_up(place, medicine->hp);
    refresh_fighter(place);
    print_system_text(medicine->cures == WAKES_UP ? TEXT_REVIVED
                      : medicine->cures           ? text_of_cure(medicine->cures)
                                                  : TEXT_REGAINED_HP);
}

/* Asks for the target. False when none was chosen, or the item has no effect on it. */
bool use_medicine(uint8_t item)
{
    const Medicine *medicine = medicine_of(item);
    uint8_t place = choose_patient();
    bool helped = false;

    if (place != NO_MON) {
        helped = helps(medicine, &wPartyMons[place]);
        copy_string(wStringBuffer, wPartyMonNicks + NAME_SIZE * place);
        if (helped)
            treat(medicine, place);
        else
            print_system_text(TEXT_NO_EFFECT);
    }
    put_patients_away();
    return helped;
}
