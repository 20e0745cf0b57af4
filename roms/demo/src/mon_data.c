/* The cartridge's tables of creatures and moves. */
#pragma bank 58
#include "mon.h"

#define POKEDEX_ORDER_BANK 16
#define POKEDEX_ORDER 0x5024
#define BASE_STATS_BANK 14
#define BASE_STATS 0x43DE
#define NAMES_BANK 7
#define NAMES 0x421E
#define NAME_LENGTH 10
#define MOVE_TABLE_BANK 14
#define MOVE_TABLE 0x4000
#define MOVE_NAMES_BANK 44
#define MOVE_NAMES 0x4000
#define TYPE_NAMES_BANK 9
#define TYPE_NAMES 0x7DAE
#define LEARNSETS 0x705C
#define EVOLUTION_BY_ITEM 2

/* From 0, unlike the numbers of the dex itself. */
uint8_t dex_index(uint8_t species)
{
    return far_byte(POKEDEX_ORDER_BANK, POKEDEX_ORDER - 1 + species) - 1;
}

void load_mon_header(uint8_t species) BANKED
{
    far_copy(&wMonHeader, BASE_STATS_BANK, BASE_STATS + sizeof(MonHeader) * dex_index(species), sizeof(MonHeader));
    wMonHeader.species = species;
}

/* Names are padded with their end; the longest has none of its own. */
void load_mon_name(uint8_t *to, uint8_t species) BANKED
{
    far_copy(to, NAMES_BANK, NAMES + NAME_LENGTH * (species - 1), NAME_LENGTH);
    to[NAME_LENGTH] = END_OF_STRING;
}

void load_move(Move *to, uint8_t id) BANKED
{
    far_copy(to, MOVE_TABLE_BANK, MOVE_TABLE + sizeof(Move) * (id - 1), sizeof(Move));
}

static void load_string(uint8_t *to, uint8_t bank, uint16_t from)
{
    do
        *to = far_byte(bank, from++);
    while (*to++ != END_OF_STRING);
}

/* Names of moves have all lengths, so the one wanted is found by counting ends. */
void load_move_name(uint8_t id) BANKED
{
    uint16_t from = MOVE_NAMES;

    while (--id)
        while (far_byte(MOVE_NAMES_BANK, from++) != END_OF_STRING)
            ;
    load_string(wNameBuffer, MOVE_NAMES_BANK, from);
}

void load_type_name(uint8_t *to, uint8_t type) BANKED
{
    load_string(to, TYPE_NAMES_BANK, far_word(TYPE_NAMES_BANK, TYPE_NAMES + 2 * type));
}

/* Where the evolutions begin. */
uint16_t learnset(uint8_t species) BANKED
{
    return far_word(LEARNSETS_BANK, LEARNSETS + 2 * (species - 1));
}

/* Where the pairs of level and move begin: behind the evolutions. */
uint16_t first_learned(uint8_t species) BANKED
{
    uint16_t at = learnset(species);
    uint8_t kind;

    for (;;) {
        kind = far_byte(LEARNSETS_BANK, at);
        if (!kind)
            return at + 1;
        at += kind == EVOLUTION_BY_ITEM ? 4 : 3;
    }
}
