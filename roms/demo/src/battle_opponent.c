/* Who is met: a wild creature of chance, or a trainer with a party from the cartridge's tables. */
#pragma bank 56
#include "battle_parts.h"
#include "things.h"

#define PARTIES_BANK 14
#define PARTIES 0x5D3B
#define TRAINER_RECORDS 0x5914
#define TRAINER_RECORD_SIZE 5
#define TRAINER_NAMES 0x59FF
#define PARTY_WITH_LEVELS 0xFF
#define LEADERS_MOVES 0x5D22
#define FOURS_MOVES 0x5D32
#define NO_CLASS 0xFF
#define OWN_MOVE 2
#define FIFTH 4
#define TRAINER_DVS_FIRST 0x98
#define TRAINER_DVS_SECOND 0x88
#define BASE_STATS 5

/* Also what the capture and experience need to know of the species. */
void load_enemy(const PartyMon *mon, uint8_t position)
{
    load_battle_mon(enemy, mon, position);
    load_mon_header(mon->species);
    wEnemyMonSpecies2 = mon->species;
    copy(wEnemyMonBaseStats, wMonHeader.stats, BASE_STATS);
    wEnemyMonActualCatchRate = wMonHeader.catch_rate;
    wEnemyMonBaseExp = wMonHeader.experience;
    load_mon_name(wEnemyMonNick, mon->species);
    wCurEnemyLevel = mon->level;
    ready_remedies();
    mark_seen(mon->species);
}

void load_wild_mon(void)
{
    wTrainerClass = 0;
    wEnemyMonSpecies2 = wCurOpponent;
    wLoadedMon.dvs[0] = random();
    wLoadedMon.dvs[1] = random();
    create_mon(&wLoadedMon, wCurOpponent, wCurEnemyLevel);
    load_enemy(&wLoadedMon, 0);
}

static uint8_t party_byte(uint16_t at)
{
    return far_byte(PARTIES_BANK, at);
}

static void add_enemy(uint8_t species, uint8_t level)
{
    uint8_t place = wEnemyPartyCount++;
    PartyMon *mon = &wEnemyMons[place];

    mon->dvs[0] = TRAINER_DVS_FIRST;
    mon->dvs[1] = TRAINER_DVS_SECOND;
    create_mon(mon, species, level);
    wEnemyPartySpecies[place] = species;
    wEnemyPartySpecies[place + 1] = NO_MON;
    wCurEnemyLevel = level;
}

/* Sets of a class follow one another, each ended by 0. */
static void load_party(void)
{
    uint16_t at = far_word(PARTIES_BANK, PARTIES + 2 * (wTrainerClass - 1));
    uint8_t set, level;
    bool own_levels;

    for (set = wTrainerNo; set > 1; set--)
        while (party_byte(at++))
            ;
    wEnemyPartyCount = 0;
    level = party_byte(at++);
    own_levels = level == PARTY_WITH_LEVELS;
    while (party_byte(at)) {
        if (own_levels)
            level = party_byte(at++);
        add_enemy(party_byte(at++), level);
    }
}

/* Instead of the third move: a leader's is for one of the team, by the number of the gym; otherwise by class, for the fifth. */
static void give_own_move(void)
{
    uint16_t at = LEADERS_MOVES + 2 * (wLoneAttackNo - 1);

    if (wLoneAttackNo) {
        wEnemyMons[party_byte(at)].moves[OWN_MOVE] = party_byte(at + 1);
        return;
    }
    for (at = FOURS_MOVES; party_byte(at) != NO_CLASS; at += 2)
        if (party_byte(at) == wTrainerClass)
            wEnemyMons[FIFTH].moves[OWN_MOVE] = party_byte(at + 1);
}

/* Names have all lengths, so the one wanted is found by counting ends. */
static void load_trainer_name(void)
{
    uint16_t from = TRAINER_NAMES;
    uint8_t count;

    for (count = wTrainerClass; count > 1; count--)
        while (party_byte(from++) != END_OF_STRING)
            ;
    far_copy(wTrainerName, PARTIES_BANK, from, TRAINER_NAME_SIZE);
}

/* The prize is the class's money for each level of the last one. */
static void count_prize(void)
{
    uint8_t base[3], times;

    far_copy(wTrainerBaseMoney, PARTIES_BANK, TRAINER_RECORDS + TRAINER_RECORD_SIZE * (wTrainerClass - 1) + 2, 2);
    base[0] = 0;
    base[1] = wTrainerBaseMoney[0];
    base[2] = wTrainerBaseMoney[1];
    fill(wAmountMoneyWon, 0, 3);
    for (times = wCurEnemyLevel; times; times--)
        add_money(wAmountMoneyWon, base);
}

void load_trainer(void)
{
    wTrainerClass = wCurOpponent - FIRST_TRAINER;
    load_trainer_name();
    load_party();
    give_own_move();
    count_prize();
}
