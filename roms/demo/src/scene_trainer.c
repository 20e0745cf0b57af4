/* A trainer and the player meet: the bubble, the walk, the words, the battle. */
#pragma bank 59
#include "scenes.h"
#include "services.h"
#include "world.h"

#define BUBBLE_FRAMES 60
#define BUBBLE_TILES 4
#define BUBBLE_OBJECTS (wShadowOAM + 36 * 4)
#define TEXT_BEFORE 4
#define TEXT_AFTER 6
#define TEXT_WIN 8
#define TEXT_LOSE 10
#define DIRECTIONS_IGNORED PAD_DIRECTIONS

static uint16_t header_text(const Trainer *trainer, uint8_t which)
{
    return far_word(hMapROMBank, trainer->header + which);
}

static void place_bubble(uint8_t y, uint8_t x)
{
    uint8_t *object = BUBBLE_OBJECTS;
    uint8_t i;

    for (i = 0; i != BUBBLE_TILES; i++) {
        *object++ = y + (i & 2 ? 8 : 0);
        *object++ = x + (i & 1 ? 8 : 0);
        *object++ = FIRST_BUBBLE_TILE + i;
        *object++ = 0;
    }
}

/* Over his head: an object's place is counted from 16 above and 8 left of the screen. */
static void show_bubble(uint8_t slot)
{
    uint16_t record = SPRITE_SHEETS_ADDR + 3 * (PICTURE_BUBBLE - 1);

    copy_tiles(VRAM_SPRITES + (FIRST_BUBBLE_TILE << 4), SPRITE_SHEETS_BANK, far_word(SPRITE_SHEETS_BANK, record),
               BUBBLE_TILES);
    place_bubble(wSprites1[slot].y_pixels, wSprites1[slot].x_pixels + 8);
    delay_frames(BUBBLE_FRAMES);
    fill(BUBBLE_OBJECTS, 0, BUBBLE_TILES * 4);
}

static void engage(const Trainer *trainer)
{
    const uint8_t *extra = wMapSpriteExtraData + 2 * (trainer->slot - 1);

    wSpriteIndex = trainer->slot;
    wLoneAttackNo = leader_in_slot(trainer->slot);
    wTrainerHeaderPtr[0] = trainer->header >> 8;
    wTrainerHeaderPtr[1] = trainer->header;
    wStatusFlags7 |= STATUS7_TRAINER_BATTLE;
    wEngagedTrainerClass = wEnemyMonOrTrainerClass = extra[0];
    wEngagedTrainerSet = extra[1];
    wEndBattleWinTextPointer = header_text(trainer, TEXT_WIN);
    wEndBattleLoseTextPointer = header_text(trainer, TEXT_LOSE);
    wEndBattleTextBank = hMapROMBank;
}

static void disengage(void)
{
    wStatusFlags7 &= (uint8_t)~STATUS7_TRAINER_BATTLE;
    wMiscFlags &= (uint8_t)~MISC_SEEN_BY_TRAINER;
    wJoyIgnore = 0;
    wLoneAttackNo = 0;
}

static void speak_and_fight(const Trainer *trainer)
{
    bool lost;

    wDoNotWaitAfterText = 1;
    display_script(header_text(trainer, TEXT_BEFORE));
    wCurOpponent = wEngagedTrainerClass;
    wTrainerNo = wEngagedTrainerSet;
    lost = fight_opponent();
    disengage();
    if (lost) {
        black_out();
        return;
    }
    BYTE(trainer->flags_at) |= trainer->flag;
    return_to_map();
    trainer_falls(trainer->slot);
}

/* He saw the player `distance` steps ahead. */
void meet_trainer(const Trainer *trainer, uint8_t distance) BANKED
{
    uint8_t facing = wSprites1[trainer->slot].facing;

    wMiscFlags |= MISC_SEEN_BY_TRAINER;
    wJoyIgnore = DIRECTIONS_IGNORED;
    engage(trainer);
    face_player(player1.facing);
    show_bubble(trainer->slot);
    walk_person(trainer->slot, facing, distance - 1);
    face_person(trainer->slot, facing);
    face_player(OPPOSITE(facing));
    speak_and_fight(trainer);
}

void talk_to_trainer(const Trainer *trainer) BANKED
{
    if (is_beaten(trainer)) {
        display_script(header_text(trainer, TEXT_AFTER));
        return;
    }
    engage(trainer);
    speak_and_fight(trainer);
}
