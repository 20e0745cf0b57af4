"""Memories of several runs made one, and the run that starts from it."""

from contextlib import closing
from pathlib import Path

import pytest

from agent.app import Interrupt, Settings, outlook, play_run
from memory import read_knowledge_store, read_run
from tests.agent.support import Agent, Watcher


class Taught:
    """Two memories, each taught by a game of its own, and the names of those runs."""

    def __init__(self, folder: Path) -> None:
        self.files: list[Path] = []
        self.runs: list[str] = []
        for seed in (100, 101):
            memory, run = folder / f"{seed}.sqlite", folder / f"run-{seed}"
            play_run(
                Settings(seed=seed, until="rival", run=run, memory=memory), Watcher(), Interrupt()
            )
            self.files.append(memory)
            with closing(read_run(run)) as played:
                self.runs.append(played.store.run_id)


@pytest.fixture(scope="module")
def taught(tmp_path_factory: pytest.TempPathFactory) -> Taught:
    return Taught(tmp_path_factory.mktemp("taught"))


def test_b33_a_run_on_merged_memories_starts_from_both_and_names_them(
    taught: Taught, tmp_path: Path, agent: Agent
) -> None:
    merged = tmp_path / "merged.sqlite"
    ended = agent("memory", "merge", *taught.files, "--into", merged, "--json")
    assert (ended.code, ended.json["changed"]) == (0, True)
    assert ended.json["runs"] == sorted(taught.runs)
    with closing(read_knowledge_store(merged)) as reader:
        known, seeds = reader.load_knowledge(), reader.seed()
    assert known.total_sessions == 2
    folder = tmp_path / "third"
    play_run(
        Settings(seed=102, until="left_home", run=folder, memory=merged), Watcher(), Interrupt()
    )
    with closing(read_run(folder)) as run:
        entries = list(run.store.live_entries())
    named = {source.removeprefix("run:") for each in entries for source in each.sources}
    assert set(taught.runs) <= named
    starts = {f"{run}/" for run in taught.runs}
    episodes = [each for each in entries if each.scope.endswith(":episodic")]
    assert all(any(each.key.startswith(run) for each in episodes) for run in starts)
    # What both games taught is everybody's, and the run has got it.
    agreed = {each.key: each for each in entries if each.scope == "collective"}
    assert agreed.keys() == {each.key for each in seeds if each.scope == "collective"}
    assert agreed
    here = {each.key: each for each in entries if ":ltm:" in each.scope}
    for each in agreed.values():
        assert each.data["origins"] == sorted(taught.runs)
        assert {f"run:{run}" for run in taught.runs} <= set(here[str(each.data["about"])].sources)
    assert outlook(None, folder).plan is not None
    with closing(read_knowledge_store(merged)) as reader:  # the third run has added itself
        assert reader.load_knowledge().total_sessions == 3


def test_b34_merging_once_more_says_that_nothing_changed(
    taught: Taught, tmp_path: Path, agent: Agent
) -> None:
    merged = tmp_path / "merged.sqlite"
    first = agent("memory", "merge", *taught.files, "--into", merged)
    assert "merged.sqlite: what 2 runs taught" in first.out
    again = agent("memory", "merge", taught.files[0], "--into", merged)
    assert "holds all of it already; nothing was changed." in again.out.replace("\n", " ")


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("none.sqlite", "--into", "c.sqlite"), 1, "none.sqlite does not exist; name"),
        (("letter.txt", "--into", "c.sqlite"), 1, "letter.txt is not a SQLite file; name another"),
        (("letter.txt", "--into", "nowhere/c.sqlite"), 2, "names no file in a folder that exists"),
        (("letter.txt", "--into", "."), 2, "names no file in a folder that exists; name one"),
    ],
)
def test_what_cannot_be_merged_is_told_in_one_line(
    tmp_path: Path, agent: Agent, arguments: tuple[str, ...], code: int, says: str
) -> None:
    (tmp_path / "letter.txt").write_text("a letter", encoding="utf-8")
    paths = [each if each.startswith("--") else tmp_path / each for each in arguments]
    ended = agent("memory", "merge", *paths)
    assert (ended.code, ended.out) == (code, "")
    assert says in ended.err
    assert len(ended.err.splitlines()) == 1
    assert not (tmp_path / "c.sqlite").exists()
