/* Moves used on the map: what hinders one, and what comes of them. */
#pragma bank 58
#include "field_moves.h"
#include "overworld.h"
#include "services.h"
#include "things.h"
#include "ui.h"
#include "world.h"

static bool refuse(uint8_t text)
{
    print_system_text(text);
    return false;
}

static bool is_possible(uint8_t field_move)
{
    switch (field_move) {
    case FIELD_CUT:
        return is_anything_to_cut() || refuse(TEXT_CUT_NOTHING);
    case FIELD_FLY:
        return is_outside() ? choose_town() : refuse(TEXT_FIELD_NOT_HERE);
    case FIELD_SURF:
        return may_surf() || refuse(TEXT_SURF_NOT_HERE);
    case FIELD_STRENGTH:
    case FIELD_FLASH:
        return true;
    }
    return refuse(TEXT_FIELD_NOT_HERE);
}

bool can_use_field_move(uint8_t field_move)
{
    wActionResultOrTookBattleTurn = 0;
    if (!has_badge_for(field_move))
        return refuse(TEXT_FIELD_NO_BADGE);
    return is_possible(field_move);
}

static void light_up(void)
{
    wMapPalOffset = 0;
    show_map_palettes();
    display_system_text(TEXT_FLASH_LIGHTS);
}

/* The name of who uses it is in wStringBuffer. */
void use_field_move(uint8_t field_move) BANKED
{
    wActionResultOrTookBattleTurn = 1;
    switch (field_move) {
    case FIELD_CUT:
        display_system_text(TEXT_CUT_DOWN);
        cut_down();
        break;
    case FIELD_FLY:
        land_in(wDestinationMap);
        break;
    case FIELD_SURF:
        display_system_text(TEXT_SURF_BEGINS);
        begin_surf();
        break;
    case FIELD_STRENGTH:
        wStatusFlags1 |= STATUS1_STRENGTH;
        display_system_text(TEXT_STRENGTH_USED);
        break;
    case FIELD_FLASH:
        light_up();
        break;
    }
}
