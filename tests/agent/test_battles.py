"""Battles become records: who, how long, with what, and how it ended."""

from contextlib import closing

from agent.mind import BattleWatch
from agent.perception import Percept
from emulator import Dex, State, demo_cartridge_path, load_cartridge
from memory import BattleRecord, read_run
from tests.agent.support import Played, game_at

DEX = Dex.of(load_cartridge(demo_cartridge_path()))


def percept(state: State, tick: int) -> Percept:
    return Percept(tick, state, "", 1.0, (), None, None)


def test_every_battle_of_a_run_is_remembered(played: Played) -> None:
    names = {species.name for species in DEX.all_species.values()}
    moves = {move.name for move in DEX.all_moves.values()}
    with closing(read_run(played.folder)) as run:
        battles = [dict(event.payload) for event in run.store.events("battle")]
    assert len(battles) == played.summary.battles
    for battle in battles:
        assert {battle["enemy_pokemon"], battle["player_pokemon"]} <= names
        assert set(battle["moves_used"]) <= moves
        assert battle["outcome"] in {"victory", "defeat", "runaway"}
        assert battle["turns_taken"] >= 1
        assert battle["start_tick"] < battle["end_tick"]
        assert (battle["outcome"] == "defeat") == (battle["player_hp_remaining"] == 0)


def test_a_battle_is_followed_across_a_checkpoint(played: Played) -> None:
    records: list[BattleRecord] = []
    watch = BattleWatch(DEX)
    tick = 0

    def follow(state: State) -> bool:
        nonlocal watch, tick
        tick += 1
        again = BattleWatch(DEX)  # at every tick, as if play had been resumed there
        again.restore(watch.to_json())
        watch = again
        record = watch.saw(percept(state, tick))
        records.extend([record] if record else [])
        return bool(records)

    with game_at(played.folder, follow), closing(read_run(played.folder)) as run:
        first = next(iter(run.store.events("battle"))).payload
    (record,) = records
    assert (record.enemy_pokemon, record.outcome) == (first["enemy_pokemon"], first["outcome"])
    assert record.turns_taken == first["turns_taken"]
