"""The trainers of the story: those still ahead, and their teams by the tables of the cartridge."""

from collections.abc import Iterator

from agent.battle.odds import Foe, Foes
from agent.story.facts import FactKind
from agent.story.interactions import Task
from agent.story.story import Story
from emulator import Dex, State
from emulator.world import Opponent


def ahead(story: Story, state: State) -> Iterator[Task]:
    """Yield the open tasks against a trainer, in the order of the story; optional ones only if something was requested."""
    for task in story.tasks:
        if task.against is None or (task.optional and not story.wants):
            continue
        if not story.shows(state, task.sets):
            yield task


def team_of(dex: Dex, opponent: Opponent) -> Foes:
    """Return the team of a trainer; an empty team if the cartridge has no such trainer."""
    known = dex.all_trainers.get(opponent.trainer_class)
    if known is None or not 0 < opponent.number <= len(known.teams):
        return ()
    members = known.teams[opponent.number - 1]
    team = tuple([Foe(*each, trainer_class=known.number) for each in members])
    special = dex.team_moves.get(known.number)
    return _with_third_move(team, *special) if special is not None else team


def teams_of(story: Story, dex: Dex, task: Task) -> tuple[Foes, ...]:
    """Return the team of a task's trainer for each choice of the rival that changes it; () without such a trainer."""
    if task.against is None:
        return ()
    teams = [team_of(dex, each) for each in task.against.opponents()]
    mark = story.ram_facts.get(task.sets)
    if mark is not None and mark.kind is FactKind.BADGE:
        # A leader's move has the number of the gym, and the badges are in the order of the gyms.
        special = dex.lone_moves.get(mark.number + 1)
        teams = [_with_third_move(team, *special) for team in teams] if special else teams
    for each in task.against.third_moves:
        teams = [
            _with_third_move(team, each.member - 1, each.moves[at % len(each.moves)])
            for at, team in enumerate(teams)
        ]
    return tuple(teams) if all(teams) else ()


def team_against(story: Story, dex: Dex, task: Task, state: State) -> Foes:
    """Return the team of a task's trainer in this game; an empty team if the cartridge has no such trainer."""
    teams = teams_of(story, dex, task)
    return teams[story.rival_choice(state) % len(teams)] if teams else ()


def is_in_a_row(story: Story, task: Task) -> bool:
    """Return whether a task comes after another one of its row, where nothing else can be done."""
    return any(task.id in each.trials[1:] for each in story.places)


def following(story: Story, dex: Dex, task: Task, state: State) -> tuple[Foes, ...]:
    """Return the teams of all trainers that follow the trainer of a task without a rest."""
    row = next((each.trials for each in story.places if task.id in each.trials), ())
    after = row[row.index(task.id) + 1 :] if row else ()
    return tuple(team_against(story, dex, each, state) for each in story.tasks if each.id in after)


def _with_third_move(team: Foes, place: int, move: int) -> Foes:
    return tuple(
        [each._replace(third_move=move) if at == place else each for at, each in enumerate(team)]
    )
