/* Map objects that come and go: a bit each in wToggleableObjectFlags, set while the object is away. */
#pragma bank 45
#include "overworld.h"

#define TOGGLES_BANK 3
#define TOGGLE_POINTERS 0x48F5
#define TOGGLES 0x4AEA
#define TOGGLE_SIZE 3
#define STARTS_HIDDEN 0x11
#define LIST_END 0xFF
#define HIDDEN 0xFF

/* The same by slot of the present map, as every pass asks. */
bool slot_hidden[SPRITE_SLOTS];

static uint8_t bit_of(uint8_t index)
{
    return 1 << (index & 7);
}

static void note_hidden(uint8_t slot, uint8_t index)
{
    slot_hidden[slot] = wToggleableObjectFlags[index >> 3] & bit_of(index) ? true : false;
    if (slot_hidden[slot])
        wSprites1[slot].image = HIDDEN;
}

/* The objects of the map that can go, as pairs of slot and toggle index. */
void load_toggles(void)
{
    uint8_t *list = wToggleableObjectList;
    uint16_t from = far_word(TOGGLES_BANK, TOGGLE_POINTERS + 2 * wCurMap);
    uint8_t index = (from - TOGGLES) / TOGGLE_SIZE;

    fill((uint8_t *)slot_hidden, false, SPRITE_SLOTS);
    while (far_byte(TOGGLES_BANK, from) == wCurMap) {
        list[0] = far_byte(TOGGLES_BANK, from + 1);
        list[1] = index++;
        note_hidden(list[0], list[1]);
        list += 2;
        from += TOGGLE_SIZE;
    }
    *list = LIST_END;
}

/* As a new game begins. */
void reset_toggles(void) BANKED
{
    uint16_t from = TOGGLES;
    uint8_t index = 0;

    while (far_byte(TOGGLES_BANK, from) != LIST_END) {
        if (far_byte(TOGGLES_BANK, from + 2) == STARTS_HIDDEN)
            wToggleableObjectFlags[index >> 3] |= bit_of(index);
        index++;
        from += TOGGLE_SIZE;
    }
}

static uint8_t toggle_of(uint8_t slot)
{
    const uint8_t *list = wToggleableObjectList;

    while (*list != slot)
        list += 2;
    return list[1];
}

/* Asks for a slot that the map's list has. */
void hide_object(uint8_t slot) BANKED
{
    uint8_t index = toggle_of(slot);

    wToggleableObjectFlags[index >> 3] |= bit_of(index);
    note_hidden(slot, index);
    update_sprites();
}

void show_object(uint8_t slot) BANKED
{
    show_elsewhere(toggle_of(slot));
    slot_hidden[slot] = false;
    update_sprites();
}

/* Asks for a toggle index of another map, which is there when one comes there next. */
void show_elsewhere(uint8_t index)
{
    wToggleableObjectFlags[index >> 3] &= (uint8_t)~bit_of(index);
}
