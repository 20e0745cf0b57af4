"""Walking in the model: square by square, until a script, a trainer or a wild Pokemon stops the player."""

from collections.abc import Iterable
from typing import Final

from agent.battle.odds import Foe
from agent.lab.rehearse.battle import Trainer
from agent.lab.rehearse.costs import COSTS
from agent.lab.rehearse.game import WILD, ModelGame
from agent.skills import spot_of
from agent.skills.boulders import Push
from agent.skills.route import Hop
from agent.story.places import Square
from emulator import Facing
from emulator.model import slot_of, wild_table
from emulator.world import FIRST_INDOOR_MAP, MapObject

BYTE: Final = 256


def walk(game: ModelGame, route: Iterable[Hop], *, says_yes: bool = False) -> int:
    """Walk hops until something happens, and answer the offer of a visit; return the frames."""
    frames = 0
    for hop in route:
        frames += step(game, hop, says_yes=says_yes)
        if game.battle is not None or game.was_moved:
            break
    return frames


def push(game: ModelGame, pushes: Iterable[Push]) -> int:
    """Push boulders until something else happens; return the frames."""
    frames = COSTS.field_move
    for each in pushes:
        frames += walk(game, each.way)
        if game.battle is not None or game.was_moved:
            break
        frames += game.push(each.slot, each.facing)
    return frames


def step(game: ModelGame, hop: Hop, *, says_yes: bool = False) -> int:
    """Make one hop, with what its end does; return the frames."""
    ram, before = game.ram, game.here.map_id
    frames, game.was_moved = COSTS.step, False
    frames += COSTS.turn if ram.faces != hop.facing.value else 0
    if hop.by is not None:
        frames += COSTS.field_move
    if hop.to.map_id != before:
        game.enter(*hop.to[:3])
        frames += COSTS.warp if max(before, hop.to.map_id) >= FIRST_INDOOR_MAP else 0
    else:
        ram.stand(hop.to.x, hop.to.y, hop.facing)
    here = game.state().map  # the arrival on a map may have moved the player
    ram.stand(here.x, here.y, hop.facing)
    game.see()
    frames += game.count_step()
    if spot_of(game.state())[:3] != (here.map_id, here.x, here.y):
        return frames
    return frames + _stand_on(game, (here.x, here.y), says_yes=says_yes)


def _stand_on(game: ModelGame, square: Square, *, says_yes: bool) -> int:
    is_repelled = game.ram.use_repel()
    script = next((each for each in game.open_scripts() if square in each.step), None)
    if script is not None and script is game.book.visit and not says_yes:
        return game.turn_back(square)
    if script is not None:
        return game.play(script, 0)
    seen = _seen_by(game, square)
    return game.meet(seen) if seen is not None else _encounter(game, square, is_repelled)


def _seen_by(game: ModelGame, square: Square) -> MapObject | None:
    """Return the trainer who sees a square and was not beaten, if any; walls do not limit sight."""
    sights, flags = game.sights(), game.state().flags
    for each in game.here.people() if sights else ():
        sight = sights.get(each.slot)
        if sight is None or each.opponent is None or flags.is_set(sight.event):
            continue
        facing, ahead = each.facing or Facing.DOWN, range(1, sight.sight + 1)
        if any(square == (each.x + n * facing.dx, each.y + n * facing.dy) for n in ahead):
            return each
    return None


def _encounter(game: ModelGame, square: Square, is_repelled: bool) -> int:  # noqa: FBT001
    """Draw whether a step meets a wild Pokemon; return the frames."""
    map_id, state = game.here.map_id, game.state()
    wild = game.dex.wild.get(map_id)
    table = wild_table(game.world, map_id, wild, square) if wild is not None else None
    if table is None or not state.party.mons or state.flags.meets_none:
        return 0
    if game.chance.randrange(BYTE) >= table.rate:
        return 0
    slot = slot_of(table, game.chance.randrange(BYTE))
    if is_repelled and slot.level < state.party[0].level:
        return 0
    return game.begin(Trainer(0, 0, (Foe(slot.level, slot.species),)), WILD)
