/* New creatures, for the team and for opponents, and the care of the team. */
#pragma bank 58
#include "battle.h"
#include "mon.h"

#define PP_MASK 0x3F
#define MOST_PP_PER_UP 7

/* The oldest is forgotten when there is no room. */
static void learn(uint8_t *moves, uint8_t move)
{
    uint8_t i;

    for (i = 0; i != MOVES; i++) {
        if (moves[i] == move)
            return;
        if (!moves[i]) {
            moves[i] = move;
            return;
        }
    }
    copy(moves, moves + 1, MOVES - 1);
    moves[MOVES - 1] = move;
}

static void learn_up_to(uint8_t *moves, uint8_t species, uint8_t level)
{
    uint16_t at = first_learned(species);
    uint8_t when;

    copy(moves, wMonHeader.moves, MOVES);
    for (;; at += 2) {
        when = far_byte(LEARNSETS_BANK, at);
        if (!when || when > level)
            return;
        learn(moves, far_byte(LEARNSETS_BANK, at + 1));
    }
}

/* The PP byte of a rested move: the upper two bits count what raised it. */
uint8_t full_pp(uint8_t move, uint8_t pp) BANKED
{
    Move record;
    uint8_t gain;

    if (!move)
        return 0;
    load_move(&record, move);
    gain = record.pp / 5;
    if (gain > MOST_PP_PER_UP)
        gain = MOST_PP_PER_UP;
    return (pp & ~PP_MASK) | (record.pp + gain * (pp >> 6));
}

static void rest(PartyMon *mon)
{
    uint8_t i;

    mon->hp[0] = mon->max_hp[0];
    mon->hp[1] = mon->max_hp[1];
    mon->status = 0;
    for (i = 0; i != MOVES; i++)
        mon->pp[i] = full_pp(mon->moves[i], mon->pp[i]);
}

/* `to` has its DVs already. Leaves the species in wMonHeader. */
void create_mon(PartyMon *to, uint8_t species, uint8_t level) BANKED
{
    uint8_t dvs[2];
    uint32_t experience;

    dvs[0] = to->dvs[0];
    dvs[1] = to->dvs[1];
    fill((uint8_t *)to, 0, sizeof(PartyMon));
    to->dvs[0] = dvs[0];
    to->dvs[1] = dvs[1];
    load_mon_header(species);
    to->species = species;
    to->level = to->box_level = level;
    to->types[0] = wMonHeader.types[0];
    to->types[1] = wMonHeader.types[1];
    to->catch_rate = wMonHeader.catch_rate;
    to->trainer_id[0] = wPlayerID[0];
    to->trainer_id[1] = wPlayerID[1];
    experience = experience_at(level);
    to->experience[0] = experience >> 16;
    set_big(to->experience + 1, (uint16_t)experience);
    learn_up_to(to->moves, species, level);
    calculate_stats(to);
    rest(to);
}

static void set_dex_bit(uint8_t *bits, uint8_t species)
{
    uint8_t number = dex_index(species);

    bits[number >> 3] |= 1 << (number & 7);
}

void mark_seen(uint8_t species) BANKED
{
    set_dex_bit(wPokedexSeen, species);
}

bool is_owned(uint8_t species) BANKED
{
    uint8_t index = dex_index(species);

    return wPokedexOwned[index >> 3] >> (index & 7) & 1;
}

/* Whoever is owned was seen. */
void mark_owned(uint8_t species) BANKED
{
    mark_seen(species);
    set_dex_bit(wPokedexOwned, species);
}

void give_mon(uint8_t species, uint8_t level) BANKED
{
    uint8_t place = wPartyCount;
    PartyMon *mon = &wPartyMons[place];

    if (place == PARTY_SIZE)
        return;
    mon->dvs[0] = random();
    mon->dvs[1] = random();
    create_mon(mon, species, level);
    copy_string(wPartyMonOT + NAME_SIZE * place, wPlayerName);
    load_mon_name(wPartyMonNicks + NAME_SIZE * place, species);
    wPartySpecies[place] = species;
    wPartySpecies[place + 1] = NO_MON;
    wPartyCount++;
    mark_owned(species);
}

void heal_party(void) BANKED
{
    uint8_t i;

    for (i = 0; i != wPartyCount; i++)
        rest(&wPartyMons[i]);
}
