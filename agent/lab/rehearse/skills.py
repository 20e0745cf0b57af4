"""The skills of the agent as the model carries them out: the arguments and outcomes are those of `agent.skills`."""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Final

from agent.lab.rehearse.console import model_step
from agent.lab.rehearse.costs import COSTS
from agent.lab.rehearse.game import ModelGame
from agent.lab.rehearse.items import (
    REPELS,
    after_lesson,
    after_medicine,
    buy_from,
    sell_to,
    stock_of,
    take_drink,
)
from agent.lab.rehearse.walk import push, step, walk
from agent.skills import (
    Commander,
    Destination,
    Movement,
    Obstacles,
    Outcome,
    Skill,
    Skills,
    Terrain,
    spot_of,
    wait,
)
from agent.skills.bag import OnStock
from agent.skills.boulders import find_pushes, room_of, unmet
from agent.skills.distances import Distances
from agent.skills.roam import wild_squares
from agent.skills.route import Spot, find_route, hops, is_step, up_to_next_map
from agent.skills.talk import places_beside
from emulator import BattleResult, Facing, MenuKind, PartyMon, State

Arrived = Callable[[State], Callable[[Spot], bool] | None]
PLANS: Final = 40  # of one walk
RESETS: Final = 3  # of a map with boulders
WAIT: Final = 32  # frames, when no route is found
WAITS: Final = 4
ROAMS: Final = 40  # parts of one walk for wild Pokemon
ROAM: Final = 12  # steps of each
SLOTS: Final = 4


def _walk(
    terrain: Terrain, state: State, arrived: Arrived, towards: int, *, says_yes: bool = False
) -> Skill:
    """Walk until the spot is one that `arrived` accepts, on map `towards`; people who walk are not in the way."""
    waits = WAITS
    for _ in range(PLANS):
        accepts = arrived(state)
        if accepts is None:
            break
        world, here = terrain.world(state), spot_of(state)
        distances = Distances.of(world).to(towards, here) if towards != here.map_id else None
        standing = _standing(terrain, state)
        route = find_route(world, here, accepts, obstacles=standing, distances=distances)
        if route is None:
            waits -= 1
            if not waits:
                break
            state = yield wait(WAIT)
            continue
        if not route:
            return Outcome.DONE
        part = up_to_next_map(route, here)
        state = yield model_step(partial(walk, route=part, says_yes=says_yes))
        if state.in_battle:
            return Outcome.INTERRUPTED
    yield from ()
    return Outcome.BLOCKED


def _standing(terrain: Terrain, state: State) -> Obstacles:
    here = state.map.map_id
    walking = {each.slot for each in terrain.plain.map(here).people if each.walks}
    people = [each for each in state.people_present if each.slot not in walking]
    walls = frozenset((here, each.x, each.y) for each in people)
    return Obstacles(walls).plus(terrain.hazards(state))


def travel(
    terrain: Terrain,
    destination: Destination,
    state: State,
    *,
    patience: int = PLANS,  # of the console
    on_blocked: Callable[[Spot], object] = lambda _spot: None,
) -> Skill:
    """Walk to the nearest spot of `destination`, over any number of maps."""
    return (yield from _walk(terrain, state, lambda _: destination.accepts, destination.map_id))


def leave_map(terrain: Terrain, state: State, *, patience: int = PLANS) -> Skill:
    """Leave the map by the nearest exit."""
    left = state.map.map_id
    return (yield from _walk(terrain, state, lambda _: lambda spot: spot.map_id != left, left))


def talk(
    slot: int,
    terrain: Terrain,
    state: State,
    *,
    say_yes: bool = False,  # the model says yes where that has an effect
    on_text: Callable[[State], Movement] | None = None,
    patience: int = PLANS,
) -> Skill:
    """Walk to a person and talk to them."""

    def places(state: State) -> Callable[[Spot], bool] | None:
        spots = places_beside(slot, terrain, state)
        return None if spots is None else spots.__contains__

    return (yield from _then(places, terrain, state, lambda game: game.talk(slot), on_text))


def examine(
    square: tuple[int, int],
    terrain: Terrain,
    state: State,
    *,
    facings: Collection[Facing] = (Facing.UP,),
    on_text: Callable[[State], Movement] | None = None,
) -> Skill:
    """Walk to a square, face it, and examine it."""
    places = _beside(square, facings)
    return (yield from _then(places, terrain, state, lambda game: game.examine(square), on_text))


def _beside(square: tuple[int, int], facings: Collection[Facing]) -> Arrived:
    """Return what accepts the spots from which a square of the map is faced."""

    def places(state: State) -> Callable[[Spot], bool]:
        target = spot_of(state)._replace(x=square[0], y=square[1])
        return {target.next_to(facing.opposite) for facing in facings}.__contains__

    return places


def _then(
    places: Arrived,
    terrain: Terrain,
    state: State,
    do: Callable[[ModelGame], int],
    on_text: Callable[[State], Movement] | None,
) -> Skill:
    """Walk to one of some places of this map and do something there."""
    start, known = state.map.map_id, places(state)

    def arrived(state: State) -> Callable[[Spot], bool] | None:
        nonlocal known
        if state.map.map_id == start:  # the way may cross another map
            known = places(state)
        return known

    outcome = yield from _walk(terrain, state, arrived, start)
    if outcome is Outcome.DONE:
        state = yield model_step(do)
        if on_text is not None:
            yield from on_text(state)
    return outcome


def say_yes(there: Destination, terrain: Terrain, state: State) -> Skill:
    """Walk to a destination and answer yes to the question there, which may move the player to another map."""
    here = state.map.map_id

    def arrived(now: State) -> Callable[[Spot], bool] | None:
        nonlocal state
        state = now
        return there.accepts if now.map.map_id == here or here != there.map_id else None

    outcome = yield from _walk(terrain, state, arrived, there.map_id, says_yes=True)
    if state.map.map_id != here:
        return Outcome.DONE
    yield model_step(lambda game: game.do("leave"))
    return outcome


def use_at(item: int, square: tuple[int, int], terrain: Terrain, state: State) -> Skill:
    """Stand beside a square and use an item there."""
    return (yield from examine(square, terrain, state, facings=tuple(Facing)))


def push_boulders(
    goals: Sequence[tuple[int, tuple[int, int]]], terrain: Terrain, state: State
) -> Skill:
    """Push boulders of this map to their squares; where one can no longer reach its own, enter the map again."""
    place = state.map.map_id
    for _ in range(RESETS):
        while left := unmet(goals, state):
            pushes = find_pushes(room_of(terrain, state), spot_of(state), *left[0])
            if pushes is None:
                break
            state = yield model_step(partial(push, pushes=pushes))
            if state.in_battle or state.map.map_id != place:
                return Outcome.INTERRUPTED
        if not left:
            yield from ()
            return Outcome.DONE
        yield from leave_map(terrain, state)
        state = yield wait(1)
        yield from travel(terrain, Destination(place), state)
        state = yield wait(1)
        if state.map.map_id != place:
            return Outcome.INTERRUPTED
    return Outcome.BLOCKED


def fight(commander: Commander, state: State) -> Skill:
    """Fight a battle to its end by the orders and answers of `commander`; INTERRUPTED when it was lost."""
    while state.in_battle:
        now = state

        def turn(game: ModelGame, now: State = now) -> int:
            assert game.battle is not None
            return game.turn(commander.order(now, game.battle.tried), commander)

        state = yield model_step(turn)
    yield from ()
    lost = state.battle_result is BattleResult.LOST
    return Outcome.INTERRUPTED if lost else Outcome.DONE


def roam(terrain: Terrain, state: State, *, strides: int = ROAMS) -> Skill:
    """Go to where wild Pokemon live on this map, and walk around there."""
    here = state.map.map_id
    wild = frozenset(wild_squares(terrain.world(state).map(here)))
    if not wild:
        yield from ()
        return Outcome.BLOCKED
    outcome = yield from travel(terrain, Destination(here, wild), state)
    for _ in range(ROAMS if outcome is Outcome.DONE else 0):
        state = yield model_step(lambda game: _about(game, terrain, wild))
        if state.in_battle or state.map.map_id != here:
            return Outcome.INTERRUPTED
    return outcome


def _about(game: ModelGame, terrain: Terrain, wild: Collection[tuple[int, int]]) -> int:
    frames = 0
    for _ in range(ROAM):
        state = game.state()
        spot, walls = spot_of(state), {(each.x, each.y) for each in game.here.people()}
        ways = [
            hop
            for hop in hops(terrain.world(state), spot)
            if is_step(hop, spot) and hop.to[1:3] in wild and hop.to[1:3] not in walls
        ]
        if not ways:
            break
        frames += step(game, ways[game.chance.randrange(len(ways))])
        if game.battle is not None or game.was_moved:
            break
    return max(frames, 1)


def buy(
    slot: int,
    wanted: Mapping[int, int],
    terrain: Terrain,
    state: State,
    *,
    on_stock: OnStock = lambda _state, _stock: None,
) -> Skill:
    """Go to a clerk and buy until the bag holds the wanted quantities, as far as stock, money and room suffice."""
    listed: tuple[int, ...] = ()

    def trade(game: ModelGame) -> int:
        nonlocal listed
        listed = stock_of(game, slot)
        return buy_from(game, slot, wanted)

    outcome = yield from talk(slot, terrain, state)
    if outcome is Outcome.DONE:
        state = yield model_step(trade)
        on_stock(state, listed)
    return outcome


def sell(slot: int, goods: Collection[int], terrain: Terrain, state: State) -> Skill:
    """Go to a clerk and sell all of `goods`."""
    outcome = yield from talk(slot, terrain, state)
    if outcome is Outcome.DONE:
        yield model_step(lambda game: sell_to(game, slot, goods))
    return outcome


def toss(item: int, state: State) -> Skill:
    """Toss one stack of an item."""

    def throw(game: ModelGame) -> int:
        game.ram.put_bag(stack for stack in state.bag.items if stack.item != item)
        return COSTS.menu

    yield model_step(throw)
    return Outcome.DONE


def swap(first: int, second: int, state: State) -> Skill:
    """Swap two members of the team."""
    mons = list(state.party.mons)
    mons[first], mons[second] = mons[second], mons[first]
    return (yield from _with_team(lambda _game, _mons: mons))


def teach(item: int, position: int, state: State, *, forget: int = 0) -> Skill:
    """Teach the move of a machine to a member; of four moves the one in slot `forget` is forgotten."""

    def learn(game: ModelGame, mons: list[PartyMon]) -> list[PartyMon]:
        mons[position] = after_lesson(game, mons[position], item, forget)
        return mons

    return (yield from _with_team(learn))


def use_item(item: int, position: int, state: State) -> Skill:
    """Use an item on a member, outside of battle."""

    def use(game: ModelGame, mons: list[PartyMon]) -> list[PartyMon]:
        game.give(item, -1)
        if item in REPELS:
            game.ram.put_repel(REPELS[item])
        elif position < len(mons):
            mons[position] = after_medicine(mons[position], item)
        return mons

    return (yield from _with_team(use))


def _with_team(change: Callable[[ModelGame, list[PartyMon]], list[PartyMon]]) -> Skill:
    def do(game: ModelGame) -> int:
        game.ram.put_party(change(game, list(game.state().party.mons)))
        return COSTS.menu

    yield model_step(do)
    return Outcome.DONE


def use_field_move(move: int, state: State) -> Movement:
    """Use a field move where the player stands."""
    return (yield model_step(lambda game: game.use_field_move(move)))


def fly(town: int, names: Mapping[int, str], state: State) -> Skill:
    """Fly to a town."""

    def land(game: ModelGame) -> int:
        game.land(town)
        return COSTS.flight

    yield model_step(land)
    return Outcome.DONE


def show_menu(kind: MenuKind, seen: Callable[[], bool], state: State, *, patience: int) -> Skill:
    """Open a menu for a milestone: the model draws nothing, and the ledger asks for no frame."""
    yield wait(COSTS.menu)
    return Outcome.DONE if seen() else Outcome.BLOCKED


def search(cans: Sequence[tuple[int, int]], terrain: Terrain, state: State) -> Skill:
    """Search trash cans for two switches: the model finds them in as many as the console hides them in."""
    return (yield from examine(cans[0], terrain, state, facings=tuple(Facing)))


def hand_in(slot: int, item: int, name: str, terrain: Terrain, state: State) -> Skill:
    """Give an item to a person."""
    return (yield from talk(slot, terrain, state))


def vend(item: int, row: int, square: tuple[int, int], terrain: Terrain, state: State) -> Skill:
    """Buy one drink from a vending machine."""
    drink = partial(take_drink, item=item)
    return (yield from _then(_beside(square, (Facing.UP,)), terrain, state, drink, None))


def pick_up(slot: int, outside: int, terrain: Terrain, state: State) -> Skill:
    """Pick up an item of a visit that lasts as long as it takes: the model counts no steps of it."""
    return (yield from talk(slot, terrain, state))


def collect(
    slot: int, outside: int, terrain: Terrain, is_waiting: Callable[[State], bool], state: State
) -> Skill:
    """Collect from a person; while `is_waiting`, leave for map `outside` and return."""
    for map_id in (outside, state.map.map_id) if is_waiting(state) else ():
        outcome = yield from travel(terrain, Destination(map_id), state)
        if outcome is not Outcome.DONE:
            return outcome
        state = yield wait(1)
    return (yield from talk(slot, terrain, state))


class ModelSkills(Skills):
    """The skills as the model carries them out, which draws nothing."""

    is_drawn = False
    buy = staticmethod(buy)
    collect = staticmethod(collect)
    examine = staticmethod(examine)
    fight = staticmethod(fight)
    fly = staticmethod(fly)
    hand_in = staticmethod(hand_in)
    leave_map = staticmethod(leave_map)
    pick_up = staticmethod(pick_up)
    push_boulders = staticmethod(push_boulders)
    roam = staticmethod(roam)
    say_yes = staticmethod(say_yes)
    search = staticmethod(search)
    sell = staticmethod(sell)
    show_menu = staticmethod(show_menu)
    swap = staticmethod(swap)
    talk = staticmethod(talk)
    teach = staticmethod(teach)
    toss = staticmethod(toss)
    travel = staticmethod(travel)
    use_at = staticmethod(use_at)
    use_field_move = staticmethod(use_field_move)
    use_item = staticmethod(use_item)
    vend = staticmethod(vend)
