/* Neighbouring maps: their edge blocks around ours, and the step across. */
#pragma bank 45
#include "overworld.h"

#define NO_MAP 0xFF
#define STRIP_DEPTH 3
#define MAP_HEADER_BANKS_BANK 3
#define MAP_HEADER_BANKS 0x423D

static uint8_t side_beyond(int16_t y, int16_t x)
{
    if (y < 0)
        return NORTH;
    if (y >= wCurrentMapHeight2)
        return SOUTH;
    if (x < 0)
        return WEST;
    if (x >= wCurrentMapWidth2)
        return EAST;
    return NO_MAP;
}

/* Off the map where no neighbour is. */
bool is_beyond_edge(const Direction *direction)
{
    uint8_t side = side_beyond((int16_t)wYCoord + direction->dy, (int16_t)wXCoord + direction->dx);

    return side != NO_MAP && wConnections[side].map == NO_MAP;
}

static void load_strip(const Connection *connection, uint8_t rows, uint8_t columns)
{
    uint8_t bank = far_byte(MAP_HEADER_BANKS_BANK, MAP_HEADER_BANKS + connection->map);
    uint16_t from = connection->strip;
    uint16_t to = connection->target;

    while (rows--) {
        far_copy((void *)to, bank, from, columns);
        to += wCurMapWidth + 6;
        from += connection->width;
    }
}

void load_connections(void)
{
    const Connection *connection = wConnections;
    uint8_t side;

    for (side = NORTH; side <= EAST; side++, connection++) {
        if (connection->map == NO_MAP)
            continue;
        if (side <= SOUTH)
            load_strip(connection, STRIP_DEPTH, connection->length);
        else
            load_strip(connection, connection->length, STRIP_DEPTH);
    }
}

static void arrive(uint8_t side)
{
    const Connection *connection = &wConnections[side];

    wCurMap = connection->map;
    if (side <= SOUTH) {
        wYCoord = connection->y_alignment;
        wXCoord += connection->x_alignment;
    } else {
        wYCoord += connection->y_alignment;
        wXCoord = connection->x_alignment;
    }
}

static uint8_t side_left_by(void)
{
    if (wYCoord == 0xFF)
        return NORTH;
    if (wYCoord == wCurrentMapHeight2)
        return SOUTH;
    if (wXCoord == 0xFF)
        return WEST;
    return wXCoord == wCurrentMapWidth2 ? EAST : NO_MAP;
}

/* The picture goes on: what was a strip is now the map itself. */
bool cross_connection(void)
{
    uint8_t side = side_left_by();

    if (side == NO_MAP)
        return false;
    arrive(side);
    load_map_header();
    load_block_map();
    load_pictures();
    set_view(wYCoord, wXCoord);
    load_view();
    return true;
}
