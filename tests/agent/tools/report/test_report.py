"""The report of a run, made from its file and the supervisor's log."""

import csv
import io
import json
import os
import re
import shutil
from base64 import b64decode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from html import unescape
from itertools import pairwise, product
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, ViewportSize, sync_playwright

from agent.advisor.names import STAND_IN
from agent.app import Interrupt, Settings, Summary, TickView, play_run
from agent.lab.publish import as_json
from agent.lab.rehearse.figures import findings
from agent.lab.rehearse.play import AtMilestone, RehearsedGame
from agent.shell import command
from agent.story.milestones import Witness
from agent.tools.report.chart import Chart, clock_axis, game_axis
from agent.tools.report.comparison import as_csv, row, write_comparison
from agent.tools.report.html import render
from agent.tools.report.page import lead, page, report_run
from agent.tools.report.run_data import RunData, RunStatus, read_run_data
from agent.tools.report.timeline import Point, Series, downsampled, with_wall_time
from agent.tools.report.words import times
from emulator import FRAMES_PER_SECOND, Cartridge
from memory import VitalsRow, open_run, read_run
from memory.file_access import write_file
from memory.store.calls import Booking, CallOutcome, CallState
from tests.agent.demo import CARTRIDGE, STORY
from tests.agent.hostile.texts import hostile_texts
from tests.agent.support import Agent, Played, Watcher, play_in, refused

STUCK: Final[Mapping[str, Any]] = {
    "number": 1, "reason": "nothing_new", "place": "the lane", "map_id": 12, "x": 5, "y": 5,
    "goal": "reach the second town", "since": 200, "noticed": 260, "lasted": 300,
    "tried": ["travel:second_town", "talk"], "recovery_steps": ["replan", "restore"],
    "solved_by": "restore", "over": True, "run": "r", "checkpoint_tick": 185, "last_step": None,
}  # fmt: skip
BATTLE: Final[Mapping[str, Any]] = {
    "battle_id": "1", "enemy_pokemon": "NIBBIT", "enemy_level": 3, "player_pokemon": "PLIPPET", "player_level": 5,
    "outcome": "defeat", "turns_taken": 4, "location": "the lane", "start_tick": 290, "end_tick": 299,
    "moves_used": [], "items_used": [], "key_decisions": [], "player_hp_remaining": 0.0,
}  # fmt: skip
AT: Final = 1_790_000_000.0
LONG: Final = 20_000  # characters of a hostile text here; longer ones are cut in the same way


def data_of(run: Path, cartridge: Cartridge | None = CARTRIDGE) -> RunData:
    """Return the report data of a run."""
    with closing(read_run(run)) as folder:
        return read_run_data(folder, cartridge)


def add_events(run: Path, events: Iterable[tuple[int, str, Mapping[str, Any]]]) -> None:
    """Add events to a run, like play does."""
    with closing(open_run(run)) as folder:
        for tick, kind, payload in events:
            folder.store.record.add_event(tick, kind, payload)
        folder.store.commit()


MADE_UP: Final = "fake-claude:claude-opus-5-5"


def add_calls(run: Path, *milestones: str, name: str = "") -> None:
    """Book a call after each milestone: the first is settled for one cent, the others are lost."""
    outcome = CallOutcome(CallState.SETTLED, 10_000_000, input=400, output=60, model=name)
    with closing(open_run(run)) as folder:
        for milestone in milestones:
            booked = folder.store.calls.book(Booking("m", "stuck", milestone, 1, 50_000_000, 900))
            folder.store.calls.settle(booked, outcome)
            outcome = CallOutcome(CallState.LOST)


def write_night(run: Path, lines: Sequence[Mapping[str, Any]], cut_line: str = "") -> None:
    """Write a supervisor's log, whose last line may be cut off."""
    text = "".join(json.dumps({"at": AT + n, **line}) + "\n" for n, line in enumerate(lines))
    (run / "night.jsonl").write_text(text + cut_line, encoding="utf-8")


NIGHT: Final[Sequence[Mapping[str, Any]]] = (
    {"what": "began", "settings": {}, "game": "Red Agent Demo"},
    {"what": "started", "n": 1, "pid": 1, "tick": 0},
    {"what": "sample", "tick": 50, "frame": 900, "milestones": 0, "resident": 1e8, "file_bytes": 1e6,
     "free_bytes": 7e10, "log_bytes": 500, "usd": 0.0, "calls": 0},
    {"what": "ended", "n": 1, "code": -9, "says": "", "ticks": 100},
    {"what": "fault", "kind": "killed", "says": "killed by signal 9", "tick": 100, "answer": "restart in 2 s"},
    {"what": "started", "n": 2, "pid": 2, "tick": 99},
    {"what": "fault", "kind": "killed", "says": "killed by signal 9", "tick": 140, "answer": "restart in 4 s"},
    {"what": "started", "n": 3, "pid": 3, "tick": 99},
    {"what": "fault", "kind": "livelock", "says": "nothing gained", "tick": 300, "answer": "went back to tick 185"},
    {"what": "verdict", "verdict": "limit", "which": "dollars", "reason": "5.00 of 5.00 dollars are spent",
     "ticks": 1403, "frames": 58984, "restarts": 2},
)  # fmt: skip


CONTROL_CHARACTERS: Final = re.compile(
    "[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\x00-\x09\x0b-\x1f\x7f-\x9f]"
)


@pytest.fixture
def run(played: Played, tmp_path: Path) -> Path:
    """A copy of a run that reached its goal."""
    return Path(shutil.copytree(played.folder, tmp_path / "run"))


@pytest.fixture(scope="module")
def two_sessions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two short sessions."""
    home = tmp_path_factory.mktemp("two sessions")
    play_in(home, ticks=20)
    play_in(home, resume=home / "run", ticks=40)
    return home / "run"


@pytest.fixture
def short(two_sessions: Path, tmp_path: Path) -> Path:
    """A copy of the run of two short sessions."""
    return Path(shutil.copytree(two_sessions, tmp_path / "short"))


class Eventful(NamedTuple):
    """A run with every kind of event: its data, its page, and the text of that page."""

    data: RunData
    path: Path
    html: str
    text: str


@pytest.fixture(scope="module")
def eventful(played: Played, tmp_path_factory: pytest.TempPathFactory) -> Eventful:
    run = shutil.copytree(played.folder, tmp_path_factory.mktemp("eventful") / "run")
    write_night(run, NIGHT)
    between = "text: tile map and pixels agree on 98%", "place: RAM says map 1", "ghost: new"
    happened = ("buffering-start", "buffering-end", "activation", "observation-end", "observation-failed")  # fmt: skip
    add_events(
        run,
        [
            (300, "stuck", STUCK),
            *[(299, "battle", BATTLE)] * 3,
            *[(9, "disagreement", {"between": each}) for each in between],
            *[(9, "conversation", {"what": f"data-om-{each}"}) for each in happened],
        ],
    )
    add_calls(run, "left_home", "starter", "starter")
    data, path = data_of(run), run / "night.html"
    path.write_text(html := page(data, CARTRIDGE), encoding="utf-8")
    return Eventful(data, path, html, text_of(html))


def text_of(html: str) -> str:
    """Return the visible text of a page."""
    body = re.sub(r"<style>.*?</style>|<[^>]*>", " ", html, flags=re.DOTALL)
    return " ".join(unescape(body).split())


def page_of(run: Path) -> str:
    return page(data_of(run), CARTRIDGE)


def test_a_run_that_reached_its_goal_has_its_figures(played: Played) -> None:
    data, summary = data_of(played.folder), played.summary
    assert data.verdict.kind is RunStatus.GOAL
    assert data.verdict.is_clean
    assert [each.id for each in data.milestones] == [each.id for each in summary.milestones]
    assert data.pending == []
    assert (data.last.tick, data.badges) == (summary.ticks, summary.badges)
    assert data.battles.fought == summary.battles
    assert data.process.wall_s > 0
    assert data.restarts == 0


def test_every_milestone_has_a_time_two_proofs_and_a_picture_unless_of_a_list(
    played: Played,
) -> None:
    """A list of the team tells nothing of what happened."""
    lists = {each.id for each in STORY.milestones if each.witness is Witness.TEAM}
    assert lists
    for each in data_of(played.folder).milestones:
        picture = b64decode(each.picture)
        assert picture == b"" if each.id in lists else picture.startswith(b"\x89PNG")
        assert set(each.witnesses) == {"ram", "frame"}
        assert each.when.game_s > 0
        assert each.when.at is not None


def test_a_team_member_is_followed_through_its_evolution(played: Played) -> None:
    team = data_of(played.folder).team
    assert team.levels[0].name == "PLIPPET → PUDDLORD"
    (points,) = team.levels[0].stretches
    assert points[0].y == 5
    assert points[-1].y >= 12  # the level at which it evolves
    assert all(before.y <= after.y for before, after in pairwise(points))
    (hp,) = team.hp.stretches
    assert all(0 <= point.y <= 100 for point in hp)


def test_a_page_has_every_section_and_loads_nothing(played: Played) -> None:
    html = (played.folder / "report.html").read_text(encoding="utf-8")
    ids = re.findall(r'<h2 id="([a-z]+)">', html)
    assert ids == [
        "milestones", "route", "team", "process", "battles", "stuck", "learned", "faults",
        "screen", "actions", "again",
    ]  # fmt: skip
    assert "Goal reached: beat Cairn (Pebble Badge)" in html
    assert "<script" not in html
    addresses = re.findall(r'(?:src|href|action)="([^"]*)"', html)
    assert all(each.startswith(("data:", "#")) for each in addresses)
    assert not re.search(r"url\(|@import", html)
    assert len(html) < 3_000_000


def test_the_lead_is_in_whole_sentences(run: Path) -> None:
    assert lead(data_of(run)).startswith("The last milestone was to ")
    write_night(run, [{"what": "verdict", "verdict": "gave_up", "reason": "no way is known"}])
    assert lead(data_of(run)).startswith("No way is known. The last milestone was to ")


def test_the_verdict_and_the_faults_of_the_night_are_those_of_the_run(eventful: Eventful) -> None:
    verdict, problems = eventful.data.verdict, eventful.data.problems
    assert (verdict.kind, verdict.which) == (RunStatus.LIMIT, "dollars")
    assert eventful.data.restarts == 2
    assert {each.name: each.times for each in problems.kinds} == {"killed": 2, "livelock": 1}
    assert problems.kinds[0].answers == {"restart in N s": 2}
    for words in (
        "Ended at its limit of dollars",
        "5.00 of 5.00 dollars are spent",
        "went back to tick 185",
    ):
        assert words in eventful.text


def test_a_night_is_open_until_its_verdict_unless_the_run_reached_its_goal(
    short: Path, run: Path
) -> None:
    write_night(short, NIGHT[:-1], cut_line='{"at": 1, "wh')
    data = data_of(short)
    assert data.verdict.kind is RunStatus.OPEN
    assert data.night.unreadable == 1
    write_night(short, [*NIGHT, *NIGHT[:2]])  # started again after its verdict
    assert data_of(short).verdict.kind is RunStatus.OPEN
    write_night(run, NIGHT[:-1])
    assert data_of(run).verdict.kind is RunStatus.GOAL


def test_without_a_summary_the_run_file_shows_the_end(run: Path) -> None:
    (run / "summary.json").unlink()
    data = data_of(run)
    assert (data.verdict.kind, data.problems.errors) == (RunStatus.GOAL, None)


def test_a_run_rewound_by_hand_is_not_clean_and_only_commands_name_an_absolute_path(
    agent: Agent, run: Path, tmp_path: Path
) -> None:
    ended = agent("play", "--resume", run, "--at", "185", "--ticks", "260", "--json")
    assert ended.code == 0, ended.err
    data = data_of(run)
    assert not data.verdict.is_clean
    assert data.verdict.kind is RunStatus.LIMIT
    assert [each.id for each in data.milestones][-1] == "rival"
    both = tmp_path / "both.html"
    assert agent("report", run, run, "--write", both).code == 0
    for written in (run / "report.html", both):
        html = written.read_text(encoding="utf-8")
        assert str(tmp_path) not in re.sub(r"<pre>.*?</pre>", "", html, flags=re.DOTALL)
    shown = text_of((run / "report.html").read_text("utf-8"))
    assert "Not a clean run: rewound by you from tick" in shown
    assert command("replay", run, anywhere=True) in shown


def test_a_run_in_progress_has_a_report_with_the_status_open(tmp_path: Path) -> None:
    run, shown = tmp_path / "run", []

    def react(moment: TickView) -> None:
        if moment.tick == 80:
            shown.append(text_of(report_run(run, None, None).read_text(encoding="utf-8")))

    play_run(Settings(run=run, ticks=90, memory=tmp_path / "m.sqlite"), Watcher(react), Interrupt())
    assert "Not ended: still being played, or cut off" in shown[0]
    assert f"1 of {len(STORY.milestones)}" in shown[0]
    assert "Not reached yet: get a starter" in shown[0]
    assert data_of(run).verdict.kind is RunStatus.LIMIT


def test_an_episode_shows_attempts_recovery_and_replay_commands(eventful: Eventful) -> None:
    run = eventful.data.path
    for words in (
        "1. nothing new in the lane",
        "tried travel:second_town, talk",
        "recovery steps replan, then restore",
        command("replay", run, "--episode", "1", anywhere=True),
        command("scenario", "from-stuck", run, "--into", "mine", "--episode", "1", anywhere=True),
    ):
        assert words in eventful.text


def test_battles_are_grouped_by_opponent_and_place(eventful: Eventful, played: Played) -> None:
    after = eventful.data.battles
    assert after.fought == played.summary.battles + 3
    (nibbit,) = [each for each in after.wild if (each.name, each.place) == ("NIBBIT", "the lane")]
    assert nibbit.lost == 3
    assert {"BASIL 2", "CAIRN 1"} <= {each.name for each in after.trainers}


def test_the_head_of_a_page_says_who_decided_and_what_made_up_answers_would_have_cost(
    run: Path, agent: Agent, tmp_path: Path
) -> None:
    hostile = "<b>\u202eevil</b> " * 90
    answered = {"goals": ["reached:starter"], "candidates": [], "note": "", "confidence": 0.9}
    add_calls(run, "left_home", name="fake-claude:m")
    add_events(run, [(9, "disagreement", {"between": "ghost: new"})])
    for by in (MADE_UP, hostile):
        advice = {"purpose": "milestone", "advice": {**answered, "by": by}, "calls": [1]}
        add_events(run, [(70, "advice", {**advice, "by_rules": ["reached:rival"]})])
    html = page_of(run)
    text = text_of(html)
    assert f"decided by rules, advised by {STAND_IN} and <b> evil" in text
    assert "evil</b>" not in html
    assert "Dollars 0.00 1 model call; made-up answers would have cost $0.0100 at list" in text
    assert "1 call; made-up answers would have cost $0.0100 at list prices. 2 questions." in text
    assert "Faults None. Screen and RAM" in text
    assert "followed: superseded after 0 ticks" in text or "followed: reached" in text
    figures = agent("report", run, "--json").json
    assert (figures["usd"], figures["usd_made_up"]) == (0.01, 0.01)
    assert figures["advice_answers"] == figures["advice_followed"] + figures["advice_unchanged"]
    page = tmp_path / "two.html"
    ended = agent("report", run, run, "--write", page)
    assert "differ" not in ended.err
    table = text_of(page.read_text(encoding="utf-8"))
    assert f"decided by rules, advised by {STAND_IN}" in table
    assert "made-up answers would have cost 0.01 at list prices" in table


def test_a_comparison_of_unlike_runs_points_to_eval(
    agent: Agent, run: Path, tmp_path: Path
) -> None:
    other = Path(shutil.copytree(run, tmp_path / "other"))
    settings = (other / "run.toml").read_text(encoding="utf-8")
    (other / "run.toml").write_text(settings.replace("seed = 3", "seed = 4"), encoding="utf-8")
    page = tmp_path / "two.html"
    ended = agent("report", run, other, "--write", page)
    (line,) = ended.err.splitlines()
    assert line.startswith("These runs differ in seed; `")
    assert "eval" in line
    assert "--against rules` compares on the same seeds and memory." in line
    there = line.replace(command("eval"), command("eval", anywhere=True))
    assert there in text_of(page.read_text(encoding="utf-8"))


def test_model_cost_is_reported_by_milestone(eventful: Eventful) -> None:
    advice = eventful.data.advice
    assert [(each.milestone, each.calls, each.lost) for each in advice.spent] == [
        ("left_home", 1, 0),
        ("starter", 2, 2),
    ]
    assert advice.usd == pytest.approx(0.01 + 2 * 0.05)
    assert "3 calls; $0.1100" in eventful.text
    assert "3 model calls, at list prices" in eventful.text


def test_new_entries_are_counted_apart_from_known_ones(tmp_path: Path) -> None:
    for name, seed in (("first", 3), ("second", 4)):
        play_in(tmp_path, run=tmp_path / name, seed=seed, ticks=70)
    first, second = (data_of(tmp_path / name).learned for name in ("first", "second"))
    assert all(each.before == 0 for each in first.sorts)
    known = {each.kind: each for each in second.sorts}
    assert known["place_known"].before > 0
    assert known["place_known"].new > 0
    assert second.new == sum(each.now - each.before for each in second.sorts)


def events_with(text: str) -> list[tuple[int, str, dict[str, Any]]]:
    """Return events with a text in every field that the page shows; lone surrogates are replaced for storage."""
    words = text.encode("utf-8", "replace").decode()
    return [
        (9, "stuck", {**STUCK, "reason": words, "place": words, "tried": [words]}),
        (9, "battle", {**BATTLE, "opponent": words, "location": words}),
        (9, "action", {"action_value": words, "outcome_summary": words, "reasoning": words}),
        (9, "disagreement", {"between": words}),
        (9, "milestone", {"id": words, "witnesses": {words: words, "ram": words}}),
        (9, "conversation", {"what": words}),
        (9, "advice", {"purpose": words, "advice": {"goals": [words], "note": words}}),
    ]


def test_hostile_texts_and_invalid_pictures_are_no_markup_on_any_page(
    run: Path, tmp_path: Path
) -> None:
    texts = [each.text[:LONG] for each in hostile_texts(key="not-a-key")]
    assert len(texts) > 100
    words = "a\0b\u202ec\u061c"
    texts.append(words)
    picture = {"id": "starter", "witnesses": {}, "picture": '"><script>alert(1)</script>'}
    add_events(run, [event for each in texts for event in events_with(each)])
    add_events(run, [(5, "milestone", picture)])
    faults = [{"what": "fault", "kind": t, "says": t, "answer": t} for t in texts]
    verdict = {"what": "verdict", "verdict": "limit", "which": words, "reason": words}
    write_night(run, [*faults, verdict])
    data, both = data_of(run), tmp_path / "both.html"
    html = page(data, CARTRIDGE)
    tags = {each.lower() for each in re.findall(r"</?([a-zA-Z][\w-]*)", html)}
    assert not tags & {"script", "iframe", "object", "embed", "form", "base", "system-reminder"}
    assert not re.search(r"<[^>]*\son\w+\s*=", html)
    assert len(html) < 3_000_000
    compared = write_comparison([data, data], both).read_text(encoding="utf-8")
    for shown in (html, page(data_of(run, None), None), compared, as_csv([data])):
        assert not CONTROL_CHARACTERS.search(shown)
        assert "a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}c" in shown


def test_a_report_without_the_cartridge_has_no_map_and_a_note(played: Played) -> None:
    html = page(data_of(played.folder, None), None)
    assert "the cartridge of this run was not found" in html
    assert "<image" not in html
    assert "first badge" in html


def test_figures_are_printed_as_json_or_csv_with_the_names_of_play(
    agent: Agent, played: Played
) -> None:
    folder = played.folder
    data, of_play = agent("report", folder, "--json").json, played.summary.as_json()
    lists = {"milestones", "returns", "advice"}  # with more about each
    shared = (data.keys() & of_play.keys()) - lists
    assert shared >= {
        "run", "cartridge", "seed", "stop", "reason", "ticks", "frames", "wall_s", "badges", "battles",
        "errors", "episodes", "restores", "clean",
    }  # fmt: skip
    assert {name: data[name] for name in shared - {"wall_s"}} == {
        name: of_play[name] for name in shared - {"wall_s"}
    }
    assert [each["id"] for each in data["milestones"]] == [m.id for m in played.summary.milestones]
    assert "picture" not in data["milestones"][0]
    assert (data["verdict"], data["which"]) == ("", "")  # of a night, and there was none
    rows = list(csv.DictReader(io.StringIO(agent("report", folder, folder, "--csv").out)))
    assert [each["stop"] for each in rows] == ["goal", "goal"]
    assert isinstance(agent("report", folder, folder, "--json").json, list)
    assert agent("report", folder, "--json", "--csv").code == 2


def test_the_verdict_of_a_night_has_its_own_name_in_json(eventful: Eventful, run: Path) -> None:
    data = row(eventful.data)
    assert (data["verdict"], data["which"], data["stop"]) == ("limit", "dollars", "limit")
    assert data["reason"] == "5.00 of 5.00 dollars are spent"
    write_night(run, [*NIGHT[:-1], {"what": "verdict", "verdict": "limit", "which": "ticks"}])
    data = row(data_of(run))
    assert (data["verdict"], data["which"], data["stop"]) == ("limit", "ticks", "ticks")


def test_restarts_are_those_of_nights_alone(short: Path) -> None:
    assert len(data_of(short).process.sessions) == 2
    assert data_of(short).restarts == 0
    write_night(short, [*NIGHT, *NIGHT])
    assert data_of(short).restarts == 2 * 2  # as each night says
    stopped = {"what": "verdict", "verdict": "interrupted"}
    resumed = {"what": "started", "n": 2, "pid": 4, "tick": 40}
    write_night(short, [*NIGHT[:2], stopped, NIGHT[0], resumed, NIGHT[-1]])
    assert data_of(short).restarts == 0  # the same command went on with the night
    write_night(short, [*NIGHT[:2], resumed, NIGHT[-1]])
    assert data_of(short).restarts == 1


def test_both_proofs_of_a_milestone_are_named_in_order(eventful: Eventful) -> None:
    shown, reached = eventful.text, len(eventful.data.milestones)
    assert shown.count("proof in RAM") == shown.count("proof on screen") == reached
    assert shown.index("proof in RAM") < shown.index("proof on screen")


def test_disagreements_of_screen_and_ram_are_no_faults(eventful: Eventful) -> None:
    shown, problems = eventful.text, eventful.data.problems
    assert problems.faults == 3  # those of the night
    count = problems.disagreements["text"]
    assert f"Screen and RAM showed different text {times(count)}: harmless" in shown
    assert "Screen and RAM showed different places once: harmless" in shown
    assert "differed once in a way that this version does not know" in shown
    assert "N%" not in shown


def test_the_memory_of_a_conversation_is_in_words(eventful: Eventful) -> None:
    assert "The conversation was condensed twice. Condensing it failed once." in eventful.text
    assert "data-om" not in eventful.text


def test_one_of_a_thing_is_in_the_singular(run: Path) -> None:
    write_night(run, [NIGHT[0], NIGHT[1], NIGHT[4]])
    add_events(run, [(300, "stuck", {**STUCK, "lasted": 201})])
    add_calls(run, "starter")
    shown = text_of(page_of(run))
    for words in (
        *("1 fault handled", "1 episode,", "for 1 tick (", "1 call;", "1 model call,"),
        "The conversation was condensed 0 times.",
    ):
        assert words in shown


def test_several_runs_are_compared_on_one_page(played: Played, tmp_path: Path) -> None:
    data, page = data_of(played.folder), tmp_path / "both.html"
    html = write_comparison([data, data], page).read_text(encoding="utf-8")
    assert html.count("Goal reached: beat Cairn (Pebble Badge)") == 2
    assert "run (2)" in html


def expectation(run: RunData, **factors: float) -> str:
    """Return what rehearsed games would lead to expect: the figures of a run, with its time at milestones multiplied."""
    then = {each.id: each.when.game_s * FRAMES_PER_SECOND for each in run.milestones}
    then |= dict.fromkeys(factors.keys() - then.keys(), run.last.game_s * FRAMES_PER_SECOND)
    games = [
        RehearsedGame(seed, "goal", "", 0, 0, {
            name: AtMilestone(0, int(frames * factors.get(name, 1)), 3, 0, 7, 1_000)
            for name, frames in then.items()
        })
        for seed in range(3)
    ]  # fmt: skip
    return as_json(findings(CARTRIDGE.name, games, list(then)).figures)


@pytest.mark.parametrize(
    ("factors", "says"),
    [
        ({}, "The game time stayed within the range"),
        ({"healed": 1.1, "first_badge": 0.9}, "The game time stayed within the range"),
        (
            {"healed": 1.3, "first_badge": 0.5},
            "<b>heal the team in Alderbrook</b>: it was reached after",
        ),
        ({"parcel": 0.5}, "<b>get the parcel</b>: it was reached after"),
        ({"third_badge": 2.0}, "The game time stayed within the range"),
        ({"third_badge": 0.5}, "<b>beat Gannet (Plume Badge)</b>: it is not reached after"),
    ],
)
def test_the_first_milestone_at_which_a_game_left_the_expected_range_is_named(
    factors: Mapping[str, float], says: str, played: Played, agent: Agent, tmp_path: Path
) -> None:
    path, run = tmp_path / "expected.json", data_of(played.folder)
    path.write_text(expectation(run, **factors), encoding="utf-8")
    page = tmp_path / "page.html"
    ended = agent("report", played.folder, "--expected", path, "--write", page)
    assert ended.code == 0, ended.err
    text = page.read_text(encoding="utf-8")
    assert "the median of 3 rehearsed games" in text
    assert says in text


def test_figures_of_another_game_and_other_files_are_not_set_beside_a_run(
    played: Played, agent: Agent, tmp_path: Path
) -> None:
    path, figures = tmp_path / "expected.json", json.loads(expectation(data_of(played.folder)))
    path.write_text(json.dumps({**figures, "cartridge": "POKEMON RED"}), encoding="utf-8")
    command = ("report", played.folder, "--expected", path)
    refused(agent(*command), 2, "is about POKEMON RED")
    refused(agent(*command, "--json"), 2, "leave out --json")
    path.write_text('{"expected": {"parcel": {"frames": [1, 2]}}}', encoding="utf-8")
    refused(agent(*command), 2, "holds no figures")
    path.unlink()
    refused(agent(*command), 2, "holds no figures")


def test_a_folder_without_a_run_prints_one_error_line(agent: Agent, tmp_path: Path) -> None:
    ended = agent("report", tmp_path)
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.count("\n") == 1
    assert "is no run" in ended.err


def test_downsampling_keeps_peaks_and_bounds_the_points() -> None:
    points = [Point(float(n), float(n == 77_777)) for n in range(100_000)]
    kept = downsampled(points)
    assert len(kept) <= 808
    assert Point(77_777.0, 1.0) in kept
    assert (kept[0], kept[-1]) == (points[0], points[-1])


def test_a_clock_that_jumps_back_gives_increasing_times() -> None:
    def vitals(session: str, at_ms: int, wall_s: float) -> VitalsRow:
        return VitalsRow(session, 1, 1, at_ms, wall_s, 1, 1, 1)

    rows = [
        vitals("a", 10_000, 1.0),
        vitals("a", 2_000, 2.0),
        vitals("b", 1_000, 0.5),
        vitals("b", 90_000, 3.0),
    ]
    at = [each for _, each in with_wall_time(rows)]
    assert at == sorted(at)
    assert at[1] - at[0] == pytest.approx(1.0)


def test_the_summary_is_written_beside_the_page(played: Played) -> None:
    kept = json.loads((played.folder / "summary.json").read_text(encoding="utf-8"))
    kept["run"] = played.summary.run  # this worker's copy
    assert kept == json.loads(json.dumps(Summary.as_json(played.summary)))


def test_a_page_replaces_only_an_older_page(agent: Agent, short: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine.html"
    mine.write_text("<!doctype html>not of a run", encoding="utf-8")
    for runs in ((short,), (short, short)):
        for taken in (mine, short / "run.toml", short / "run.sqlite", tmp_path):
            before = taken.read_bytes() if taken.is_file() else b""
            ended = agent("report", *runs, "--write", taken)
            assert (ended.code, ended.out) == (2, "")
            assert "exists already and is not a report" in ended.err
            assert taken.is_dir() or taken.read_bytes() == before
        page = tmp_path / f"{len(runs)}.html"
        for _ in range(2):
            assert agent("report", *runs, "--write", page).code == 0
        ended = agent("report", *runs, "--write", tmp_path / "page.pdf")
        assert (ended.code, ended.err.count("\n")) == (2, 1)
        assert "page.pdf does not end in .html" in ended.err
        assert not (tmp_path / "page.pdf").exists()
    ended = agent("report", short, "--write", tmp_path / "none" / "page.html")
    assert (ended.code, "is not a folder" in ended.err) == (2, True)


def test_a_page_of_other_runs_is_not_replaced(
    agent: Agent, short: Path, played: Played, tmp_path: Path
) -> None:
    other, page = played.folder, tmp_path / "comparison.html"
    assert agent("report", short, other, "--write", page).code == 0
    before = page.read_bytes()
    for runs in ((short, short), (short,), (other, other)):
        ended = agent("report", *runs, "--write", page)
        assert (ended.code, ended.err.count("\n")) == (2, 1)
        assert "exists already and is the report of other runs" in ended.err
        assert page.read_bytes() == before
    assert agent("report", other, short, "--write", page).code == 0  # the same runs
    (short / "report.html").write_bytes(before)
    assert agent("report", short).code == 0  # its own page is always replaced
    assert (short / "report.html").read_bytes() != before


def test_a_page_that_cannot_be_written_leaves_the_old_one(tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    page.write_text("old", encoding="utf-8")
    with pytest.raises(UnicodeEncodeError):
        write_file(page, "half a page \ud800")
    assert page.read_text(encoding="utf-8") == "old"
    assert not list(tmp_path.glob("*.unfinished"))


CHROMIUM: Final = Path("/usr/bin/chromium")
FLAGS: Final = (
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip
WIDTHS: Final = (ViewportSize(width=1280, height=900), ViewportSize(width=360, height=780))
THEMES: Final[tuple[Literal["light", "dark"], ...]] = ("light", "dark")
READABLE: Final = 4.5  # the contrast for text required by WCAG AA
# For each element with its own text: the contrast of its colour with the background.
CONTRASTS: Final = """() => {
  const parse = (c) => (c.match(/[\\d.]+/g) || []).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
    .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (e) => {
    for (; e; e = e.parentElement) {
      const c = parse(getComputedStyle(e).backgroundColor);
      if (c.length === 3 || c[3] === 1) return c;
    }
    return [255, 255, 255];
  };
  return [...document.querySelectorAll("body *:not(svg *, .zero, i)")]
    .filter((e) => [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()) && e.checkVisibility())
    .map((e) => {
      const [a, b] = [light(parse(getComputedStyle(e).color)), light(behind(e))];
      return [(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), e.tagName + "." + e.className + ": " + e.textContent.slice(0, 40)];
    });
}"""
CLIPPED: Final = """() => [...document.querySelectorAll("h1, h2, h3, .figures dd, .figures dt, .across span, .ups span")]
  .filter((e) => e.checkVisibility())
  .map((e) => [e.getBoundingClientRect(), e.textContent])
  .filter(([box]) => box.left < 0 || box.right > innerWidth + 0.5)
  .map(([, words]) => words)"""
COLLIDING: Final = """() => [...document.querySelectorAll(".across, .ups")].flatMap((axis) => {
  const boxes = [...axis.querySelectorAll("span")].filter((e) => e.checkVisibility()).map((e) => e.getBoundingClientRect());
  return boxes.filter((a, n) => boxes.slice(n + 1).some((b) =>
    a.left < b.right + 3 && b.left < a.right + 3 && a.top < b.bottom && b.top < a.bottom)).map(() => axis.textContent);
})"""


# Ends of a game in seconds: each a different last label.
GAMES: Final = tuple(round(7 * 1.17**n) for n in range(70))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's chromium; these tests are skipped without it, except in CI, where they fail."""
    if not CHROMIUM.exists() and not os.environ.get("CI"):
        pytest.skip(f"{CHROMIUM} is not installed")
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))


def opened(browser: Browser, path: Path) -> tuple[Page, list[str]]:
    """Return a page, and its console messages, errors and other requests."""
    page, messages = browser.new_context(offline=True).new_page(), list[str]()

    def record(message: ConsoleMessage) -> None:
        messages.append(f"console {message.type}: {message.text}")

    page.on("console", record)
    page.on("pageerror", lambda error: messages.append(f"error: {error}"))
    page.on("request", lambda asked: messages.append(f"request: {asked.url}"))
    page.goto(path.as_uri())
    messages.remove(f"request: {path.as_uri()}")
    return page, messages


def test_the_page_of_a_run_has_no_errors_and_is_readable(
    browser: Browser, eventful: Eventful
) -> None:
    page, messages = opened(browser, eventful.path)
    page.evaluate("document.querySelectorAll('details').forEach((each) => each.open = true)")
    for width, theme in product(WIDTHS, THEMES):
        page.set_viewport_size(width)
        page.emulate_media(color_scheme=theme)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        unreadable = [words for ratio, words in page.evaluate(CONTRASTS) if ratio < READABLE]
        assert unreadable == [], (width, theme)
        assert page.evaluate(CLIPPED) == []
        assert page.evaluate(COLLIDING) == []
    assert messages == []
    assert page.locator("img").evaluate_all("(all) => all.every((e) => e.naturalWidth === 160)")


def test_labels_of_times_stay_apart(browser: Browser, tmp_path: Path) -> None:
    line = Series("line", ((Point(0.0, 0.0), Point(1.0, 1.0)),))
    axes = (*map(game_axis, GAMES), *(clock_axis(AT, AT + each) for each in GAMES))
    charts = [Chart("c", [line], each, game_axis(1.0)) for each in axes]
    path = tmp_path / "charts.html"
    shown = {"title": "c", "names": ["c"], "kickers": [], "figures": [], "milestones": []}
    path.write_text(
        render("comparison.html", key="", unlike="", charts=charts, **shown), encoding="utf-8"
    )
    page, _ = opened(browser, path)
    for width in WIDTHS:
        page.set_viewport_size(width)
        assert page.evaluate(COLLIDING) == []


def test_the_text_that_readers_read_is_in_the_report(played: Played, tmp_path: Path) -> None:
    run = shutil.copytree(played.folder, tmp_path / "run")
    summary = json.loads((run / "summary.json").read_text(encoding="utf-8"))
    score = {"frames": 2, "characters": 40, "right": 30, "missing": "gone", "differences": ["a<b"]}
    summary["readers"]["tesseract"] = score
    (run / "summary.json").write_text(json.dumps(summary), encoding="utf-8")
    shown = text_of(page_of(run))
    assert "read by tesseract in the last session: 75.0% of 40 characters right" in shown
    assert "gone a<b" in shown
    (run / "summary.json").write_text(json.dumps(summary | {"readers": [3]}), encoding="utf-8")
    assert not data_of(run).readers
