/* A map from its header in the cartridge to the picture on screen. */
#pragma bank 45
#include "overworld.h"
#include "scenes.h"
#include "screens.h"
#include "world.h"

#define MAP_HEADER_POINTERS 0x01AE
#define MAP_HEADER_BANKS_BANK 3
#define MAP_HEADER_BANKS 0x423D
#define TILESETS_BANK 3
#define TILESETS 0x47BE
#define TILESET_HEADER_SIZE 12
#define TILESET_TILES 0x60
#define MAP_HEADER_SIZE 10
#define INPUT_PAUSE 30
#define ALL_KEYS 0xFF
#define FIRST_ROUTE 11

static void load_tileset_header(void)
{
    uint16_t header = TILESETS + TILESET_HEADER_SIZE * wCurMapTileset;

    far_copy(wTilesetHeader, TILESETS_BANK, header, TILESET_HEADER_SIZE - 1);
    hTileAnimations = far_byte(TILESETS_BANK, header + TILESET_HEADER_SIZE - 1);
}

static uint16_t load_connection_headers(uint16_t from)
{
    uint8_t side, flag = 0x08;

    for (side = NORTH; side <= EAST; side++, flag >>= 1) {
        wConnections[side].map = 0xFF;
        if (!(wCurMapConnections & flag))
            continue;
        far_copy(&wConnections[side], hMapROMBank, from, sizeof(Connection));
        from += sizeof(Connection);
    }
    return from;
}

/* Towns can be flown to once they have been seen; outdoors it is never dark. */
static void note_where(void)
{
    if (wCurMap < FIRST_ROUTE)
        wTownVisitedFlag[wCurMap >> 3] |= 1 << (wCurMap & 7);
    if (is_outside())
        wMapPalOffset = 0;
}

void load_map_header(void)
{
    uint16_t header = WORD(MAP_HEADER_POINTERS + 2 * wCurMap);

    hMapROMBank = far_byte(MAP_HEADER_BANKS_BANK, MAP_HEADER_BANKS + wCurMap);
    far_copy(&wCurMapTileset, hMapROMBank, header, MAP_HEADER_SIZE);
    header = load_connection_headers(header + MAP_HEADER_SIZE);
    wObjectDataPointer = far_word(hMapROMBank, header);
    wCurrentMapHeight2 = wCurMapHeight << 1;
    wCurrentMapWidth2 = wCurMapWidth << 1;
    note_where();
    load_objects();
    load_toggles();
    load_trainers();
    load_tileset_header();
    load_wild_data();
    find_ground();
    forget_strength();
}

void load_block_map(void)
{
    uint8_t stride = wCurMapWidth + 6;
    uint16_t to = wOverworldMap + 3 * stride + 3;
    uint16_t from = wCurMapDataPtr;
    uint8_t row;

    fill(BYTES(wOverworldMap), wMapBackgroundTile, wOverworldMapSize);
    for (row = wCurMapHeight; row; row--) {
        far_copy((void *)to, hMapROMBank, from, wCurMapWidth);
        to += stride;
        from += wCurMapWidth;
    }
    load_connections();
    change_blocks();
    open_ways();
}

/* Until the map is entered again; by block, not by step. */
void put_block(uint8_t y, uint8_t x, uint8_t block) BANKED
{
    BYTE(wOverworldMap + (y + 3) * (wCurMapWidth + 6) + x + 3) = block;
}

static void go_to_warp(void)
{
    const Warp *warp = &wWarps[wDestinationWarpID];

    if (wDestinationWarpID == NO_WARP)
        return;
    wYCoord = warp->y;
    wXCoord = warp->x;
}

static void place_player(void)
{
    wWalkCounter = 0;
    player1.status = 1;
    player1.y_step = player1.x_step = 0;
    player1.intra_frame = player1.frame = 0;
    player1.y_pixels = PLAYER_Y_PIXELS;
    player1.x_pixels = PLAYER_X_PIXELS;
    player2.image_base = 1;
    note_place();
}

static void pause_input(void)
{
    wIgnoreInputCounter = INPUT_PAUSE;
    wStatusFlags5 |= STATUS5_NO_JOYPAD | STATUS5_AFTER_WARP;
}

static void load_graphics(void)
{
    copy_tiles(VRAM_TILESET, wTilesetBank, wTilesetGfxPtr, TILESET_TILES);
    forget_pictures();
    load_pictures();
}

static void show_map(void)
{
    set_view(wYCoord, wXCoord);
    load_view();
    draw_view();
    look_at_tiles();
    note_standing_on_warp();
    wUpdateSpritesEnabled = 1;
    update_sprites();
    lcd_on();
}

/* Where wCurMap and either wDestinationWarpID or the coordinates say. The picture is faded out before. */
void enter_map(void) BANKED
{
    wJoyIgnore = ALL_KEYS;
    hJoyHeld = hJoyPressed = 0;
    hWY = WINDOW_HIDDEN;
    lcd_off();
    load_map_header();
    go_to_warp();
    load_block_map();
    set_scene();
    load_graphics();
    place_player();
    show_map();
    pause_input();
    fade_in_map();
    wJoyIgnore = 0;
    step_out_of_door();
}

/* The map as it was left, after another screen had video memory. The picture is faded out before. */
void return_to_map(void) BANKED
{
    uint8_t ignored = wJoyIgnore;

    wJoyIgnore = ALL_KEYS;
    hWY = WINDOW_HIDDEN;
    wFontLoaded &= (uint8_t)~FONT_LOADED;
    lcd_off();
    load_font();
    load_graphics();
    clear_sprites();
    show_map();
    fade_in_map();
    wJoyIgnore = ignored;
}
