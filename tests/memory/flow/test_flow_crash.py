"""Pending entries and cursors are saved in the file: a kill loses nothing and repeats nothing."""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memory import Blackboard, RunStore, read_run_store
from memory.codec import decode, encode
from memory.flow.flows import Flows
from tests.memory.flow.streams import X, Y, edge, held, notes
from tests.memory.samples import STM, Tiers, checkpoint, open_tiers

ROOT = Path(__file__).parents[3]
CUT, END = 130, 260
PLAY = """
import sys
from pathlib import Path
from memory.codec import encode
from tests.memory.samples import checkpoint, open_tiers
from tests.memory.flow.test_flow_crash import CUT, END, live, saved_state

tiers = open_tiers(Path(sys.argv[1]))
live(tiers, 1, CUT)
tiers.store.commit(checkpoint=checkpoint(CUT))
print(encode(saved_state(tiers)), flush=True)
live(tiers, CUT + 1, END)  # lost: the process is killed before the next commit
print("lost", flush=True)
sys.stdin.read()
"""


def live(tiers: Tiers, first: int, last: int) -> None:
    """Play some ticks: states, recurring actions, and sometimes a lost battle."""
    for tick in range(first, last + 1):
        tiers.moment(tick, place=f"place {tick // 7 % 3}")
        tiers.act(tick, f"act {tick % 3}", why=f"aim {tick // 30}", success=tick % 5 > 0)
        if tick % 40 == 0:
            tiers.fight(tick)
        if tick == 100:
            tiers.consolidator.consolidate(tick, reason="demand")


def saved_state(tiers: Tiers) -> dict[str, Any]:
    flows, blackboard = tiers.memory.flows, tiers.blackboard
    return {
        "pending": {name: [each.key for each in flows.pending(name)] for name in flows.subscriptions},
        "carried": {name: flows.carried(name) for name in flows.subscriptions},
        "progress": flows.to_json(),
        "levels": {name: [list(e[:5]) for e in blackboard.entries(name)] for name in blackboard.scopes()},
    }  # fmt: skip


def test_b18_after_a_kill_pending_and_cursors_are_those_of_the_checkpoint(tmp_path: Path) -> None:
    path = tmp_path / "killed.sqlite"
    with subprocess.Popen(
        [sys.executable, "-c", PLAY, str(path)],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as player:
        assert player.stdout is not None
        before: Mapping[str, Any] = decode(player.stdout.readline().decode())
        assert player.stdout.readline() == b"lost\n"
        player.send_signal(signal.SIGKILL)
    tiers = open_tiers(path)
    assert decode(encode(saved_state(tiers))) == before
    assert before["pending"]["actions"]
    assert before["pending"]["skills"]

    live(tiers, CUT + 1, END)
    tiers.consolidator.consolidate(END, reason="session_end")
    whole = open_tiers(tmp_path / "whole.sqlite")
    live(whole, 1, END)
    whole.consolidator.consolidate(END, reason="session_end")
    assert saved_state(tiers) == saved_state(whole)  # nothing is lost or carried twice
    assert tiers.tactician.knowledge() == whole.tactician.knowledge()
    tiers.store.close()
    whole.store.close()


def test_b25_sources_are_deleted_in_the_commit_of_their_results(
    store: RunStore, tmp_path: Path
) -> None:
    blackboard = Blackboard(store)
    flows = Flows(blackboard)
    flows.add(edge("up", consumes=True))
    store.attach("flows", flows)
    notes(blackboard, range(3))
    store.commit(checkpoint=checkpoint(1))
    keys = [each.key for each in blackboard.entries(X)]

    def in_file() -> list[list[object]]:
        reader = read_run_store(tmp_path / "run.sqlite")
        entries = list(reader.live_entries())
        reader.close()
        return [[each.data["n"] for each in entries if each.scope == scope] for scope in (X, Y)]

    flows.run()
    assert (held(blackboard, X), held(blackboard, Y)) == ([], [0, 1, 2])
    assert in_file() == [[0, 1, 2], []]  # a kill here loses nothing
    store.commit()
    assert in_file() == [[], [0, 1, 2]]
    assert [each.sources for each in blackboard.entries(Y)] == [(key,) for key in keys]
    store.rewind(next(store.checkpoints.all()))
    assert (held(blackboard, X), held(blackboard, Y)) == ([0, 1, 2], [])
    assert len(flows.pending("up")) == 3


def test_b25_a_counted_approach_names_its_last_actions(tiers: Tiers) -> None:
    tiers.acts(range(1, 40), "push", why="open the door")
    keys = {each.key for each in tiers.blackboard.entries("agent:play:working")}
    tiers.consolidator.consolidate(1000, reason="session_end")
    for approach in tiers.blackboard.entries(STM, kind="approach"):
        assert approach.sources
        assert {*approach.sources} & keys
