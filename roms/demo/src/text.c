/* The message box: letters one by one, pages, and the waits with and without an arrow. */
#pragma bank 47
#include "hardware.h"
#include "overworld.h"
#include "ram.h"
#include "text.h"
#include "ui.h"

#define ARROW 0xEE
#define ARROW_BLINK 16
#define OPTION_DELAY 0x0F
#define TURN_PAGE_DELAY 20
#define SCROLL_DELAY 5

#define FIRST_LINE TILE_AT(1, 14)
#define SECOND_LINE TILE_AT(1, 16)
#define ARROW_CELL TILE_AT(18, 16)

static uint8_t *line;

/* A or B held cuts it short. */
void pause_text(uint8_t frames)
{
    do {
        delay_frame();
        joypad();
    } while (--frames && !(hJoyHeld & (PAD_A | PAD_B)));
}

/* One letter's pause. */
static void letter_delay(void)
{
    uint8_t frames = wOptions & OPTION_DELAY;

    if (!(wLetterPrintingDelayFlags & LETTER_DELAY_BY_OPTION))
        frames = 1;
    if (frames && !(wStatusFlags5 & STATUS5_NO_TEXT_DELAY))
        pause_text(frames);
}

void put_letter(uint8_t letter)
{
    *(uint8_t *)wTextDest = letter;
    wTextDest++;
    letter_delay();
}

void put_string(const uint8_t *string)
{
    while (*string != END_OF_STRING)
        put_letter(*string++);
}

static void go_to_line(uint8_t *start)
{
    line = start;
    wTextDest = (uint16_t)start;
}

void first_line(void)
{
    go_to_line(FIRST_LINE);
}

void second_line(void)
{
    go_to_line(SECOND_LINE);
}

void next_line(void)
{
    go_to_line(line + 40);
}

void wait_with_arrow(void)
{
    uint8_t frames = 0;

    hJoy7 = 0;
    *ARROW_CELL = ARROW;
    do {
        if (++frames == ARROW_BLINK) {
            frames = 0;
            *ARROW_CELL = *ARROW_CELL == ARROW ? SPACE : ARROW;
        }
        delay_frame();
        joypad_low_sensitivity();
    } while (!(hJoy5 & (PAD_A | PAD_B)));
    *ARROW_CELL = SPACE;
}

static void clear_row(uint8_t y)
{
    fill(TILE_AT(1, y), SPACE, 18);
}

static void scroll_row(uint8_t from)
{
    copy(TILE_AT(1, from - 1), TILE_AT(1, from), 18);
}

/* Two single rows up, so that the second line becomes the first. */
void scroll_box(void)
{
    uint8_t times = 2;

    do {
        scroll_row(14);
        scroll_row(15);
        scroll_row(16);
        clear_row(16);
        delay_frames(SCROLL_DELAY);
    } while (--times);
    clear_row(13);
    go_to_line(SECOND_LINE);
}

void clear_box(void)
{
    clear_row(13);
    clear_row(14);
    clear_row(15);
    clear_row(16);
}

void turn_page(void)
{
    wait_with_arrow();
    clear_box();
    delay_frames(TURN_PAGE_DELAY);
    go_to_line(FIRST_LINE);
}

/* Whoever stands under it goes. */
void place_message_box(void) BANKED
{
    wTextBoxID = 1;
    place_box(0, 12, 18, 4);
    update_sprites();
}

/* The last wait of an overworld text: no arrow. */
void wait_for_button(void) BANKED
{
    hJoy7 = 0;
    do {
        delay_frame();
        joypad_low_sensitivity();
    } while (!(hJoy5 & (PAD_A | PAD_B)));
}

void wait_for_release(void) BANKED
{
    do {
        delay_frame();
        joypad();
    } while (hJoyHeld & PAD_A);
}
