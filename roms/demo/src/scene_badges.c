/* The leaders of the gyms: what comes of beating them, and who is named by the statues. */
#pragma bank 59
#include "events.h"
#include "scenes.h"
#include "world.h"

#define SCRIPT_GYM_BADGE 2

typedef struct {
    uint8_t map, leader, badge;
    uint16_t script, trainer_events[2]; /* trainers who have not been met need not be met any more */
    uint8_t statue, winners, given, advice; /* texts */
} Gym;

static const Gym gyms[] = {
    {MAP_GYM, SLOT_GYM_LEADER, BADGE_1, PEWTER_GYM_SCRIPT,
     {EVENT_BEAT_PEWTER_GYM_TRAINER_0, EVENT_BEAT_PEWTER_GYM_TRAINER_1}, MAP_TEXT_GYM_STATUE, MAP_TEXT_GYM_WINNERS,
     MAP_TEXT_GYM_BADGE, MAP_TEXT_GYM_LEADER_ADVICE},
    {MAP_FEN_GYM, SLOT_FEN_GYM_LEADER, BADGE_2, CERULEAN_GYM_SCRIPT,
     {EVENT_BEAT_CERULEAN_GYM_TRAINER_0, EVENT_BEAT_CERULEAN_GYM_TRAINER_1}, MAP_TEXT_FEN_GYM_STATUE,
     MAP_TEXT_FEN_GYM_WINNERS, MAP_TEXT_FEN_GYM_BADGE, MAP_TEXT_FEN_GYM_LEADER_ADVICE},
    {MAP_ISLE_GYM, SLOT_ISLE_GYM_LEADER, BADGE_3, CINNABAR_GYM_SCRIPT,
     {EVENT_BEAT_VERMILION_GYM_TRAINER_0, EVENT_BEAT_VERMILION_GYM_TRAINER_1}, MAP_TEXT_ISLE_GYM_STATUE,
     MAP_TEXT_ISLE_GYM_WINNERS, MAP_TEXT_ISLE_GYM_BADGE, MAP_TEXT_ISLE_GYM_LEADER_ADVICE},
    {MAP_HOLLOW_HALL, SLOT_HOLLOW_HALL_LEADER, BADGE_4, CELADON_GYM_SCRIPT,
     {EVENT_BEAT_CELADON_GYM_TRAINER_0, EVENT_BEAT_CELADON_GYM_TRAINER_1},
     MAP_TEXT_HOLLOW_HALL_STATUE, MAP_TEXT_HOLLOW_HALL_WINNERS, MAP_TEXT_HOLLOW_HALL_BADGE,
     MAP_TEXT_HOLLOW_HALL_LEADER_ADVICE},
};

#define GYMS (sizeof(gyms) / sizeof(Gym))

static const Gym *gym_here(void)
{
    uint8_t i;

    for (i = 0; i != GYMS; i++)
        if (gyms[i].map == wCurMap)
            return &gyms[i];
    return 0;
}

/* The number of the gym whose leader it is, from 1; 0 for everybody else. */
uint8_t leader_in_slot(uint8_t slot)
{
    const Gym *gym = gym_here();

    return gym && slot == gym->leader ? gym - gyms + 1 : 0;
}

static void give_badge(const Gym *gym)
{
    BYTE(gym->script) = SCRIPT_GYM_BADGE;
    wObtainedBadges |= gym->badge;
    wBeatGymFlags |= gym->badge;
    set_event(gym->trainer_events[0]);
    set_event(gym->trainer_events[1]);
    tell(gym->given);
    display_text(gym->advice);
    BYTE(gym->script) = 0;
}

/* Whether the statue had a name to show. */
bool statue_speaks(uint8_t text) BANKED
{
    const Gym *gym = gym_here();

    if (!gym || text != gym->statue || !(wObtainedBadges & gym->badge))
        return false;
    display_text(gym->winners);
    return true;
}

/* Who fought in this slot is beaten, the map is shown again. */
void trainer_falls(uint8_t slot)
{
    const Gym *gym = gym_here();

    if (gym && slot == gym->leader)
        give_badge(gym);
    else if (wCurMap == MAP_WORKS_QUIZ)
        guest_falls(slot);
    else
        one_of_four_falls();
}
