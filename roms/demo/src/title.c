/* The title screen: waits for A or START for as long as it takes. */
#pragma bank 46
#include "hardware.h"
#include "ram.h"
#include "screens.h"
#include "ui.h"
#include "world.h"

static void draw_title(void)
{
    lcd_off();
    clear_sprites();
    copy_tiles(VRAM_TILESET, TITLE_TILES_BANK, TITLE_TILES_ADDR, TITLE_TILES_COUNT);
    far_copy(wTileMap, TITLE_MAP_BANK, TITLE_MAP_ADDR, TILE_MAP_SIZE);
    show_plain_screen();
    lcd_on();
    wait_transfer();
    fade_in();
}

void title_screen(void) BANKED
{
    draw_title();
    do {
        delay_frame();
        joypad();
    } while (!(hJoyPressed & (PAD_A | PAD_START)));
    fade_out();
    clear_screen();
    wait_transfer();
    show_palettes();
}
