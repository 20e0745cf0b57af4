"""A run that is stopped in the middle of anything goes on, arrives, and replays."""

from collections.abc import Callable
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import pytest

from agent.app import Interrupt, Settings, Stop, play_run
from agent.tools.replay import replay_run
from emulator import BattleKind, MenuKind, Phase, State
from memory import read_run
from tests.agent.support import Watcher

GOAL = "healed"
SEEDS = range(9, 40)  # the first of them blacks out, as others do where battles have changed


def in_phase(phase: Phase) -> Callable[[State], bool]:
    return lambda state: state.battle is not None and state.battle.phase is phase


def in_menu(kind: MenuKind) -> Callable[[State], bool]:
    return lambda state: state.menu is not None and state.menu.kind is kind


def is_blacking_out(state: State) -> bool:
    return state.battle is not None and state.battle.kind is BattleKind.LOST


def is_between_maps(state: State) -> bool:
    return state.game_started and not state.in_control and not state.dialogue.is_open


MOMENTS: dict[str, Callable[[State], bool]] = {
    "a question": in_menu(MenuKind.YES_NO),
    "a list of moves": in_phase(Phase.MOVE_MENU),
    "a blackout": is_blacking_out,
    "the nurse's question": in_menu(MenuKind.NURSE),
    "the way through a door": is_between_maps,
}


def stopped_at(moment: Callable[[State], bool], folder: Path) -> tuple[Path, Path]:
    """A run that was stopped at such a moment, and its memory."""
    for seed in SEEDS:
        run, memory, asked = folder / f"run{seed}", folder / f"memory{seed}.sqlite", Interrupt()
        watcher = Watcher(lambda seen, asked=asked: setattr(asked, "asked", moment(seen.state)))  # type: ignore[misc]
        settings = Settings(seed=seed, until=GOAL, run=run, memory=memory)
        stopped = play_run(settings, watcher, asked)
        if stopped.stop is Stop.INTERRUPTED:
            return run, memory
    raise AssertionError("no run has such a moment")


@pytest.mark.parametrize("moment", MOMENTS.values(), ids=MOMENTS)
def test_a_run_stopped_in_the_middle_arrives_all_the_same(
    moment: Callable[[State], bool], tmp_path: Path
) -> None:
    run, memory = stopped_at(moment, tmp_path)
    ended = play_run(Settings(resume=run, memory=memory, ticks=3_000), Watcher(), Interrupt())
    assert (ended.stop.value, ended.errors) == ("goal", 0)
    assert [each.id for each in ended.milestones][-1] == GOAL
    assert replay_run(run, None).divergence is None
    with closing(read_run(run)) as folder:
        told = [event.payload for event in folder.store.events("battle")]
    assert len(told) == ended.battles
    for battle, after in pairwise(told):
        assert battle["end_tick"] <= after["start_tick"]  # each told once, and never in two parts
    assert all(battle["turns_taken"] > 0 for battle in told)
    for battle in told:
        assert (battle["outcome"] == "defeat") is (battle["player_hp_remaining"] == 0)
