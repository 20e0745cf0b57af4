/* Brass mouths that ask: the right answer raises the bars beside them, the wrong one means a fight, which does as well. */
#pragma bank 59
#include "events.h"
#include "scenes.h"
#include "ui.h"
#include "world.h"

#define YES 0
#define NO 1

enum { SCRIPT_QUIZ_ASKS = 1, SCRIPT_QUIZ_FIGHT };

/* In the order of the events and of the guests, one for each of the bars. */
typedef struct {
    uint8_t text, answer, guest, y, x, block;
} Question;
static const Question questions[] = {
    {MAP_TEXT_WORKS_QUIZ_ASKS_1, YES, SLOT_WORKS_QUIZ_GUEST_1, BLOCK_WORKS_QUIZ_BARS_1_OPEN_Y,
     BLOCK_WORKS_QUIZ_BARS_1_OPEN_X, BLOCK_WORKS_QUIZ_BARS_1_OPEN},
    {MAP_TEXT_WORKS_QUIZ_ASKS_2, NO, SLOT_WORKS_QUIZ_GUEST_2, BLOCK_WORKS_QUIZ_BARS_2_OPEN_Y,
     BLOCK_WORKS_QUIZ_BARS_2_OPEN_X, BLOCK_WORKS_QUIZ_BARS_2_OPEN},
    {MAP_TEXT_WORKS_QUIZ_ASKS_3, YES, SLOT_WORKS_QUIZ_GUEST_3, BLOCK_WORKS_QUIZ_BARS_3_OPEN_Y,
     BLOCK_WORKS_QUIZ_BARS_3_OPEN_X, BLOCK_WORKS_QUIZ_BARS_3_OPEN},
};
#define QUESTIONS (sizeof(questions) / sizeof(questions[0]))

static uint16_t event_of(uint8_t number)
{
    return EVENT_CINNABAR_GYM_GATE0_UNLOCKED + number;
}

void change_quiz(void) BANKED
{
    uint8_t i;

    for (i = 0; i != QUESTIONS; i++)
        if (has_happened(event_of(i)))
            put_block(questions[i].y, questions[i].x, questions[i].block);
}

static void raise_bars(uint8_t number)
{
    set_event(event_of(number));
    change_quiz();
    redraw_view();
}

/* He is beaten, the map is shown again. */
void guest_falls(uint8_t slot)
{
    uint8_t i;

    for (i = 0; i != QUESTIONS; i++)
        if (questions[i].guest == slot)
            raise_bars(i);
}

static bool is_right(const Question *question)
{
    uint8_t answer;

    open_box();
    say(MAP_TEXT_WORKS_QUIZ_GREETS);
    say(question->text);
    answer = yes_no();
    close_box();
    return answer == question->answer;
}

static void ask(uint8_t number)
{
    const Question *question = &questions[number];

    wCinnabarGymCurScript = SCRIPT_QUIZ_ASKS;
    if (is_right(question)) {
        raise_bars(number);
        display_text(MAP_TEXT_WORKS_QUIZ_RIGHT);
    } else {
        tell(MAP_TEXT_WORKS_QUIZ_WRONG);
        wCinnabarGymCurScript = SCRIPT_QUIZ_FIGHT;
        talk_to_trainer(trainer_in_slot(question->guest));
    }
    wCinnabarGymCurScript = 0;
}

/* Whether what is read is a mouth. */
bool quiz_speaks(uint8_t text) BANKED
{
    uint8_t i;

    for (i = 0; i != QUESTIONS; i++) {
        if (questions[i].text != text)
            continue;
        if (has_happened(event_of(i)))
            display_text(MAP_TEXT_WORKS_QUIZ_SILENT);
        else
            ask(i);
        return true;
    }
    return false;
}
