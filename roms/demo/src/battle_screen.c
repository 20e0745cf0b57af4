/* The screen of a battle: two pictures, two boards with bars, the box of words below. */
#pragma bank 56
#include "battle_parts.h"

#define PICTURE_TILES 16
#define PICTURE_SIDE 4
#define ENEMY_TILE 0x00
#define PLAYER_TILE 0x10
#define ENEMY_PICTURE TILE_AT(14, 2)
#define PLAYER_PICTURE TILE_AT(3, 8)
#define ENEMY_BAR TILE_AT(2, 2)
#define PLAYER_BAR TILE_AT(10, 9)
#define PLAYER_NUMBERS TILE_AT(11, 10)
#define FRAMES_PER_PIXEL 2
#define FRAMES_PER_ROW 4
#define BAR_SEGMENTS_FROM 2
#define MAP_TILES 0x60
#define SPRITES_SHOWN 1
#define SPRITES_OFF 0xFF
#define RED_BELOW 10

#define FRAME_SIDE 0x73
#define FRAME_LINE 0x76
#define FRAME_LINE_TILES 8

#define TRAINER_RECORDS_BANK 14
#define TRAINER_RECORDS 0x5914
#define TRAINER_RECORD_SIZE 5

/* What stands where a picture goes. */
enum { NOBODY, A_TRAINER, A_MON };
static uint8_t shown[2];

static uint8_t *picture_cell(uint8_t side)
{
    return side == PLAYERS_TURN ? PLAYER_PICTURE : ENEMY_PICTURE;
}

static void place_picture(uint8_t side)
{
    uint8_t *at = picture_cell(side);
    uint8_t tile = side == PLAYERS_TURN ? PLAYER_TILE : ENEMY_TILE;
    uint8_t row, column;

    for (row = 0; row != PICTURE_SIDE; row++, at += 20)
        for (column = 0; column != PICTURE_SIDE; column++)
            at[column] = tile++;
}

static void load_picture(uint8_t tile, uint8_t bank, uint16_t from)
{
    copy_tiles(VRAM_TILESET + ((uint16_t)tile << 4), bank, from, PICTURE_TILES);
}

static void clear_rows(uint8_t x, uint8_t y, uint8_t width, uint8_t rows)
{
    do
        fill(TILE_AT(x, y++), SPACE, width);
    while (--rows);
}

static void place_frame(uint8_t *side, uint8_t corner, int8_t step, uint8_t tip)
{
    uint8_t *at = side + 20;
    uint8_t i;

    *side = FRAME_SIDE;
    *at = corner;
    for (i = 0; i != FRAME_LINE_TILES; i++) {
        at += step;
        *at = FRAME_LINE;
    }
    at[step] = tip;
}

static void draw_enemy_hud(void)
{
    clear_rows(0, 0, 12, 4);
    if (shown[ENEMYS_TURN] != A_MON)
        return;
    place_string(TILE_AT(1, 0), wEnemyMonNick);
    place_level(TILE_AT(4, 1), wEnemyMon.level);
    place_status(TILE_AT(8, 1), wEnemyMon.status);
    place_hp_bar(ENEMY_BAR, big(wEnemyMon.hp), big(wEnemyMon.max_hp), BAR_END);
    place_frame(TILE_AT(1, 2), 0x74, 1, 0x78);
}

/* While the bar is red. */
static void set_alarm(void)
{
    uint8_t pixels = hp_pixels(big(wBattleMon.hp), big(wBattleMon.max_hp));

    wLowHealthAlarm = pixels && pixels < RED_BELOW ? ALARM_ON : 0;
}

static void draw_player_hud(void)
{
    clear_rows(9, 7, 11, 5);
    if (shown[PLAYERS_TURN] != A_MON)
        return;
    place_string(TILE_AT(10, 7), wBattleMonNick);
    place_level(TILE_AT(15, 8), wBattleMon.level);
    place_status(TILE_AT(11, 8), wBattleMon.status);
    place_hp_bar(PLAYER_BAR, big(wBattleMon.hp), big(wBattleMon.max_hp), BAR_END_PLAIN);
    place_hp_numbers(PLAYER_NUMBERS, big(wBattleMon.hp), big(wBattleMon.max_hp));
    place_frame(TILE_AT(18, 10), 0x77, -1, 0x6F);
    set_alarm();
}

void draw_huds(void) BANKED
{
    draw_enemy_hud();
    draw_player_hud();
}

/* Everything again, after another screen or a box over this one. */
void draw_battle(void) BANKED
{
    hAutoBGTransferEnabled = 0;
    clear_screen();
    place_message_box();
    draw_huds();
    if (shown[ENEMYS_TURN])
        place_picture(ENEMYS_TURN);
    if (shown[PLAYERS_TURN])
        place_picture(PLAYERS_TURN);
    hAutoBGTransferEnabled = 1;
}

void open_battle_screen(void)
{
    wUpdateSpritesEnabled = SPRITES_OFF;
    fade_out();
    clear_sprites();
    shown[PLAYERS_TURN] = shown[ENEMYS_TURN] = NOBODY;
    show_plain_screen();
    draw_battle();
    load_hud_tiles();
    wait_transfer();
    show_palettes();
}

/* The map's tiles come back; the picture stays white until the map fades in. */
void close_battle_screen(void)
{
    fade_out();
    clear_screen();
    wait_transfer();
    hAutoBGTransferEnabled = 0;
    load_box_tiles();
    copy_tiles(VRAM_TILESET, wTilesetBank, wTilesetGfxPtr, MAP_TILES);
    wUpdateSpritesEnabled = SPRITES_SHOWN;
}

void show_trainer(void)
{
    load_picture(ENEMY_TILE, TRAINER_PICS_BANK,
                 far_word(TRAINER_RECORDS_BANK, TRAINER_RECORDS + TRAINER_RECORD_SIZE * (wTrainerClass - 1)));
    shown[ENEMYS_TURN] = A_TRAINER;
    draw_battle();
}

void show_enemy(void)
{
    load_mon_header(wEnemyMon.species);
    load_picture(ENEMY_TILE, CREATURE_PICS_BANK, wMonHeader.front_picture);
    shown[ENEMYS_TURN] = A_MON;
    draw_battle();
}

void show_player(void)
{
    load_mon_header(wBattleMon.species);
    load_picture(PLAYER_TILE, CREATURE_PICS_BANK, wMonHeader.back_picture);
    shown[PLAYERS_TURN] = A_MON;
    draw_battle();
}

void hide(uint8_t side)
{
    shown[side] = NOBODY;
    draw_battle();
}

/* The picture goes down row by row behind what is below. */
void sink(uint8_t side)
{
    uint8_t *top = picture_cell(side);
    uint8_t row, times;

    for (times = 0; times != PICTURE_SIDE; times++) {
        for (row = PICTURE_SIDE - 1; row; row--)
            copy(top + 20 * row, top + 20 * (row - 1), PICTURE_SIDE);
        fill(top, SPACE, PICTURE_SIDE);
        delay_frames(FRAMES_PER_ROW);
    }
    hide(side);
}

/* The bar runs from what HP were to what they are; the player's are told in numbers on the way. */
void animate_hp(uint8_t side, uint16_t from) BANKED
{
    const BattleMon *mon = sides[side].mon;
    uint16_t max = big(mon->max_hp), to = big(mon->hp);
    uint8_t *bar = (side == PLAYERS_TURN ? PLAYER_BAR : ENEMY_BAR) + BAR_SEGMENTS_FROM;
    uint8_t pixels = hp_pixels(from, max), last = hp_pixels(to, max);

    while (pixels != last) {
        pixels += pixels < last ? 1 : -1;
        place_hp_pixels(bar, pixels);
        if (side == PLAYERS_TURN)
            place_number(PLAYER_NUMBERS, pixels == last ? to : (uint16_t)(pixels * (uint32_t)max / 48), 3, SPACE);
        delay_frames(FRAMES_PER_PIXEL);
    }
    draw_huds();
}
