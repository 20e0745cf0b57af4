/* Moves that do what another does, and types that are taken from the target. */
#pragma bank 57
#include "battle_parts.h"

#define MOVE_COUNT 165

static bool can_be_anything(uint8_t id)
{
    Move move;

    if (!id || id >= LAST_RESORT)
        return false;
    load_move(&move, id);
    return move.pp && move.effect != EFFECT_ANYTHING;
}

/* From where a byte points, the next that there is. */
static uint8_t any_move(void)
{
    uint8_t id = random() % MOVE_COUNT;

    while (!can_be_anything(id))
        id = id == LAST_RESORT ? 1 : id + 1;
    return id;
}

/* The move that is done instead, or 0 when there is none. */
uint8_t borrowed_move(void)
{
    if (user->move->effect == EFFECT_ANYTHING)
        return any_move();
    return *target->used == user->move->id ? 0 : *target->used;
}

void borrow_types(void)
{
    if (target->status[0] & INVULNERABLE) {
        print_system_text(TEXT_BATTLE_MISSED);
        return;
    }
    user->mon->types[0] = target->mon->types[0];
    user->mon->types[1] = target->mon->types[1];
    print_system_text(TEXT_BATTLE_TYPES_BORROWED);
}
