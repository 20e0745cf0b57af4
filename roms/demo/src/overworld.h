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

#define PLAYER_Y_PIXELS 0x3C
#define PLAYER_X_PIXELS 0x40

#define TILESET_OVERWORLD 0
#define TILESET_FOREST 3
#define FIRST_INDOOR_MAP 37
#define TILESET_FACILITY 22
#define TILESET_PLATEAU 23

/* overworld.c */
void overworld(void) BANKED;
void new_game_map(void) BANKED;
void stand_still(void);
void scene_pass(void);
void play_script(void);

/* map_load.c */
void load_map_header(void);
void load_block_map(void);
void put_block(uint8_t y, uint8_t x, uint8_t block) BANKED;
void enter_map(void) BANKED;
void return_to_map(void) BANKED;
#define is_outside() (wCurMapTileset == TILESET_OVERWORLD || wCurMapTileset == TILESET_PLATEAU)

/* objects.c */
void load_objects(void);

/* pictures.c: the last four tiles are the bubble's */
#define FIRST_BUBBLE_TILE 124
void forget_pictures(void);
void load_pictures(void);
extern uint8_t slot_tile[SPRITE_SLOTS];
extern uint8_t slot_tile_count[SPRITE_SLOTS];

/* scroll.c */
void set_view(int16_t y, int16_t x);
void draw_view(void);
void scroll_to(const Direction *direction);
void redraw_view(void) BANKED;

/* collision.c */
bool is_passable(uint8_t tile);
bool is_forbidden_pair(const uint8_t *pair, uint8_t a, uint8_t b);
#define PAIRS_ON_LAND BYTES(0x0C7E)
#define PAIRS_ON_WATER BYTES(0x0CA0)
uint8_t step_tile(uint8_t y, uint8_t x);
bool is_occupied(uint8_t map_y, uint8_t map_x, uint8_t except);
void look_at_tiles(void);
bool is_blocked(const Direction *direction);
void step_ahead(uint8_t *y, uint8_t *x) BANKED;

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
void push_npc(uint8_t pushed, const Direction *direction);

/* actors.c: steps of a scene, which end before these return */
void walk_person(uint8_t slot, uint8_t facing, uint8_t steps) BANKED;
void face_person(uint8_t slot, uint8_t facing) BANKED;
void walk_player(uint8_t facing, uint8_t steps) BANKED;
void face_player(uint8_t facing) BANKED;

/* trainers.c */
typedef struct {
    uint8_t slot, sight, flag;
    uint16_t flags_at, header;
} Trainer;
void load_trainers(void);
const Trainer *trainer_in_slot(uint8_t slot) BANKED;
bool is_beaten(const Trainer *trainer) BANKED;
bool trainer_spots_player(void);

/* sprites.c */
void update_sprites(void) BANKED;

/* water.c */
bool is_surfing(void);
bool is_blocked_on_water(void);
void leave_water(void);
bool may_surf(void) BANKED;
void begin_surf(void) BANKED;

/* boulders.c */
bool push_boulder(void);
void forget_strength(void);

/* switches.c */
void find_ground(void);
void open_ways(void);
void boulder_rests(uint8_t slot);
bool fall_down_hole(void);

/* spinners.c */
bool spins(void);
void whirl(void);
void stop_spinning(void);

/* ledges.c */
bool hop_ledge(const Direction *direction);
void rise_over_ledge(void);
void land(void);

/* encounters.c */
void load_wild_data(void);
void count_peaceful_step(void);
bool meets_wild_creature(void);

/* opponents.c */
bool fight_opponent(void) BANKED;
void fight(void) BANKED;

/* toggles.c */
extern bool slot_hidden[SPRITE_SLOTS];
void load_toggles(void);
void reset_toggles(void) BANKED;
void hide_object(uint8_t slot) BANKED;
void show_object(uint8_t slot) BANKED;
void show_elsewhere(uint8_t index);

/* scripted.c */
#define ALL_BUT_A_B 0xFC
void joypad_overworld(void);
bool is_scripted(void);
void step_out_of_door(void);

/* talk.c */
bool talk(void);
void open_box(void) BANKED;
void close_box(void) BANKED;
void say(uint8_t id) BANKED;
void display_script(uint16_t script) BANKED;
void display_text(uint8_t id) BANKED;

#endif
