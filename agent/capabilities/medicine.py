"""Use the items of the bag on the team: potions, cures, revives."""

from collections.abc import Callable, Collection
from typing import Final, TypeAlias

from agent.capabilities import items
from agent.capabilities.capability import (
    FREE,
    HP,
    RESTED,
    SCREEN_REFLEXES,
    BoundAction,
    Capability,
    Sensor,
    watching,
)
from agent.capabilities.context import GameContext
from agent.capabilities.fighters import (
    AILING,
    BEHIND,
    FALLEN,
    POISONED,
    WORN,
    Fighters,
    hp_percent,
    member,
    patient,
    remembered_fighters,
)
from agent.capabilities.items import HEALS
from agent.planning.domain import Action, Effect, Goal, Require
from agent.skills import Outcome, Skill, no_skill, wait
from agent.story.opponents import ahead
from emulator import PartyMon, State

RESTORES: Final = "bag:restores"  # percent of the fighter's HP after all potions of the bag
ANTIDOTES: Final = "bag:antidotes"
REFRESHED: Final = 50  # percent of HP at which a team goes on, but not to a trainer
REVIVED: Final = 50  # percent of HP after a revive
MOST: Final = 12  # items used at once
PRIORITY: Final = 56  # above health: what is at hand comes before the walk to a healer
POTION_COSTS: Final = {  # by the percent of HP
    REFRESHED: 20,  # more than the walk to a healer of the same town, less than to the next
    RESTED: 35,  # the same with the way back
}
FILLED: Final = {REFRESHED: RESTED, RESTED: 95}  # where no more potions are used
CURE_COST: Final = 10
REVIVE_COST: Final = 20
STATUSES: Final = ("paralyzed", "sleep", "burned", "frozen")
BEFORE: Final = {RESTORES: 0, ANTIDOTES: 0, POISONED: 0, AILING: 0, FALLEN: 0, WORN: 0}
# Poison takes HP at every step, so an antidote comes before the walk to a healer.
CURED: Final = Goal("cured", (Require(POISONED, at_most=0),), PRIORITY, "cure the poison")
ABLE: Final = Goal("able", (Require(AILING, at_most=0),), PRIORITY, "cure the fighter's status")
REVIVAL: Final = Goal("revived", (Require(FALLEN, at_most=0),), PRIORITY, "revive a member")
READY_FOR_MORE: Final = Goal(
    "fresh_for_the_next", (Require(WORN, at_most=0),), PRIORITY, "heal between two trainers"
)


ItemUse: TypeAlias = tuple[int, int]  # an item, and the position of the member that gets it


def capability(game: GameContext) -> Capability:
    """Use potions, cures and revives where they save a walk, or where no healer can be reached."""
    fighters = game.shared(remembered_fighters)
    return Capability(
        name="medicine",
        sensors=(_sensor(game, fighters),),
        actions=(
            _potions("use:potion", REFRESHED, game, fighters),
            _potions("use:potions", RESTED, game, fighters),
            _antidote(game),
            _cure(game, fighters),
            _revive(game, fighters),
        ),
        goals=(CURED, ABLE, REVIVAL, READY_FOR_MORE) if game.story.healers else (),
    )


def _sensor(game: GameContext, fighters: Fighters) -> Sensor:
    kept = game.story.kept

    def sources(state: State) -> tuple[object, ...]:
        return state.party, state.bag, state.flags.events, game.experience.lessons

    def read(state: State) -> dict[str, int]:
        mon = member(state.party, patient(state.party, fighters(state)))
        poisoned = any(each.status.poisoned and each.hp for each in state.party.mons)
        restores = _restores(game, mon, state)
        hp = hp_percent(mon)
        is_worn = hp < REFRESHED <= restores or hp < RESTED <= restores
        return {
            RESTORES: restores,
            ANTIDOTES: sum(map(state.bag.quantity, items.cures(state.bag, kept, "poisoned"))),
            POISONED: int(poisoned),
            AILING: int(_remedy(game, mon, state) is not None),
            FALLEN: int(_fallen(game, fighters(state), state) is not None),
            WORN: int(is_worn and _in_a_row(game, state)),
        }

    return watching(BEFORE, sources, read)


def _restores(game: GameContext, mon: PartyMon | None, state: State) -> int:
    """Return the percent of HP of a Pokemon after all potions of the bag; potions do not help a fainted one."""
    if mon is None or not mon.hp:
        return 0
    more = items.restorable_hp(state.bag, game.story.kept, mon.stats.hp)
    return min(100, 100 * (mon.hp + more) // mon.stats.hp) if more else 0


def _in_a_row(game: GameContext, state: State) -> bool:
    """Return whether the next trainer follows another without a healer between."""
    task = next(ahead(game.story, state), None)
    return task is not None and not task.rested


def _remedy(game: GameContext, mon: PartyMon | None, state: State) -> int | None:
    """Return the cheapest item of the bag that cures the status of a Pokemon; poison does not count."""
    if mon is None or not mon.hp:
        return None
    ailments = [each for each in STATUSES if getattr(mon.status, each)]
    found = [item for each in ailments for item in items.cures(state.bag, game.story.kept, each)]
    return next(iter(found), None)


def _fallen(game: GameContext, fighters: Collection[int], state: State) -> int | None:
    """Return the member to revive: the one that fights, or before the next of a row another strong one."""
    party = state.party
    if not _revives(game, state):
        return None
    fainted = [at for at, mon in enumerate(party.mons) if mon.fainted]
    fallen = [at for at in fainted if at in fighters]
    if fallen or not _in_a_row(game, state):
        return next(iter(fallen), None)
    high = max(mon.level for mon in party.mons) - BEHIND
    strong = [at for at in fainted if party[at].level >= high]
    return max(strong, key=lambda at: party[at].level, default=None)


def _potions(name: str, level: int, game: GameContext, fighters: Fighters) -> BoundAction:
    """Return the action that uses potions until the fighters have `level` percent of their HP and some more."""

    def begin(state: State) -> Skill:
        outcome = Outcome.BLOCKED
        for _ in range(MOST):
            at = patient(state.party, fighters(state))
            mon = member(state.party, at)
            chosen = _smallest(game, mon, state)
            if chosen is None or hp_percent(mon) >= FILLED[level]:
                return outcome
            outcome = yield from game.skills.use_item(chosen, at, state)
            if outcome is not Outcome.DONE:
                return outcome
            state = yield wait(1)
        return outcome

    action = Action(
        name=name,
        requires=(Require(RESTORES, at_least=level), FREE),
        effects=(Effect(HP, level), Effect(WORN, 0), Effect(RESTORES, 0)),
        cost=POTION_COSTS[level],
        label="use potions",
    )
    return BoundAction(action, begin, suppresses=SCREEN_REFLEXES)


def _smallest(game: GameContext, mon: PartyMon | None, state: State) -> int | None:
    """Return the smallest potion that restores all HP lost, or the largest carried."""
    held = items.potions(state.bag, game.story.kept)
    lost = mon.stats.hp - mon.hp if mon is not None and mon.hp else 0
    if not held or not lost:
        return None
    enough = [item for item in held if HEALS[item] >= lost]
    return min(enough, key=HEALS.__getitem__) if enough else max(held, key=HEALS.__getitem__)


def _antidote(game: GameContext) -> BoundAction:
    def use(state: State) -> ItemUse | None:
        mons = enumerate(state.party.mons)
        poisoned = next((at for at, mon in mons if mon.status.poisoned and mon.hp), None)
        held = items.cures(state.bag, game.story.kept, "poisoned")
        return (held[0], poisoned) if poisoned is not None and held else None

    action = Action(
        name="use:antidote",
        requires=(Require(ANTIDOTES, at_least=1), FREE),
        effects=(Effect(POISONED, 0),),
        cost=CURE_COST,
        label="use an antidote",
    )
    return _using(action, use, game)


def _cure(game: GameContext, fighters: Fighters) -> BoundAction:
    def use(state: State) -> ItemUse | None:
        at = patient(state.party, fighters(state))
        item = _remedy(game, member(state.party, at), state)
        return (item, at) if item is not None else None

    action = Action(
        name="use:cure",
        requires=(Require(AILING, at_least=1), FREE),
        effects=(Effect(AILING, 0),),
        cost=CURE_COST,
        label="cure the fighter's status",
    )
    return _using(action, use, game)


def _revive(game: GameContext, fighters: Fighters) -> BoundAction:
    def use(state: State) -> ItemUse | None:
        at = _fallen(game, fighters(state), state)
        item = next(iter(_revives(game, state)), None)
        return (item, at) if item is not None and at is not None else None

    action = Action(
        name="use:revive",
        requires=(Require(FALLEN, at_least=1), FREE),
        effects=(Effect(FALLEN, 0), Effect(HP, REVIVED)),
        cost=REVIVE_COST,
        label="revive a fainted member",
    )
    return _using(action, use, game)


def _revives(game: GameContext, state: State) -> list[int]:
    """Return the items of the bag that revive, without those that the story needs."""
    kept = game.story.kept
    return [item for item in items.REVIVES if state.bag.quantity(item) and item not in kept]


def _using(
    action: Action, use: Callable[[State], ItemUse | None], game: GameContext
) -> BoundAction:
    """Return an action that uses what `use` returns; nothing to use is no step."""

    def begin(state: State) -> Skill:
        found = use(state)
        return game.skills.use_item(*found, state) if found is not None else no_skill()

    return BoundAction(action, begin, suppresses=SCREEN_REFLEXES)
