/* The corridor of four: doors close behind the player and open ahead, until all rooms are passed. */
#pragma bank 60
#include "events.h"
#include "scenes.h"
#include "world.h"

enum { SCRIPT_WALKS_IN = 1, SCRIPT_HELD_BACK };

#define STEPS_IN 5
#define STEPS_PAST_BARS 6
#define BARS_Y BLOCK_ROOK_ROOM_BARS_UP_Y
#define BARS_X BLOCK_ROOK_ROOM_BARS_UP_X
#define FIRST_OF_FOUR 0x8E0
#define LAST_OF_FOUR 0x8FF

/* The rooms as far as they are alike. */
typedef struct {
    uint8_t map;
    uint16_t beaten, walked_in;
} Room;
static const Room rooms[] = {
    {MAP_TANSY_ROOM, EVENT_BEAT_LORELEIS_ROOM_TRAINER_0, EVENT_AUTOWALKED_INTO_LORELEIS_ROOM},
    {MAP_BRAM_ROOM, EVENT_BEAT_BRUNOS_ROOM_TRAINER_0, EVENT_AUTOWALKED_INTO_BRUNOS_ROOM},
    {MAP_MAUD_ROOM, EVENT_BEAT_AGATHAS_ROOM_TRAINER_0, EVENT_AUTOWALKED_INTO_AGATHAS_ROOM},
    {MAP_ROOK_ROOM, EVENT_BEAT_LANCES_ROOM_TRAINER_0, EVENT_LANCES_ROOM_LOCK_DOOR},
};

#define ROOMS (sizeof rooms / sizeof *rooms)

/* 0 elsewhere. */
static const Room *room_here(void)
{
    uint8_t i;

    for (i = 0; i != ROOMS; i++)
        if (rooms[i].map == wCurMap)
            return &rooms[i];
    return 0;
}

static void note_script(uint8_t step)
{
    switch (wCurMap) {
    case MAP_TANSY_ROOM:
        wLoreleisRoomCurScript = step;
        break;
    case MAP_BRAM_ROOM:
        wBrunosRoomCurScript = step;
        break;
    case MAP_MAUD_ROOM:
        wAgathasRoomCurScript = step;
        break;
    default:
        wLancesRoomCurScript = step;
    }
}

static void open_exit(void)
{
    switch (wCurMap) {
    case MAP_TANSY_ROOM:
        put_block(BLOCK_TANSY_ROOM_EXIT_OPEN_Y, BLOCK_TANSY_ROOM_EXIT_OPEN_X, BLOCK_TANSY_ROOM_EXIT_OPEN);
        break;
    case MAP_BRAM_ROOM:
        put_block(BLOCK_BRAM_ROOM_EXIT_OPEN_Y, BLOCK_BRAM_ROOM_EXIT_OPEN_X, BLOCK_BRAM_ROOM_EXIT_OPEN);
        break;
    case MAP_MAUD_ROOM:
        put_block(BLOCK_MAUD_ROOM_EXIT_OPEN_Y, BLOCK_MAUD_ROOM_EXIT_OPEN_X, BLOCK_MAUD_ROOM_EXIT_OPEN);
        break;
    default:
        put_block(BLOCK_ROOK_ROOM_EXIT_OPEN_Y, BLOCK_ROOK_ROOM_EXIT_OPEN_X, BLOCK_ROOK_ROOM_EXIT_OPEN);
    }
}

void change_room_of_four(void) BANKED
{
    if (wCurMap == MAP_ROOK_ROOM && !has_happened(EVENT_LANCES_ROOM_LOCK_DOOR))
        put_block(BARS_Y, BARS_X, BLOCK_ROOK_ROOM_BARS_UP);
    if (has_happened(room_here()->beaten))
        open_exit();
}

/* Whoever beat one of them finds the next door open; it is asked of everybody else who falls, too. */
void one_of_four_falls(void) BANKED
{
    if (!room_here())
        return;
    if (wCurMap == MAP_ROOK_ROOM)
        set_event(EVENT_BEAT_LANCE);
    change_room_of_four();
    redraw_view();
}

/* As the map has them. */
static void let_bars_fall(void)
{
    put_block(BARS_Y, BARS_X, far_byte(hMapROMBank, wCurMapDataPtr + wCurMapWidth * BARS_Y + BARS_X));
    redraw_view();
    tell(MAP_TEXT_ROOK_ROOM_BARS_FALL);
}

static void walk_in(const Room *room)
{
    note_script(SCRIPT_WALKS_IN);
    set_event(room->walked_in);
    if (wCurMap == MAP_ROOK_ROOM) {
        walk_player(FACING_UP, STEPS_PAST_BARS);
        let_bars_fall();
    } else {
        walk_player(FACING_UP, STEPS_IN);
    }
    note_script(0);
}

static void hold_back(void)
{
    note_script(SCRIPT_HELD_BACK);
    face_player(FACING_UP);
    tell(wCurMap == MAP_TANSY_ROOM  ? MAP_TEXT_TANSY_ROOM_NO_WAY_BACK
         : wCurMap == MAP_BRAM_ROOM ? MAP_TEXT_BRAM_ROOM_NO_WAY_BACK
                                    : MAP_TEXT_MAUD_ROOM_NO_WAY_BACK);
    walk_player(FACING_UP, 1);
    note_script(0);
}

/* The player stands at the entrance: the first time he walks on, later a person keeps him from leaving. */
void room_of_four_holds(void) BANKED
{
    const Room *room = room_here();

    if (has_happened(room->walked_in))
        hold_back();
    else
        walk_in(room);
}

/* All four begin anew. Whoever came by Snore Lane left another road last: the lobby lies on Sorrel Road. */
void enter_lobby(void) BANKED
{
    uint16_t event;

    for (event = FIRST_OF_FOUR; event != LAST_OF_FOUR + 1; event++)
        reset_event(event);
    wLastMap = MAP_SORREL_ROAD;
}
