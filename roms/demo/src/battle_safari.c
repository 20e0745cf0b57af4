/* Safari encounters: nets, rocks and bait instead of a fight, until one side leaves. */
#pragma bank 62
#include "ball.h"
#include "battle_parts.h"

#define SAFARI_MENU_BOX 0x1B
#define LEFT_X 1
#define RIGHT_X 13
#define TOP_Y 14
#define NUMBER_CELL TILE_AT(8, 14)
#define MOST 0xFF
#define TURNS 5

enum { NET, STONE, CRUMB, RUN };

static const uint8_t net_word[] = {STR_NET};
static const uint8_t stone_word[] = {STR_STONE};
static const uint8_t crumb_word[] = {STR_CRUMB};
static const uint8_t run_word[] = {STR_RUN};

static void draw(void)
{
    uint8_t *at;

    wTextBoxID = SAFARI_MENU_BOX;
    place_box(0, 12, 18, 4);
    at = place_string(TILE_AT(LEFT_X + 1, TOP_Y), net_word);
    *at++ = TIMES;
    place_decimal(at, wNumSafariBalls, 2, SPACE);
    place_string(TILE_AT(LEFT_X + 1, TOP_Y + 2), stone_word);
    place_string(TILE_AT(RIGHT_X + 1, TOP_Y), crumb_word);
    place_string(TILE_AT(RIGHT_X + 1, TOP_Y + 2), run_word);
}

/* One to five turns more, as far as a byte goes. */
static void lengthen(uint8_t *factor)
{
    uint8_t turns = 1 + random() % TURNS;

    *factor = *factor > MOST - turns ? MOST : *factor + turns;
}

static void throw_stone(void)
{
    uint8_t rate = wEnemyMonActualCatchRate;

    print_system_text(TEXT_RESERVE_STONE);
    wSafariBaitFactor = 0;
    wEnemyMonActualCatchRate = rate > MOST / 2 ? MOST : rate << 1;
    lengthen(&wSafariEscapeFactor);
}

static void throw_crumb(void)
{
    print_system_text(TEXT_RESERVE_CRUMB);
    wSafariEscapeFactor = 0;
    wEnemyMonActualCatchRate >>= 1;
    lengthen(&wSafariBaitFactor);
}

static void run(void)
{
    wBattleResult = BATTLE_LEFT;
    print_system_text(TEXT_BATTLE_GOT_AWAY);
}

/* Whether the player's part ends it; a net that cannot be thrown costs nothing. */
static bool act(void)
{
    for (;;) {
        draw();
        switch (choose_in_columns(LEFT_X, RIGHT_X, TOP_Y)) {
        case NET:
            if (!can_throw_ball())
                continue;
            wNumSafariBalls--;
            return throw_ball(ITEM_WICKER_NET);
        case STONE:
            throw_stone();
            return false;
        case CRUMB:
            throw_crumb();
            return false;
        case RUN:
            run();
            return true;
        }
    }
}

/* One turn less of eating, or of anger: when that is over the catch rate is what it was. */
static void calm_down(void)
{
    if (wSafariBaitFactor) {
        wSafariBaitFactor--;
        print_system_text(TEXT_RESERVE_EATS);
    } else if (wSafariEscapeFactor) {
        if (!--wSafariEscapeFactor)
            wEnemyMonActualCatchRate = wMonHeader.catch_rate;
        print_system_text(TEXT_RESERVE_ANGRY);
    }
}

/* Fast creatures flee sooner; eating ones stay longer, angry ones do not. */
static bool is_restless(void)
{
    uint8_t bound = wEnemyMon.stats[2 * SPEED + 1];

    if (bound > MOST / 2)
        return true;
    bound <<= 1;
    if (wSafariBaitFactor)
        bound >>= 2;
    else if (wSafariEscapeFactor)
        bound = bound > MOST / 2 ? MOST : bound << 1;
    return random() < bound;
}

static bool flees(void)
{
    calm_down();
    if (!is_restless())
        return false;
    print_system_text(TEXT_RESERVE_FLEES);
    return true;
}

static bool is_out_of_nets(void)
{
    if (wNumSafariBalls)
        return false;
    wBattleResult = BATTLE_LEFT;
    return true;
}

bool safari_turn(void) BANKED
{
    draw_battle();
    return !(act() || is_out_of_nets() || flees());
}
