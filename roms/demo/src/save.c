/* The saved game: pieces of RAM, one after the other in bank 1 of cartridge RAM, with a checksum. */
#pragma bank 63
#include "save.h"
#include "hardware.h"
#include "overworld.h"
#include "ram.h"

#define SAVE_BANK 1
#define SAVE 0xA598
#define CHECKSUM 0xB523
#define SAVED_PLAYER_ID 0xA605
#define DIRECTION_DOWN 4

/* A frame has time for that many behind its V-blank, and interrupts wait as long. */
#define COPIED_PER_FRAME 512
#define SUMMED_PER_FRAME 256

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

static void copy_frame_by_frame(uint16_t to, uint16_t from, uint16_t size)
{
    uint16_t part;

    for (; size; size -= part, to += part, from += part) {
        part = size < COPIED_PER_FRAME ? size : COPIED_PER_FRAME;
        delay_frame();
        show_cartridge_ram(SAVE_BANK);
        copy(BYTES(to), BYTES(from), part);
        hide_cartridge_ram();
    }
}

static void save_pieces(const Piece *piece, uint8_t count)
{
    for (; count; count--, piece++)
        copy_frame_by_frame(piece->saved, piece->live, piece->size);
}

static void load_pieces(const Piece *piece, uint8_t count)
{
    for (; count; count--, piece++)
        copy_frame_by_frame(piece->live, piece->saved, piece->size);
}

static uint8_t sum(const uint8_t *at, const uint8_t *end)
{
    uint8_t total = 0;

    while (at != end)
        total += *at++;
    return total;
}

static uint8_t checksum(void)
{
    uint16_t at, end;
    uint8_t total = 0;

    for (at = SAVE; at != CHECKSUM; at = end) {
        end = CHECKSUM - at < SUMMED_PER_FRAME ? CHECKSUM : at + SUMMED_PER_FRAME;
        delay_frame();
        show_cartridge_ram(SAVE_BANK);
        total += sum(BYTES(at), BYTES(end));
        hide_cartridge_ram();
    }
    return ~total;
}

static uint8_t saved_byte(uint16_t at)
{
    uint8_t byte;

    show_cartridge_ram(SAVE_BANK);
    byte = BYTE(at);
    hide_cartridge_ram();
    return byte;
}

static void write_saved_byte(uint16_t at, uint8_t byte)
{
    show_cartridge_ram(SAVE_BANK);
    BYTE(at) = byte;
    hide_cartridge_ram();
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
    write_saved_byte(CHECKSUM, checksum());
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
    wStatusFlags6 &= (uint8_t)~STATUS6_TIMER;
}

void continue_game(void) BANKED
{
    load_pieces(pieces_of_map, PIECES_OF_MAP);
    wStatusFlags6 |= STATUS6_TIMER;
    wDestinationWarpID = NO_WARP;
    player1.facing = FACING_DOWN;
    wPlayerDirection = wPlayerLastStopDirection = DIRECTION_DOWN;
    wPlayerMovingDirection = 0;
    enter_map();
}
