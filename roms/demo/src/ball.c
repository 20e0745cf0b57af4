/* Throwing a ball: whether it closes for good, and how often it shakes before it opens again. */
#pragma bank 62
#include "ball.h"
#include "battle_parts.h"
#include "box.h"

enum { MASTER_BALL = 1, ULTRA_BALL, GREAT_BALL };
enum { BALL_MISSED = 0x20, BALL_CAUGHT = 0x43, BALL_SHOOK = 0x60 }; /* of wPokeBallAnimData; the last counts the shakes */

#define MOST 0xFF
#define MOST_SHAKES 3
#define CANNOT_ACT (STATUS_SLEEP | STATUS_FREEZE)
#define FLIGHT 40
#define SHAKE 30
#define LOOK 20
#define BALL_TILE 0x8E
#define PICTURE TILE_AT(14, 2)
#define PICTURE_SIDE 4
#define BALL_CELL TILE_AT(15, 5)

/* What a kind of ball is good for: the greatest chance byte, the divisor of HP, and how it weighs the rate for shakes. */
typedef struct {
    uint8_t chance, hp, shakes;
} Ball;
static const Ball ultra_ball = {150, 12, 150};
static const Ball great_ball = {200, 8, 200};
static const Ball plain_ball = {255, 12, 255};

static const Ball *kind_of(uint8_t item)
{
    return item == ULTRA_BALL || item == ITEM_WICKER_NET ? &ultra_ball : item == GREAT_BALL ? &great_ball : &plain_ball;
}

/* The more was lost of the HP the greater; past MOST it is certain. */
static uint16_t weakness(const Ball *ball)
{
    uint8_t quarter = (uint8_t)(big(wEnemyMon.hp) >> 2);
    uint32_t share = (uint32_t)big(wEnemyMon.max_hp) * MOST / ball->hp / (quarter ? quarter : 1);

    return share > MOST ? MOST + 1 : (uint16_t)share;
}

static uint8_t roll(const Ball *ball)
{
    uint8_t byte;

    do
        byte = random();
    while (byte > ball->chance);
    return byte;
}

static uint8_t help_of_status(void)
{
    if (wEnemyMon.status & CANNOT_ACT)
        return 25;
    return wEnemyMon.status ? 12 : 0;
}

static bool is_caught(const Ball *ball, uint16_t weak)
{
    uint8_t first = roll(ball), help = help_of_status();

    if (first < help)
        return true;
    if (first - help > wEnemyMonActualCatchRate)
        return false;
    return weak > MOST || random() <= weak;
}

static uint8_t count_shakes(const Ball *ball, uint16_t weak)
{
    uint16_t wobble = (uint16_t)wEnemyMonActualCatchRate * 100 / ball->shakes;

    if (wobble > MOST)
        return MOST_SHAKES;
    wobble = wobble * (weak > MOST ? MOST : weak) / MOST;
    if (wEnemyMon.status)
        wobble += wEnemyMon.status & CANNOT_ACT ? 10 : 5;
    return wobble < 10 ? 0 : wobble < 30 ? 1 : wobble < 70 ? 2 : MOST_SHAKES;
}

/* The picture gives way to the ball, which rocks from side to side. */
static void show_throw(uint8_t shakes)
{
    uint8_t *row = PICTURE;
    uint8_t i;

    delay_frames(FLIGHT);
    for (i = 0; i != PICTURE_SIDE; i++, row += 20)
        fill(row, SPACE, PICTURE_SIDE);
    *BALL_CELL = BALL_TILE;
    delay_frames(SHAKE);
    while (shakes--) {
        BALL_CELL[0] = SPACE;
        BALL_CELL[1] = BALL_TILE;
        delay_frames(LOOK);
        BALL_CELL[0] = BALL_TILE;
        BALL_CELL[1] = SPACE;
        delay_frames(SHAKE);
    }
}

static const uint8_t words_of_shakes[] = {TEXT_BALL_MISSED, TEXT_BALL_BROKE, TEXT_BALL_NEARLY, TEXT_BALL_SO_CLOSE};

static void break_free(uint8_t shakes)
{
    wPokeBallAnimData = shakes ? BALL_SHOOK + shakes : BALL_MISSED;
    show_throw(shakes);
    draw_battle();
    print_system_text(words_of_shakes[shakes]);
}

static void catch(void)
{
    wPokeBallAnimData = BALL_CAUGHT;
    wBattleResult = BATTLE_LEFT;
    show_throw(MOST_SHAKES);
    print_system_text(TEXT_BALL_CAUGHT);
    keep_captured();
}

bool can_throw_ball(void) BANKED
{
    if (wIsInBattle != IN_WILD_BATTLE) {
        print_system_text(TEXT_BALL_NOT_YOURS);
        return false;
    }
    if (is_full(&team) && is_full(&box)) {
        print_system_text(TEXT_BALL_NO_ROOM);
        return false;
    }
    return true;
}

bool throw_ball(uint8_t item) BANKED
{
    const Ball *ball = kind_of(item);
    uint16_t weak;

    if (!can_throw_ball())
        return false;
    draw_battle();
    weak = weakness(ball);
    item_name(item);
    print_system_text(TEXT_BALL_THROWN);
    if (item == MASTER_BALL || is_caught(ball, weak)) {
        catch();
        return true;
    }
    break_free(count_shakes(ball, weak));
    return false;
}
