/* What the files of a battle share: 56 is its course and screen, 57 what moves do, 58 creatures. */
#ifndef BATTLE_PARTS_H
#define BATTLE_PARTS_H

#include "battle.h"
#include "hardware.h"
#include "home.h"
#include "mon.h"
#include "ram.h"
#include "ui.h"
#include "world.h"

#define PP_MASK 0x3F
#define LAST_RESORT 165
#define GOES_FIRST 98
#define GOES_LAST 68
#define CANNOT_MOVE 0xFF
#define MAX_STAT 999
#define MAX_LEVEL 100

/* Where one of the two who fight keeps everything. */
typedef struct {
    BattleMon *mon;
    Unmodified *unmodified;
    Move *move;
    uint8_t *stages, *status, *selected, *used, *nick;
    Counters *counters;
    uint8_t *disabled_move, *substitute, *bide_damage;
} Side;
extern const Side sides[2];
#define user (&sides[hWhoseTurn])
#define target (&sides[hWhoseTurn ^ 1])
#define player (&sides[PLAYERS_TURN])
#define enemy (&sides[ENEMYS_TURN])

/* battle_screen.c */
void open_battle_screen(void);
void close_battle_screen(void);
void draw_battle(void) BANKED;
void draw_huds(void) BANKED;
void show_trainer(void);
void show_enemy(void);
void show_player(void);
void hide(uint8_t side);
void sink(uint8_t side);
void animate_hp(uint8_t side, uint16_t from) BANKED;

/* battle_opponent.c */
void load_trainer(void);
void load_wild_mon(void);
void load_enemy(const PartyMon *mon, uint8_t position);

/* battle_send.c */
void send_out(uint8_t place);
void send_out_enemy(uint8_t place);
void call_back(void);
void save_battle_mon(void) BANKED;
void load_battle_mon(const Side *side, const PartyMon *mon, uint8_t position) BANKED;

/* battle_menu.c */
enum { ACTION_FIGHT, ACTION_DONE, ACTION_LEAVE };
uint8_t choose_action(void);

/* battle_moves.c */
bool is_committed(const Side *side);
bool cannot_choose(void);
uint8_t usable_moves(const Side *side);
bool choose_move(void);

/* battle_mind.c */
void choose_enemy_move(void);

/* battle_remedy.c */
void ready_remedies(void);
bool use_remedy(void);

/* battle_run.c */
bool try_to_run(void);

/* battle_safari.c (62): whether there is another */
bool safari_turn(void) BANKED;

/* battle_turn.c */
void play_turn(void);

/* battle_faint.c: whether the battle goes on */
bool settle_faints(void);
void lose(void);
uint8_t first_alive(void);
uint8_t next_enemy(void); /* the trainer's next who is not out, or NO_MON */

/* battle_use.c (57) */
void use_move(void) BANKED;

/* battle_several.c (57) */
bool begins_charging(void);
void go_on_thrashing(void);
bool holds_on(void);
bool bides(void);
void begin_several_turns(void);
uint8_t count_hits(void);

/* battle_borrowed.c (57) */
uint8_t borrowed_move(void);
void borrow_types(void);

/* battle_leave.c (57) */
void leave(void);

/* battle_condition.c (57) */
bool can_act(void);
void suffer(void) BANKED;
void weaken_by_status(const Side *side) BANKED;
void weaken_speed(const Side *side);
void weaken_attack(const Side *side);

/* battle_volatile.c (57) */
bool is_confused(void);
void count_disabling(void);
bool tries_disabled(void);
void begin_confusion(const Side *side);
void confuse(void);
void flinch(void);
void let_off(void);
void seed(void);
void disable(void);
void set_once(uint8_t byte, uint8_t bit, uint8_t text);

/* battle_damage.c (57) */
void roll_damage(void);
void set_fixed_damage(void);
uint16_t formula(uint8_t level, uint8_t power, uint16_t attack, uint16_t defense);

/* battle_deal.c (57) */
void deal_damage(void);
void hurt_itself(void);
void feed_rage(void);
void take_hp(const Side *side, uint16_t loss) BANKED;
void give_hp(const Side *side, uint16_t gain) BANKED;

/* battle_hit.c (57) */
void test_hit(void);
void roll_critical(void);

/* battle_stages.c (57) */
uint16_t scale(uint16_t value, uint8_t stage);
void raise_stat(uint8_t stat, uint8_t by);
void lower_stat(uint8_t stat, uint8_t by, bool side_effect);
void apply_stages(const Side *side) BANKED;
void boost_by_badges(const Side *side) BANKED;

/* battle_effects.c (57) */
void status_effect(void);
void side_effect(void);
void settle_hit(void);

/* battle_recovery.c (57) */
void heal(void);
void make_substitute(void);
void clear_the_air(void);

/* battle_experience.c (58) */
void share_experience(void) BANKED;


enum {
    EFFECT_MAY_POISON = 2,
    EFFECT_DRAIN = 3,
    EFFECT_MAY_BURN = 4,
    EFFECT_MAY_FREEZE = 5,
    EFFECT_MAY_PARALYZE = 6,
    EFFECT_EXPLODE = 7,
    EFFECT_DREAM = 8,
    EFFECT_MIRROR = 9,
    EFFECT_UP = 10,
    EFFECT_NEVER_MISSES = 17,
    EFFECT_DOWN = 18,
    EFFECT_CONVERT = 24,
    EFFECT_HAZE = 25,
    EFFECT_BIDE = 26,
    EFFECT_THRASH = 27,
    EFFECT_LEAVE = 28,
    EFFECT_SEVERAL_HITS = 29,
    EFFECT_MAY_FLINCH = 31,
    EFFECT_SLEEP = 32,
    EFFECT_OFTEN_POISONS = 33,
    EFFECT_OFTEN_BURNS = 34,
    EFFECT_OFTEN_FREEZES = 35,
    EFFECT_OFTEN_PARALYZES = 36,
    EFFECT_OFTEN_FLINCHES = 37,
    EFFECT_ONE_HIT = 38,
    EFFECT_CHARGE = 39,
    EFFECT_HALF = 40,
    EFFECT_FIXED = 41,
    EFFECT_TRAP = 42,
    EFFECT_FLY = 43,
    EFFECT_TWO_HITS = 44,
    EFFECT_CRASH = 45,
    EFFECT_MIST = 46,
    EFFECT_FOCUS = 47,
    EFFECT_RECOIL = 48,
    EFFECT_CONFUSE = 49,
    EFFECT_UP_2 = 50,
    EFFECT_HEAL = 56,
    EFFECT_DOWN_2 = 58,
    EFFECT_LIGHT_SCREEN = 64,
    EFFECT_REFLECT = 65,
    EFFECT_POISON = 66,
    EFFECT_PARALYZE = 67,
    EFFECT_MAY_LOWER = 68,
    EFFECT_MAY_CONFUSE = 76,
    EFFECT_TWIN_NEEDLE = 77,
    EFFECT_SUBSTITUTE = 79,
    EFFECT_RECHARGE = 80,
    EFFECT_RAGE = 81,
    EFFECT_ANYTHING = 83,
    EFFECT_SEED = 84,
    EFFECT_DISABLE = 86,
    MAY_LOWER_STATS = 4
};

#endif
