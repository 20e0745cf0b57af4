/* What lies in bank 0 and can be called from anywhere. */
#ifndef HOME_H
#define HOME_H

#include <stdbool.h>
#include <stdint.h>

#define BANKED __banked

/* home.s, view.s, vblank.s */
void delay_frame(void);
void delay_frames(uint8_t count);
uint8_t random(void);
uint8_t far_byte(uint8_t bank, uint16_t address);
uint16_t far_word(uint8_t bank, uint16_t address);
extern uint8_t far_bank;
extern uint16_t far_length;
void far_copy_run(void *to, uint16_t from);
#define far_copy(to, bank, from, length) (far_bank = (bank), far_length = (length), far_copy_run((to), (from)))
void load_view(void);
void install_oam_transfer(void);
extern volatile uint8_t chunk_tiles;
extern uint16_t chunk_dest;
extern uint8_t chunk_buffer[128];

/* clock.c */
extern volatile uint8_t frames_shown;

/* joypad.c */
void joypad(void);
void joypad_low_sensitivity(void);

/* memory.s */
void fill(uint8_t *to, uint8_t value, uint16_t length);
void copy(uint8_t *to, const uint8_t *from, uint16_t length);

/* sram.c */
void sram_copy(uint8_t bank, uint16_t sram_address, uint8_t *ram, uint16_t size, bool to_sram);

/* bytes.c */
bool is_listed(uint8_t value, const uint8_t *list, uint8_t end);
uint8_t count_bits(uint8_t bits);
void swap_bytes(uint8_t *a, uint8_t *b, uint8_t count);

/* video.c */
void lcd_off(void);
void lcd_on(void);
void copy_tiles(uint16_t to, uint8_t bank, uint16_t from, uint8_t tiles);
void clear_sprites(void);
void fade_out(void);
void fade_to_black(void);
void fade_in(void);
void show_palettes(void);
void fade_in_map(void);
void show_map_palettes(void);

/* strings.c: these read strings of the caller's own bank */
#define END_OF_STRING 0x50
#define SPACE 0x7F
#define COLON 0x9C
#define CHOSEN_CURSOR 0xEC
#define MONEY_SIGN 0xF0
#define TIMES 0xF1
#define DIGIT_ZERO 0xF6
uint8_t *place_string(uint8_t *at, const uint8_t *string);
uint8_t *place_decimal(uint8_t *at, uint8_t value, uint8_t digits, uint8_t pad);
void place_box(uint8_t x, uint8_t y, uint8_t inner_width, uint8_t inner_height);
void clear_screen(void);
void copy_string(uint8_t *to, const uint8_t *string);

#endif
