/* The player's own PC: a drawer of things. */
#pragma bank 62
#include "box.h"
#include "overworld.h"
#include "things.h"
#include "ui.h"
#include "world.h"

enum { WITHDRAW, DEPOSIT, TOSS, LOG_OFF, CHOICES };
#define WIDTH 14
#define STORE_CAPACITY 50
#define bag (&wNumBagItems)
#define store (&wNumBoxItems)

static const uint8_t withdraw_word[] = {STR_PC_WITHDRAW};
static const uint8_t deposit_word[] = {STR_PC_DEPOSIT};
static const uint8_t toss_word[] = {STR_PC_TOSS};
static const uint8_t log_off[] = {STR_PC_LOG_OFF};
static const Word words[CHOICES] = {withdraw_word, deposit_word, toss_word, log_off};

/* Its place is in wWhichPokemon, its name in wNameBuffer. */
static bool choose_from(uint8_t *list)
{
    wListPointer = (uint16_t)list;
    wListMenuID = LIST_ITEMS;
    wListScrollOffset = 0;
    wCurrentMenuItem = 0;
    if (!list_menu())
        return false;
    item_name(wCurItem);
    return true;
}

/* Of a key item there is one. */
static bool ask_how_many(void)
{
    wItemQuantity = 1;
    if (is_key_item(wCurItem))
        return true;
    print_system_text(TEXT_STORE_HOW_MANY);
    return choose_quantity(wMaxItemQuantity);
}

static void move_items(uint8_t *from, uint8_t *to, uint8_t capacity, uint8_t done, uint8_t no_room)
{
    if (!ask_how_many())
        return;
    if (!add_items(to, capacity, wCurItem, wItemQuantity)) {
        print_system_text(no_room);
        return;
    }
    remove_items(from, wWhichPokemon, wItemQuantity);
    print_system_text(done);
}

static void toss(void)
{
    if (is_key_item(wCurItem)) {
        print_system_text(TEXT_STORE_KEEP);
        return;
    }
    if (!ask_how_many())
        return;
    print_system_text(TEXT_STORE_TOSS_ASK);
    if (yes_no())
        return;
    remove_items(store, wWhichPokemon, wItemQuantity);
    print_system_text(TEXT_STORE_TOSSED);
}

static void act(uint8_t choice)
{
    switch (choice) {
    case WITHDRAW:
        move_items(store, bag, BAG_CAPACITY, TEXT_STORE_TAKEN, TEXT_STORE_BAG_FULL);
        break;
    case DEPOSIT:
        move_items(bag, store, STORE_CAPACITY, TEXT_STORE_PUT, TEXT_STORE_FULL);
        break;
    case TOSS:
        toss();
        break;
    }
}

/* One thing after the other, until the list is left. */
static void open_list(uint8_t choice)
{
    uint8_t *list = choice == DEPOSIT ? bag : store;

    if (!*list)
        print_system_text(choice == DEPOSIT ? TEXT_BAG_EMPTY : TEXT_STORE_EMPTY);
    while (*list && choose_from(list))
        act(choice);
}

void item_pc(void)
{
    uint8_t choice = WITHDRAW;

    while ((choice = choose_word(words, CHOICES, WIDTH, choice)) != LOG_OFF)
        open_list(choice);
}
