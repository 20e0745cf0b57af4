/* The hall: who came with the player is shown and written down, the credits roll, and the machine begins anew. */
#pragma bank 62
#include "battle_parts.h"
#include "events.h"
#include "overworld.h"
#include "save.h"
#include "scenes.h"
#include "world.h"

#define STEPS_TO_HAZEL 3
#define HAZEL_COLUMN 4
#define RECORDS_BANK 0
#define RECORDS 0xA598
#define RECORD_SIZE 96
#define ENTRY_SIZE 16
#define MOST_RECORDS 50
#define PICTURE_TILES 16
#define SIDE 4
#define LOOK 90
#define PAGE 150
#define CREDITS 4

static const uint8_t page_1[] = {STR_CREDITS_1};
static const uint8_t page_2[] = {STR_CREDITS_2};
static const uint8_t page_3[] = {STR_CREDITS_3};
static const uint8_t page_4[] = {STR_CREDITS_4};
static const uint8_t *const pages[CREDITS] = {page_1, page_2, page_3, page_4};
static const uint8_t the_end[] = {STR_THE_END};

static uint8_t record[RECORD_SIZE];

/* Species, level and name of each, as the contract has them; a record that is not full ends in 0xFF. */
static void make_record(void)
{
    uint8_t i;
    uint8_t *entry = record;

    fill(record, 0xFF, RECORD_SIZE);
    for (i = 0; i != wPartyCount; i++, entry += ENTRY_SIZE) {
        entry[0] = wPartyMons[i].species;
        entry[1] = wPartyMons[i].level;
        copy(entry + 2, wPartyMonNicks + NAME_SIZE * i, NAME_SIZE);
    }
}

static void write_record(void)
{
    uint8_t number = wNumHoFTeams < MOST_RECORDS ? wNumHoFTeams : MOST_RECORDS - 1;

    make_record();
    sram_copy(RECORDS_BANK, RECORDS + (uint16_t)RECORD_SIZE * number, record, RECORD_SIZE, true);
    if (wNumHoFTeams != 0xFF)
        wNumHoFTeams++;
}

static void place_picture(uint8_t species)
{
    uint8_t *at = TILE_AT(8, 4);
    uint8_t row, column, tile = 0;

    load_mon_header(species);
    copy_tiles(VRAM_TILESET, CREATURE_PICS_BANK, wMonHeader.front_picture, PICTURE_TILES);
    for (row = 0; row != SIDE; row++, at += 20)
        for (column = 0; column != SIDE; column++)
            at[column] = tile++;
}

static void show_member(uint8_t i)
{
    clear_screen();
    place_picture(wPartyMons[i].species);
    place_string(TILE_AT(6, 10), wPartyMonNicks + NAME_SIZE * i);
    place_level(TILE_AT(8, 12), wPartyMons[i].level);
    delay_frames(LOOK);
}

static void show_team(void)
{
    uint8_t i;

    wUpdateSpritesEnabled = 0xFF;
    fade_out();
    clear_sprites();
    clear_screen();
    show_plain_screen();
    load_hud_tiles();
    wait_transfer();
    show_palettes();
    for (i = 0; i != wPartyCount; i++)
        show_member(i);
}

static void roll_credits(void)
{
    uint8_t i;

    for (i = 0; i != CREDITS; i++) {
        clear_screen();
        place_string(TILE_AT(3, 8), pages[i]);
        delay_frames(PAGE);
    }
    clear_screen();
    place_string(TILE_AT(6, 8), the_end);
}

/* Whoever goes on later wakes up at home. */
static void write_down(void)
{
    set_event(EVENT_HALL_OF_FAME_DEX_RATING);
    write_record();
    wLastBlackoutMap = MAP_THISTLE_END;
    save_game();
}

void enter_hall(void) BANKED
{
    wHallOfFameCurScript = 1;
    walk_player(FACING_UP, STEPS_TO_HAZEL);
    tell(MAP_TEXT_CORRIDOR_HALL_HAZEL);
    tell(MAP_TEXT_CORRIDOR_HALL_WRITTEN);
    wHallOfFameCurScript = 0;
    write_down();
    show_team();
    roll_credits();
    wait_for_button();
    __asm__("jp 0x0100");
}
