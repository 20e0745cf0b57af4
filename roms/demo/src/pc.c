/* The PCs: whose to use, where there is a choice. */
#pragma bank 62
#include "box.h"
#include "services.h"
#include "ui.h"
#include "world.h"

enum { HAZELS, OWN, LOG_OFF, CHOICES };
#define WIDTH 14

static const uint8_t hazels_pc[] = {STR_PC_HAZEL};
static const uint8_t of_player[] = {STR_PC_OWN};
static const uint8_t log_off[] = {STR_PC_LOG_OFF};

static void turn_on(void)
{
    wDoNotWaitAfterText = 1;
    print_system_text(TEXT_PC_ON);
}

static void open_boxes(void)
{
    print_system_text(TEXT_PC_HAZEL);
    bills_pc();
}

static void open_own(void)
{
    print_system_text(TEXT_PC_OWN);
    item_pc();
}

static uint8_t choose_pc(void)
{
    static uint8_t players_pc[NAME_SIZE + sizeof(of_player)];
    static Word words[CHOICES];
    uint8_t *at = place_string(players_pc, wPlayerName);

    copy_string(at, of_player);
    words[HAZELS] = hazels_pc;
    words[OWN] = players_pc;
    words[LOG_OFF] = log_off;
    return choose_word(words, CHOICES, WIDTH, 0);
}

void rest_house_pc(void) BANKED
{
    uint8_t choice;

    turn_on();
    while ((choice = choose_pc()) != LOG_OFF) {
        if (choice == HAZELS)
            open_boxes();
        else
            open_own();
    }
    wait_for_release();
}

void bedroom_pc(void) BANKED
{
    turn_on();
    item_pc();
    wait_for_release();
}

void boxes_pc(void) BANKED
{
    turn_on();
    open_boxes();
    wait_for_release();
}
