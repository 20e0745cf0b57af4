/* Fossils: handed in for a while, then revived as a new Pokemon of the team. */
#pragma bank 62
#include "battle.h"
#include "box.h"
#include "events.h"
#include "mon.h"
#include "scenes.h"
#include "things.h"
#include "ui.h"
#include "world.h"

#define WOKEN_LEVEL 12
#define KINDS 3
#define LIST_WIDTH 13
#define LONGEST_WORD 13

typedef struct {
    uint8_t item, species;
} Fossil;
static const Fossil fossils[KINDS] = {
    {ITEM_CURL_STONE, SPECIES_DEWSLUG}, {ITEM_FROND_STONE, SPECIES_THISTLEPIG}, {ITEM_OLD_RESIN, SPECIES_HUSHMOTH}};

static uint8_t words[KINDS][LONGEST_WORD];

static bool is_carried(uint8_t item)
{
    uint8_t i;

    for (i = 0; i != wNumBagItems; i++)
        if (wBagItems[2 * i] == item)
            return true;
    return false;
}

/* Those in the bag, in the order of the table; how many. */
static uint8_t list_carried(const Fossil **list, Word *names)
{
    uint8_t i, count = 0;

    for (i = 0; i != KINDS; i++) {
        if (!is_carried(fossils[i].item))
            continue;
        item_name(fossils[i].item);
        copy_string(words[count], wNameBuffer);
        names[count] = words[count];
        list[count++] = &fossils[i];
    }
    return count;
}

/* 0 for none of them, which is what B says. */
static const Fossil *choose_fossil(void)
{
    const Fossil *carried[KINDS];
    Word names[KINDS];
    uint8_t count = list_carried(carried, names);

    if (!count)
        return 0;
    print_system_text(TEXT_FOSSIL_WHICH);
    if (ask_words(names, count, LIST_WIDTH, 0) & PAD_B)
        return 0;
    return carried[wCurrentMenuItem];
}

static void hand_in(const Fossil *fossil)
{
    item_name(fossil->item);
    print_system_text(TEXT_FOSSIL_ASK);
    if (yes_no()) {
        print_system_text(TEXT_FOSSIL_LATER);
        return;
    }
    take_item(fossil->item);
    wFossilItem = fossil->item;
    wFossilMon = fossil->species;
    set_event(EVENT_GAVE_FOSSIL_TO_LAB);
    set_event(EVENT_LAB_STILL_REVIVING_FOSSIL);
    print_system_text(TEXT_FOSSIL_TAKEN);
}

static void ask_for_fossil(void)
{
    const Fossil *fossil;

    print_system_text(TEXT_FOSSIL_WELCOME);
    fossil = choose_fossil();
    if (fossil)
        hand_in(fossil);
    else
        print_system_text(TEXT_FOSSIL_LATER);
}

static void hand_over(void)
{
    load_mon_name(wStringBuffer, wFossilMon);
    print_system_text(TEXT_FOSSIL_AWAKE);
    set_event(EVENT_LAB_HANDING_OVER_FOSSIL_MON);
    if (is_full(&team)) {
        print_system_text(TEXT_FOSSIL_TEAM_FULL);
        return;
    }
    give_mon(wFossilMon, WOKEN_LEVEL);
    print_system_text(TEXT_FOSSIL_JOINS);
    reset_event(EVENT_GAVE_FOSSIL_TO_LAB);
    reset_event(EVENT_LAB_HANDING_OVER_FOSSIL_MON);
}

/* Whether it was the one who knows about stones. */
bool fossil_keeper_speaks(uint8_t slot) BANKED
{
    if (slot != SLOT_FOSSIL_ROOM_KEEPER)
        return false;
    open_box();
    if (!has_happened(EVENT_GAVE_FOSSIL_TO_LAB))
        ask_for_fossil();
    else if (has_happened(EVENT_LAB_STILL_REVIVING_FOSSIL))
        print_system_text(TEXT_FOSSIL_NOT_YET);
    else
        hand_over();
    wait_for_button();
    wait_for_release();
    close_box();
    return true;
}
