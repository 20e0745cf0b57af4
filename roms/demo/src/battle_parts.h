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

#define MOVES 4
#define PP_MASK 0x3F
#define LAST_RESORT 165
#define GOES_FIRST 98
#define MAX_STAT 999
#define MAX_LEVEL 100

/* Where one of the two who fight keeps everything. */
typedef struct {
    BattleMon *mon;
    Unmodified *unmodified;
    Move *move;
    uint8_t *stages, *status, *selected, *used, *nick;
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
bool choose_move(void);

/* battle_run.c */
bool try_to_run(void);

/* battle_turn.c */
void play_turn(void);

/* battle_faint.c: whether the battle goes on */
bool settle_faints(void);
void lose(void);
uint8_t first_alive(void);

/* battle_use.c (57) */
void use_move(void) BANKED;

/* battle_condition.c (57) */
bool can_act(void);
void suffer(void) BANKED;
void weaken_by_status(const Side *side) BANKED;
void weaken_speed(const Side *side);
void weaken_attack(const Side *side);

/* battle_damage.c (57) */
void roll_damage(void);

/* battle_hit.c (57) */
void test_hit(void);
void roll_critical(void);

/* battle_stages.c (57) */
uint16_t scale(uint16_t value, uint8_t stage);
void raise_stat(uint8_t stat, uint8_t by);
void lower_stat(uint8_t stat, uint8_t by, bool side_effect);
void apply_stages(const Side *side) BANKED;

/* battle_effects.c (57) */
void status_effect(void);
void side_effect(void);
void drain_or_recoil(void);

/* battle_experience.c (58) */
void share_experience(void) BANKED;

/* battle_money.c (58) */
void add_money(uint8_t *to, const uint8_t *amount) BANKED;
void pay_prize(void) BANKED;

enum {
    EFFECT_MAY_POISON = 2,
    EFFECT_DRAIN = 3,
    EFFECT_MAY_BURN = 4,
    EFFECT_MAY_FREEZE = 5,
    EFFECT_MAY_PARALYZE = 6,
    EFFECT_UP = 10,
    EFFECT_NEVER_MISSES = 17,
    EFFECT_DOWN = 18,
    EFFECT_SLEEP = 32,
    EFFECT_OFTEN_POISONS = 33,
    EFFECT_OFTEN_BURNS = 34,
    EFFECT_OFTEN_FREEZES = 35,
    EFFECT_OFTEN_PARALYZES = 36,
    EFFECT_RECOIL = 48,
    EFFECT_UP_2 = 50,
    EFFECT_DOWN_2 = 58,
    EFFECT_POISON = 66,
    EFFECT_PARALYZE = 67,
    EFFECT_MAY_LOWER = 68,
    MAY_LOWER_STATS = 4
};

#endif
