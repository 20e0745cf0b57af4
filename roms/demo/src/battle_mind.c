/* What the other side does: wild ones anything, trainers what the lists of their class make them prefer. */
#pragma bank 56
#include "battle_parts.h"

#define CHOICES_BANK 14
#define CHOICES 0x589B
#define TYPE_EFFECTS_BANK 15
#define TYPE_EFFECTS 0x6474
#define TYPE_EFFECTS_END 0xFF
#define TYPE_EFFECT_SIZE 3
#define INDIFFERENT 10
#define MUCH_WORSE 5
#define NEVER 0x50
#define SECOND_ACTION 1
#define FIRST_OF_UP EFFECT_UP
#define PAST_DOWN EFFECT_BIDE
#define FIRST_OF_UP_2 EFFECT_UP_2
#define PAST_DOWN_2 EFFECT_POISON

enum { NO_CHOICE, SPARES_THE_AILING, PREPARES, KNOWS_TYPES };

/* The least is preferred. */
static uint8_t dislike[MOVES];
static Move moves[MOVES];

static bool only_afflicts(const Move *move)
{
    return !move->power && (move->effect == EFFECT_SLEEP || move->effect == EFFECT_POISON || move->effect == EFFECT_PARALYZE);
}

static void spare_the_ailing(void)
{
    uint8_t i;

    if (wBattleMon.status)
        for (i = 0; i != MOVES; i++)
            if (only_afflicts(&moves[i]))
                dislike[i] += MUCH_WORSE;
}

static bool prepares(uint8_t effect)
{
    return (effect >= FIRST_OF_UP && effect < PAST_DOWN) || (effect >= FIRST_OF_UP_2 && effect < PAST_DOWN_2);
}

static void prepare(void)
{
    uint8_t i;

    if (wAILayer2Encouragement == SECOND_ACTION)
        for (i = 0; i != MOVES; i++)
            if (prepares(moves[i].effect))
                dislike[i]--;
}

/* In tenths, by the first entry that fits, whatever others say. */
static uint8_t effectiveness(uint8_t type)
{
    uint16_t at = TYPE_EFFECTS;
    uint8_t attacker, defender;

    for (; (attacker = far_byte(TYPE_EFFECTS_BANK, at)) != TYPE_EFFECTS_END; at += TYPE_EFFECT_SIZE) {
        defender = far_byte(TYPE_EFFECTS_BANK, at + 1);
        if (attacker == type && (defender == wBattleMon.types[0] || defender == wBattleMon.types[1]))
            return far_byte(TYPE_EFFECTS_BANK, at + 2);
    }
    return NORMAL_DAMAGE;
}

static bool is_better_than(uint8_t type, const Move *move)
{
    uint8_t effect = move->effect;

    return effect == EFFECT_HALF || effect == EFFECT_FIXED || effect == EFFECT_FLY || (move->power && move->type != type);
}

static bool has_better_than(uint8_t type)
{
    uint8_t i;

    for (i = 0; i != MOVES; i++)
        if (wEnemyMon.moves[i] && is_better_than(type, &moves[i]))
            return true;
    return false;
}

/* Whatever the power. */
static void compare_types(void)
{
    uint8_t i, tenths;

    for (i = 0; i != MOVES; i++) {
        tenths = effectiveness(moves[i].type);
        if (tenths > NORMAL_DAMAGE)
            dislike[i]--;
        else if (tenths < NORMAL_DAMAGE && has_better_than(moves[i].type))
            dislike[i]++;
    }
}

/* Lists of classes follow one another, each ended by 0. */
static uint16_t list_of_class(void)
{
    uint16_t at = CHOICES;
    uint8_t left;

    for (left = wTrainerClass - 1; left; left--)
        while (far_byte(CHOICES_BANK, at++))
            ;
    return at;
}

static void consider(void)
{
    uint16_t at = list_of_class();
    uint8_t choice;

    while ((choice = far_byte(CHOICES_BANK, at++)) != NO_CHOICE)
        switch (choice) {
        case SPARES_THE_AILING:
            spare_the_ailing();
            break;
        case PREPARES:
            prepare();
            break;
        case KNOWS_TYPES:
            compare_types();
        }
}

/* Of the slots in `bits`, those that are disliked least. */
static uint8_t preferred(uint8_t bits)
{
    uint8_t i, least = NEVER, best = 0;

    for (i = 0; i != MOVES; i++) {
        load_move(&moves[i], wEnemyMon.moves[i]);
        dislike[i] = INDIFFERENT;
    }
    consider();
    for (i = 0; i != MOVES; i++) {
        if (!(bits & 1 << i) || dislike[i] > least)
            continue;
        if (dislike[i] < least)
            best = 0;
        least = dislike[i];
        best |= 1 << i;
    }
    return best;
}

/* One of the slots in `bits`, each as likely. */
static uint8_t any_of(uint8_t bits)
{
    uint8_t i, count = 0, wanted;

    for (i = 0; i != MOVES; i++)
        count += bits >> i & 1;
    wanted = (uint16_t)random() * count >> 8;
    for (i = 0; !(bits & 1 << i) || wanted--; i++)
        ;
    return i;
}

static bool is_settled(void)
{
    return is_committed(enemy) || wEnemyMon.status & (STATUS_SLEEP | STATUS_FREEZE) ||
           wEnemyBattleStatus[0] & (BIDING | TRAPPING);
}

/* Its PP are not counted. */
void choose_enemy_move(void)
{
    uint8_t bits;

    if (is_settled())
        return;
    if (wPlayerBattleStatus[0] & TRAPPING) {
        wEnemySelectedMove = CANNOT_MOVE;
        return;
    }
    bits = usable_moves(enemy);
    if (!bits) {
        wEnemySelectedMove = LAST_RESORT;
        return;
    }
    if (wIsInBattle == IN_TRAINER_BATTLE)
        bits = preferred(bits);
    wEnemyMoveListIndex = any_of(bits);
    wEnemySelectedMove = wEnemyMon.moves[wEnemyMoveListIndex];
}
