"""Whole stuck runs: they restore a checkpoint, report it, replay, and survive being stopped."""

from contextlib import closing
from dataclasses import replace
from itertools import pairwise
from math import inf
from pathlib import Path
from typing import Any

import pytest

from agent.app import Interrupt, Summary, TickView
from agent.app.play import session_of_run
from agent.app.session import PlayLimits
from agent.errors import RunError
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
from tests.agent.app.test_play import SETTINGS
from tests.agent.demo import CARTRIDGE, STORY
from tests.agent.support import Played, Watcher, events_of, game_at
from tests.agent.support import short_limits as short_limits

NEVER = RamFact(FactKind.EVENT, 0x500)  # an event that the cartridge never sets
UNREACHABLE = Story(  # a map without an entrance
    places=(Place("bedroom", 38, "the bedroom"), Place("atoll", 240, "the atoll")),
    milestones=(Milestone("end", "reach the atoll", Witness.SCENE, "atoll", map_id=240),),
)
ENDLESS_TALK = Story(  # a person whose text never has an effect
    places=(Place("bedroom", 38, "the bedroom"), Place("house", 37, "the house")),
    ram_facts={"event:never": NEVER},
    tasks=(Task("ask", "ask for it", "house", "event:never", Interaction.of("talk_to", (1,))),),
    milestones=(Milestone("end", "have it", Witness.TEXT, fact="event:never", mark=NEVER),),
)
LATE_UNREACHABLE = replace(  # the story up to the starter, then the atoll
    STORY,
    places=(*STORY.places, *UNREACHABLE.places[1:]),
    milestones=(*STORY.milestones[: len(STORY.up_to("starter"))], *UNREACHABLE.milestones),
)


def play(path: Path, story: Story, watcher: Watcher, asked: Interrupt) -> Summary:
    """Play the run in `path`, created if missing, until it ends."""
    with (
        closing(PyBoyConsole(CARTRIDGE)) as console,
        session_of_run(path, replace(SETTINGS, run="stuck"), console, story, asked) as opened,
    ):
        return opened.session.play(PlayLimits("end", inf), watcher)


def episodes(path: Path) -> list[dict[str, Any]]:
    return [dict(event.payload) for event in events_of(path / "run", "stuck")]


def steps(path: Path) -> list[StepRow]:
    with closing(read_run(path / "run")) as folder:
        return list(folder.store.record.steps())


@pytest.fixture(scope="module")
def stuck_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Summary]:
    path = tmp_path_factory.mktemp("stranded")
    return path, play(path, UNREACHABLE, Watcher(), Interrupt())


def test_a_stuck_run_restores_twice_and_then_gives_up(stuck_run: tuple[Path, Summary]) -> None:
    path, summary = stuck_run
    assert (summary.stop.value, summary.episodes, summary.restores) == ("gave_up", 1, 2)
    assert summary.errors == 0
    assert "walk to the atoll" in summary.reason
    last = episodes(path)[-1]
    assert " ".join(last["recovery_steps"]) == (
        "replan leave_map ask_around restore restore give_up"
    )
    assert last["run"] == "stuck"
    assert last["checkpoint_tick"] <= last["since"] < last["noticed"] <= last["lasted"]
    assert last["tried"][0] == "travel:atoll"


def test_c02_c05_a_stuck_episode_is_observed_and_abandoned_observations_are_dead(
    stuck_run: tuple[Path, Summary],
) -> None:
    with closing(read_run(stuck_run[0] / "run")) as folder:
        found = folder.store.observations.find()
        dead = folder.store.observations.find(ObservationQuery(live=False))
        assert folder.store.observations.sessions() == ["stuck"]  # one process, also after restores
    stuck = next(each for each in found if each.type == "stuck")  # the newest one, which gave up
    assert stuck.importance == 8
    assert "tried travel:atoll" in stuck.content
    assert stuck.content.endswith("not solved")
    assert dead
    assert not {each.id for each in found} & {each.id for each in dead}


def test_steps_after_the_restored_checkpoint_are_dead_and_the_rest_replays(
    stuck_run: tuple[Path, Summary],
) -> None:
    path, summary = stuck_run
    with closing(read_run(path / "run")) as folder:
        assert len(list(folder.store.record.steps(live=False))) > 0
    assert replay_run(path / "run", None) == (summary.ticks, None, summary.digest)


def test_an_episode_on_an_abandoned_branch_can_be_replayed(stuck_run: tuple[Path, Summary]) -> None:
    path, summary = stuck_run
    found = episodes(path)
    assert [each["over"] for each in found] == [False, True]
    said: list[str] = []
    died = replay_run(path / "run", None, episode=1, say=said.append)
    assert (died.ticks, died.divergence) == (found[0]["lasted"], None)
    assert "repeated_failure in the bedroom" in said[0]
    lived = replay_run(path / "run", None, episode=2)
    assert (lived.ticks, lived.divergence) == (summary.ticks, None)
    with pytest.raises(RunError, match="got stuck twice; --episode takes a number from 1 to 2"):
        replay_run(path / "run", None, episode=3)


def test_a_late_stuck_run_keeps_its_earlier_milestones(tmp_path: Path) -> None:
    summary = play(tmp_path, LATE_UNREACHABLE, Watcher(), Interrupt())
    assert (summary.stop.value, summary.restores, summary.errors) == ("gave_up", 2, 0)
    reached = [each.id for each in summary.milestones]
    assert reached == list(STORY.up_to("starter"))
    with closing(read_run(tmp_path / "run")) as folder:
        ticks = {
            event.payload["id"]: event.tick for event in folder.store.record.events("milestone")
        }
        assert len(list(folder.store.record.events("battle"))) == summary.battles
        assert min(row.tick for row in folder.store.record.steps(live=False)) > ticks["left_home"]
    assert ticks == {each.id: each.tick for each in summary.milestones}


def test_a_talk_without_effect_is_given_up(tmp_path: Path) -> None:
    summary = play(tmp_path, ENDLESS_TALK, Watcher(), Interrupt())
    assert summary.stop.value == "gave_up"
    reasons = {each["reason"] for each in episodes(tmp_path)}
    assert reasons <= {"repeated_failure", "repeated_dialogue"}
    last = episodes(tmp_path)[-1]
    assert last["place"] in {"the house", "the bedroom"}
    assert "task:ask" in last["tried"]
    assert "leave_map" in last["recovery_steps"]


def test_leave_map_takes_the_nearest_exit(played: Played) -> None:
    with game_at(played.folder, lambda state: state.in_control and state.map.map_id == 37) as game:
        skill = leave_map(Terrain(World.of(CARTRIDGE)), game.state)
        assert game.carry_out(skill, within=100) is Outcome.DONE
        assert game.state.map.map_id in {0, 38}


def play_until_stopped(path: Path, restores: int) -> Summary:
    """Play on and interrupt play at tick 80, after so many restores."""
    asked, ticks = Interrupt(), [0]

    def interrupt(moment: TickView) -> None:
        ticks.append(moment.tick)
        returns = sum(after < before for before, after in pairwise(ticks))
        asked.asked = returns == restores and moment.tick == 80

    return play(path, UNREACHABLE, Watcher(interrupt), asked)


def test_a_run_stopped_while_stuck_continues_as_without_the_stop(
    stuck_run: tuple[Path, Summary], tmp_path: Path
) -> None:
    path, summary = stuck_run
    for restores in (0, 1):
        stopped = play_until_stopped(tmp_path, restores)
        assert (stopped.stop.value, stopped.restores) == ("interrupted", restores)
    ended = play(tmp_path, UNREACHABLE, Watcher(), Interrupt())
    assert (ended.stop.value, ended.restores) == ("gave_up", summary.restores)
    assert steps(tmp_path) == steps(path)
    own = {"last_step": 0}  # a row number, which counts the steps of abandoned branches
    found = [{**each, **own} for each in episodes(tmp_path)]
    assert found == [{**each, **own} for each in episodes(path)]
