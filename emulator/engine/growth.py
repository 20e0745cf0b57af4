"""What a battle teaches: experience for those who took part, stat experience, levels, moves learnt, evolution."""

from typing import Final

from emulator.compiled import compiled
from emulator.engine.stages import apply_badges, apply_penalties, put, recalculate
from emulator.rules import arithmetic, codes
from emulator.rules.arithmetic import HIGHEST, HIGHEST_LEVEL
from emulator.rules.position import LESSONS, Position, Tables

MOST_STAT_EXP: Final = 0xFFFF
EXP_ALL: Final = 75

stat_core = compiled(arithmetic.stat_core)
experience_at = compiled(arithmetic.experience_at)
experience_for = compiled(arithmetic.experience_for)


@compiled
def plain_stats(position: Position, tables: Tables) -> None:
    """Calculate the stats that critical hits of a transformed enemy use: of the new species, with the DVs it copied."""
    foe, ours = position.sides[codes.THEIRS], position.sides[codes.OURS]
    species, dvs = tables.species[foe.species], ours.team[ours.out].dvs
    for stat in range(codes.STATS):
        core = stat_core(int(species.base_stats[1 + stat]), int(dvs[stat]), 0, int(foe.level))
        foe.plain[stat] = min(core + 5, HIGHEST)


@compiled
def experience_of_level(tables: Tables, species: int, level: int) -> int:
    """Return the experience at which a species reaches a level."""
    row = tables.species[species]
    return experience_at(
        int(row.numerator),
        int(row.denominator),
        int(row.square),
        int(row.linear),
        int(row.minus),
        level,
    )


@compiled
def set_stats(position: Position, side: int, place: int, tables: Tables) -> None:
    """Give a member of a team the stats of its level; its HP grow by as much as its maximum."""
    member = position.sides[side].team[place]
    base, level = tables.species[member.species].base_stats, int(member.level)
    dvs, trained = member.dvs, member.stat_exp
    hp_dv = int(
        (dvs[0] & 1) << 3 | (dvs[1] & 1) << 2 | (dvs[2] & 1) << 1 | dvs[3] & 1
    )  # made of the others' lowest bits
    most = min(stat_core(int(base[0]), hp_dv, int(trained[0]), level) + level + 10, HIGHEST)
    member.hp += most - member.max_hp
    member.max_hp = most
    for stat in range(codes.STATS):
        core = stat_core(int(base[1 + stat]), int(dvs[stat]), int(trained[1 + stat]), level)
        member.stats[stat] = min(core + 5, HIGHEST)


@compiled
def share_experience(position: Position, tables: Tables) -> None:
    """Give experience for the foe that fainted (GainExperience), twice at half when the bag holds an Exp.All."""
    has_exp_all = 0
    for at in range(len(position.bag_items)):
        if position.bag_items[at] == EXP_ALL and position.bag_counts[at]:
            has_exp_all = 1
    ours = position.sides[codes.OURS]
    give_experience(position, int(position.gainers), 1 + has_exp_all, tables)
    if has_exp_all:
        everyone = (1 << int(ours.count)) - 1
        give_experience(position, everyone, 2 * max(bits(int(position.gainers)), 1), tables)
    position.gainers = position.participants = 1 << int(ours.out)


@compiled
def bits(mask: int) -> int:
    """Return the number of bits that are set."""
    count = 0
    while mask:
        count += mask & 1
        mask >>= 1
    return count


@compiled
def give_experience(position: Position, mask: int, divided: int, tables: Tables) -> None:
    """Give each living member of `mask` its share; base values were divided by `divided` before."""
    ours, foe = position.sides[codes.OURS], position.sides[codes.THEIRS]
    species = tables.species[foe.team[foe.out].species]
    shared_by = max(bits(mask), 1)
    for place in range(ours.count):
        member = ours.team[place]
        hp = ours.hp if place == ours.out else member.hp
        if not mask >> place & 1 or hp == 0:
            continue
        for stat in range(codes.STATS + 1):
            gained = int(species.base_stats[stat]) // divided // shared_by
            member.stat_exp[stat] = min(int(member.stat_exp[stat]) + gained, MOST_STAT_EXP)
        base = int(species.base_experience) // divided
        boosts = int(member.traded) + int(position.kind == codes.TRAINER)
        member.exp += experience_for(base, int(foe.level), shared_by, boosts)
        raise_level(position, place, tables)


@compiled
def raise_level(position: Position, place: int, tables: Tables) -> None:
    """Let a member reach the level of its experience, learn that level's move, and show in battle what changes."""
    ours = position.sides[codes.OURS]
    member = ours.team[place]
    species = int(member.species)
    member.exp = min(int(member.exp), experience_of_level(tables, species, HIGHEST_LEVEL))
    level = int(member.level)
    while level < HIGHEST_LEVEL and experience_of_level(tables, species, level + 1) <= member.exp:
        level += 1
    if level == member.level:
        return
    member.level = level
    if place == ours.out:
        member.hp = ours.hp
    set_stats(position, codes.OURS, place, tables)
    member.can_evolve = 1
    learn_move(position, place, tables)
    if place == ours.out:
        show_growth(position, tables)


@compiled
def show_growth(position: Position, tables: Tables) -> None:
    """Give the Pokemon in battle its new level and stats; penalties and badges apply once more."""
    ours = position.sides[codes.OURS]
    member = ours.team[ours.out]
    ours.level, ours.hp, ours.max_hp = member.level, member.hp, member.max_hp
    put(ours.plain, member.stats)
    if not ours.volatile & codes.TRANSFORMED:
        put(ours.unmodified, member.stats)
    recalculate(position, codes.OURS, tables)
    apply_penalties(position, codes.OURS)
    apply_badges(position)


@compiled
def learn_move(position: Position, place: int, tables: Tables) -> None:
    """Learn the move of exactly the level reached, if a place is free; which to forget is not for the engine."""
    ours = position.sides[codes.OURS]
    member = ours.team[place]
    for at in range(LESSONS):
        lesson = tables.species[member.species].lessons[at]
        if lesson.level != member.level or knows(position, place, int(lesson.move)):
            continue
        for slot in range(codes.SLOTS):
            if member.moves[slot] == 0:
                member.moves[slot] = lesson.move
                member.pp[slot] = member.max_pp[slot] = tables.moves[lesson.move].pp
                if place == ours.out and not ours.volatile & codes.TRANSFORMED:
                    ours.moves[slot], ours.pp[slot] = member.moves[slot], member.pp[slot]
                break


@compiled
def knows(position: Position, place: int, move: int) -> bool:
    """Return whether a member of our team knows a move."""
    moves = position.sides[codes.OURS].team[place].moves
    for slot in range(codes.SLOTS):  # noqa: SIM110  # numba compiles no generator
        if moves[slot] == move:
            return True
    return False


@compiled
def evolve(position: Position, tables: Tables) -> int:
    """Let members evolve by level after the battle (EvolutionAfterBattle); return which, as bits by place."""
    ours, evolved = position.sides[codes.OURS], 0
    for place in range(ours.count):
        member = ours.team[place]
        species = tables.species[member.species]
        if not member.can_evolve or not species.evolves_to or member.level < species.evolves_at:
            continue
        member.species = species.evolves_to
        set_stats(position, codes.OURS, place, tables)
        learn_move(position, place, tables)
        evolved |= 1 << place
    return evolved
