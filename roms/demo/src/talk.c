/* A pressed: the sign or the person in front, and the text they have. */
#pragma bank 45
#include "overworld.h"
#include "scenes.h"
#include "services.h"
#include "things.h"
#include "ui.h"
#include "world.h"

#define LIST_END 0xFF
#define NOBODY 0

enum { SERVICE_MACHINE = 0xF5, SERVICE_PC = 0xF9, SERVICE_PLAYER_PC = 0xFC, SERVICE_BOXES = 0xFD, SERVICE_SHOP = 0xFE, SERVICE_NURSE = 0xFF };

static uint8_t person_at(uint8_t map_y, uint8_t map_x)
{
    uint8_t slot;

    for (slot = 1; slot <= wNumSprites; slot++) {
        if (!wSprites1[slot].picture || slot_hidden[slot] || wSprites2[slot].walk_counter)
            continue;
        if (wSprites2[slot].map_y == map_y && wSprites2[slot].map_x == map_x)
            return slot;
    }
    return NOBODY;
}

/* 0 when there is none; text ids begin at 1. */
static uint8_t sign_text_at(uint8_t y, uint8_t x)
{
    uint8_t i;

    for (i = 0; i != wNumSigns; i++)
        if (wSignCoords[2 * i] == y && wSignCoords[2 * i + 1] == x)
            return wSignTextIDs[i];
    return 0;
}

static bool is_counter(uint8_t tile)
{
    return tile != LIST_END
           && (tile == wTilesetCounterTiles[0] || tile == wTilesetCounterTiles[1] || tile == wTilesetCounterTiles[2]);
}

void open_box(void) BANKED
{
    wFontLoaded |= FONT_LOADED;
    place_message_box();
    window_open();
}

void close_box(void) BANKED
{
    load_view();
    window_close();
    wFontLoaded &= (uint8_t)~FONT_LOADED;
    update_sprites();
}

/* A text of the map into the open box, and no waiting after it. */
void say(uint8_t id) BANKED
{
    uint16_t script = far_word(hMapROMBank, wCurMapTextPtr + 2 * (id - 1));

    hTextID = id;
    switch (far_byte(hMapROMBank, script)) {
    case SERVICE_MACHINE:
        drinks_machine();
        break;
    case SERVICE_PC:
        rest_house_pc();
        break;
    case SERVICE_PLAYER_PC:
        bedroom_pc();
        break;
    case SERVICE_BOXES:
        boxes_pc();
        break;
    case SERVICE_SHOP:
        shop(hMapROMBank, script);
        break;
    case SERVICE_NURSE:
        nurse();
        break;
    default:
        print_text(hMapROMBank, script);
    }
}

static void end_text(void)
{
    if (!wDoNotWaitAfterText) {
        wait_for_button();
        wait_for_release();
    }
    wDoNotWaitAfterText = 0;
    close_box();
}

/* A text of the map's bank that has no id. */
void display_script(uint16_t script) BANKED
{
    open_box();
    print_text(hMapROMBank, script);
    end_text();
}

void display_system_text(uint8_t id) BANKED
{
    open_box();
    print_system_text(id);
    end_text();
}

void display_text(uint8_t id) BANKED
{
    open_box();
    say(id);
    end_text();
}

static void speak(uint8_t slot)
{
    const Trainer *trainer = trainer_in_slot(slot);

    if (trainer)
        talk_to_trainer(trainer);
    else if (wMapSpriteExtraData[2 * (slot - 1)])
        pick_up(slot);
    else if (!person_speaks(slot))
        display_text(wMapSpriteData[2 * (slot - 1) + 1]);
}

static void talk_to(uint8_t slot)
{
    uint8_t facing = wSprites1[slot].facing;

    wSpriteIndex = slot;
    wSprites1[slot].facing = OPPOSITE(player1.facing);
    wSprites1[slot].frame = 0;
    speak(slot);
    wSprites1[slot].facing = facing;
}

/* Whether there was anything to read or anyone to talk to. */
bool talk(void)
{
    const Direction *direction = player_direction();
    uint8_t y = wYCoord + direction->dy, x = wXCoord + direction->dx;
    uint8_t id = sign_text_at(y, x);
    uint8_t slot;

    look_at_tiles();
    if (find_hidden(y, x) || door_speaks(wTileInFrontOfPlayer))
        return true;
    if (id) {
        if (!sign_speaks(id))
            display_text(id);
        return true;
    }
    if (is_counter(wTileInFrontOfPlayer)) {
        y += direction->dy;
        x += direction->dx;
    }
    slot = person_at(y + COORDINATE_OFFSET, x + COORDINATE_OFFSET);
    if (slot == NOBODY)
        return false;
    talk_to(slot);
    return true;
}
