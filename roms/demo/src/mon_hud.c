/* HP bars, levels and states: the tiles that replace the box's ornaments while they are shown. */
#pragma bank 58
#include "mon.h"
#include "world.h"

#define GRAPHICS_BANK 4
#define HUD_GRAPHICS 0x5EA0
#define HUD_TILES 30
#define BOX_GRAPHICS 0x6288
#define HUD_OFFSET 0x20

#define HP_MARK 0x71
#define BAR_START 0x62
#define BAR_EMPTY 0x63
#define LEVEL_MARK 0x6E
#define SLASH 0xF3
#define SEGMENTS 6
#define SEGMENT 8
#define BAR_PIXELS (SEGMENTS * SEGMENT)

static const uint8_t asleep[] = {STR_ASLEEP};
static const uint8_t poisoned[] = {STR_POISONED};
static const uint8_t burned[] = {STR_BURNED};
static const uint8_t frozen[] = {STR_FROZEN};
static const uint8_t paralyzed[] = {STR_PARALYZED};

void load_hud_tiles(void) BANKED
{
    copy_tiles(VRAM_BOX_TILES + HUD_OFFSET, GRAPHICS_BANK, HUD_GRAPHICS, HUD_TILES);
}

void load_box_tiles(void) BANKED
{
    copy_tiles(VRAM_BOX_TILES + HUD_OFFSET, GRAPHICS_BANK, BOX_GRAPHICS + HUD_OFFSET, HUD_TILES);
}

/* Somebody alive shows at least one. */
uint8_t hp_pixels(uint16_t hp, uint16_t max_hp) BANKED
{
    uint8_t pixels;

    if (!hp || !max_hp)
        return 0;
    pixels = hp * BAR_PIXELS / max_hp;
    return pixels ? pixels : 1;
}

/* The six segments alone. */
void place_hp_pixels(uint8_t *at, uint8_t pixels) BANKED
{
    uint8_t i, part;

    for (i = 0; i != SEGMENTS; i++) {
        part = pixels < SEGMENT ? pixels : SEGMENT;
        at[i] = BAR_EMPTY + part;
        pixels -= part;
    }
}

void place_hp_bar(uint8_t *at, uint16_t hp, uint16_t max_hp, uint8_t end) BANKED
{
    *at++ = HP_MARK;
    *at++ = BAR_START;
    place_hp_pixels(at, hp_pixels(hp, max_hp));
    at[SEGMENTS] = end;
}

void place_hp_numbers(uint8_t *at, uint16_t hp, uint16_t max_hp) BANKED
{
    at = place_number(at, hp, 3, SPACE);
    *at++ = SLASH;
    place_number(at, max_hp, 3, SPACE);
}

/* The mark gives way to the third digit. */
void place_level(uint8_t *at, uint8_t level) BANKED
{
    if (level < 100)
        *at++ = LEVEL_MARK;
    place_decimal(at, level, level < 10 ? 1 : level < 100 ? 2 : 3, SPACE);
}

/* False, and nothing drawn, without a status. */
bool place_status(uint8_t *at, uint8_t status) BANKED
{
    if (!status)
        return false;
    place_string(at, status & STATUS_POISON     ? poisoned
                     : status & STATUS_BURN     ? burned
                     : status & STATUS_FREEZE   ? frozen
                     : status & STATUS_PARALYSIS ? paralyzed
                                                 : asleep);
    return true;
}
