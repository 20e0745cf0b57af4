/* The loop of walking: one pass takes two frames, a step eight passes. */
#pragma bank 45
#include "events.h"
#include "overworld.h"
#include "scenes.h"
#include "screens.h"
#include "things.h"
#include "world.h"

#define PASSES_PER_STEP 8
#define PIXELS_PER_PASS 2
#define PASSES_PER_ANIMATION 4
#define FRAMES_PER_PASS 2

static uint8_t pass_began;

const Direction directions[4] = {
    {PAD_DOWN, 4, FACING_DOWN, 1, 0},
    {PAD_UP, 8, FACING_UP, -1, 0},
    {PAD_LEFT, 2, FACING_LEFT, 0, -1},
    {PAD_RIGHT, 1, FACING_RIGHT, 0, 1},
};

static const Direction *held_direction(void)
{
    uint8_t i;

    for (i = 0; i != 4; i++)
        if (hJoyHeld & directions[i].pad)
            return &directions[i];
    return 0;
}

static void animate_walk(void)
{
    if (++player1.intra_frame != PASSES_PER_ANIMATION)
        return;
    player1.intra_frame = 0;
    player1.frame = (player1.frame + 1) & 3;
}

void stand_still(void)
{
    player1.intra_frame = 0;
    player1.frame = 0;
    player1.y_step = player1.x_step = 0;
}

static void play_airs(void)
{
    if (wMovementFlags & MOVEMENT_LEDGE && wWalkCounter)
        rise_over_ledge();
    if (wMovementFlags & MOVEMENT_SPIN)
        whirl();
}

/* Whoever looks at the sprites finds the player among them. */
void note_place(void)
{
    player2.map_y = wYCoord + COORDINATE_OFFSET;
    player2.map_x = wXCoord + COORDINATE_OFFSET;
}

static void arrive(void)
{
    wYCoord += player1.y_step;
    wXCoord += player1.x_step;
    player1.y_step = player1.x_step = 0;
    wStepCounter--;
    cross_connection();
    note_place();
    look_at_tiles();
    note_standing_on_warp();
}

static bool meet(void)
{
    if (!meets_wild_creature())
        return false;
    fight();
    return true;
}

static bool ends_visit(void)
{
    return has_happened(EVENT_IN_SAFARI_ZONE) && count_reserve_step();
}

static void end_step(void)
{
    if (!is_scripted()
        && (suffer_poison() || ends_visit() || fall_down_hole() || warp_after_step() || meet()))
        return;
    count_peaceful_step();
}

/* Whether it was the last of the step's passes. */
static bool advance_step(void)
{
    animate_walk();
    if (--wWalkCounter)
        return false;
    arrive();
    return true;
}

static void begin_step(const Direction *direction)
{
    wCheckFor180DegreeTurn = 0;
    wWalkCounter = PASSES_PER_STEP;
    player1.y_step = direction->dy;
    player1.x_step = direction->dx;
    scroll_to(direction);
}

static void face(const Direction *direction)
{
    player1.facing = direction->facing;
    wPlayerDirection = direction->bit;
    wPlayerMovingDirection = direction->bit;
}

static bool is_turn(const Direction *direction)
{
    return wCheckFor180DegreeTurn && !is_scripted() && direction->bit != wPlayerLastStopDirection;
}

static void idle(void)
{
    wMiscFlags &= (uint8_t)~MISC_TURNING;
    wCheckFor180DegreeTurn = 1;
    if (wPlayerMovingDirection)
        wPlayerLastStopDirection = wPlayerMovingDirection;
    wPlayerMovingDirection = 0;
    stand_still();
}

static void go(const Direction *direction)
{
    bool turn = is_turn(direction);

    face(direction);
    if (turn) {
        wMiscFlags |= MISC_TURNING;
        wCheckFor180DegreeTurn = 0;
        meet();
        return;
    }
    wMiscFlags &= (uint8_t)~MISC_TURNING;
    if (!is_blocked(direction)) {
        if (is_surfing())
            leave_water();
        begin_step(direction);
        return;
    }
    stand_still();
    if (hop_ledge(direction))
        return;
    if (wMovementFlags & MOVEMENT_ON_WARP)
        warp_after_bump();
}

static void stand(void)
{
    const Direction *direction;

    if (!is_scripted() && (scene_begins() || spins() || trainer_spots_player()))
        return;
    joypad_overworld();
    if (!is_scripted()) {
        if (wCurOpponent) {
            fight();
            return;
        }
        if (hJoyPressed & PAD_START) {
            stand_still();
            look_at_tiles();
            start_menu();
            return;
        }
        if (hJoyPressed & PAD_A && talk())
            return;
        if (push_boulder())
            return;
    }
    direction = held_direction();
    if (direction)
        go(direction);
    else
        idle();
}

/* A pass that computed past a V-blank has that frame behind it already, so the pace of walking keeps. */
static void wait_for_pass(void)
{
    do
        delay_frame();
    while ((uint8_t)(frames_shown - pass_began) < FRAMES_PER_PASS);
    pass_began = frames_shown;
}

/* One pass of a player who stands and a scene that plays. */
void scene_pass(void)
{
    wait_for_pass();
    move_npcs();
    update_sprites();
}

static void pass(void)
{
    uint8_t y_step, x_step;
    bool arrived;

    wait_for_pass();
    if (!wWalkCounter)
        stand();
    y_step = player1.y_step;
    x_step = player1.x_step;
    play_airs();
    arrived = wWalkCounter && advance_step();
    move_npcs();
    update_sprites();
    hSCY += y_step * PIXELS_PER_PASS;
    hSCX += x_step * PIXELS_PER_PASS;
    if (arrived)
        end_step();
}

/* For what a script makes the player do: the keys it left are played to the end. */
void play_script(void)
{
    do
        pass();
    while (is_scripted());
}

void new_game_map(void) BANKED
{
    wCurMap = START_MAP;
    wLastMap = START_LAST_MAP;
    wLastBlackoutMap = START_LAST_MAP;
    wYCoord = START_Y;
    wXCoord = START_X;
    wDestinationWarpID = NO_WARP;
    wStatusFlags6 |= STATUS6_TIMER;
    player1.picture = PICTURE_PLAYER;
    wPlayerLastStopDirection = directions[0].bit;
    enter_map();
}

void overworld(void) BANKED
{
    for (;;)
        pass();
}
