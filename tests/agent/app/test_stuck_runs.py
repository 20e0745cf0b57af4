"""Whole runs that get nowhere: they go back to a checkpoint, say so, replay, and survive being stopped."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any

import pytest

from agent.app import Interrupt, Summary, TickView
from agent.app.play import session_of_run
from agent.app.session import PlayLimits
from agent.errors import RunError, StuckReason
from agent.mind import progress
from agent.skills import Outcome, Terrain, leave_map
from agent.story.facts import FactKind, RamFact
from agent.story.interactions import Interaction, Task
from agent.story.milestones import Milestone, Witness
from agent.story.places import Place
from agent.story.story import Story
from agent.tools.replay.operations import replay_run
from emulator import PyBoyConsole, World
from memory import StepRow, read_run
from memory.observations.observation import ObservationQuery
from tests.agent.app.test_play import CARTRIDGE, FROZEN
from tests.agent.support import Played, Watcher, game_at

NEVER = RamFact(FactKind.EVENT, 0x500)  # an event that nothing on the cartridge sets
ATOLL = Story(  # a map without a way in
    places=(Place("bedroom", 38, "the bedroom"), Place("atoll", 200, "the atoll")),
    milestones=(Milestone("end", "reach the atoll", Witness.SCENE, "atoll", map_id=200),),
)
DEAF = Story(  # somebody whom one can talk to for ever
    places=(Place("bedroom", 38, "the bedroom"), Place("house", 37, "the house")),
    marks={"event:never": NEVER},
    tasks=(Task("ask", "ask for it", "house", "event:never", Interaction.of("talk_to", (1,))),),
    milestones=(Milestone("end", "have it", Witness.TEXT, fact="event:never", mark=NEVER),),
)
STORY = Story.of(CARTRIDGE.kind)
BEYOND = replace(  # the story to the first creature, and then the atoll
    STORY,
    places=(*STORY.places, *ATOLL.places[1:]),
    milestones=(*STORY.milestones[: len(STORY.up_to("starter"))], *ATOLL.milestones),
)


def play(path: Path, story: Story, watcher: Watcher, asked: Interrupt) -> Summary:
    """Play a run, a new one or the one in `path`, until it ends."""
    with (
        closing(PyBoyConsole(CARTRIDGE)) as console,
        session_of_run(path, replace(FROZEN, run="stuck"), console, story, asked) as opened,
    ):
        return opened.session.play(PlayLimits("end", inf), watcher)


def episodes(path: Path) -> list[dict[str, Any]]:
    with closing(read_run(path / "run")) as folder:
        return [dict(event.payload) for event in folder.store.events("stuck")]


def steps(path: Path) -> list[StepRow]:
    with closing(read_run(path / "run")) as folder:
        return list(folder.store.steps())


@pytest.fixture(scope="module", autouse=True)
def impatient() -> Iterator[None]:
    """Let half as many failures, after half as many ticks, be too many: how long a run tries shows nothing here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(progress, "LIMITS", {**progress.LIMITS, StuckReason.REPEATED_FAILURE: 3})
        patch.setattr(progress, "QUIET", 75)
        yield


@pytest.fixture(scope="module")
def stranded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Summary]:
    path = tmp_path_factory.mktemp("stranded")
    return path, play(path, ATOLL, Watcher(), Interrupt())


def test_a_run_that_gets_nowhere_goes_back_and_then_gives_up(
    stranded: tuple[Path, Summary],
) -> None:
    path, summary = stranded
    assert (summary.stop.value, summary.episodes, summary.restores) == ("gave_up", 1, 2)
    assert summary.errors == 0
    assert "walk to the atoll" in summary.reason
    last = episodes(path)[-1]
    assert last["rungs"] == ["replan", "leave_map", "ask_around", "restore", "restore", "give_up"]
    assert last["run"] == "stuck"
    assert last["checkpoint_tick"] <= last["since"] < last["noticed"] <= last["lasted"]
    assert last["tried"][0] == "travel:atoll"


def test_c02_c05_getting_nowhere_is_observed_and_what_died_with_it_is_marked(
    stranded: tuple[Path, Summary],
) -> None:
    with closing(read_run(stranded[0] / "run")) as folder:
        found = folder.store.observations()
        dead = folder.store.observations(ObservationQuery(live=False))
        assert folder.store.sessions() == ["stuck"]  # one process, however often it went back
    stuck = next(each for each in found if each.type == "stuck")  # the newest: it gave up
    assert stuck.importance == 8
    assert "tried travel:atoll" in stuck.content
    assert stuck.content.endswith("not solved")
    assert dead
    assert not {each.id for each in found} & {each.id for each in dead}


def test_what_came_after_the_checkpoint_is_a_dead_branch_and_the_rest_replays(
    stranded: tuple[Path, Summary],
) -> None:
    path, summary = stranded
    with closing(read_run(path / "run")) as folder:
        assert len(list(folder.store.steps(live=False))) > 0
    assert replay_run(path / "run", None) == (summary.ticks, None)


def test_an_episode_can_be_played_again_though_its_branch_died(
    stranded: tuple[Path, Summary],
) -> None:
    path, summary = stranded
    told = episodes(path)
    assert [each["over"] for each in told] == [False, True]
    said: list[str] = []
    died = replay_run(path / "run", None, episode=1, tell=said.append)
    assert died == (told[0]["lasted"], None)
    assert "repeated_failure in the bedroom" in said[0]
    lived = replay_run(path / "run", None, episode=2)
    assert (lived.ticks, lived.divergence) == (summary.ticks, None)
    with pytest.raises(RunError, match="got stuck 2 times"):
        replay_run(path / "run", None, episode=3)


def test_who_is_stuck_late_goes_back_no_further_than_it_takes(tmp_path: Path) -> None:
    summary = play(tmp_path, BEYOND, Watcher(), Interrupt())
    assert (summary.stop.value, summary.restores, summary.errors) == ("gave_up", 2, 0)
    reached = [each.id for each in summary.milestones]
    assert reached == list(STORY.up_to("starter"))
    with closing(read_run(tmp_path / "run")) as folder:
        told = {event.payload["id"]: event.tick for event in folder.store.events("milestone")}
        assert len(list(folder.store.events("battle"))) == summary.battles
        assert min(row.tick for row in folder.store.steps(live=False)) > told["left_home"]
    assert told == {each.id: each.tick for each in summary.milestones}


def test_a_talk_that_never_has_its_effect_is_given_up_too(tmp_path: Path) -> None:
    summary = play(tmp_path, DEAF, Watcher(), Interrupt())
    assert summary.stop.value == "gave_up"
    reasons = {each["reason"] for each in episodes(tmp_path)}
    assert reasons <= {"repeated_failure", "repeated_dialogue"}
    last = episodes(tmp_path)[-1]
    assert last["place"] in {"the house", "the bedroom"}
    assert "task:ask" in last["tried"]
    assert "leave_map" in last["rungs"]


def test_a_map_is_left_by_the_nearest_way(played: Played) -> None:
    with game_at(played.folder, lambda state: state.in_control and state.map.map_id == 37) as game:
        skill = leave_map(Terrain(World.of(CARTRIDGE)), game.state)
        assert game.carry_out(skill, within=100) is Outcome.DONE
        assert game.state.map.map_id in {0, 38}


def test_a_run_stopped_while_it_is_stuck_goes_on_as_if_it_had_not_been(
    stranded: tuple[Path, Summary], tmp_path: Path
) -> None:
    path, summary = stranded
    asked, lives, last, life = Interrupt(), 1, 0, 1

    def interrupt(moment: TickView) -> None:
        nonlocal lives, last
        lives += moment.tick < last
        last = moment.tick
        asked.asked = lives == life and moment.tick == 150

    stopped = play(tmp_path, ATOLL, Watcher(interrupt), asked)
    assert (stopped.stop.value, stopped.restores) == ("interrupted", 0)
    asked, life = Interrupt(), 2
    stopped = play(tmp_path, ATOLL, Watcher(interrupt), asked)
    assert (stopped.stop.value, stopped.restores) == ("interrupted", 1)
    ended = play(tmp_path, ATOLL, Watcher(), Interrupt())
    assert (ended.stop.value, ended.restores) == ("gave_up", summary.restores)
    assert steps(tmp_path) == steps(path)
    own = {"checkpoint_tick": 0, "last_step": 0}  # where the stop left a checkpoint, and dead steps
    told = [{**each, **own} for each in episodes(tmp_path)]
    assert told == [{**each, **own} for each in episodes(path)]
