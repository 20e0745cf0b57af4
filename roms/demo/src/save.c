/* The saved game: pieces of RAM, one after the other in bank 1 of cartridge RAM, with a checksum. */
#pragma bank 63
#include "save.h"
#include "hardware.h"
#include "overworld.h"
#include "ram.h"
#include "services.h"
#include "world.h"

#define SAVE_BANK 1
#define SAVE 0xA598
#define CHECKSUM 0xB523
#define SAVED_PLAYER_ID 0xA605
#define DIRECTION_DOWN 4

#define SUMMED_AT_ONCE 32

typedef struct {
    uint16_t saved, live, size;
} Piece;
static const Piece pieces[] = {
    {SAVE, 0xD158, 0x00B},   /* the player's name */
    {0xA5A3, 0xD2F7, 0x789}, /* everything from the dex to the day care */
    {0xAF2C, 0xD163, 0x194}, /* the team */
    {0xB0C0, 0xDA80, 0x462}, /* the box in use */
};
static const Piece pieces_of_map[] = {
    {0xAD2C, 0xC100, 0x200}, /* who stands where */
    {0xB522, 0xFFD7, 0x001}, /* how tiles are animated */
};
#define PIECES 4
#define PIECES_OF_MAP 2

static void save_pieces(const Piece *piece, uint8_t count)
{
    for (; count; count--, piece++)
        sram_copy(SAVE_BANK, piece->saved, BYTES(piece->live), piece->size, true);
}

static void load_pieces(const Piece *piece, uint8_t count)
{
    for (; count; count--, piece++)
        sram_copy(SAVE_BANK, piece->saved, BYTES(piece->live), piece->size, false);
}

static uint8_t sum(const uint8_t *at, uint8_t count)
{
    uint8_t total = 0;

    while (count--)
        total += *at++;
    return total;
}

static uint8_t checksum(void)
{
    uint8_t part[SUMMED_AT_ONCE];
    uint16_t at, left = CHECKSUM - SAVE;
    uint8_t count, total = 0;

    for (at = SAVE; left; at += count, left -= count) {
        count = left < SUMMED_AT_ONCE ? left : SUMMED_AT_ONCE;
        sram_copy(SAVE_BANK, at, part, count, false);
        total += sum(part, count);
    }
    return ~total;
}

static uint8_t saved_byte(uint16_t at)
{
    uint8_t byte;

    sram_copy(SAVE_BANK, at, &byte, 1, false);
    return byte;
}

static void write_checksum(void)
{
    uint8_t sum_of_all = checksum();

    sram_copy(SAVE_BANK, CHECKSUM, &sum_of_all, 1, true);
}

/* A name that ends: memory that was never written has none. */
static bool has_name(void)
{
    uint8_t i;

    for (i = 0; i != NAME_SIZE; i++)
        if (saved_byte(SAVE + i) == END_OF_STRING)
            return true;
    return false;
}

void save_game(void) BANKED
{
    wSaveFileStatus = SAVED;
    save_pieces(pieces, PIECES);
    save_pieces(pieces_of_map, PIECES_OF_MAP);
    write_checksum();
}

bool is_own_save(void) BANKED
{
    return saved_byte(SAVED_PLAYER_ID) == wPlayerID[0] && saved_byte(SAVED_PLAYER_ID + 1) == wPlayerID[1];
}

void load_game(void) BANKED
{
    wSaveFileStatus = NO_SAVE;
    if (!has_name() || checksum() != saved_byte(CHECKSUM))
        return;
    wSaveFileStatus = SAVED;
    load_pieces(pieces, PIECES);
    load_pieces(pieces_of_map, PIECES_OF_MAP);
    wStatusFlags6 &= (uint8_t)~STATUS6_TIMER;
}

void continue_game(void) BANKED
{
    wStatusFlags6 |= STATUS6_TIMER;
    wDestinationWarpID = NO_WARP;
    player1.facing = FACING_DOWN;
    wPlayerDirection = wPlayerLastStopDirection = DIRECTION_DOWN;
    wPlayerMovingDirection = 0;
    if (wCurMap == MAP_CORRIDOR_HALL)
        go_to_landing(wLastBlackoutMap); /* whoever was written on its wall is at home again */
    enter_map();
}
