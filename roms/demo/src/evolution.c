/* What grows into something else after a battle that was won: by level, unless B forbids it. */
#pragma bank 63
#include "battle.h"
#include "hardware.h"
#include "home.h"
#include "mon.h"
#include "ram.h"
#include "ui.h"
#include "world.h"

#define TILES_PER_SIDE 7
#define PICTURE_SIDE 4
#define TILE_SIZE 16
#define PICTURE_COLUMN 2 /* where a picture of four tiles begins within seven: in the middle, at the bottom */
#define PICTURE_ROW 3
#define OLD_TILES 0x00
#define NEW_TILES 0x31
#define LAST_COLUMN TILE_AT(13, 2)
#define TOP_ROWS_SIZE (12 * 20)
#define GRAPHICS_BANK 4
#define BOX_GRAPHICS 0x6288
#define BORROWED_BOX_TILES 2 /* the last two of the new picture lie where the box's first two do */

#define BEFORE 50
#define FIRST_LOOK 80
#define SLOWEST 32
#define QUICKER_BY 4
#define LAST_LOOK 80
#define AFTER 40

#define NOBODY 0
#define EVOLVES_BY_LEVEL 1
#define EVOLVES_BY_ITEM 2

static PartyMon *mon;

/* Whom it becomes at its level, or NOBODY. */
static uint8_t grown_species(void)
{
    uint16_t at = learnset(mon->species);
    uint8_t kind;

    while ((kind = far_byte(LEARNSETS_BANK, at)) != 0) {
        if (kind == EVOLVES_BY_LEVEL && mon->level >= far_byte(LEARNSETS_BANK, at + 1))
            return far_byte(LEARNSETS_BANK, at + 2);
        at += kind == EVOLVES_BY_ITEM ? 4 : 3;
    }
    return NOBODY;
}

/* One of seven columns of seven tiles, and blank where the drawing is not. */
static void load_column(uint16_t to, uint8_t column, uint16_t picture)
{
    uint8_t row;

    fill(chunk_buffer, 0, TILES_PER_SIDE * TILE_SIZE);
    column -= PICTURE_COLUMN;
    if (column < PICTURE_SIDE)
        for (row = 0; row != PICTURE_SIDE; row++)
            far_copy(chunk_buffer + (PICTURE_ROW + row) * TILE_SIZE, CREATURE_PICS_BANK,
                     picture + (row * PICTURE_SIDE + column) * TILE_SIZE, TILE_SIZE);
    chunk_dest = to;
    chunk_tiles = TILES_PER_SIDE;
    delay_frame();
}

static void load_picture(uint8_t first_tile, uint8_t species)
{
    uint16_t to = VRAM_TILESET + ((uint16_t)first_tile << 4);
    uint8_t column = TILES_PER_SIDE;

    load_mon_header(species);
    do {
        load_column(to, --column, wMonHeader.front_picture);
        to += TILES_PER_SIDE * TILE_SIZE;
    } while (column);
}

/* Its tiles run downwards, column by column, and the columns to the left. */
static void show_picture(uint8_t tile)
{
    uint8_t *cell = LAST_COLUMN;
    uint8_t row, column;

    hAutoBGTransferEnabled = 0;
    for (column = 0; column != TILES_PER_SIDE; column++, cell -= 20 * TILES_PER_SIDE + 1)
        for (row = 0; row != TILES_PER_SIDE; row++, cell += 20)
            *cell = tile++;
    hAutoBGTransferEnabled = 1;
}

static bool is_forbidden_within(uint8_t frames)
{
    do {
        delay_frame();
        joypad();
        if (hJoyHeld & PAD_B)
            return true;
    } while (--frames);
    return false;
}

/* Both pictures by turns, ever faster. */
static bool flickers_to_the_end(void)
{
    uint8_t frames;

    for (frames = SLOWEST; frames; frames -= QUICKER_BY) {
        show_picture(NEW_TILES);
        if (is_forbidden_within(frames))
            return false;
        show_picture(OLD_TILES);
        if (is_forbidden_within(frames))
            return false;
    }
    return true;
}

/* Whether it came to its end. */
static bool animate(void)
{
    fill(wTileMap, SPACE, TOP_ROWS_SIZE);
    wait_transfer();
    load_picture(OLD_TILES, wEvoOldSpecies);
    load_picture(NEW_TILES, wEvoNewSpecies);
    show_picture(OLD_TILES);
    delay_frames(FIRST_LOOK);
    wEvoCancelled = !flickers_to_the_end();
    show_picture(wEvoCancelled ? OLD_TILES : NEW_TILES);
    delay_frames(LAST_LOOK);
    return !wEvoCancelled;
}

static void clear_picture(void)
{
    fill(wTileMap, SPACE, TOP_ROWS_SIZE);
    wait_transfer();
    copy_tiles(VRAM_BOX_TILES, GRAPHICS_BANK, BOX_GRAPHICS, BORROWED_BOX_TILES);
}

static bool is_same_string(const uint8_t *a, const uint8_t *b)
{
    for (; *a == *b; a++, b++)
        if (*a == END_OF_STRING)
            return true;
    return false;
}

/* Who never got a name of its own is called what it is. */
static void rename(uint8_t *nick)
{
    load_mon_name(wNameBuffer, wEvoOldSpecies);
    if (is_same_string(nick, wNameBuffer))
        load_mon_name(nick, wEvoNewSpecies);
}

static void become(uint8_t position)
{
    uint16_t before = big(mon->max_hp);

    rename(wPartyMonNicks + NAME_SIZE * position);
    load_mon_header(wEvoNewSpecies);
    mon->species = wPartySpecies[position] = wEvoNewSpecies;
    mon->types[0] = wMonHeader.types[0];
    mon->types[1] = wMonHeader.types[1];
    calculate_stats(mon);
    set_big(mon->hp, big(mon->hp) + big(mon->max_hp) - before);
    mark_owned(wEvoNewSpecies);
}

static void evolve(uint8_t position)
{
    copy_string(wLearnMoveMonName, wPartyMonNicks + NAME_SIZE * position);
    wWhichPokemon = position;
    wEvoOldSpecies = mon->species;
    wCurEnemyLevel = mon->level;
    wEvolutionOccurred = 1;
    print_system_text(TEXT_EVOLUTION_BEGINS);
    delay_frames(BEFORE);
    if (!animate()) {
        print_system_text(TEXT_EVOLUTION_STOPPED);
        clear_picture();
        return;
    }
    load_mon_name(wStringBuffer, wEvoNewSpecies);
    print_system_text(TEXT_EVOLUTION_DONE);
    delay_frames(AFTER);
    clear_picture();
    become(position);
    learn_moves_of_level(position);
}

/* Of those who rose a level in this battle. The screen is the battle's, whose pictures are lost. */
void evolve_after_battle(void) BANKED
{
    uint8_t position, flags = wCanEvolveFlags;

    wEvolutionOccurred = 0;
    for (position = 0; position != wPartyCount; position++, flags >>= 1) {
        mon = &wPartyMons[position];
        if (!(flags & 1))
            continue;
        wEvoNewSpecies = grown_species();
        if (wEvoNewSpecies != NOBODY)
            evolve(position);
    }
}
