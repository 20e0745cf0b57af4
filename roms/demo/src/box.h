/* The boxes, and the PCs that open them (code bank 62). */
#ifndef BOX_H
#define BOX_H

#include "home.h"
#include "mon.h"
#include "ram.h"

/* A list of creatures: the team, or the current box. */
typedef struct {
    uint8_t *count, *species, *mons, *trainers, *nicks;
    uint8_t mon_size, capacity;
} Group;
extern const Group team, box;
#define is_full(group) (*(group)->count == (group)->capacity)
#define mon_of(group, index) ((group)->mons + (uint16_t)(group)->mon_size * (index))
#define nick_of(group, index) ((group)->nicks + NAME_SIZE * (index))

/* box.c */
void append_mon(const Group *to, const uint8_t *mon, const uint8_t *trainer, const uint8_t *nick);
void prepend_mon(const Group *to, const uint8_t *mon, const uint8_t *trainer, const uint8_t *nick);
void remove_mon(const Group *from, uint8_t index);
void deposit(uint8_t index);
void withdraw(uint8_t index);
void load_boxed_mon(uint8_t index);

/* mon_entry.c: one entry of a list menu of creatures, into two rows */
void place_mon_entry(uint8_t index, uint8_t *at) BANKED;

/* box_slots.c */
void change_box_to(uint8_t number);
uint8_t mons_in_box(uint8_t number);

/* box_change.c */
void change_box(void);

/* bills_pc.c, item_pc.c */
void bills_pc(void);
void item_pc(void);

/* pc_menu.c */
typedef const uint8_t *Word;
uint8_t ask_words(const Word *words, uint8_t count, uint8_t width, uint8_t row);
uint8_t choose_word(const Word *words, uint8_t count, uint8_t width, uint8_t row);

#endif
