/* What SAVE asks and says. */
#pragma bank 46
#include "overworld.h"
#include "ram.h"
#include "save.h"
#include "screens.h"
#include "ui.h"
#include "world.h"

#define WRITING 120
#define LAST_LOOK 30

static bool agrees(uint8_t question)
{
    print_system_text(question);
    return two_option_box(YES_NO, 0, 7) == 0;
}

/* A save of another player is overwritten only after a second question. */
static bool may_write(void)
{
    return wSaveFileStatus == NO_SAVE || is_own_save() || agrees(TEXT_SAVE_REPLACE);
}

void save_menu(void)
{
    place_summary(4, 0);
    place_message_box();
    if (!agrees(TEXT_SAVE_ASK) || !may_write())
        return;
    print_system_text(TEXT_SAVE_WRITING);
    save_game();
    delay_frames(WRITING);
    print_system_text(TEXT_SAVE_DONE);
    delay_frames(LAST_LOOK);
}
