"""Readiness of the team for the next trainer: by exact odds, and by battles in memory."""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from agent.battle.odds import Foes, beats, chance_to_beat, led_by, rested
from agent.capabilities.context import GameContext
from agent.capabilities.items import restorable_hp
from agent.experience.choices import SURENESS, sureness
from agent.experience.uses import Experience
from agent.story.interactions import Task
from agent.story.opponents import following, team_against
from emulator import Dex, Party, PartyMon, State
from memory import MistakeRecord, SuccessfulStrategy

READY: Final = 0.9  # the chance to win at which a team is ready for a trainer
# The same for a row of trainers: playouts use the bag worse than play does, which wins at least nine of ten rows at this
# chance (docs/results/rows.json).
READY_FOR_A_ROW: Final = 0.2
# Battles that the odds count as, beside those in memory: the odds are right within 0.05 or so, as far as battles of
# the demo and of Showdown show, and a share of a hundred battles is no surer than that.
ODDS_COUNT: Final = 100
MOST_HEALS: Final = 12  # counted for a row of trainers


class Defeats(NamedTuple):
    """What memory knows of battles that the species of a member lost against a team at its level or above.

    `times` counts them, and `won` those that it won at its level or below.
    """

    lost: tuple[MistakeRecord, ...] = ()
    times: int = 0
    won: float = 0.0

    def corrected(self, chance: float) -> float:
        """Return the chance to win by the odds, which count as some battles, and by the battles fought.

        It is never above the odds: what was won was won by other teams, which may have been stronger.
        """
        fought = (ODDS_COUNT * chance + self.won) / (ODDS_COUNT + self.won + self.times)
        return min(chance, fought)


def defeats_by(dex: Dex, mon: PartyMon, team: Foes, experience: Experience) -> Defeats:
    """Return what memory knows of battles that the species of `mon` lost against `team`."""
    species = dex.all_species.get(mon.species)
    known = experience.defeats(species.name) if species is not None else ()
    counted = [
        (each, sum(n for level, n in each.defeats_by_level.items() if mon.level <= level))
        for each in known
        if _was_against(dex, each, team)
    ]
    lost = tuple([each for each, times in counted if times])
    if species is None or not lost:
        return Defeats()
    enemies = ", ".join(dict.fromkeys(dex.species(each.species).name for each in team))
    fought = _fought(experience.wins(species.name, enemies), team)
    won = [each for each, level in fought if level <= mon.level]
    uses = sum(each.success_rate * each.total_uses for each in won)
    return Defeats(lost, sum(times for _, times in counted), uses)


def _fought(
    known: Iterable[SuccessfulStrategy], team: Foes
) -> Iterator[tuple[SuccessfulStrategy, int]]:
    """Yield the strategies that were used against a team of this level, with the level of who used them."""
    strongest = max((each.level for each in team), default=0)
    for each in known:
        level = each.context.get("player_level")
        if each.context.get("enemy_level") == strongest and isinstance(level, int):
            yield each, level


def _was_against(dex: Dex, defeat: MistakeRecord, team: Foes) -> bool:
    """Return whether the part of the enemy team seen matches; a wild Pokemon of the same species and level matches too."""
    met = str(defeat.situation["enemy_pokemon"]).split(", ")
    named = [(dex.species(each.species).name, each.level) for each in team]
    order = list(dict.fromkeys(name for name, _ in named))
    levels = [level for name, level in named if name in met]
    return order[: len(met)] == met and defeat.situation["enemy_level"] in levels


class Readiness(NamedTuple):
    """Whether a team is likely to beat a trainer; `held_back` is the lost battle if only memory says no."""

    ready: bool
    held_back: MistakeRecord | None = None


def readiness(game: GameContext, state: State, task: Task, percent: int | None = None) -> Readiness:
    """Return the readiness of the team for the trainer of a task, and for the trainers that follow without a rest.

    Without `percent`, the chance to win that is enough is the one that this game chose. Where no wild Pokemon appears, no
    waiting makes a team stronger, so that it is as ready as it can be.
    """
    if state.flags.meets_none:
        return Readiness(ready=True)
    team, then = (
        team_against(game.story, game.dex, task, state),
        following(game.story, game.dex, task, state),
    )
    helps = helps_of(game, state)
    if not then:
        enough = (percent or game.way(sureness(task))) / 100
        return readiness_of(game, state.party, team, helps=helps, enough=enough)
    # A row takes a hundred times as long to play out: once for each strength of the team.
    known, asked = game.shared(_known_rows), (*game.strength_of(state.party), helps)
    if known.get(task.id, ((), None))[0] != (asked, game.experience.lessons):
        found = readiness_of(game, state.party, team, then, helps, READY_FOR_A_ROW)
        known[task.id] = (asked, game.experience.lessons), found
    return known[task.id][1]


def _known_rows(_game: GameContext) -> dict[str, tuple[object, Readiness]]:
    """Return a place for the last readiness for each row, by its first task, with what it was found for."""
    return {}


def depends_on_sureness(game: GameContext, state: State, task: Task) -> bool:
    """Return whether the team is ready for the trainer of a task by one way of `sureness` and not by another."""
    fewest, most = min(SURENESS), max(SURENESS)
    return (
        readiness(game, state, task, fewest).ready and not readiness(game, state, task, most).ready
    )


class Helps(NamedTuple):
    """What helps a team beside itself: how often the bag heals a member in full, and badges by bit number."""

    heals: int = 0
    badges: tuple[int, ...] = ()


NO_HELP: Final = Helps()


def helps_of(game: GameContext, state: State) -> Helps:
    """Return the help of the badges, and of the bag: in full for the member with the most HP, as far as it counts."""
    full = max((mon.stats.hp for mon in state.party.mons), default=1)
    heals = min(restorable_hp(state.bag, game.story.kept, full) // full, MOST_HEALS)
    return Helps(heals, state.player.badges)


def readiness_of(
    game: GameContext,
    party: Party,
    team: Foes,
    then: tuple[Foes, ...] = (),
    helps: Helps = NO_HELP,
    enough: float = READY,
) -> Readiness:
    """Return the readiness of a party, rested and in the best order, for a trainer's team, and without a rest for `then`.

    `enough` is the chance to win. Defeats of a member by the same team make its chance smaller, until its level is higher.
    """
    recovered = rested(game.dex, party)
    held_back = None
    for at, mon in enumerate(recovered.mons):
        led = led_by(recovered, at)
        if not beats(game.dex, led, team, enough, then, *helps):
            continue
        defeats = defeats_by(game.dex, mon, team, game.experience)
        if not defeats.lost:
            return Readiness(ready=True)
        if defeats.corrected(chance_to_beat(game.dex, led, team, then, *helps)) >= enough:
            return Readiness(ready=True)
        held_back = held_back or defeats.lost[0]
    return Readiness(ready=False, held_back=held_back)
