/* Saplings and tall grass ahead of the player, which go until the map is entered again. */
#pragma bank 58
#include "field_moves.h"
#include "overworld.h"

#define SWAPS_BANK 3
#define SWAPS 0x7100
#define LIST_END 0xFF
#define SAPLING 0x3D
#define TALL_GRASS 0x52
#define GYM_SAPLING 0x50
#define TILESET_GYM 7

/* In blocks. */
static uint8_t ahead_y, ahead_x;

static bool is_cuttable(uint8_t tile)
{
    switch (wCurMapTileset) {
    case TILESET_OVERWORLD:
        return tile == SAPLING || tile == TALL_GRASS;
    case TILESET_GYM:
        return tile == GYM_SAPLING;
    }
    return false;
}

/* False where another map lies ahead. */
static bool look_ahead(void)
{
    uint8_t y = wYCoord, x = wXCoord;

    switch (player1.facing) {
    case FACING_DOWN:
        y++;
        break;
    case FACING_UP:
        y--;
        break;
    case FACING_LEFT:
        x--;
        break;
    default:
        x++;
    }
    ahead_y = y >> 1;
    ahead_x = x >> 1;
    return y < wCurrentMapHeight2 && x < wCurrentMapWidth2;
}

/* What is left of the block ahead; LIST_END when it is nothing to cut. */
static uint8_t block_left(void)
{
    uint8_t block = BYTE(wOverworldMap + (ahead_y + 3) * (wCurMapWidth + 6) + ahead_x + 3);
    uint16_t at;
    uint8_t listed;

    for (at = SWAPS; (listed = far_byte(SWAPS_BANK, at)) != LIST_END; at += 2)
        if (listed == block)
            return far_byte(SWAPS_BANK, at + 1);
    return LIST_END;
}

bool is_anything_to_cut(void)
{
    return is_cuttable(wTileInFrontOfPlayer) && look_ahead() && block_left() != LIST_END;
}

void cut_down(void)
{
    wCutTile = wTileInFrontOfPlayer;
    put_block(ahead_y, ahead_x, block_left());
    redraw_view();
}
