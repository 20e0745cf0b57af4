/* The visible part of the map: where it starts in wOverworldMap and in the background map. */
#pragma bank 45
#include "overworld.h"

/* The view begins four steps above and left of the player: two blocks back, three of border on. */
#define VIEW_OFFSET 1

void set_view(int16_t y, int16_t x)
{
    uint8_t stride = wCurMapWidth + 6;

    wYBlockCoord = y & 1;
    wXBlockCoord = x & 1;
    wViewPointer = wOverworldMap + ((y >> 1) + VIEW_OFFSET) * stride + (x >> 1) + VIEW_OFFSET;
}

/* The whole view into an unscrolled background. The picture is off. */
void draw_view(void)
{
    uint8_t *to = (uint8_t *)VRAM_MAP;
    const uint8_t *from = wTileMap;
    uint8_t row;

    hSCX = hSCY = 0;
    wMapViewVRAMPointer = VRAM_MAP;
    for (row = 18; row; row--) {
        copy(to, from, 20);
        to += 32;
        from += 20;
    }
}

static uint16_t moved_rows(uint16_t at, int16_t rows)
{
    return VRAM_MAP | ((at + rows * 32) & 0x03FF);
}

static uint16_t moved_columns(uint16_t at, int8_t columns)
{
    return (at & 0xFFE0) | ((at + columns) & 0x1F);
}

static void queue_rows(uint8_t y)
{
    copy(wRedrawTiles, TILE_AT(0, y), 40);
    hRedrawRowOrColumnDest = moved_rows(wMapViewVRAMPointer, y);
    hRedrawRowOrColumnMode = REDRAW_ROWS;
}

static void queue_columns(uint8_t x)
{
    const uint8_t *from = TILE_AT(x, 0);
    uint8_t *to = wRedrawTiles;
    uint8_t row;

    for (row = 18; row; row--) {
        *to++ = from[0];
        *to++ = from[1];
        from += 20;
    }
    hRedrawRowOrColumnDest = moved_columns(wMapViewVRAMPointer, x);
    hRedrawRowOrColumnMode = REDRAW_COLUMNS;
}

/* Show the view one step on in wTileMap and bring the edge that will scroll in. */
void scroll_to(const Direction *direction)
{
    int8_t dy = direction->dy, dx = direction->dx;

    set_view((int16_t)wYCoord + dy, (int16_t)wXCoord + dx);
    wMapViewVRAMPointer = moved_columns(moved_rows(wMapViewVRAMPointer, 2 * dy), 2 * dx);
    load_view();
    if (dy)
        queue_rows(dy < 0 ? 0 : 16);
    else
        queue_columns(dx < 0 ? 0 : 18);
}

/* What has changed in the live blocks comes to the screen, two rows of tiles a frame. */
void redraw_view(void) BANKED
{
    uint8_t y;

    load_view();
    for (y = 0; y != 18; y += 2) {
        queue_rows(y);
        delay_frame();
    }
}
