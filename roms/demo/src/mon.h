/* Creatures and their numbers: shared by battles and the team (code bank 58, what reads numbers is home code). */
#ifndef MON_H
#define MON_H

#include "hardware.h"
#include "home.h"
#include "ram.h"

#define MOVES 4

/* mon_bytes.c */
uint16_t big(const uint8_t *at);
void set_big(uint8_t *at, uint16_t value);
bool is_fainted(const uint8_t *hp);
uint8_t *place_number(uint8_t *at, uint16_t value, uint8_t digits, uint8_t pad);

/* mon_data.c */
uint8_t dex_index(uint8_t species);
void load_mon_header(uint8_t species) BANKED;
void load_mon_name(uint8_t *to, uint8_t species) BANKED;
void load_move(Move *to, uint8_t id) BANKED;
void load_move_name(uint8_t id) BANKED;
void load_type_name(uint8_t *to, uint8_t type) BANKED;
uint16_t learnset(uint8_t species) BANKED;
uint16_t first_learned(uint8_t species) BANKED;
#define LEARNSETS_BANK 14

/* mon_stats.c: of the species in wMonHeader */
void calculate_stats(PartyMon *mon) BANKED;
uint32_t experience_at(uint8_t level) BANKED;

/* mon_create.c */
void create_mon(PartyMon *to, uint8_t species, uint8_t level) BANKED;
void mark_seen(uint8_t species) BANKED;
bool is_owned(uint8_t species) BANKED;
void mark_owned(uint8_t species) BANKED;
uint8_t full_pp(uint8_t move, uint8_t pp) BANKED;

/* mon_machines.c: by item */
uint8_t move_of_machine(uint8_t machine) BANKED;
bool can_learn(uint8_t species, uint8_t machine) BANKED;

/* Moves of hidden machines, which are used on the map as well. */
enum { CUT = 15, FLY = 19, SURF = 57, STRENGTH = 70, FLASH = 148 };

/* learn.c: whether it was learnt */
bool learn_move(uint8_t position, uint8_t move) BANKED;
void learn_moves_of_level(uint8_t position) BANKED;

/* evolution.c */
void evolve_after_battle(void) BANKED;

/* mon_hud.c */
void load_hud_tiles(void) BANKED;
void load_box_tiles(void) BANKED;
void place_hp_bar(uint8_t *at, uint16_t hp, uint16_t max_hp, uint8_t end) BANKED;
uint8_t hp_pixels(uint16_t hp, uint16_t max_hp) BANKED;
void place_hp_pixels(uint8_t *at, uint8_t pixels) BANKED;
void place_hp_numbers(uint8_t *at, uint16_t hp, uint16_t max_hp) BANKED;
void place_level(uint8_t *at, uint8_t level) BANKED;
bool place_status(uint8_t *at, uint8_t status) BANKED;
#define BAR_END 0x6C
#define BAR_END_PLAIN 0x6D

/* mon_page.c */
void mon_page(const PartyMon *mon, const uint8_t *nick) BANKED;
void place_stats(uint8_t x, uint8_t y, const uint8_t *stats) BANKED;

/* mon_menu.c: both return the place in the team, or NO_MON */
uint8_t choose_mon(bool forced) BANKED;
uint8_t choose_switch(void) BANKED;

#endif
