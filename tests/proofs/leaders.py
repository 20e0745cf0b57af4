"""The lowest levels at which teams beat Red's leaders and rivals, by the odds that the agent trains to.

The agent's `readiness` asks for the same chance: the share won of 200 fights that the turn engine plays out, by the best
of the team's orders. Stats are those of average DVs, without stat experience, so that trained teams are a little stronger.
"""

import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Final

from agent.battle.odds import Foe, Foes, chance_to_beat, led_by, mon_from
from agent.capabilities.items import HEALS, restorable_hp
from agent.capabilities.readiness import MOST_HEALS
from agent.story.facts import FactKind
from agent.story.interactions import StoryTrainer, Task
from agent.story.opponents import team_of, teams_of
from agent.story.story import Story
from emulator import CartridgeKind, Dex, Party, PartyMon
from emulator.dex.species import EvolvesBy
from emulator.ram.party import MoveSlot
from emulator.ram.player import Bag, Stack
from emulator.rules.arithmetic import HIGHEST_LEVEL
from tests.emulator.synthetic.facts import load
from tests.proofs.showdown.jobs import red_dex
from tests.proofs.workers import Row

TEAMS: Final = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
STARTERS: Final[Mapping[str, str]] = TEAMS["starters"]
SHARES: Final = {"half": 0.5, "95%": 0.95}
HELP: Final = ("no items", "bought")
COMPANIONS_BELOW: Final = 4  # levels
LOWEST_LEVEL: Final = 5  # of a starter
START_MONEY: Final = 3_000
SPENT: Final = 2  # one part in so many, on healing items
JOBS: Final = 1_000_000  # numbers of a seed


def lowest_level(
    chance: Callable[[int], float], share: float, first: int = LOWEST_LEVEL
) -> int | None:
    """Return the lowest level at which, and at the next, the chance is at least `share`; None where none is.

    Each level is tried: a chance may fall with the level, by a move that is learned or fewer potions for more HP.
    """
    for level in range(first, HIGHEST_LEVEL + 1):
        if all(chance(min(each, HIGHEST_LEVEL)) >= share for each in (level, level + 1)):
            return level
    return None


@dataclass(frozen=True, slots=True, eq=False)
class LeaderFight:
    """A fight of the file: its place in the order, its task in the story if it has one, and those that follow."""

    place: int
    name: str
    trainer: StoryTrainer
    companions: tuple[str, ...]
    shops: tuple[str, ...]
    task: Task | None
    then: tuple[Task, ...]


@cache
def fights() -> tuple[LeaderFight, ...]:
    """Return the fights in order."""
    tasks = {task.id: task for task in _story().tasks}
    made, shops = [], list[str]()
    for place, row in enumerate(TEAMS["fights"]):
        task = tasks.get(row.get("task", ""))
        trainer = task.against if task is not None else StoryTrainer.of(row["trainer"])
        assert trainer is not None
        shops += row.get("shops", ())
        then = [tasks[each] for each in _row_of(task)[1:]] if row.get("in_a_row") else []
        companions = tuple(row.get("companions", ()))
        made.append(
            LeaderFight(place, row["name"], trainer, companions, tuple(shops), task, tuple(then))
        )
    return tuple(made)


@cache
def _story() -> Story:
    return Story.of(CartridgeKind.RED)


def _row_of(task: Task | None) -> tuple[str, ...]:
    """Return the tasks that are done without a rest, this one among them."""
    rows = (place.trials for place in _story().places)
    return next((row for row in rows if task is not None and task.id in row), ())


def team_in(dex: Dex, fight: LeaderFight, starter: str) -> tuple[Foes, ...]:
    """Return the trainer's team for a starter of ours, and those of the trainers that follow."""
    story = _story()
    choice = story.rival_starters.index(_species(dex, STARTERS[starter]))
    if fight.task is None:
        return (team_of(dex, fight.trainer.opponents()[choice]),)
    teams = [teams_of(story, dex, each) for each in (fight.task, *fight.then)]
    return tuple(each[choice % len(each)] for each in teams)


def beaten_before(fight: LeaderFight) -> Iterator[Task]:
    """Yield the tasks with a trainer that the story has before a fight and the row without a rest that it is in."""
    if fight.task is None:
        return
    row = _row_of(fight.task) or (fight.task.id,)
    for task in _story().tasks:
        if task.id == row[0]:
            return
        if task.against is not None and not task.optional:
            yield task


def badges_before(fight: LeaderFight) -> tuple[int, ...]:
    """Return the bit numbers of the badges that the trainers before gave."""
    marks = [_story().ram_facts[task.sets] for task in beaten_before(fight)]
    return tuple(mark.number for mark in marks if mark.kind is FactKind.BADGE)


def money_before(dex: Dex, fight: LeaderFight, starter: str) -> int:
    """Return the money at the start and the prizes of the trainers before."""
    choice = _story().rival_starters.index(_species(dex, STARTERS[starter]))
    money = START_MONEY
    for task in beaten_before(fight):
        assert task.against is not None
        numbers = task.against.numbers
        trainer = dex.trainer(task.against.trainer_class)
        money += trainer.prize(numbers[choice % len(numbers)])
    return money


def heals_bought(dex: Dex, fight: LeaderFight, money: int, full: int) -> int:
    """Return how often what can be bought heals one with `full` HP, as readiness counts."""
    marts = load("data/marts.json")["marts"]
    stock = {
        item["id"] for mart in marts if mart["map_name"] in fight.shops for item in mart["items"]
    }
    budget = money // SPENT
    bags = [Bag((Stack(item, budget // dex.item(item).price),)) for item in stock & HEALS.keys()]
    return min(max((restorable_hp(bag, (), full) for bag in bags), default=0) // full, MOST_HEALS)


def member(dex: Dex, line: str, level: int, place: int) -> PartyMon:
    """Return one of a line at a level, evolved, with the best moves that it can have before a fight."""
    row = TEAMS["lines"][line]
    at = dex.species(_species(dex, line))
    known = set(at.first_moves)
    reached = 1
    while True:
        grown = next((each for each in at.evolutions if each.by is EvolvesBy.LEVEL), None)
        last = level if grown is None or grown.level > level else grown.level - 1
        known.update(each.move for each in at.level_up_moves if reached <= each.level <= last)
        if last == level or grown is None:
            break
        reached, at = grown.level, dex.species(grown.species)
    names = [fight.name for fight in fights()]
    for name, since in row.get("taught", {}).items():
        machine = dex.machine_for(_move(dex, name))
        if names.index(since) <= place and machine and at.index in dex.learners(machine):
            known.add(_move(dex, name))
    moves = [move for name in row["moves"] if (move := _move(dex, name)) in known][:4]
    mon = mon_from(dex, Foe(level, at.index))
    assert mon is not None
    assert moves, f"{line} has no moves at level {level}"
    return replace(mon, moves=tuple(MoveSlot(move, dex.move(move).pp, 0) for move in moves))


def party_at(
    dex: Dex, fight: LeaderFight, starter: str, companions: tuple[str, ...], level: int
) -> Party:
    """Return the starter at a level, and companions a few levels below."""
    below = max(level - COMPANIONS_BELOW, 2)
    others = [member(dex, line, below, fight.place) for line in companions]
    return Party((member(dex, starter, level, fight.place), *others))


def levels_of(
    dex: Dex, fight: LeaderFight, starter: str, companions: tuple[str, ...], money: int
) -> Row:
    """Return the lowest levels for each share, without items and with those that are bought for `money`."""
    team, *then = team_in(dex, fight, starter)
    badges = badges_before(fight)

    @cache
    def chance(level: int, spent: int) -> float:
        party = party_at(dex, fight, starter, companions, level)
        heals = heals_bought(dex, fight, spent, max(mon.stats.hp for mon in party.mons))
        return max(
            chance_to_beat(dex, led_by(party, at), team, tuple(then), heals, badges)
            for at in range(len(party))
        )

    def at_each_share(spent: int) -> dict[str, int | None]:
        return {
            name: lowest_level(lambda level: chance(level, spent), share)
            for name, share in SHARES.items()
        }

    return {name: at_each_share(spent) for name, spent in zip(HELP, (0, money), strict=True)}


def leader_job(number: int) -> Row:
    """Find the levels for one fight."""
    dex, fight = red_dex(), fights()[number % JOBS]
    rows: Row = {}
    for starter in STARTERS:
        money = money_before(dex, fight, starter)
        rows[starter] = {"money": money, "alone": levels_of(dex, fight, starter, (), money)}
        if fight.companions:
            rows[starter]["three"] = levels_of(dex, fight, starter, fight.companions, money)
    problems = [
        f"{starter} with two others never wins 95%"
        for starter, each in rows.items()
        if "three" in each and each["three"]["bought"]["95%"] is None
    ]
    return {
        "name": fight.name,
        "companions": fight.companions,
        "badges": len(badges_before(fight)),
        "levels": rows,
        "words": in_words(dex, fight, rows),
        "problems": problems,
    }


def in_words(dex: Dex, fight: LeaderFight, rows: Mapping[str, Any]) -> str:
    """Return to which levels to train, with what can be bought, in a sentence."""

    def levels(team: str) -> str:
        found = [(starter.capitalize(), each[team]["bought"]) for starter, each in rows.items()]
        return ", ".join(
            f"{starter} {_level(at['95%'])} ({_level(at['half'])})" for starter, at in found
        )

    said = f"{fight.name}: to win 95% (half) of fights with bought potions, train to: alone {levels('alone')}"
    if fight.companions:
        most = max(each["three"]["bought"]["95%"] or HIGHEST_LEVEL for each in rows.values())
        others = party_at(dex, fight, next(iter(rows)), fight.companions, most).mons[1:]
        names = " and ".join(dex.species(mon.species).name.capitalize() for mon in others)
        said += f"; with {names} {COMPANIONS_BELOW} levels below, {levels('three')}"
    return f"{said}."


def _level(level: int | None) -> str:
    return f"over {HIGHEST_LEVEL}" if level is None else str(level)


def _species(dex: Dex, name: str) -> int:
    return next(index for index, each in dex.all_species.items() if each.name == name)


def _move(dex: Dex, name: str) -> int:
    return next(number for number, each in dex.all_moves.items() if each.name == name)
