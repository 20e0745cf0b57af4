/* Who was just caught: noted in the dex, perhaps named, and put with the team or into the box. */
#pragma bank 62
#include "ball.h"
#include "battle_parts.h"
#include "box.h"
#include "screens.h"
#include "ui.h"
#include "world.h"

#define WORDS TILE_AT(1, 11)
#define ARROW 0xEE

static uint8_t nick[NAME_SIZE];
static const uint8_t page_1[] = {STR_PAGE_1};
static const uint8_t page_2[] = {STR_PAGE_2};
static const uint8_t page_3[] = {STR_PAGE_3};

/* As it was met: the fight's marks stay, its trainer is the player from now on. */
static void load_captured(void)
{
    wLoadedMon.dvs[0] = wEnemyMon.dvs[0];
    wLoadedMon.dvs[1] = wEnemyMon.dvs[1];
    create_mon(&wLoadedMon, wEnemyMon.species, wEnemyMon.level);
    wLoadedMon.hp[0] = wEnemyMon.hp[0];
    wLoadedMon.hp[1] = wEnemyMon.hp[1];
    wLoadedMon.status = wEnemyMon.status;
    copy(wLoadedMon.moves, wEnemyMon.moves, MOVES);
    copy(wLoadedMon.pp, wEnemyMon.pp, MOVES);
}

static void draw_edge(uint8_t y, uint8_t left, uint8_t middle, uint8_t right)
{
    fill(TILE_AT(1, y), middle, 18);
    *TILE_AT(0, y) = left;
    *TILE_AT(19, y) = right;
}

/* Of the dex. It has no box: only what it says first ends in an arrow, and then it waits without one. */
static void show_page(void)
{
    uint8_t y;

    wait_transfer();
    clear_screen();
    draw_edge(0, 0x63, 0x64, 0x65);
    for (y = 1; y != 17; y++)
        draw_edge(y, 0x66, SPACE, 0x67);
    draw_edge(17, 0x6C, 0x6F, 0x6E);
    load_mon_name(wNameBuffer, wCapturedMonSpecies);
    place_string(TILE_AT(9, 2), wNameBuffer);
    place_string(WORDS, page_1);
    place_string(WORDS + 40, page_2);
    *TILE_AT(18, 16) = ARROW;
    wait_for_button();
    *TILE_AT(18, 16) = SPACE;
    fill(WORDS + 40, SPACE, 18);
    fill(WORDS, SPACE, 18);
    place_string(WORDS, page_3);
    wait_for_button();
    draw_battle();
}

static void choose_nick(void)
{
    load_mon_name(nick, wCurPartySpecies);
    print_system_text(TEXT_NICK_ASK);
    if (!yes_no() && type_name(NAME_OF_MON))
        copy_string(nick, wStringBuffer);
}

void keep_captured(void)
{
    wCurPartySpecies = wCapturedMonSpecies = wEnemyMon.species;
    if (!is_owned(wCapturedMonSpecies)) {
        mark_owned(wCapturedMonSpecies);
        show_page();
    }
    choose_nick();
    load_captured();
    if (!is_full(&team)) {
        append_mon(&team, (const uint8_t *)&wLoadedMon, wPlayerName, nick);
        return;
    }
    prepend_mon(&box, (const uint8_t *)&wLoadedMon, wPlayerName, nick);
    copy_string(wStringBuffer, nick);
    print_system_text(TEXT_BOX_SENT);
}
