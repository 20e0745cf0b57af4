/* Registers of the console that the cartridge touches. */
#ifndef HARDWARE_H
#define HARDWARE_H

#include <stdint.h>

/* Not __sfr: sdcc 4.2 tests such a variable at its low byte alone, which is an address in ROM. */
#define HIGH_BYTE(address) (*(volatile uint8_t *)(address))

#define rIF HIGH_BYTE(0xFF0F)
#define rLCDC HIGH_BYTE(0xFF40)
#define rBGP HIGH_BYTE(0xFF47)
#define rOBP0 HIGH_BYTE(0xFF48)
#define rOBP1 HIGH_BYTE(0xFF49)
#define rWX HIGH_BYTE(0xFF4B)
#define rIE HIGH_BYTE(0xFFFF)

#define LCDC_ON 0x80
/* Window map 0x9C00, window on, signed tile ids, map 0x9800, 8x8 objects on, background on. */
#define LCDC_GAME 0xE3

#define VRAM_SPRITES 0x8000
#define VRAM_FONT 0x8800
#define VRAM_TILESET 0x9000
#define VRAM_BOX_TILES 0x9600
#define VRAM_MAP 0x9800
#define VRAM_WINDOW 0x9C00

#define PAD_A 0x01
#define PAD_B 0x02
#define PAD_SELECT 0x04
#define PAD_START 0x08
#define PAD_RIGHT 0x10
#define PAD_LEFT 0x20
#define PAD_UP 0x40
#define PAD_DOWN 0x80
#define PAD_DIRECTIONS 0xF0

#endif
