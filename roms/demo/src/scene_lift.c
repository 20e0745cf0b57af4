/* The lift of the works: its panel lists the floors, and the mats of the car lead where one was chosen. */
#pragma bank 59
#include "scenes.h"
#include "things.h"
#include "ui.h"
#include "world.h"

#define FLOORS 3
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
static const Floor floors[FLOORS] = {
    {ITEM_GROUND_FLOOR, 4, MAP_WORKS_HALL},
    {ITEM_LOFT, 0, MAP_WORKS_LOFT},
    {ITEM_ATTIC, 0, MAP_WORKS_ATTIC},
};

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

static void list_floors(void)
{
    uint8_t i;

    wItemList[0] = FLOORS;
    for (i = 0; i != FLOORS; i++) {
        wItemList[1 + i] = floors[i].item;
        wElevatorWarpMaps[2 * i] = floors[i].warp;
        wElevatorWarpMaps[2 * i + 1] = floors[i].map;
    }
    wItemList[1 + FLOORS] = LIST_END;
    wListPointer = (uint16_t)wItemList;
    wListMenuID = LIST_SPECIAL;
    wPrintItemPrices = 0;
    wCurrentMenuItem = 0;
    wListScrollOffset = 0;
}

static bool choose_floor(void)
{
    uint8_t offset_of_bag = wListScrollOffset;
    bool chosen;

    list_floors();
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

/* Whether the panel had something else to say than its text. */
bool lift_speaks(void) BANKED
{
    bool chosen, refused;

    open_box();
    say(MAP_TEXT_WORKS_LIFT_PANEL);
    chosen = choose_floor();
    refused = chosen && wCurItem == ITEM_ATTIC && !has_item(ITEM_LIFT_CRANK);
    close_box();
    if (refused)
        tell(MAP_TEXT_WORKS_LIFT_NO_CRANK);
    else if (chosen)
        ride(wWhichPokemon);
    return true;
}
