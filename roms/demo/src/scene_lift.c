/* Lifts: a panel lists the floors, and the mats of the car lead where one was chosen. */
#pragma bank 59
#include "scenes.h"
#include "things.h"
#include "ui.h"
#include "world.h"

#define EVERY_FLOOR 0
#define NO_KEY 0
#define LIST_END 0xFF
#define MATS 2
#define BEFORE 12
#define TREMBLES 100
#define FRAMES_A_TREMBLE 2
#define AFTER 89

/* What the list names it, and where one steps out. */
typedef struct {
    uint8_t item, warp, map;
} Floor;
static const Floor works_floors[] = {
    {ITEM_GROUND_FLOOR, 4, MAP_WORKS_HALL},
    {ITEM_LOFT, 0, MAP_WORKS_LOFT},
    {ITEM_ATTIC, 0, MAP_WORKS_ATTIC},
};
static const Floor mill_floors[] = {
    {ITEM_GROUND_FLOOR, 2, MAP_MILL_HALL},
    {ITEM_PIT, 1, MAP_MILL_PIT},
    {ITEM_LOFT, 0, MAP_MILL_LOFT},
};
static const Floor tower_floors[] = {
    {ITEM_GROUND_FLOOR, 2, MAP_TOWER_HALL},
    {ITEM_LOFT, 2, MAP_TOWER_MIDDLE},
    {ITEM_ATTIC, 1, MAP_TOWER_TOP},
};

/* `key` is wanted for the floor that the list names `locked`, or for every one; then the panel lists none without it. */
typedef struct {
    uint8_t map, panel, refusal, key, locked, count;
    const Floor *floors;
} Car;
static const Car cars[] = {
    {MAP_WORKS_LIFT, MAP_TEXT_WORKS_LIFT_PANEL, MAP_TEXT_WORKS_LIFT_NO_CRANK, ITEM_LIFT_CRANK, ITEM_ATTIC, 3, works_floors},
    {MAP_MILL_LIFT, MAP_TEXT_MILL_LIFT_PANEL, MAP_TEXT_MILL_LIFT_NO_KEY, ITEM_MILL_KEY, EVERY_FLOOR, 3, mill_floors},
    {MAP_TOWER_LIFT, MAP_TEXT_TOWER_LIFT_PANEL, MAP_TEXT_TOWER_LIFT_PANEL, NO_KEY, EVERY_FLOOR, 3, tower_floors},
};

static const Car *this_car(void)
{
    const Car *car = cars;

    while (car->map != wCurMap)
        car++;
    return car;
}

static void lead_to(uint8_t warp, uint8_t map)
{
    uint8_t i;

    for (i = 0; i != MATS; i++) {
        wWarps[i].destination_warp = warp;
        wWarps[i].destination_map = map;
    }
}

/* Until a floor is chosen one steps out where one came in. */
void lift_waits(void) BANKED
{
    lead_to(wWarpedFromWhichWarp, wWarpedFromWhichMap);
}

static void list_floors(const Car *car)
{
    uint8_t i;

    wItemList[0] = car->count;
    for (i = 0; i != car->count; i++) {
        wItemList[1 + i] = car->floors[i].item;
        wElevatorWarpMaps[2 * i] = car->floors[i].warp;
        wElevatorWarpMaps[2 * i + 1] = car->floors[i].map;
    }
    wItemList[1 + i] = LIST_END;
    wListPointer = (uint16_t)wItemList;
    wListMenuID = LIST_SPECIAL;
    wPrintItemPrices = 0;
    wCurrentMenuItem = 0;
    wListScrollOffset = 0;
}

static bool choose_floor(const Car *car)
{
    uint8_t offset_of_bag = wListScrollOffset;
    bool chosen;

    list_floors(car);
    chosen = list_menu();
    wListScrollOffset = offset_of_bag;
    return chosen;
}

/* Nothing in RAM tells of it. */
static void tremble(void)
{
    uint8_t i;

    delay_frames(BEFORE);
    for (i = 0; i != TREMBLES; i++) {
        hSCY += i & 1 ? -1 : 1;
        delay_frames(FRAMES_A_TREMBLE);
    }
    delay_frames(AFTER);
}

static void ride(uint8_t floor)
{
    lead_to(wElevatorWarpMaps[2 * floor], wElevatorWarpMaps[2 * floor + 1]);
    wCurrentMapScriptFlags |= ELEVATOR_USED;
    tremble();
}

static bool lacks_key(const Car *car, uint8_t floor)
{
    return car->key && car->locked == floor && !has_item(car->key);
}

/* Whether the panel had something else to say than its text. */
bool lift_speaks(void) BANKED
{
    const Car *car = this_car();
    bool chosen;

    if (lacks_key(car, EVERY_FLOOR)) {
        tell(car->refusal);
        return true;
    }
    open_box();
    say(car->panel);
    chosen = choose_floor(car);
    close_box();
    if (chosen && lacks_key(car, wCurItem))
        tell(car->refusal);
    else if (chosen)
        ride(wWhichPokemon);
    return true;
}
