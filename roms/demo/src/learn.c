/* Learning a move: into a free place, or over one that its owner agrees to forget. */
#pragma bank 63
#include "battle.h"
#include "hardware.h"
#include "mon.h"
#include "ram.h"
#include "ui.h"
#include "world.h"

#define NO_PLACE 0xFF
#define LIST_X 5
#define LIST_Y 8

static const uint8_t kept_for_ever[] = {CUT, FLY, SURF, STRENGTH, FLASH, 0};

static PartyMon *mon;

static uint8_t place_of(uint8_t move)
{
    uint8_t place;

    for (place = 0; place != MOVES; place++)
        if (mon->moves[place] == move)
            return place;
    return NO_PLACE;
}

static void draw_list(void)
{
    uint8_t place;

    place_box(LIST_X - 1, LIST_Y - 1, 14, MOVES);
    for (place = 0; place != MOVES; place++) {
        load_move_name(mon->moves[place]);
        place_string(TILE_AT(LIST_X + 1, LIST_Y + place), wNameBuffer);
    }
}

/* NO_PLACE when B left the list. */
static uint8_t choose_place(void)
{
    uint8_t keys;

    print_system_text(TEXT_LEARN_WHICH);
    copy(wTileMapBackup, wTileMap, TILE_MAP_SIZE);
    draw_list();
    start_menu_at(LIST_X, LIST_Y, MOVES - 1, PAD_A | PAD_B);
    hUILayoutFlags |= UI_SINGLE_SPACED;
    keys = handle_menu_input();
    hUILayoutFlags &= (uint8_t)~UI_SINGLE_SPACED;
    copy(wTileMap, wTileMapBackup, TILE_MAP_SIZE);
    return keys & PAD_B ? NO_PLACE : wCurrentMenuItem;
}

static uint8_t choose_forgettable(void)
{
    uint8_t place;

    while ((place = choose_place()) != NO_PLACE) {
        if (!is_listed(mon->moves[place], kept_for_ever, 0))
            return place;
        print_system_text(TEXT_LEARN_KEPT);
    }
    return NO_PLACE;
}

static bool gives_up(void)
{
    load_move_name(wMoveNum);
    print_system_text(TEXT_LEARN_GIVE_UP);
    return yes_no() == 0;
}

/* Asks until a place is chosen, or the new move given up (NO_PLACE). */
static uint8_t choose_for_new(void)
{
    uint8_t place;

    for (;;) {
        load_move_name(wMoveNum);
        print_system_text(TEXT_LEARN_TRIES);
        if (yes_no() == 0) {
            place = choose_forgettable();
            if (place != NO_PLACE)
                return place;
        } else if (gives_up()) {
            return NO_PLACE;
        }
    }
}

static void write(uint8_t position, uint8_t place, uint8_t move)
{
    mon->moves[place] = move;
    mon->pp[place] = full_pp(move, 0);
    if (!wIsInBattle || position != wPlayerMonNumber)
        return;
    wBattleMon.moves[place] = move;
    wBattleMon.pp[place] = mon->pp[place];
}

bool learn_move(uint8_t position, uint8_t move) BANKED
{
    uint8_t place;

    mon = &wPartyMons[position];
    wWhichPokemon = position;
    wMoveNum = move;
    copy_string(wLearnMoveMonName, wPartyMonNicks + NAME_SIZE * position);
    place = place_of(0);
    if (place == NO_PLACE) {
        place = choose_for_new();
        if (place == NO_PLACE) {
            print_system_text(TEXT_LEARN_GAVE_UP);
            return false;
        }
        load_move_name(mon->moves[place]);
        print_system_text(TEXT_LEARN_FORGOT);
    }
    write(position, place, move);
    load_move_name(move);
    print_system_text(TEXT_BATTLE_LEARNED);
    return true;
}

/* Of the level reached alone: those of levels jumped over are missed, as in the original. */
void learn_moves_of_level(uint8_t position) BANKED
{
    uint16_t at = first_learned(wPartyMons[position].species);
    uint8_t level, move;

    mon = &wPartyMons[position];
    for (; (level = far_byte(LEARNSETS_BANK, at)) != 0; at += 2) {
        if (level != mon->level)
            continue;
        move = far_byte(LEARNSETS_BANK, at + 1);
        if (place_of(move) == NO_PLACE)
            learn_move(position, move);
    }
}
