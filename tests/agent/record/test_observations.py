"""Observations of play: the extractors by themselves, and in games on the demo."""

import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest.mock import ANY

import pytest

from agent.app import Interrupt, Summary, TickView, build, checkpoints
from agent.app.play import session_of_run
from agent.app.session import PlayLimits, Session
from agent.mind.advice import NO_RESULT, AdviceEnded
from agent.record.observations import GAME_SECTIONS, PlayObservations, game_table, notes_of
from agent.story.facts import FactKind, RamFact
from agent.story.milestones import Milestone, Witness
from agent.story.story import Story
from emulator import CartridgeKind, PyBoyConsole
from memory import Observed, RunFolder, RunStore, as_json, open_run, read_run
from memory.observations.block import observations_block
from memory.observations.observation import Extractors, ObservationQuery, Result
from memory.observations.tools import TOOLS
from memory.tapes.observer import Priority
from tests.agent.app.test_play import SETTINGS
from tests.agent.demo import CARTRIDGE, STORY
from tests.agent.support import Played, Watcher, play_in
from tests.memory.observations.damage import corrupt_table
from tests.memory.observations.tool_calls import all_of
from tests.memory.samples import FIGHT

COMMIT_EVERY = 70  # ticks, in two tests of many commits
BADGE = Milestone(
    "first_badge", "earn the first badge", Witness.SCENE, mark=RamFact(FactKind.BADGE, 0)
)
TOWN = Milestone("town", "reach the town", Witness.SCENE, map_id=1)
RULES = Extractors(TOOLS, game_table((BADGE, TOWN), lambda item: f"THING {item}"))
ACTION: dict[str, Any] = {
    "name": "shop:store",
    "why": "buy what runs short",
    "place": "the store",
    "bag": ((4, 1),),
    "money": 900,
}


BLACKOUT = {"place": "the lane", "subject": "rat", "cost": 450, "woke_in": "the town"}
PLACE = {"location_name": "the lane", "location_type": "outdoors"}
EPISODE = {
    "number": 1,
    "reason": "oscillation",
    "place": "the lane",
    "goal": "g",
    "tried": ["travel:town"],
    "recovery_steps": ["replan"],
    "solved_by": "replan",
}
RECALLED = {"why": "recalled:leader", "keys": ["a", "b"]}
AT_STORE, INTERRUPTED = "buy what runs short, at the store", "buy what runs short: interrupted"
STUCK = "got nowhere at the lane (oscillation): tried travel:town;"


def ended(
    error: str = "", bag: tuple[tuple[int, int], ...] = ((4, 1),), money: int = 900
) -> Result:
    return Result({"bag": bag, "money": money}, error)


BOUGHT = ended(bag=((4, 5), (11, 1)), money=300)


def battle(outcome: str) -> dict[str, Any]:
    return {**as_json(FIGHT), "outcome": outcome}


@pytest.mark.parametrize(
    ("tool", "args", "result", "kind", "content", "importance"),
    [
        ("plan_action", ACTION, ended(), "action_done", "buy what runs short", 1),
        ("plan_action", ACTION, ended(bag=()), "action_done", "buy what runs short", 1),
        ("plan_action", ACTION, ended("blocked"), "action_failed", f"{AT_STORE}: blocked", 4),
        ("plan_action", ACTION, ended("interrupted"), "action_interrupted", INTERRUPTED, 2),
        ("plan_action", ACTION, BOUGHT, "purchase_made", "4 THING 4, 1 THING 11 for 600, at", 5),
        ("plan_action", ACTION, ended(bag=((4, 2),)), "item_gained", "1 THING 4, at the store", 5),
        ("battle", battle("victory"), Result(), "battle_won", "won against rat L3", 5),
        ("battle", battle("defeat"), Result(), "battle_lost", "lost against rat L3", 8),
        ("battle", battle("runaway"), Result(), "battle_left", "left rat L3", 3),
        ("battle", battle("catch"), Result(), "caught", "caught rat L3", 7),
        ("milestone_time", {"milestone": "first_badge"}, Result(), "badge_earned", BADGE.label, 10),
        ("milestone_time", {"milestone": "town"}, Result(), "milestone_reached", TOWN.label, 8),
        ("milestone_time", {"milestone": "odd"}, Result(), "milestone_reached", "odd", 8),
        ("blackout", BLACKOUT, Result(), "blackout", "blacked out in the lane", 9),
        ("stuck", EPISODE, Result(), "stuck", f"{STUCK} solved by replan", 8),
        ("stuck", {**EPISODE, "solved_by": None}, Result(), "stuck", f"{STUCK} not solved", 8),
        ("location", PLACE, Result({"version": 1}), "map_entered", "the lane", 6),
        ("recollection", RECALLED, Result(), "memory_recalled", "recalled:leader: 2 found", 2),
    ],
)
def test_c02_an_observation_has_type_content_and_importance(
    tool: str, args: Mapping[str, Any], result: Result, kind: str, content: str, importance: int
) -> None:
    (observed,) = RULES(tool, args, result)
    assert (observed.type, observed.importance) == (kind, importance)
    assert observed.content.startswith(content)
    assert tool != "battle" or observed.content.endswith("turtle L5")


def test_c02_a_place_is_observed_the_first_time_only() -> None:
    assert RULES("location", PLACE, Result({"version": 2})) == ()


def test_c03_unknown_and_refused_calls_give_no_observation() -> None:
    assert RULES("objective", {}, Result()) == ()
    assert RULES("plan_action", ACTION, Result(refused=True)) == ()


def test_c01_the_rules_of_play_are_pure() -> None:
    calls = [
        ("plan_action", ACTION, ended(bag=((4, 2),), money=1)),
        ("battle", battle("defeat"), Result()),
        ("milestone_time", {"milestone": "town"}, Result()),
    ]
    for tool, args, result in calls:
        before = dict(args)
        assert RULES(tool, args, result) == RULES(tool, args, result)
        assert args == before


def test_c20_a_later_success_replaces_the_failure() -> None:
    (failed,), (done,) = (
        RULES("plan_action", ACTION, ended("blocked")),
        RULES("plan_action", ACTION, ended()),
    )
    assert (failed.type in done.supersedes, failed.about) == (True, done.about)
    (lost,), (won,) = (RULES("battle", battle(each), Result()) for each in ("defeat", "victory"))
    assert (lost.type in won.supersedes, lost.about) == (True, won.about)


def test_c11_lost_battles_and_blackouts_are_never_left_out() -> None:
    many: list[Observed] = []
    for number in range(60):
        place = {**PLACE, "location_name": f"map {number}"}
        many += RULES("location", place, Result({"version": 1}))
        many += RULES(
            "plan_action", {**ACTION, "name": str(number), "why": f"{number}"}, ended("blocked")
        )
        many += RULES("edit_file", {"path": f"{number}.py"}, Result())
    many[:0] = [
        *RULES("battle", battle("defeat"), Result()),
        *RULES("blackout", BLACKOUT, Result()),
    ]
    for budget in (60, 200, 2_000):
        text = observations_block(all_of(many), GAME_SECTIONS, budget)
        assert text is not None
        assert text.index("## Setbacks") < text.index("## Modified Files")
        assert "blacked out" in text
        assert "lost against rat" in text


def test_c10_the_sections_of_tools_follow_those_of_play_in_order() -> None:
    titles = [each.title for each in GAME_SECTIONS]
    assert titles[-6:] == [
        *("Modified Files", "Errors", "Todos", "Tasks Delegated", "Commands", "Searches")
    ]
    is_required = [each.title for each in GAME_SECTIONS if each.is_required]
    assert is_required == ["Setbacks", "Modified Files", "Errors"]
    known = {kind for each in GAME_SECTIONS for kind in each.types}
    assert {"badge_earned", "blackout", "battle_lost", "caught", "map_entered"} <= known
    assert not {"action_done", "file_read"} & known


# In games on the demo.


def test_c02_a_whole_game_is_observed(played: Played) -> None:
    with closing(read_run(played.folder)) as run:
        found = run.store.observations.find()
        events = Counter(event.kind for event in run.store.record.events())
        battles = Counter(event.payload["outcome"] for event in run.store.record.events("battle"))
    kinds = Counter(each.type for each in found)
    assert kinds["badge_earned"] == 1
    assert kinds["badge_earned"] + kinds["milestone_reached"] == events["milestone"]
    assert kinds["battle_won"] == battles["victory"]
    assert kinds["battle_lost"] == battles["defeat"]
    assert kinds["caught"] == battles["catch"]
    assert kinds["memory_recalled"] == events["recollection"]
    acted = ("action_done", "action_failed", "action_interrupted", "purchase_made", "item_gained")
    assert sum(kinds[each] for each in acted) >= events["action"]
    assert kinds["purchase_made"] >= 1
    places = [each.content for each in found if each.type == "map_entered"]
    assert len(places) == len(set(places))
    assert {"the town", "the gym"} <= set(places)


def test_c05_an_observation_has_its_tick_and_session(played: Played) -> None:
    with closing(read_run(played.folder)) as run:
        found = run.store.observations.find()
        run_id = run.store.run_id
        frames = {step.tick: step.frame for step in run.store.record.steps()}
    assert {each.session for each in found} == {run_id}
    assert {each.source for each in found} == {"programmatic"}
    ticks = [each.created for each in found]
    assert ticks == sorted(ticks, reverse=True)
    assert 0 < ticks[-1] < ticks[0] <= played.summary.ticks
    assert 0 < found[-1].created_s < found[0].created_s <= frames[played.summary.ticks] / 59
    assert played.summary.errors == 0


def test_c09_the_block_of_a_game_fits_the_budget(played: Played) -> None:
    with closing(read_run(played.folder)) as run:
        text = observations_block(run.store.observations.find(), GAME_SECTIONS)
    assert text is not None
    assert text.startswith("<observations>\n## Milestones\n- beat Cairn (Pebble Badge)")
    assert re.search(r"^- won against ", text, re.MULTILINE)
    assert len(text) <= 8_000


@contextmanager
def session_in(path: Path) -> Iterator[tuple[Session, RunFolder[RunStore]]]:
    """Yield a session on the demo, new or resumed."""
    with (
        closing(PyBoyConsole(CARTRIDGE)) as console,
        session_of_run(path, SETTINGS, console, STORY, Interrupt()) as opened,
    ):
        yield opened.session, opened.run


def play(path: Path, ticks: int, react: Callable[[TickView], None] | None = None) -> Summary:
    with session_in(path) as (session, folder):
        folder.store._database.execute("PRAGMA busy_timeout = 1")
        return session.play(PlayLimits("never", ticks), Watcher(react))


@pytest.fixture
def soon_committed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commit the record every `COMMIT_EVERY` ticks."""
    monkeypatch.setattr(checkpoints, "COMMIT_EVERY", COMMIT_EVERY)


@pytest.mark.usefixtures("soon_committed")
def test_c16_a_locked_file_neither_stops_play_nor_loses_data(tmp_path: Path) -> None:
    path = tmp_path / "run" / "run.sqlite"
    held: list[sqlite3.Connection] = []

    def hold(moment: TickView) -> None:
        if moment.tick == 20:
            held.append(sqlite3.connect(path, isolation_level=None))
            held[0].execute("BEGIN EXCLUSIVE")
        elif moment.tick == COMMIT_EVERY + 10:
            held.pop().close()

    summary = play(tmp_path, 2 * COMMIT_EVERY + 5, hold)
    assert (summary.stop.value, summary.ticks) == ("ticks", 2 * COMMIT_EVERY + 5)
    assert summary.errors >= 2  # at least a commit and a checkpoint
    with closing(read_run(tmp_path / "run")) as run:
        assert len(list(run.store.record.steps())) == summary.ticks
        ticks = [each.created for each in run.store.observations.find()]
        assert any(20 < tick < COMMIT_EVERY for tick in ticks)
        assert run.store.checkpoints.ticks()[-1] == 0
        assert any(tick > COMMIT_EVERY for tick in run.store.checkpoints.ticks())
        milestones = [event.tick for event in run.store.record.events("milestone")]
        assert any(20 < tick < COMMIT_EVERY for tick in milestones)


@pytest.mark.usefixtures("soon_committed")
def test_c16_a_corrupt_table_loses_observations_but_not_ticks(tmp_path: Path) -> None:
    path = tmp_path / "run" / "run.sqlite"

    def damage(moment: TickView) -> None:
        if moment.tick == COMMIT_EVERY // 2:
            corrupt_table(path, "observations")

    summary = play(tmp_path, 2 * COMMIT_EVERY, damage)
    assert (summary.stop.value, summary.ticks) == ("ticks", 2 * COMMIT_EVERY)
    assert summary.errors >= 1
    with closing(read_run(tmp_path / "run")) as run:
        assert len(list(run.store.record.steps())) == summary.ticks
        assert run.store.checkpoints.ticks()[0] == summary.ticks
        assert list(run.store.record.events("location"))


def test_c16_a_failing_observer_is_counted_and_play_continues(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*parts: Any) -> PlayObservations:  # noqa: ANN401
        observations = PlayObservations(*parts)
        observations._session = None  # type: ignore[assignment]  # which the database refuses
        return observations

    monkeypatch.setattr(build, "PlayObservations", failing)
    with session_in(tmp_path) as (session, folder):
        summary = session.play(PlayLimits("never", 80), Watcher())
        assert (summary.stop.value, summary.ticks) == ("ticks", 80)
        assert summary.errors >= 1
        assert folder.store.observations.find() == []


def test_c17_the_block_contains_the_latest_observations(tmp_path: Path) -> None:
    blocks: list[tuple[int, str]] = []
    with session_in(tmp_path) as (session, _folder):

        def ask(moment: TickView) -> None:
            blocks.append((moment.tick, session._branch.observations.block() or ""))

        assert session._branch.observations.block() is None
        session.play(PlayLimits("never", 70), Watcher(ask))
    first = next(tick for tick, text in blocks if "- the house" in text)
    assert not any("- the house" in text for tick, text in blocks if tick < first)
    assert all("- the house" in text for tick, text in blocks if tick > first)
    assert "<observations>" not in blocks[0][1]
    assert "- leave home" in blocks[-1][1]


def test_c08_a_resumed_run_is_observed_in_a_new_session(tmp_path: Path) -> None:
    play(tmp_path, 70)
    play(tmp_path, 100)
    with closing(read_run(tmp_path / "run")) as run:
        assert run.store.observations.sessions() == ["session", "session#2"]
        first, second = (
            run.store.observations.find(ObservationQuery(session=name))
            for name in ("session", "session#2")
        )
    assert max(each.created for each in first) <= 70 < min(each.created for each in second)
    with session_in(tmp_path) as (session, _folder):
        block = session._branch.observations.block() or ""
    assert "- leave home" in block  # reached by the first session, and no less true for the third


def test_the_notes_of_a_run_hold_setbacks_results_of_advice_and_milestones(tmp_path: Path) -> None:
    with session_in(tmp_path) as (session, folder):
        hooks = session._branch.hooks
        for by in ("claude-opus-5-5", "fake-claude:claude-opus-5-5"):
            ended = AdviceEnded("talk to the mother", 5, "done after 3 ticks", success=True, by=by)
            hooks.emit(ended)
        session.play(PlayLimits("never", 70), Watcher())
        notes = list(notes_of(folder.store, datetime(2026, 3, 9, tzinfo=UTC)))
    advised = "advised at tick 5: talk to the mother; done after 3 ticks (tick 0)"
    assert [(each.priority, each.text, each.is_made_up) for each in notes] == [
        (Priority.POSSIBLE, advised, False),
        (Priority.POSSIBLE, advised, True),
        (Priority.INFORMATIONAL, ANY, False),
    ]
    assert notes[1].line("s") == f"- [possible] fake-claude, made up: {advised} (session: s)"
    assert notes[-1].text.startswith("Milestones by tick: leave home at ")


def test_the_notes_of_a_run_hold_the_last_ten_pieces_of_advice_without_a_result(
    tmp_path: Path,
) -> None:
    with session_in(tmp_path) as (session, folder):
        for tick in range(14):
            ended = AdviceEnded(f"goal {tick}", tick, f"{NO_RESULT} after 60 ticks", success=False)
            session._branch.hooks.emit(ended)
        session.play(PlayLimits("never", 3), Watcher())
        notes = list(notes_of(folder.store, datetime(2026, 3, 9, tzinfo=UTC)))
    advised = [int(re.findall(r"goal (\d+)", each.text)[0]) for each in notes]
    assert advised == list(range(4, 14))


def test_c05_observations_after_the_restored_checkpoint_are_dead(tmp_path: Path) -> None:
    play_in(tmp_path, ticks=100)
    with closing(open_run(tmp_path / "run")) as run:
        moment = next(each for each in run.store.checkpoints.all() if each.tick < 100)
        before = run.store.observations.find()
        run.store.rewind(moment)
        after = run.store.observations.find()
        dead = run.store.observations.find(ObservationQuery(live=False))
    assert after == [each for each in before if each.created <= moment.tick]
    assert {each.id for each in dead} == {each.id for each in before} - {each.id for each in after}
    assert dead


def test_c02_every_badge_of_a_story_is_observed_as_one() -> None:
    for kind in CartridgeKind:
        story = Story.of(kind)
        table = Extractors(game_table(story.milestones, str))
        importances = {
            each.id: table("milestone_time", {"milestone": each.id}, Result())[0].importance
            for each in story.milestones
        }
        marks = {each.id: each.mark for each in story.milestones if each.mark is not None}
        badges = {name for name, mark in marks.items() if mark.kind is FactKind.BADGE}
        assert badges
        assert {name for name, importance in importances.items() if importance == 10} == badges
