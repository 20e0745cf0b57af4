"""A cartridge's tables in the form of the turn engine."""

from emulator.dex.dex import Dex
from emulator.dex.species import EvolvesBy
from emulator.rules.engine.tables import Tables, empty_tables


def engine_tables(dex: Dex) -> Tables:
    """Return the moves, type chart, stage ratios, species and trainer classes of a dex."""
    tables = empty_tables()
    for number, move in dex.all_moves.items():
        row = tables.moves[number]
        row.effect, row.power, row.type = move.effect, move.power, move.type
        row.accuracy, row.pp, row.high_critical = move.accuracy, move.pp, move.high_critical
    for at, matchup in enumerate(dex.rules.chart.matchups):
        tables.chart[at] = matchup
    tables.rows = len(dex.rules.chart.matchups)
    tables.numerators[:] = [ratio.numerator for ratio in dex.rules.ratios]
    tables.denominators[:] = [ratio.denominator for ratio in dex.rules.ratios]
    for index in dex.all_species:
        _put_species(tables, dex, index)
    for number, each in dex.all_trainers.items():
        tables.classes[number].base_money = each.base_money
        tables.classes[number].choices[: len(each.choices)] = each.choices
    return tables


def _put_species(tables: Tables, dex: Dex, index: int) -> None:
    species, row = dex.species(index), tables.species[index]
    row.type1, row.type2 = species.types
    row.catch_rate, row.base_experience = species.catch_rate, species.base_experience
    growth = species.growth
    row.numerator, row.denominator = growth.numerator, growth.denominator
    row.square, row.linear, row.minus = growth.square, growth.linear, growth.minus
    row.base_stats[:] = species.base
    for at, lesson in enumerate(species.level_up_moves):
        row.lessons[at] = lesson
    for evolution in species.evolutions:
        if evolution.by is EvolvesBy.LEVEL:
            row.evolves_at, row.evolves_to = evolution.level, evolution.species
