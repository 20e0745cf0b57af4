/* Machines of the bag: choosing a Pokemon and teaching the move. */
#pragma bank 61
#include "mon.h"
#include "things.h"
#include "ui.h"
#include "world.h"

static bool knows(const PartyMon *mon, uint8_t move)
{
    uint8_t i;

    for (i = 0; i != MOVES; i++)
        if (mon->moves[i] == move)
            return true;
    return false;
}

/* Whether the one at `place` learns it; says why not. */
static bool teach(uint8_t place, uint8_t machine, uint8_t move)
{
    copy_string(wLearnMoveMonName, wPartyMonNicks + NAME_SIZE * place);
    if (!can_learn(wPartyMons[place].species, machine)) {
        print_system_text(TEXT_MACHINE_NOT_ABLE);
        return false;
    }
    if (knows(&wPartyMons[place], move)) {
        print_system_text(TEXT_MACHINE_KNOWN);
        return false;
    }
    return learn_move(place, move);
}

/* Who was refused leaves the list open for another. */
static bool teach_somebody(uint8_t machine, uint8_t move)
{
    uint8_t place;

    while ((place = choose_pupil(machine)) != NO_MON) {
        load_move_name(move);
        if (teach(place, machine, move))
            return true;
    }
    return false;
}

uint8_t use_machine(uint8_t item)
{
    uint8_t move = move_of_machine(item);
    bool taught;

    load_move_name(move);
    print_system_text(TEXT_MACHINE_ASK);
    if (yes_no())
        return ITEM_KEPT;
    taught = teach_somebody(item, move);
    put_patients_away();
    if (!taught)
        return ITEM_KEPT;
    return item < FIRST_MACHINE ? ITEM_SERVED : ITEM_USED;
}
