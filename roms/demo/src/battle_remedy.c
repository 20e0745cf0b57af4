/* What trainers of some classes do for their Pokemon instead of a move (TrainerAI). */
#pragma bank 56
#include "battle_parts.h"
#include "things.h"

#define NOT_COUNTED 0xFF
#define SWITCHER 46
#define SWITCHES_BELOW 20
#define ANY_HP 0
#define ALWAYS 0xFF
#define ONE_IN_FOUR 63
#define ONE_IN_TWO 127

enum { CURE, RAISE, HEAL };

/* `uses` for each that comes out, when the chance is at most `highest` and HP are below 1 / `part`. */
typedef struct {
    uint8_t trainer_class, uses, highest, part, action, by;
} Remedy;

static const Remedy remedies[] = {
    {33, 2, ONE_IN_FOUR, ANY_HP, RAISE, DEFENSE}, {34, 5, ALWAYS, ANY_HP, CURE, 0},
    {35, 1, ONE_IN_FOUR, ANY_HP, RAISE, DEFENSE}, {36, 1, ONE_IN_FOUR, ANY_HP, RAISE, SPEED},
    {37, 1, ONE_IN_TWO, 10, HEAL, 50},            {44, 2, ONE_IN_TWO, 5, HEAL, 50},
    {SWITCHER, 2, ONE_IN_TWO, 4, HEAL, 50},       {47, 1, ONE_IN_TWO, 5, HEAL, 200},
};

/* Counted at the first turn of the Pokemon that has just come out. */
void ready_remedies(void)
{
    wAICount = NOT_COUNTED;
    wAILayer2Encouragement = 0;
}

static const Remedy *remedy_of_class(void)
{
    uint8_t i;

    for (i = 0; i != sizeof remedies / sizeof *remedies; i++)
        if (remedies[i].trainer_class == wTrainerClass)
            return &remedies[i];
    return 0;
}

static bool is_due(const Remedy *remedy, uint8_t chance)
{
    if (chance > remedy->highest)
        return false;
    if (remedy->part != ANY_HP && big(wEnemyMon.hp) >= big(wEnemyMon.max_hp) / remedy->part)
        return false;
    return remedy->action != CURE || wEnemyMon.status;
}

static bool switches(void)
{
    uint8_t place = next_enemy();

    if (place == NO_MON)
        return false;
    save_battle_mon();
    hide(ENEMYS_TURN);
    send_out_enemy(place);
    return true;
}

static void apply(const Remedy *remedy)
{
    print_system_text(TEXT_BATTLE_TRAINER_HELPS);
    if (remedy->action == HEAL) {
        give_hp(enemy, remedy->by);
    } else if (remedy->action == RAISE) {
        boost(remedy->by);
    } else {
        wEnemyMon.status = 0;
        wEnemyBattleStatus[2] &= (uint8_t)~BADLY_POISONED;
        draw_huds();
    }
}

/* Whether the turn is spent. What a cured ailment has taken from a stat stays taken, as in the original. */
bool use_remedy(void)
{
    const Remedy *remedy = remedy_of_class();
    uint8_t chance;

    if (wIsInBattle != IN_TRAINER_BATTLE)
        return false;
    if (wAICount == NOT_COUNTED)
        wAICount = remedy ? remedy->uses : 0;
    if (!wAICount)
        return false;
    chance = random();
    if (wTrainerClass == SWITCHER && chance < SWITCHES_BELOW)
        return switches();
    if (!is_due(remedy, chance))
        return false;
    wAICount--;
    apply(remedy);
    return true;
}
