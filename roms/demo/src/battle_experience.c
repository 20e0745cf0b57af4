/* What a fallen opponent is worth: experience, levels, stats, moves. */
#pragma bank 58
#include "battle_parts.h"

#define STATS 5
#define MOST_STAT_EXPERIENCE 0xFFFF
#define EXPERIENCE_DIVISOR 7

static PartyMon *mon;
static uint8_t place;

static void gain_stat_experience(uint8_t sharers)
{
    uint8_t *at = mon->stat_experience;
    uint8_t stat, gain;

    for (stat = 0; stat != STATS; stat++, at += 2) {
        gain = wEnemyMonBaseStats[stat] / sharers;
        set_big(at, big(at) > MOST_STAT_EXPERIENCE - gain ? MOST_STAT_EXPERIENCE : big(at) + gain);
    }
}

static bool is_traded(void)
{
    return mon->trainer_id[0] != wPlayerID[0] || mon->trainer_id[1] != wPlayerID[1];
}

static uint16_t experience_for(uint8_t sharers)
{
    uint16_t gain = (uint16_t)(wEnemyMonBaseExp / sharers) * wEnemyMon.level / EXPERIENCE_DIVISOR;

    if (is_traded())
        gain += gain >> 1;
    if (wIsInBattle == IN_TRAINER_BATTLE)
        gain += gain >> 1;
    return gain;
}

static uint32_t experience(void)
{
    return (uint32_t)mon->experience[0] << 16 | big(mon->experience + 1);
}

static void add_experience(uint16_t gain)
{
    uint32_t most = experience_at(MAX_LEVEL), sum = experience() + gain;

    if (sum > most)
        sum = most;
    mon->experience[0] = sum >> 16;
    set_big(mon->experience + 1, (uint16_t)sum);
}

static uint8_t level_reached(void)
{
    uint8_t level = mon->level;

    while (level < MAX_LEVEL && experience() >= experience_at(level + 1))
        level++;
    return level;
}

/* Who is out keeps its stages. */
static void renew_battle_mon(void)
{
    if (place != wPlayerMonNumber)
        return;
    copy(wBattleMon.hp, mon->hp, 2);
    copy(&wBattleMon.level, &mon->level, sizeof(Unmodified));
    copy(&wPlayerMonUnmodified.level, &mon->level, sizeof(Unmodified));
    apply_stages(player);
    draw_huds();
}

static void grow(uint8_t level)
{
    uint16_t before = big(mon->max_hp);

    mon->level = level;
    calculate_stats(mon);
    set_big(mon->hp, big(mon->hp) + big(mon->max_hp) - before);
    renew_battle_mon();
}

static void show_stats(void)
{
    place_box(9, 2, 9, 8);
    place_stats(10, 3, mon->stats);
    wait_for_button();
    wait_for_release();
    draw_battle();
}

static void gain(uint8_t sharers)
{
    uint16_t amount = experience_for(sharers);
    uint8_t level;

    load_mon_header(mon->species);
    gain_stat_experience(sharers);
    add_experience(amount);
    copy_string(wLearnMoveMonName, wPartyMonNicks + NAME_SIZE * place);
    set_big(wStringBuffer, amount);
    print_system_text(TEXT_BATTLE_EXPERIENCE);
    level = level_reached();
    if (level == mon->level)
        return;
    grow(level);
    wCanEvolveFlags |= 1 << place;
    wCurEnemyLevel = level;
    print_system_text(TEXT_BATTLE_LEVEL);
    show_stats();
    learn_moves_of_level(place);
}

/* Shared among those who fought this opponent and still stand. */
void share_experience(void) BANKED
{
    uint8_t flags = wPartyGainExpFlags;
    uint8_t sharers = count_bits(flags);

    for (place = 0; place != wPartyCount; place++, flags >>= 1) {
        mon = &wPartyMons[place];
        if (flags & 1 && !is_fainted(mon->hp))
            gain(sharers);
    }
    wPartyGainExpFlags = 0;
}
