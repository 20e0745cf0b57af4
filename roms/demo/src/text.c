/* The text engine: prints a script letter by letter into the message box and waits where it says so. */
#pragma bank 47
#include "hardware.h"
#include "ram.h"
#include "ui.h"
#include "world.h"

enum { COMMAND_STRING = 0x00, COMMAND_FAR = 0x17 };
enum {
    CODE_CONT_QUIET = 0x4B,
    CODE_SCROLL = 0x4C,
    CODE_NEXT = 0x4E,
    CODE_LINE = 0x4F,
    CODE_END = 0x50,
    CODE_PARA = 0x51,
    CODE_PLAYER = 0x52,
    CODE_RIVAL = 0x53,
    CODE_CONT = 0x55,
    CODE_DONE = 0x57,
    CODE_PROMPT = 0x58
};

#define SPACE 0x7F
#define ARROW 0xEE
#define ARROW_BLINK 16
#define OPTION_DELAY 0x0F
#define TURN_PAGE_DELAY 20
#define SCROLL_DELAY 5

#define FIRST_LINE TILE_AT(1, 14)
#define SECOND_LINE TILE_AT(1, 16)
#define ARROW_CELL TILE_AT(18, 16)

static uint8_t script_bank;
static uint16_t script;
static uint8_t *line;

static uint8_t next_byte(void)
{
    return far_byte(script_bank, script++);
}

/* One letter's pause; A or B held cuts it to a frame. */
static void letter_delay(void)
{
    uint8_t frames = wOptions & OPTION_DELAY;

    if (wStatusFlags5 & STATUS5_NO_TEXT_DELAY)
        return;
    if (!(wLetterPrintingDelayFlags & LETTER_DELAY_BY_OPTION))
        frames = 1;
    do {
        delay_frame();
        joypad();
    } while (--frames && !(hJoyHeld & (PAD_A | PAD_B)));
}

static void put_letter(uint8_t letter)
{
    *(uint8_t *)wTextDest = letter;
    wTextDest++;
    letter_delay();
}

static void put_name(const uint8_t *name)
{
    while (*name != END_OF_STRING)
        put_letter(*name++);
}

static void go_to_line(uint8_t *start)
{
    line = start;
    wTextDest = (uint16_t)start;
}

static void wait_with_arrow(void)
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
static void scroll_box(void)
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

static void clear_box(void)
{
    clear_row(13);
    clear_row(14);
    clear_row(15);
    clear_row(16);
}

static void turn_page(void)
{
    wait_with_arrow();
    clear_box();
    delay_frames(TURN_PAGE_DELAY);
    go_to_line(FIRST_LINE);
}

static void control_code(uint8_t code)
{
    switch (code) {
    case CODE_NEXT:
        go_to_line(line + 40);
        break;
    case CODE_LINE:
        go_to_line(SECOND_LINE);
        break;
    case CODE_PARA:
        turn_page();
        break;
    case CODE_CONT:
    case CODE_CONT_QUIET:
        wait_with_arrow();
        scroll_box();
        break;
    case CODE_SCROLL:
        scroll_box();
        break;
    case CODE_PLAYER:
        put_name(wPlayerName);
        break;
    case CODE_RIVAL:
        put_name(wRivalName);
        break;
    }
}

/* Whether the string ended the whole text, and not only itself. */
static bool print_string(void)
{
    uint8_t code;

    for (;;) {
        code = next_byte();
        if (code == CODE_END)
            return false;
        if (code == CODE_DONE)
            return true;
        if (code == CODE_PROMPT) {
            wait_with_arrow();
            return true;
        }
        if (code < 0x60)
            control_code(code);
        else
            put_letter(code);
    }
}

static void run_script(void)
{
    uint8_t command;
    uint16_t address;

    for (;;) {
        command = next_byte();
        if (command == COMMAND_STRING) {
            if (print_string())
                return;
        } else if (command == COMMAND_FAR) {
            /* Nothing follows a far text but its end, so there is nothing to come back to. */
            address = far_word(script_bank, script);
            script_bank = far_byte(script_bank, script + 2);
            script = address;
        } else {
            return;
        }
    }
}

void place_message_box(void) BANKED
{
    wTextBoxID = 1;
    place_box(0, 12, 18, 4);
}

void print_text(uint8_t bank, uint16_t address) BANKED
{
    script_bank = bank;
    script = address;
    clear_box();
    go_to_line(FIRST_LINE);
    wLetterPrintingDelayFlags |= LETTER_DELAY_ON;
    run_script();
    wLetterPrintingDelayFlags &= (uint8_t)~LETTER_DELAY_ON;
}

void print_system_text(uint8_t id) BANKED
{
    place_message_box();
    print_text(SYSTEM_TEXTS_BANK, far_word(SYSTEM_TEXTS_BANK, SYSTEM_TEXTS_ADDR + 2 * id));
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
