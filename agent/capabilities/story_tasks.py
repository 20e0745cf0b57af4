"""The story as a capability: its facts, the actions of its tasks, the witnesses of milestones."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from random import Random
from typing import Final

from agent.battle.suitable import learners_of
from agent.capabilities.capability import (
    FREE,
    HP,
    PLACES,
    RESTED,
    SCREEN_REFLEXES,
    BoundAction,
    Capability,
    Sensor,
    home,
    watching,
)
from agent.capabilities.context import GameContext
from agent.capabilities.travel import at
from agent.experience.choices import Choice
from agent.experience.memory_use import MemoryUse
from agent.perception.percept import Percept
from agent.planning.domain import Action, Effect, Facts, Goal, Require
from agent.skills import Outcome, Skill, wait
from agent.story.catches import homes, machine_fact
from agent.story.facts import FactKind, outcome, parse_fact, required
from agent.story.interactions import Errand, InteractionContext, Task
from agent.story.milestones import Milestone, MilestoneLedger, ReachedMilestone, Witness
from agent.story.opponents import teams_of
from agent.story.story import Ambition, Story
from emulator import MenuKind, State
from memory import Recall

# An errand comes before the next milestone, but failures soon lower its priority below it.
ERRAND_PRIORITY: Final = 60
WANT_PRIORITY: Final = 51
MILESTONE_PRIORITY: Final = 50
VISIT_COST: Final = 200  # of a visit that is paid for: more than any ambition may cost
LOOKS: Final = 30  # ticks to wait for the second witness
LATE_LOOKS: Final = 40
LATE_FRAMES: Final = 24  # between two looks for a late effect, of some 400 frames at Bill's machine

MENUS: Final = {
    Witness.TEAM: MenuKind.PARTY,
    Witness.HEALTHY_TEAM: MenuKind.PARTY,
    Witness.BAG: MenuKind.ITEMS,
    Witness.START_MENU: MenuKind.START,
}


def capability(game: GameContext) -> Capability:
    """Do the tasks and errands of the story, and reach its milestones in order."""
    story, chance = game.story, game.chance("story")
    return Capability(
        name="story",
        sensors=(_errand_sensor(game), _fact_sensor(story), _milestone_sensor(story, game.ledger)),
        actions=(
            *(_errand_action(errand, game) for errand in story.errands),
            *(_task_action(task, game, chance) for task in story.tasks),
            *(_witness_action(milestone, game) for milestone in story.milestones),
        ),
        goals=(
            *(_goal(_done(each), each.label, ERRAND_PRIORITY) for each in story.errands),
            *(
                replace(
                    _goal(each.sets, each.label, ERRAND_PRIORITY), unless=tuple(_out_of_hand(each))
                )
                for each in story.tasks
                if each.at_hand and each.sets not in story.wants
            ),
            # Of goals of equal priority the first comes first: an ambition before the milestone it prepares.
            *(
                replace(
                    _goal(each.fact, each.label, MILESTONE_PRIORITY - _turn(each, story)),
                    unless=(*_past(each, story), *_shut_in(story)),
                    most_cost=each.most_cost,
                )
                for each in story.ambitions
                if each.fact not in story.wants and _can_come(each.fact, game)
            ),
            *(
                _goal(reached(each), each.label, MILESTONE_PRIORITY - number)
                for number, each in enumerate(story.milestones)
            ),
            *(_goal(each, f"have {each}, as requested", WANT_PRIORITY) for each in story.wants),
        ),
    )


def reached(milestone: Milestone) -> str:
    """Return the name of the fact that a milestone has been reached."""
    return f"reached:{milestone.id}"


def with_passed(story: Story, facts: Facts) -> Facts:
    """Return the facts with those milestones reached that other facts show to be passed."""
    passed = [each for each in story.milestones if any(facts[fact] for fact in each.behind)]
    return {**facts, **dict.fromkeys(map(reached, passed), 1)}


def _done(errand: Errand) -> str:
    return f"errand:{errand.id}"


def _goal(fact: str, label: str, priority: int) -> Goal:
    return Goal(fact, (Require(fact, at_least=1),), priority, label)


def _out_of_hand(task: Task) -> Iterator[Require]:
    """Yield the conditions under which a task cannot be done where the player is."""
    yield Require(at(task.place), at_most=0)
    for fact, so in map(parse_fact, task.needs):
        yield Require(fact, at_most=0) if so else Require(fact, at_least=1)


def _past(ambition: Ambition, story: Story) -> tuple[Require, ...]:
    """Return the conditions that drop an ambition: its milestone `before` is reached."""
    before = [each for each in story.milestones if each.id == ambition.before]
    return tuple([Require(reached(each), at_least=1) for each in before])


def _shut_in(story: Story) -> Iterator[Require]:
    """Yield the conditions that make an ambition wait: the player is shut in, or on a visit that was paid for."""
    yield from (Require(each.fact, at_least=1) for each in story.lands if each.shuts_in)
    yield from (
        Require(each.sets, at_least=1) for each in story.tasks if each.interaction.key == "visit"
    )


def _can_come(fact: str, game: GameContext) -> bool:
    """Return whether the game can make a fact true: an incomplete cartridge knows no machines."""
    moves = [each.move for each in game.story.field_moves if each.known == fact]
    return all(machine_fact(game.story, game.dex, move) is not None for move in moves)


def _turn(ambition: Ambition, story: Story) -> int:
    """Return the index of the milestone that an ambition precedes; ambitions after all of them keep their order."""
    milestones = [each.id for each in story.milestones]
    if ambition.after:
        return milestones.index(ambition.after) + 1
    return len(milestones) + [each for each in story.ambitions if not each.after].index(ambition)


def _errand_sensor(game: GameContext) -> Sensor:
    names = {_done(errand): errand for errand in game.story.errands}
    known_at, skip = -1, frozenset[str]()

    def read(_percept: Percept, recall: Recall) -> dict[str, int]:
        nonlocal known_at, skip
        run = {name for name in names if recall.objective_status(name) == "completed"}
        if known_at != game.experience.lessons:
            known_at = game.experience.lessons
            skip = frozenset(name for name in names.keys() - run if _skips(names[name], game))
        return {name: int(name in run or name in skip) for name in names}

    return Sensor(frozenset(names), read)


def _skips(errand: Errand, game: GameContext) -> bool:
    """Return whether to skip an errand, because memory records that its person only talks."""
    known = game.experience.person(game.story.place(errand.place).map_id, errand.person)
    if known is None or known.effects:
        return False
    game.experience.record_influence(MemoryUse.PEOPLE, errand.label, known.only_talks)
    return True


def _fact_sensor(story: Story) -> Sensor:
    """Return the sensor of the story facts."""
    ram_facts = story.ram_facts

    def sources(state: State) -> tuple[object, ...]:
        return state.flags, state.player.badges, state.player.money, state.bag, state.party

    def read(state: State) -> dict[str, int]:
        return {fact: int(mark.shown_by(state)) for fact, mark in ram_facts.items()}

    return watching(dict.fromkeys(ram_facts, 0), sources, read)


def _milestone_sensor(story: Story, ledger: MilestoneLedger) -> Sensor:
    names = {reached(each): each.id for each in story.milestones}

    last: tuple[ReachedMilestone, ...] | None = None
    facts: Mapping[str, int] = {}

    def read(_percept: Percept, _recall: Recall) -> Mapping[str, int]:
        nonlocal last, facts
        if ledger.reached is not last:  # a new tuple with each milestone
            last = ledger.reached
            facts = {name: int(ledger.has(id_)) for name, id_ in names.items()}
        return facts

    return Sensor(frozenset(names), read)


def _errand_action(errand: Errand, game: GameContext) -> BoundAction:
    def begin(state: State) -> Skill:
        conversation = game.skills.talk(errand.person, game.terrain, state)
        return game.observe_talk(errand.person, conversation, state)

    action = Action(
        name=_done(errand),
        requires=(Require(at(errand.place), at_least=1), FREE),
        effects=(Effect(_done(errand), 1),),
        cost=5,
        label=errand.label,
    )
    return BoundAction(action, begin, suppresses=SCREEN_REFLEXES - {"stray_menu"})


def _task_action(task: Task, game: GameContext, chance: Random) -> BoundAction:
    # Chosen once, so that a resumed session makes the same choice.
    if task.interaction.people:
        game.choices.person(task, chance)

    def person(state: State) -> int:
        people = task.interaction.people
        if len(people) == 1:
            return people[0]
        words = {each: _text_of(game, state.map.map_id, each) for each in people}
        return game.choices.settle(Choice(task.id, task.label, words))

    context = InteractionContext(game.terrain, game.dex, person, game.skills)
    action = game.action(f"task:{task.id}", lambda: _action_of(task, game))
    begin = partial(task.interaction.begin, context)
    if task.late:
        begin = partial(_wait_for_effect, begin, lambda now: game.story.shows(now, task.sets))
    return BoundAction(action, begin, suppresses=SCREEN_REFLEXES)


def _action_of(task: Task, game: GameContext) -> Action:
    given = game.story.ram_facts[parse_fact(task.sets)[0]]
    is_mon = given.kind is FactKind.MON
    taught = [
        move.able
        for move in game.story.field_moves
        if is_mon and given.number in learners_of(game.dex, move.move)
    ]

    return Action(
        name=f"task:{task.id}",
        requires=(
            Require(at(task.place), at_least=1),
            FREE,
            *(required(fact) for fact in task.needs),
            *_fit_to_fight(task, game),
            *([Require(PLACES, at_least=1)] if is_mon else ()),
        ),
        effects=(
            *outcome((task.sets, *task.gives), task.takes),
            *(Effect(fact, 1) for fact in taught),
        ),
        cost=VISIT_COST if task.interaction.key == "visit" else 5,
        label=task.label,
    )


def _wait_for_effect(
    begin: Callable[[State], Skill], is_shown: Callable[[State], bool], state: State
) -> Skill:
    """Do what `begin` does, and wait for its effect: a script that goes on tells nothing of itself in RAM."""
    outcome = yield from begin(state)
    for _ in range(LATE_LOOKS):
        state = yield wait(LATE_FRAMES)
        if is_shown(state):
            break
    return outcome


def _text_of(game: GameContext, map_id: int, slot: int) -> str:
    """Return the text of a person on a map, or their number if the cartridge has no text."""
    here = game.terrain.plain.map(map_id)
    said = [here.header.texts.read(each.text_id).words for each in here.people if each.slot == slot]
    words = " ".join(" ".join(said).split())
    return f'who says: "{words}"' if words else f"number {slot}"


def _fit_to_fight(task: Task, game: GameContext) -> Iterator[Require]:
    """Yield the conditions to fight the trainer of a task, if the cartridge has that trainer."""
    # In a row of trials without a way out it is too late to get ready.
    is_shut_in = any(task.id in place.trials for place in game.story.places)
    if not teams_of(game.story, game.dex, task):
        return
    if not is_shut_in:
        yield Require(task.ready, at_least=1)
    if task.rested:
        yield Require(HP, at_least=RESTED)
    if any(homes(game.story, game.dex, task)) and not is_shut_in:
        yield Require(task.suitable, at_least=1)
    if game.memory is not None:
        yield Require(task.recalled, at_least=1)


def _witness_action(milestone: Milestone, game: GameContext) -> BoundAction:
    """Return the action that gets the second witness of a milestone."""
    proven = partial(game.ledger.has, milestone.id)

    def begin(state: State) -> Skill:
        if milestone.witness in MENUS:
            menu = MENUS[milestone.witness]
            return game.skills.show_menu(menu, proven, state, patience=LOOKS)
        if milestone.sign is not None:
            return game.skills.examine(milestone.sign, game.terrain, state)
        return _stand_still(proven)

    action = Action(
        name=f"witness:{milestone.id}",
        requires=(FREE, *_conditions(milestone)),
        effects=(Effect(reached(milestone), 1),),
        cost=1,
        label=f"confirm on screen: {milestone.label}",
    )
    # A menu about to open has its letters loaded and no cursor yet, so it looks like text.
    reads_on = milestone.witness in MENUS or milestone.sign is not None
    suppresses = SCREEN_REFLEXES if reads_on else SCREEN_REFLEXES - {"text"}
    return BoundAction(action, begin, suppresses=suppresses)


def _conditions(milestone: Milestone) -> Iterator[Require]:
    if milestone.place is not None:
        yield Require(at(milestone.place), at_least=1)
    if milestone.fact is not None:
        yield Require(milestone.fact, at_least=1)
    if milestone.home is not None:
        yield Require(home(milestone.home), at_least=1)


def _stand_still(proven: Callable[[], bool]) -> Skill:
    for _ in range(LOOKS):
        yield wait(10)
        if proven():
            return Outcome.DONE
    return Outcome.BLOCKED
