/* Things: what is in the bag, what it does, and what it costs (code banks 46, 47, 60, 61). */
#ifndef THINGS_H
#define THINGS_H

#include "home.h"

/* item_store.c: lists of pairs of item and quantity, as the bag is */
bool add_items(uint8_t *list, uint8_t capacity, uint8_t item, uint8_t quantity) BANKED;
void remove_items(uint8_t *list, uint8_t index, uint8_t quantity) BANKED;

/* things.c */
#define BAG_CAPACITY 20
bool give_item(uint8_t item, uint8_t quantity) BANKED;
bool has_item(uint8_t item) BANKED;
bool take_item(uint8_t item) BANKED;
void take_from_stack(uint8_t index, uint8_t quantity) BANKED;
bool is_key_item(uint8_t item) BANKED;
void list_bag(void) BANKED;

/* quantity.c */
bool choose_quantity(uint8_t most) BANKED;

/* money.c: three bytes of two decimal digits each, the highest first */
uint8_t *place_money(uint8_t *at, const uint8_t *money);
void load_price(uint8_t *to, uint8_t item);
void add_money(uint8_t *to, const uint8_t *amount);
void multiply_money(uint8_t *to, const uint8_t *unit, uint8_t times);
void halve_money(uint8_t *money);
bool pay(const uint8_t *amount);

/* item_use.c: the entry of the bag's list that was chosen; what has served or was played is kept, but did something. What
   leads out or was played closes the menus. */
enum { ITEM_KEPT, ITEM_USED, ITEM_LEADS_OUT, ITEM_SERVED, ITEM_PLAYED };
uint8_t use_item(void) BANKED;

/* reed_pipe.c: how it was used */
uint8_t play_pipe(void);

/* medicine.c: on one of the team who is asked for; whether it helped */
bool is_medicine(uint8_t item);
bool use_medicine(uint8_t item);

/* machine.c: hidden machines first, then those that are used up */
#define FIRST_HIDDEN_MACHINE 196
#define FIRST_MACHINE 201
#define is_machine(item) ((item) >= FIRST_HIDDEN_MACHINE)
uint8_t use_machine(uint8_t item);

/* mon_menu.c: the team's list stays until it is put away; the place in it, or NO_MON */
uint8_t choose_patient(void) BANKED;
uint8_t choose_pupil(uint8_t machine) BANKED;
void put_patients_away(void) BANKED;

/* battle_items.c */
enum { BAG_CLOSED, TURN_SPENT, BATTLE_ENDED };
uint8_t battle_bag(void) BANKED;

/* battle_boost.c (57) */
void boost(uint8_t stat) BANKED;

/* poison_steps.c: whether all fell, and the way back was gone */
bool suffer_poison(void) BANKED;

/* shop.c; the box only inside its bank */
void shop(uint8_t bank, uint16_t script) BANKED;
void place_money_box(void);

/* hidden.c: whether something lay there */
bool find_hidden(uint8_t y, uint8_t x) BANKED;

/* talk.c, and what lies on the ground: pick_up.c */
void display_system_text(uint8_t id) BANKED;
void pick_up(uint8_t slot);

#endif
