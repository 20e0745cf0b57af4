/* The message box, shared inside code bank 47. */
#ifndef TEXT_H
#define TEXT_H

#include "home.h"

/* text.c */
void put_letter(uint8_t letter);
void put_string(const uint8_t *string);
void first_line(void);
void second_line(void);
void next_line(void);
void clear_box(void);
void scroll_box(void);
void turn_page(void);
void wait_with_arrow(void);
void pause_text(uint8_t frames);

/* text_numbers.c */
void put_number(const uint8_t *at, uint8_t bytes, uint8_t digits);
void put_bcd(const uint8_t *at, uint8_t bytes, bool zeros, bool money);

#endif
