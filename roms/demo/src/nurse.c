/* The rest house: a question, a machine, and a team as good as new. */
#pragma bank 60
#include "battle.h"
#include "hardware.h"
#include "overworld.h"
#include "services.h"
#include "ui.h"
#include "world.h"

#define BOX_X 11
#define BOX_Y 6
#define BLINKS 8
#define FRAMES_LIT 12
#define DIMMED_PALETTE 0x94

static void run_machine(void)
{
    uint8_t blinks;

    face_person(wSpriteIndex, FACING_LEFT);
    for (blinks = BLINKS; blinks; blinks--) {
        rBGP = DIMMED_PALETTE;
        delay_frames(FRAMES_LIT);
        rBGP = SCREEN_PALETTE;
        delay_frames(FRAMES_LIT);
    }
    face_person(wSpriteIndex, FACING_DOWN);
}

static void heal(void)
{
    wLastBlackoutMap = wLastMap;
    wStatusFlags4 |= STATUS4_USED_CENTRE;
    print_system_text(TEXT_NURSE_TAKES);
    run_machine();
    heal_party();
    print_system_text(TEXT_NURSE_DONE);
}

void nurse(void) BANKED
{
    print_system_text(wStatusFlags4 & STATUS4_USED_CENTRE ? TEXT_NURSE_AGAIN : TEXT_NURSE_WELCOME);
    if (!two_option_box(HEAL_CANCEL, BOX_X, BOX_Y))
        heal();
    print_system_text(TEXT_NURSE_GOODBYE);
}
