/* Whole screens and the menus behind START (code bank 46). */
#ifndef SCREENS_H
#define SCREENS_H

#include "home.h"

void load_font(void) BANKED;
void title_screen(void) BANKED;
enum { BACK_TO_TITLE, NEW_GAME, CONTINUE_GAME };
uint8_t main_menu(void) BANKED;
void options_menu(void) BANKED;
void intro(void) BANKED;
void choose_player_name(void) BANKED;
bool type_name(uint8_t type) BANKED;
void reset_player(void) BANKED;
void start_menu(void) BANKED;
void draw_start_menu(void);
uint8_t bag_menu(void) BANKED;
void player_card(void) BANKED;

/* card.c */
void place_time(uint8_t *at);

/* summary.c */
void place_summary(uint8_t x, uint8_t y);

/* save_menu.c */
void save_menu(void);

#endif
