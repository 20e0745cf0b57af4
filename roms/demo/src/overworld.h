/* Walking about: shared inside code bank 45, except what is BANKED. */
#ifndef OVERWORLD_H
#define OVERWORLD_H

#include "hardware.h"
#include "home.h"
#include "ram.h"

enum { FACING_DOWN = 0, FACING_UP = 4, FACING_LEFT = 8, FACING_RIGHT = 12 };
#define OPPOSITE(facing) ((facing) ^ 4)

/* Four directions, in the order of the facing codes; `bit` is what wPlayerDirection holds. */
typedef struct {
    uint8_t pad, bit, facing;
    int8_t dy, dx;
} Direction;
extern const Direction directions[4];

#define player1 wSprites1[0]
#define player2 wSprites2[0]
#define COORDINATE_OFFSET 4
#define player_direction() (&directions[player1.facing >> 2])

#define TILESET_OVERWORLD 0
#define TILESET_PLATEAU 23

/* overworld.c */
void overworld(void) BANKED;
void new_game_map(void) BANKED;

/* map_load.c */
void load_map_header(void);
void load_block_map(void);
void enter_map(void);
bool is_outside(void);

/* objects.c */
void load_objects(void);

/* pictures.c */
void forget_pictures(void);
void load_pictures(void);
extern uint8_t slot_tile[SPRITE_SLOTS];
extern uint8_t slot_tile_count[SPRITE_SLOTS];

/* scroll.c */
void set_view(int16_t y, int16_t x);
void draw_view(void);
void scroll_to(const Direction *direction);

/* collision.c */
bool is_passable(uint8_t tile);
bool is_forbidden_pair(uint8_t a, uint8_t b);
uint8_t step_tile(uint8_t y, uint8_t x);
bool is_occupied(uint8_t map_y, uint8_t map_x, uint8_t except);
void look_at_tiles(void);
bool is_blocked(const Direction *direction);

/* warps.c */
uint8_t warp_at(uint8_t y, uint8_t x);
#define NO_WARP 0xFF
void note_standing_on_warp(void);
bool is_on_door_tile(void);
bool warp_after_step(void);
bool warp_after_bump(void);

/* connections.c */
bool is_beyond_edge(const Direction *direction);
void load_connections(void);
bool cross_connection(void);

/* npc.c */
void move_npcs(void);

/* sprites.c */
void update_sprites(void) BANKED;

/* scripted.c */
void joypad_overworld(void);
bool is_scripted(void);
void step_out_of_door(void);

/* talk.c */
bool talk(void);
void display_text(uint8_t id);

#endif
