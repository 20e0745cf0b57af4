/* The trainers of a map: what their headers say, and whether one of them sees the player. */
#pragma bank 45
#include "overworld.h"
#include "scenes.h"
#include "world.h"

#define MAX_TRAINERS 8
#define HEADER_SIZE 12
#define LIST_END 0xFF
#define HIDDEN 0xFF

static Trainer trainers[MAX_TRAINERS];
static uint8_t trainer_count;

static uint16_t find_headers(void)
{
    uint16_t entry = TRAINER_HEADERS_ADDR;
    uint8_t map;

    while ((map = far_byte(TRAINER_HEADERS_BANK, entry)) != LIST_END) {
        if (map == wCurMap)
            return far_word(TRAINER_HEADERS_BANK, entry + 1);
        entry += 3;
    }
    return 0;
}

static void load_trainer(uint8_t slot, uint16_t header)
{
    Trainer *trainer = &trainers[trainer_count];
    uint8_t bit = far_byte(hMapROMBank, header);

    trainer->slot = slot;
    trainer->header = header;
    trainer->sight = far_byte(hMapROMBank, header + 1) >> 4;
    trainer->flags_at = far_word(hMapROMBank, header + 2) + (bit >> 3);
    trainer->flag = 1 << (bit & 7);
    trainer_count++;
}

/* The nth header is that of the nth object with two extra bytes. */
void load_trainers(void)
{
    uint16_t header = find_headers();
    uint8_t slot;

    trainer_count = 0;
    if (!header)
        return;
    for (slot = 1; slot <= wNumSprites && trainer_count != MAX_TRAINERS; slot++) {
        if (!wMapSpriteExtraData[2 * (slot - 1) + 1])
            continue;
        load_trainer(slot, header);
        header += HEADER_SIZE;
    }
    /* Whoever looks from outside finds the headers before it. */
    wTrainerHeaderPtr[0] = header >> 8;
    wTrainerHeaderPtr[1] = header;
}

const Trainer *trainer_in_slot(uint8_t slot) BANKED
{
    uint8_t i;

    for (i = 0; i != trainer_count; i++)
        if (trainers[i].slot == slot)
            return &trainers[i];
    return 0;
}

bool is_beaten(const Trainer *trainer) BANKED
{
    return BYTE(trainer->flags_at) & trainer->flag ? true : false;
}

/* How many steps ahead of the trainer the player stands; 0 when he does not, or out of sight. */
static uint8_t distance_ahead(const Trainer *trainer)
{
    const Direction *direction = &directions[wSprites1[trainer->slot].facing >> 2];
    int8_t dy = wYCoord + COORDINATE_OFFSET - wSprites2[trainer->slot].map_y;
    int8_t dx = wXCoord + COORDINATE_OFFSET - wSprites2[trainer->slot].map_x;
    int8_t distance;

    if (direction->dy ? dx : dy)
        return 0;
    distance = direction->dy ? dy : dx;
    if (direction->dy < 0 || direction->dx < 0)
        distance = -distance;
    return distance > 0 && distance <= (int8_t)trainer->sight ? distance : 0;
}

static bool is_watching(const Trainer *trainer)
{
    return wSprites1[trainer->slot].image != HIDDEN && !wSprites2[trainer->slot].walk_counter && !is_beaten(trainer);
}

/* Whether one does: he has come, spoken and fought then. */
bool trainer_spots_player(void)
{
    const Trainer *trainer = trainers;
    uint8_t left = trainer_count;
    uint8_t distance;

    for (; left; left--, trainer++) {
        distance = distance_ahead(trainer);
        if (!distance || !wPartyCount || !is_watching(trainer))
            continue;
        meet_trainer(trainer, distance);
        return true;
    }
    return false;
}
