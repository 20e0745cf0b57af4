/* The letters and box edges, loaded once: tile ids 0x60 to 0xFF always show them. */
#pragma bank 46
#include "hardware.h"
#include "screens.h"

#define FONT_BANK 4
#define FONT_GRAPHICS 0x5A80
#define FONT_BYTES 1024
#define BOX_GRAPHICS 0x6288
#define BOX_TILES 32

/* One bit a pixel in the cartridge, two in video memory. The picture must be off. */
void load_font(void) BANKED
{
    uint8_t *to = (uint8_t *)VRAM_FONT;
    uint16_t from;
    uint8_t row;

    for (from = FONT_GRAPHICS; from != FONT_GRAPHICS + FONT_BYTES; from++) {
        row = far_byte(FONT_BANK, from);
        *to++ = row;
        *to++ = row;
    }
    copy_tiles(VRAM_BOX_TILES, FONT_BANK, BOX_GRAPHICS, BOX_TILES);
}
