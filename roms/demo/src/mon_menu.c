/* The team as a list over the whole screen: to look, to reorder, and to choose who fights. */
#pragma bank 58
#include "battle.h"
#include "field_moves.h"
#include "overworld.h"
#include "things.h"
#include "ui.h"
#include "world.h"

#define SUBMENU_BOX 0x0C
#define SUBMENU_X 12
#define WHITE_FRAMES 3
#define TILES_FRAMES 4
#define WORDS_FRAMES 3

static const uint8_t switch_word[] = {STR_SWITCH};
static const uint8_t stats_word[] = {STR_STATS};
static const uint8_t cancel_word[] = {STR_CANCEL};
static const uint8_t fainted_word[] = {STR_FAINTED};
static const uint8_t choose_words[] = {STR_CHOOSE_MON};
static const uint8_t bring_out_words[] = {STR_BRING_OUT};
static const uint8_t use_words[] = {STR_USE_ON};
static const uint8_t swap_words[] = {STR_MOVE_WHERE};
static const uint8_t teach_words[] = {STR_TEACH_WHOM};
static const uint8_t able_word[] = {STR_ABLE};
static const uint8_t not_able_word[] = {STR_NOT_ABLE};

/* What a list for a machine is about. */
static uint8_t taught;

enum { CHOICE_SWITCH, CHOICE_STATS, CHOICE_CANCEL, CHOICES };

static void draw_row(uint8_t place)
{
    const PartyMon *mon = &wPartyMons[place];
    uint8_t y = 2 * place;

    place_string(TILE_AT(3, y), wPartyMonNicks + NAME_SIZE * place);
    place_level(TILE_AT(13, y), mon->level);
    if (is_fainted(mon->hp))
        place_string(TILE_AT(17, y), fainted_word);
    else
        place_status(TILE_AT(17, y), mon->status);
    if (wPartyMenuType == PARTY_MENU_TEACH) {
        place_string(TILE_AT(12, y + 1), can_learn(mon->species, taught) ? able_word : not_able_word);
        return;
    }
    place_hp_bar(TILE_AT(4, y + 1), big(mon->hp), big(mon->max_hp), BAR_END);
    place_hp_numbers(TILE_AT(13, y + 1), big(mon->hp), big(mon->max_hp));
}

/* Shown when it is whole, since the lists before and after look alike. */
static void draw_list(const uint8_t *words)
{
    uint8_t place;

    hAutoBGTransferEnabled = 0;
    clear_screen();
    for (place = 0; place != wPartyCount; place++)
        draw_row(place);
    if (wMenuItemToSwap)
        *TILE_AT(0, 2 * wMenuItemToSwap - 1) = CHOSEN_CURSOR;
    place_message_box();
    place_string(TILE_AT(1, 14), words);
    delay_frames(WORDS_FRAMES);
    update_sprites();
    hAutoBGTransferEnabled = 1;
    wait_transfer();
    show_palettes();
}

static uint8_t choose_row(const uint8_t *words, uint8_t keys)
{
    draw_list(words);
    start_menu_at(0, 1, wPartyCount - 1, keys);
    if (wPartySavedMenuItem >= wPartyCount)
        wPartySavedMenuItem = 0;
    wCurrentMenuItem = wLastMenuItem = wPartySavedMenuItem;
    wMenuWrappingEnabled = 1;
    keys = handle_menu_input();
    wPartySavedMenuItem = wCurrentMenuItem;
    if (keys & PAD_B)
        return NO_MON;
    wWhichPokemon = wCurrentMenuItem;
    wCurPartySpecies = wPartySpecies[wWhichPokemon];
    *TILE_AT(0, 1 + 2 * wWhichPokemon) = CHOSEN_CURSOR;
    return wWhichPokemon;
}

static void show_page(uint8_t place)
{
    mon_page(&wPartyMons[place], wPartyMonNicks + NAME_SIZE * place);
}

static uint8_t choose_action(void)
{
    wTextBoxID = SUBMENU_BOX;
    place_box(11, 11, 7, 5);
    place_string(TILE_AT(13, 12), switch_word);
    place_string(TILE_AT(13, 14), stats_word);
    place_string(TILE_AT(13, 16), cancel_word);
    start_menu_at(SUBMENU_X, 12, CHOICES - 1, PAD_A | PAD_B);
    return handle_menu_input() & PAD_B ? CHOICE_CANCEL : wCurrentMenuItem;
}

static void swap_places(uint8_t a, uint8_t b)
{
    if (a == b)
        return;
    swap_bytes(wPartySpecies + a, wPartySpecies + b, 1);
    swap_bytes((uint8_t *)&wPartyMons[a], (uint8_t *)&wPartyMons[b], sizeof(PartyMon));
    swap_bytes(wPartyMonOT + NAME_SIZE * a, wPartyMonOT + NAME_SIZE * b, NAME_SIZE);
    swap_bytes(wPartyMonNicks + NAME_SIZE * a, wPartyMonNicks + NAME_SIZE * b, NAME_SIZE);
}

/* The first place stays marked while the second is chosen. */
static void reorder(uint8_t place)
{
    uint8_t other;

    wPartyMenuType = PARTY_MENU_SWAP;
    wMenuItemToSwap = place + 1;
    other = choose_row(swap_words, PAD_A | PAD_B);
    wMenuItemToSwap = 0;
    wPartyMenuType = PARTY_MENU_NORMAL;
    if (other != NO_MON)
        swap_places(place, other);
}

/* White until it is whole, and off for a moment. What lies behind the list comes back with its own tiles, and its own
   light. */
static void enter_list(uint8_t type)
{
    wPartyMenuType = type;
    wMenuItemToSwap = 0;
    rBGP = rOBP0 = 0;
    delay_frames(WHITE_FRAMES);
    clear_screen();
    wait_transfer();
    if (wIsInBattle)
        delay_frames(TILES_FRAMES);
    else
        load_hud_tiles();
    lcd_off();
    lcd_on();
}

static void leave_list(void)
{
    clear_screen();
    wait_transfer();
    if (wIsInBattle)
        return;
    load_box_tiles();
    show_map_palettes();
}

/* The field move to be used, after what else was to be done with the one at `place`. */
static uint8_t do_with(uint8_t place)
{
    uint8_t deed = choose_deed(&wPartyMons[place]), field_move;

    if (deed < wNumFieldMoves) {
        field_move = wFieldMoves[deed];
        copy_string(wStringBuffer, wPartyMonNicks + NAME_SIZE * place);
        return can_use_field_move(field_move) ? field_move : NO_FIELD_MOVE;
    }
    switch (deed - wNumFieldMoves) {
    case DEED_STATS:
        show_page(place);
        break;
    case DEED_SWITCH:
        reorder(place);
        break;
    }
    return NO_FIELD_MOVE;
}

uint8_t party_menu(void) BANKED
{
    uint8_t place, field_move = NO_FIELD_MOVE;

    clear_screen();
    update_sprites();
    wait_transfer();
    enter_list(PARTY_MENU_NORMAL);
    while (!field_move && (place = choose_row(choose_words, PAD_A | PAD_B)) != NO_MON)
        field_move = do_with(place);
    leave_list();
    return field_move;
}

/* Whether the one at `place` can come out; says why not. */
static bool can_fight(uint8_t place)
{
    copy_string(wStringBuffer, wPartyMonNicks + NAME_SIZE * place);
    if (place == wPlayerMonNumber && !wInHandlePlayerMonFainted) {
        print_system_text(TEXT_BATTLE_ALREADY_OUT);
        return false;
    }
    if (is_fainted(wPartyMons[place].hp)) {
        print_system_text(TEXT_BATTLE_NO_STRENGTH);
        return false;
    }
    return true;
}

/* Straight from the list: after a faint (`forced`: a Pokemon must be chosen), and before an opponent's next. */
uint8_t choose_mon(bool forced) BANKED
{
    uint8_t place;

    enter_list(PARTY_MENU_BATTLE);
    wForcePlayerToChooseMon = forced;
    do
        place = choose_row(bring_out_words, forced ? PAD_A : PAD_A | PAD_B);
    while (place != NO_MON && !can_fight(place));
    wForcePlayerToChooseMon = 0;
    leave_list();
    return place;
}

/* From the battle menu: a choice can be looked at first. */
uint8_t choose_switch(void) BANKED
{
    uint8_t place;

    enter_list(PARTY_MENU_BATTLE);
    while ((place = choose_row(choose_words, PAD_A | PAD_B)) != NO_MON) {
        switch (choose_action()) {
        case CHOICE_SWITCH:
            if (!can_fight(place))
                continue;
            leave_list();
            return place;
        case CHOICE_STATS:
            show_page(place);
            break;
        }
    }
    leave_list();
    return NO_MON;
}

static uint8_t choose_for_item(uint8_t type, const uint8_t *words)
{
    clear_screen();
    update_sprites();
    wait_transfer();
    enter_list(type);
    return choose_row(words, PAD_A | PAD_B);
}

/* For an item: the list stays on screen, for what then happens to be seen in it. */
uint8_t choose_patient(void) BANKED
{
    return choose_for_item(PARTY_MENU_ITEM, use_words);
}

uint8_t choose_pupil(uint8_t machine) BANKED
{
    taught = machine;
    return choose_for_item(PARTY_MENU_TEACH, teach_words);
}

void put_patients_away(void) BANKED
{
    leave_list();
}
