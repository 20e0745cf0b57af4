/* What maps do by themselves (code banks 45 and 59). */
#ifndef SCENES_H
#define SCENES_H

#include "overworld.h"

/* wOaksLabCurScript while one of its scenes plays; 0 otherwise. */
enum { SCRIPT_LAB_NOT_YET = 1, SCRIPT_LAB_RIVAL_TAKES, SCRIPT_LAB_CHALLENGE };

/* wViridianMartCurScript in the same way */
enum { SCRIPT_STORE_CALLS = 1, SCRIPT_STORE_GIVES };

/* scenes.c */
bool scene_begins(void);
bool person_speaks(uint8_t slot);
bool sign_speaks(uint8_t text);
bool door_speaks(uint8_t tile);
void change_blocks(void);
void set_scene(void);

/* scene_town.c; a text that ends with an arrow is told, and nothing more is waited for */
void tell(uint8_t text) BANKED;
void turn_back(void) BANKED;

/* scene_parcel.c */
void clerk_calls(void) BANKED;
bool clerk_speaks(uint8_t slot) BANKED;
bool hazel_has_errand(void);
void guard_turns_back(void) BANKED;
bool guard_speaks(uint8_t slot) BANKED;

/* scene_givers.c */
void road_guard_turns_back(void) BANKED;
bool road_guard_speaks(uint8_t slot) BANKED;
bool carver_speaks(uint8_t slot) BANKED;
bool lamp_maker_speaks(uint8_t slot) BANKED;
bool ferryman_speaks(uint8_t slot) BANKED;
bool stevedore_speaks(uint8_t slot) BANKED;

/* scene_gym.c */
bool gym_speaks(uint8_t text) BANKED;
void change_gym(void) BANKED;

/* scene_badges.c */
bool statue_speaks(uint8_t text) BANKED;
void trainer_falls(uint8_t slot);
uint8_t leader_in_slot(uint8_t slot);

/* scene_bazaar.c */
void thirsty_guard_calls(void) BANKED;
bool thirsty_guard_speaks(uint8_t slot) BANKED;
bool piper_speaks(uint8_t slot) BANKED;
void sleeper_wakes(void) BANKED;

/* scene_green.c */
void basil_waits(void) BANKED;
void restless_one_wakes(void) BANKED;
bool keeper_speaks(uint8_t slot) BANKED;

/* scene_fossils.c */
bool fossil_keeper_speaks(uint8_t slot) BANKED;

/* scene_four.c */
void enter_lobby(void) BANKED;
void room_of_four_holds(void) BANKED;
void change_room_of_four(void) BANKED;
void one_of_four_falls(void) BANKED;

/* scene_hall.c */
void enter_hall(void) BANKED;

/* scene_reserve.c */
void reserve_asks(void) BANKED;
void reserve_sees_out(void) BANKED;
void last_net_flew(void) BANKED;
bool count_reserve_step(void) BANKED;

/* scene_tins.c */
bool tins_speak(uint8_t text) BANKED;
void change_tins(void) BANKED;
void hide_switch(void) BANKED;

/* scene_quiz.c */
bool quiz_speaks(uint8_t text) BANKED;
void change_quiz(void) BANKED;
void guest_falls(uint8_t slot);

/* scene_locks.c */
void try_lock(void) BANKED;
void change_hall(void) BANKED;

/* scene_lift.c */
bool lift_speaks(void) BANKED;
void lift_waits(void) BANKED;

/* pads.c */
void whirl_away(void) BANKED;

/* scene_lab.c */
bool lab_speaks(uint8_t slot) BANKED;
bool lab_calls_back(void) BANKED;

/* scene_rival.c */
void rival_takes(uint8_t ball) BANKED;
void rival_challenges(void) BANKED;

/* scene_trainer.c */
void meet_trainer(const Trainer *trainer, uint8_t distance) BANKED;
void talk_to_trainer(const Trainer *trainer) BANKED;

#endif
