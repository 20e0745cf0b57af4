/* The menus of the PCs: words in a corner, over the map. */
#pragma bank 62
#include "box.h"
#include "overworld.h"
#include "ui.h"


/* Not shown before it is whole: the map alone would flash. The cursor comes when all of it is to be seen. */
static void draw(const Word *words, uint8_t count, uint8_t width)
{
    uint8_t i;

    hAutoBGTransferEnabled = 0;
    load_view();
    place_box(0, 0, width, 2 * count);
    for (i = 0; i != count; i++)
        place_string(TILE_AT(2, 2 + 2 * i), words[i]);
    update_sprites();
    hAutoBGTransferEnabled = 1;
    wait_transfer();
}

/* The keys that ended it, beginning at `row`; which of them is in wCurrentMenuItem. */
uint8_t ask_words(const Word *words, uint8_t count, uint8_t width, uint8_t row)
{
    uint8_t keys;

    draw(words, count, width);
    start_menu_at(1, 2, count - 1, PAD_A | PAD_B);
    wCurrentMenuItem = wLastMenuItem = row;
    keys = handle_menu_input();
    mark_choice();
    return keys;
}

/* Which of them; the last is the way out, and B takes it too. */
uint8_t choose_word(const Word *words, uint8_t count, uint8_t width, uint8_t row)
{
    return ask_words(words, count, width, row) & PAD_B ? count - 1 : wCurrentMenuItem;
}
