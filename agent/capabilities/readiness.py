"""Whether the team stands up to whom the story has it fight, and who of it should go first."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final, NamedTuple

from agent.capabilities.kit import Kit
from agent.capabilities.rematch import Proof, lost_to, won_against
from agent.capabilities.story import Story, Task
from agent.capabilities.tactics import chance_to_beat
from emulator import Dex, MoveSlot, Opponent, Party, PartyMon, State, Status, Team
from memory import MistakeRecord

READY: Final = 0.9  # the chance to win that is worth the walk
DARED: Final = 0.5  # the same where memory knows of nothing but wins
RESTED: Final = 80  # percent of HP below which nobody is challenged
WELL: Final = Status(0, poisoned=False, burned=False, frozen=False, paralyzed=False)


def team_of(dex: Dex, opponent: Opponent) -> Team:
    """Return whom a trainer fights with; nobody, where the cartridge has no such trainer."""
    known = dex.all_trainers.get(opponent.trainer_class)
    if known is None or not 0 < opponent.number <= len(known.teams):
        return ()
    return known.teams[opponent.number - 1]


def odds(dex: Dex, party: Party, opponent: Opponent, following: Team = ()) -> float:
    """Return the chance that a team as it is beats a trainer, and those who follow without a rest between."""
    return chance_to_beat(dex, party, (*team_of(dex, opponent), *following))


def following(kit: Kit, task: Task) -> Team:
    """Return whom one fights after whom a task is against, without a rest between."""
    row = next((each.trials for each in kit.story.places if task.id in each.trials), ())
    after = row[row.index(task.id) + 1 :] if row else ()
    others = [each.against for each in kit.story.tasks if each.id in after]
    teams = [team_of(kit.dex, each) for each in others if each is not None]
    return tuple(member for team in teams for member in team)


def led_by(party: Party, position: int) -> Party:
    """Return a team with another of it first, and whoever was first in that place."""
    mons = list(party.mons)
    mons[0], mons[position] = mons[position], mons[0]
    return Party(tuple(mons))


class Standing(NamedTuple):
    """Whether a team would most likely beat a trainer.

    Where memory alone says no, the battle lost before; where it alone says yes, what was won.
    """

    ready: bool
    held_back: MistakeRecord | None = None
    proof: Proof | None = None


def is_ready(kit: Kit, party: Party, task: Task) -> bool:
    """Say whether a team would most likely beat whom a task is against, rested and in the best order."""
    if task.against is None:
        return True
    return standing(kit, party, task.against, following(kit, task)).ready


def standing(kit: Kit, party: Party, opponent: Opponent, then: Team = ()) -> Standing:
    """Return how a team stands against a trainer, and `then` others without a rest between.

    Who led it when it lost to him leads it only when grown since.
    """
    well, team = rested(kit.dex, party), team_of(kit.dex, opponent)
    held_back = proof = None
    for at, mon in enumerate(well.mons):
        chance = odds(kit.dex, led_by(well, at), opponent, then)
        if chance < DARED:
            continue
        defeat = lost_to(kit.dex, mon, team, kit.experience)
        if defeat is not None:
            held_back = held_back or (defeat if chance >= READY else None)
        elif chance >= READY:
            return Standing(ready=True)
        else:
            proof = proof or (None if then else won_against(kit.dex, mon, team, kit.experience))
    return Standing(proof is not None, held_back, proof)


def rested(dex: Dex, party: Party) -> Party:
    """Return a team as a night in a rest house leaves it."""
    return Party(tuple(_rested(dex, mon) for mon in party.mons))


def strength(party: Party) -> tuple[object, ...]:
    """Return what of a team its odds depend on once it is rested; neither HP nor PP is of it."""
    return tuple(
        [
            (mon.species, mon.level, mon.stats, [slot.move for slot in mon.moves])
            for mon in party.mons
        ]
    )


def remembered_strength() -> Callable[[Party], tuple[object, ...]]:
    """Return `strength` for who asks every tick: it is worked out anew only for another team than the last."""
    last, known = Party(()), strength(Party(()))

    def asked(party: Party) -> tuple[object, ...]:
        nonlocal last, known
        if party is not last:
            last, known = party, strength(party)
        return known

    return asked


def ahead(story: Story, state: State) -> Iterator[Task]:
    """Yield the tasks not done yet for which somebody has to be fought, in the order of the story."""
    for task in story.tasks:
        if task.against is not None and not story.shows(state, task.sets):
            yield task


def _rested(dex: Dex, mon: PartyMon) -> PartyMon:
    moves = tuple(_refreshed(dex, slot) for slot in mon.moves)
    return replace(mon, hp=mon.stats.hp, status=WELL, moves=moves)


def _refreshed(dex: Dex, slot: MoveSlot) -> MoveSlot:
    move = dex.all_moves.get(slot.move)
    return slot if move is None else slot._replace(pp=move.pp + slot.pp_ups * (move.pp // 5))
