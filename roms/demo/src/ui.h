/* Boxes of words over whatever is on screen (code bank 47). */
#ifndef UI_H
#define UI_H

#include "home.h"

/* window.c */
void show_plain_screen(void) BANKED;
void window_open(void) BANKED;
void window_close(void) BANKED;
void wait_transfer(void) BANKED;

/* text.c */
void print_text(uint8_t bank, uint16_t script) BANKED;
void print_system_text(uint8_t id) BANKED;
void place_message_box(void) BANKED;
void wait_for_button(void) BANKED;
void wait_for_release(void) BANKED;

/* two_option.c */
enum { YES_NO = 0, HEAL_CANCEL = 6 };
uint8_t yes_no(void) BANKED;
uint8_t two_option_box(uint8_t id, uint8_t x, uint8_t y) BANKED;

/* list_menu.c */
void item_name(uint8_t item) BANKED;
bool list_menu(void) BANKED;

/* menu.c */
uint8_t handle_menu_input(void) BANKED;
enum { RIGHT_COLUMN = 2 };
uint8_t choose_in_columns(uint8_t left, uint8_t right, uint8_t y) BANKED;
void place_menu_cursor(void) BANKED;
void mark_choice(void) BANKED;
void start_menu_at(uint8_t x, uint8_t y, uint8_t last, uint8_t keys) BANKED;

#endif
