/* The PC of the boxes: creatures are put to bed, fetched, let go, and boxes changed. */
#pragma bank 62
#include "box.h"
#include "overworld.h"
#include "ui.h"
#include "world.h"

enum { WITHDRAW, DEPOSIT, RELEASE, CHANGE_BOX, LEAVE, CHOICES };
enum { MOVE, STATS, CANCEL, ACTIONS };
#define WIDTH 12

static const uint8_t withdraw_word[] = {STR_PC_WITHDRAW};
static const uint8_t deposit_word[] = {STR_PC_DEPOSIT};
static const uint8_t release_word[] = {STR_PC_RELEASE};
static const uint8_t change_word[] = {STR_PC_CHANGE_BOX};
static const uint8_t leave_word[] = {STR_PC_LEAVE};
static const Word words[CHOICES] = {withdraw_word, deposit_word, release_word, change_word, leave_word};
static const uint8_t stats_word[] = {STR_STATS};
static const uint8_t cancel_word[] = {STR_CANCEL};

/* Its place is in wWhichPokemon. */
static bool choose_from(const Group *group)
{
    wListPointer = (uint16_t)group->count;
    wListMenuID = LIST_MONS;
    wListScrollOffset = 0;
    wCurrentMenuItem = 0;
    return list_menu();
}

/* For the texts. */
static void note_nick(const Group *group)
{
    copy_string(wStringBuffer, nick_of(group, wWhichPokemon));
}

/* The whole screen, and back to what it covered. */
static void show_stats(const Group *group)
{
    uint8_t index = wWhichPokemon;

    copy(wTileMapBackup, wTileMap, TILE_MAP_SIZE);
    clear_screen();
    update_sprites();
    wait_transfer();
    load_hud_tiles();
    if (group == &box)
        load_boxed_mon(index);
    mon_page(group == &box ? &wLoadedMon : &wPartyMons[index], nick_of(group, index));
    clear_screen();
    wait_transfer();
    load_box_tiles();
    copy(wTileMap, wTileMapBackup, TILE_MAP_SIZE);
    update_sprites();
}

static uint8_t choose_action(const uint8_t *move_word)
{
    uint8_t keys;

    place_box(9, 10, 9, 6);
    place_string(TILE_AT(11, 12), move_word);
    place_string(TILE_AT(11, 14), stats_word);
    place_string(TILE_AT(11, 16), cancel_word);
    update_sprites();
    start_menu_at(10, 12, ACTIONS - 1, PAD_A | PAD_B);
    keys = handle_menu_input();
    mark_choice();
    return keys & PAD_B ? CANCEL : wCurrentMenuItem;
}

static bool is_moved(const Group *group, const uint8_t *move_word)
{
    uint8_t action;

    if (!choose_from(group))
        return false;
    while ((action = choose_action(move_word)) == STATS)
        show_stats(group);
    note_nick(group);
    return action == MOVE;
}

static void take_out(void)
{
    if (!wBoxCount)
        print_system_text(TEXT_BOX_EMPTY);
    else if (is_full(&team))
        print_system_text(TEXT_BOX_TEAM_FULL);
    else if (is_moved(&box, withdraw_word)) {
        withdraw(wWhichPokemon);
        print_system_text(TEXT_BOX_TAKEN);
    }
}

static void put_in(void)
{
    if (wPartyCount < 2)
        print_system_text(TEXT_BOX_LAST_ONE);
    else if (is_full(&box))
        print_system_text(TEXT_BOX_FULL);
    else if (is_moved(&team, deposit_word)) {
        deposit(wWhichPokemon);
        print_system_text(TEXT_BOX_STORED);
    }
}

static void let_go(void)
{
    if (!wBoxCount) {
        print_system_text(TEXT_BOX_EMPTY);
        return;
    }
    if (!choose_from(&box))
        return;
    note_nick(&box);
    print_system_text(TEXT_BOX_RELEASE_ASK);
    if (yes_no())
        return;
    remove_mon(&box, wWhichPokemon);
    print_system_text(TEXT_BOX_RELEASED);
}

void bills_pc(void)
{
    uint8_t choice;

    wPartySavedMenuItem = 0;
    while ((choice = choose_word(words, CHOICES, WIDTH, wPartySavedMenuItem)) != LEAVE) {
        wPartySavedMenuItem = choice;
        switch (choice) {
        case WITHDRAW:
            take_out();
            break;
        case DEPOSIT:
            put_in();
            break;
        case RELEASE:
            let_go();
            break;
        case CHANGE_BOX:
            change_box();
            break;
        }
    }
    wPartySavedMenuItem = 0;
}
