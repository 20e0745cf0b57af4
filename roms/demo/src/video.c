/* The picture as a whole: on, off, fades, and tiles brought in without disturbing it. */
#include "hardware.h"
#include "home.h"
#include "ram.h"
#include "world.h"

#define FRAMES_PER_SHADE 6
#define FRAMES_TO_BLACK 8
#define CHUNK 8
#define DARK_PALETTE 0xFE

void show_palettes(void)
{
    rBGP = SCREEN_PALETTE;
    rOBP0 = rOBP1 = SPRITE_PALETTE;
}

/* Of the map, where it may be dark. */
void show_map_palettes(void)
{
    if (wMapPalOffset)
        rBGP = rOBP0 = rOBP1 = DARK_PALETTE;
    else
        show_palettes();
}

static void show_shades(uint8_t screen, uint8_t sprites)
{
    rBGP = screen;
    rOBP0 = sprites;
    delay_frames(FRAMES_PER_SHADE);
}

/* Of a door: the first shade is the screen's own. */
void fade_to_black(void)
{
    static const uint8_t shades[] = {SCREEN_PALETTE, 0xF9, 0xFE, 0xFF};
    uint8_t i;

    for (i = 0; i != sizeof shades; i++) {
        rBGP = rOBP0 = shades[i];
        delay_frames(FRAMES_TO_BLACK);
    }
}

void fade_out(void)
{
    show_shades(0x90, 0x80);
    show_shades(0x40, 0x40);
    show_shades(0x00, 0x00);
}

void fade_in(void)
{
    show_shades(0x40, 0x40);
    show_shades(0x90, 0x80);
    show_palettes();
}

/* Nothing brightens on the way into the dark. */
void fade_in_map(void)
{
    if (wMapPalOffset)
        show_map_palettes();
    else
        fade_in();
}

void lcd_off(void)
{
    hAutoBGTransferEnabled = 0;
    /* The interrupt has little to do now, so we come back inside V-blank, where switching off is allowed. */
    delay_frame();
    rLCDC = LCDC_GAME & ~LCDC_ON;
}

void lcd_on(void)
{
    rLCDC = LCDC_GAME;
}

void copy_tiles(uint16_t to, uint8_t bank, uint16_t from, uint8_t tiles)
{
    uint8_t count;

    if (!(rLCDC & LCDC_ON)) {
        far_copy((void *)to, bank, from, (uint16_t)tiles << 4);
        return;
    }
    while (tiles) {
        count = tiles < CHUNK ? tiles : CHUNK;
        far_copy(chunk_buffer, bank, from, (uint16_t)count << 4);
        chunk_dest = to;
        chunk_tiles = count;
        delay_frame();
        tiles -= count;
        to += (uint16_t)count << 4;
        from += (uint16_t)count << 4;
    }
}

void clear_sprites(void)
{
    fill(wShadowOAM, 0, 160);
}
