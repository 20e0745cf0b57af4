/* The town map for FLY: the visited towns, and the choice of one. */
#pragma bank 58
#include "field_moves.h"
#include "home.h"
#include "ui.h"
#include "world.h"

#define ENTRIES_BANK 28
#define ENTRIES 0x5313
#define LONGEST_NAME 16
#define TOWNS 11
#define NOT_VISITED 0xFE
#define LIST_END 0xFF
#define FIRST_ROW 4
#define LOOK 15

static const uint8_t to_word[] = {STR_FLY_TO};

/* An end before the first town and one behind the last. */
static void list_towns(void)
{
    uint8_t town;

    wFlyLocationsList[0] = wFlyLocationsList[TOWNS + 1] = LIST_END;
    for (town = 0; town != TOWNS; town++)
        wFlyLocationsList[town + 1] = wTownVisitedFlag[town >> 3] >> (town & 7) & 1 ? town : NOT_VISITED;
}

static void place_name(uint8_t *at, uint8_t town)
{
    uint16_t name = far_word(ENTRIES_BANK, ENTRIES + 3 * town + 1);

    far_copy(wNameBuffer, ENTRIES_BANK, name, LONGEST_NAME);
    wNameBuffer[LONGEST_NAME] = END_OF_STRING;
    place_string(at, wNameBuffer);
}

static void draw(void)
{
    uint8_t town, y = FIRST_ROW;

    clear_screen();
    place_string(TILE_AT(0, 0), to_word);
    for (town = 0; town != TOWNS; town++)
        if (wFlyLocationsList[town + 1] != NOT_VISITED) {
            place_name(TILE_AT(3, y), town);
            y++;
        }
}

static void show(uint8_t place)
{
    fill(TILE_AT(3, 0), SPACE, LONGEST_NAME);
    place_name(TILE_AT(3, 0), wFlyLocationsList[place]);
}

/* Round at either end. */
static uint8_t next(uint8_t place, int8_t by)
{
    do {
        place += by;
        if (place == 0)
            place = TOWNS;
        else if (place > TOWNS)
            place = 1;
    } while (wFlyLocationsList[place] == NOT_VISITED);
    return place;
}

static uint8_t watch_keys(void)
{
    do {
        delay_frame();
        joypad_low_sensitivity();
    } while (!(hJoy5 & (PAD_A | PAD_B | PAD_UP | PAD_DOWN)));
    return hJoy5;
}

/* Whoever flies stands outdoors, so there is a town that was visited. */
bool choose_town(void)
{
    uint8_t place, keys;

    list_towns();
    place = next(0, 1);
    draw();
    do {
        show(place);
        delay_frames(LOOK);
        keys = watch_keys();
        if (keys & (PAD_UP | PAD_DOWN))
            place = next(place, keys & PAD_UP ? 1 : -1);
    } while (!(keys & (PAD_A | PAD_B)));
    wDestinationMap = wFlyLocationsList[place];
    return keys & PAD_A;
}
