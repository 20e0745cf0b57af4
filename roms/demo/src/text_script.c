/* Text scripts: strings with control codes, and the commands between them. */
#pragma bank 47
#include "hardware.h"
#include "ram.h"
#include "text.h"
#include "ui.h"
#include "world.h"

enum {
    COMMAND_STRING = 0x00,
    COMMAND_RAM = 0x01,
    COMMAND_BCD = 0x02,
    COMMAND_LINE = 0x05,
    COMMAND_BUTTON = 0x06,
    COMMAND_SCROLL = 0x07,
    COMMAND_NUMBER = 0x09,
    COMMAND_PAUSE = 0x0A,
    COMMAND_FIRST_SOUND = 0x0B,
    COMMAND_DOTS = 0x0C,
    COMMAND_SILENT_BUTTON = 0x0D,
    COMMAND_LAST_SOUND = 0x16,
    COMMAND_FAR = 0x17
};
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
    CODE_PROMPT = 0x58,
    CODE_TARGET = 0x59,
    CODE_USER = 0x5A
};

#define DOTS 0x75
#define PAUSE 30
#define DOTS_PAUSE 10
#define BCD_ZEROS 0x80
#define BCD_MONEY 0x20
#define BCD_BYTES 0x1F

static const uint8_t enemy[] = {STR_ENEMY};
static uint8_t script_bank;
static uint16_t script;

static uint8_t next_byte(void)
{
    return far_byte(script_bank, script++);
}

static const uint8_t *next_pointer(void)
{
    script += 2;
    return BYTES(far_word(script_bank, script - 2));
}

static void put_battler(bool is_enemy)
{
    if (is_enemy)
        put_string(enemy);
    put_string(is_enemy ? wEnemyMonNick : wBattleMonNick);
}

static void control_code(uint8_t code)
{
    switch (code) {
    case CODE_NEXT:
        next_line();
        break;
    case CODE_LINE:
        second_line();
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
        put_string(wPlayerName);
        break;
    case CODE_RIVAL:
        put_string(wRivalName);
        break;
    case CODE_TARGET:
        put_battler(!hWhoseTurn);
        break;
    case CODE_USER:
        put_battler(hWhoseTurn);
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

static void print_bcd(void)
{
    const uint8_t *at = next_pointer();
    uint8_t flags = next_byte();

    put_bcd(at, flags & BCD_BYTES, flags & BCD_ZEROS, flags & BCD_MONEY);
}

static void print_number(void)
{
    const uint8_t *at = next_pointer();
    uint8_t sizes = next_byte();

    put_number(at, sizes >> 4, sizes & 0x0F);
}

static void print_dots(void)
{
    uint8_t count = next_byte();

    while (count--) {
        put_letter(DOTS);
        pause_text(DOTS_PAUSE);
    }
}

/* Nothing follows a far text but its end, so there is nothing to come back to. */
static void go_far(void)
{
    uint16_t address = (uint16_t)next_pointer();

    script_bank = next_byte();
    script = address;
}

/* Whether the text ends here. */
static bool run_command(uint8_t command)
{
    switch (command) {
    case COMMAND_STRING:
        return print_string();
    case COMMAND_RAM:
        put_string(next_pointer());
        return false;
    case COMMAND_BCD:
        print_bcd();
        return false;
    case COMMAND_LINE:
        second_line();
        return false;
    case COMMAND_BUTTON:
        wait_with_arrow();
        return false;
    case COMMAND_SCROLL:
        scroll_box();
        return false;
    case COMMAND_NUMBER:
        print_number();
        return false;
    case COMMAND_PAUSE:
        pause_text(PAUSE);
        return false;
    case COMMAND_DOTS:
        print_dots();
        return false;
    case COMMAND_SILENT_BUTTON:
        wait_for_button();
        return false;
    case COMMAND_FAR:
        go_far();
        return false;
    }
    /* The cartridge has no sound to make. */
    return command < COMMAND_FIRST_SOUND || command > COMMAND_LAST_SOUND;
}

void print_text(uint8_t bank, uint16_t address) BANKED
{
    script_bank = bank;
    script = address;
    clear_box();
    first_line();
    wLetterPrintingDelayFlags |= LETTER_DELAY_ON;
    while (!run_command(next_byte()))
        ;
    wLetterPrintingDelayFlags &= (uint8_t)~LETTER_DELAY_ON;
}

void print_system_text(uint8_t id) BANKED
{
    place_message_box();
    print_text(SYSTEM_TEXTS_BANK, far_word(SYSTEM_TEXTS_BANK, SYSTEM_TEXTS_ADDR + 2 * id));
}
