/* Poison on the way: every fourth step takes one HP of each who suffers from it. */
#pragma bank 61
#include "mon.h"
#include "overworld.h"
#include "services.h"
#include "things.h"
#include "ui.h"
#include "world.h"

#define EVERY_FOURTH 3
#define FLASH_FRAMES 4
#define FLASH_PALETTE 0x1B
#define NOT_THE_MAP 0xFF

static void faint(uint8_t place)
{
    wPartyMons[place].status = 0;
    copy_string(wStringBuffer, wPartyMonNicks + NAME_SIZE * place);
    display_system_text(TEXT_FAINTED_ON_THE_WAY);
}

/* Whether this one is poisoned, and alive so far. */
static bool suffer(uint8_t place)
{
    PartyMon *mon = &wPartyMons[place];

    if (is_fainted(mon->hp) || !(mon->status & STATUS_POISON))
        return false;
    set_big(mon->hp, big(mon->hp) - 1);
    if (is_fainted(mon->hp))
        faint(place);
    return true;
}

static void flash(void)
{
    rBGP = FLASH_PALETTE;
    delay_frames(FLASH_FRAMES);
    show_map_palettes();
}

static bool is_anybody_up(void)
{
    uint8_t place;

    for (place = 0; place != wPartyCount; place++)
        if (!is_fainted(wPartyMons[place].hp))
            return true;
    return false;
}

static void lose_the_way(void)
{
    fade_out();
    wUpdateSpritesEnabled = NOT_THE_MAP;
    clear_sprites();
    black_out();
}

bool suffer_poison(void) BANKED
{
    bool anybody = false;
    uint8_t place;

    if (wStepCounter & EVERY_FOURTH)
        return false;
    for (place = 0; place != wPartyCount; place++)
        anybody |= suffer(place);
    if (!anybody)
        return false;
    flash();
    if (is_anybody_up())
        return false;
    lose_the_way();
    return true;
}
