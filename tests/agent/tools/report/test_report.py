"""What the report of a run tells, from its file and the supervisor's log."""

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
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, ViewportSize, sync_playwright

from agent.app import Interrupt, Settings, Summary, TickView, play_run
from agent.app.process import write_whole
from agent.tools.report.page import page, report_run
from agent.tools.report.run_data import Gathered, RunStatus, gather
from agent.tools.report.timeline import Point, clocked, thinned
from emulator import Cartridge
from memory import VitalsRow, open_run, read_run
from memory.store.calls import Booking, CallOutcome, CallState
from tests.agent.demo import CARTRIDGE, STORY
from tests.agent.hostile.texts import hostile_texts
from tests.agent.support import Agent, Played, Watcher

STUCK: Final[Mapping[str, Any]] = {
    "number": 1, "reason": "nothing_new", "place": "the lane", "map_id": 12, "x": 5, "y": 5,
    "goal": "reach the second town", "since": 200, "noticed": 260, "lasted": 300,
    "tried": ["travel:second_town", "talk"], "rungs": ["replan", "restore"],
    "solved_by": "restore", "over": True, "run": "r", "checkpoint_tick": 185, "last_step": None,
}  # fmt: skip
BATTLE: Final[Mapping[str, Any]] = {
    "battle_id": "1", "enemy_pokemon": "NIBBIT", "enemy_level": 3, "player_pokemon": "PLIPPET", "player_level": 5,
    "outcome": "defeat", "turns_taken": 4, "location": "the lane", "start_tick": 290, "end_tick": 299,
    "moves_used": [], "items_used": [], "key_decisions": [], "player_hp_remaining": 0.0,
}  # fmt: skip
AT: Final = 1_790_000_000.0


def told_of(run: Path, cartridge: Cartridge | None = CARTRIDGE) -> Gathered:
    """Return what a run has to tell."""
    with closing(read_run(run)) as folder:
        return gather(folder, cartridge)


def add_events(run: Path, events: Iterable[tuple[int, str, Mapping[str, Any]]]) -> None:
    """Put events into a run, as play would have."""
    with closing(open_run(run)) as folder:
        for tick, kind, payload in events:
            folder.store.append_event(tick, kind, payload)
        folder.store.commit()


def add_calls(run: Path, *milestones: str) -> None:
    """Book a call after each of the milestones: the first is answered for a cent, the others are lost."""
    outcome = CallOutcome(CallState.SETTLED, 10_000_000, input=400, output=60)
    with closing(open_run(run)) as folder:
        for milestone in milestones:
            booked = folder.store.book_call(Booking("m", "stuck", milestone, 1, 50_000_000, 900))
            folder.store.settle_call(booked, outcome)
            outcome = CallOutcome(CallState.LOST)


def write_night(run: Path, lines: Sequence[Mapping[str, Any]], torn: str = "") -> None:
    """Write a supervisor's log, whose last line may be torn."""
    text = "".join(json.dumps({"at": AT + n, **line}) + "\n" for n, line in enumerate(lines))
    (run / "night.jsonl").write_text(text + torn, encoding="utf-8")


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
    {"what": "verdict", "verdict": "limit", "which": "dollars", "why": "5.00 of 5.00 dollars are spent",
     "ticks": 1403, "frames": 58984, "restarts": 2},
)  # fmt: skip


OBEYED: Final = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069\x00-\x09\x0b-\x1f\x7f-\x9f]")


@pytest.fixture
def run(played: Played, tmp_path: Path) -> Path:
    """A copy of a run that reached its goal."""
    return Path(shutil.copytree(played.folder, tmp_path / "run"))


def text_of(html: str) -> str:
    """Return what a page shows, without markup."""
    body = re.sub(r"<style>.*?</style>|<[^>]*>", " ", html, flags=re.DOTALL)
    return " ".join(unescape(body).split())


def page_of(run: Path) -> str:
    return page(told_of(run), CARTRIDGE)


def test_a_run_that_reached_its_goal_is_told_in_figures(played: Played) -> None:
    told, summary = told_of(played.folder), played.summary
    assert told.verdict.kind is RunStatus.GOAL
    assert told.verdict.is_clean
    assert [each.id for each in told.milestones] == [each.id for each in summary.milestones]
    assert told.pending == []
    assert (told.last.tick, told.badges) == (summary.ticks, summary.badges)
    assert told.battles.fought == summary.battles
    assert told.process.wall_s > 0
    assert told.restarts == 0


def test_every_milestone_has_its_moment_its_witnesses_and_its_picture(played: Played) -> None:
    for each in told_of(played.folder).milestones:
        assert b64decode(each.picture).startswith(b"\x89PNG")
        assert set(each.witnesses) == {"ram", "frame"}
        assert each.when.game_s > 0
        assert each.when.at is not None


def test_the_team_is_followed_by_name_through_what_it_becomes(played: Played) -> None:
    team = told_of(played.folder).team
    assert team.levels[0].name == "PLIPPET → PUDDLORD"
    (points,) = team.levels[0].stretches
    assert points[0].y == 5
    assert points[-1].y >= 12  # the level at which it becomes something else
    assert all(before.y <= after.y for before, after in pairwise(points))
    (hp,) = team.hp.stretches
    assert all(0 <= point.y <= 100 for point in hp)


def test_a_page_has_every_section_and_asks_for_nothing(played: Played) -> None:
    html = (played.folder / "report.html").read_text(encoding="utf-8")
    ids = re.findall(r'<h2 id="([a-z]+)">', html)
    assert ids == [
        "milestones", "route", "team", "process", "battles", "stuck", "learnt", "faults", "deeds", "again",
    ]  # fmt: skip
    assert "Goal reached: beat Cairn (Pebble Badge)" in html
    assert "<script" not in html
    addresses = re.findall(r'(?:src|href|action)="([^"]*)"', html)
    assert all(each.startswith(("data:", "#")) for each in addresses)
    assert not re.search(r"url\(|@import", html)
    assert len(html) < 3_000_000


def test_the_verdict_of_the_night_stands_above_that_of_the_last_session(run: Path) -> None:
    write_night(run, NIGHT)
    told = told_of(run)
    assert (told.verdict.kind, told.verdict.which) == (RunStatus.LIMIT, "dollars")
    assert told.restarts == 2
    html = page_of(run)
    assert "Ended at its limit of dollars" in html
    assert "5.00 of 5.00 dollars are spent" in html


def test_faults_are_counted_by_kind_and_the_goal_is_one_before_the_supervisor_says_so(
    run: Path,
) -> None:
    write_night(run, NIGHT)
    troubles = told_of(run).troubles
    assert {each.name: each.times for each in troubles.kinds} == {"killed": 2, "livelock": 1}
    assert troubles.kinds[0].answers == {"restart in N s": 2}
    assert "went back to tick 185" in text_of(page_of(run))
    (run / "night.jsonl").unlink()
    write_night(run, NIGHT[:-1])
    assert told_of(run).verdict.kind is RunStatus.GOAL


def test_a_night_goes_on_until_its_verdict_and_a_torn_line_does_no_harm(
    agent: Agent, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    assert agent("play", "--run", run, "--ticks", "60").code == 0
    write_night(run, NIGHT[:-1], torn='{"at": 1, "wh')
    told = told_of(run)
    assert told.verdict.kind is RunStatus.OPEN
    assert told.night.unreadable == 1
    write_night(run, [*NIGHT, *NIGHT[:2]])  # begun again after its verdict
    assert told_of(run).verdict.kind is RunStatus.OPEN


def test_without_a_word_of_the_last_session_the_file_itself_shows_the_end(run: Path) -> None:
    (run / "summary.json").unlink()
    told = told_of(run)
    assert told.verdict.kind is RunStatus.GOAL
    assert told.troubles.errors is None


def test_a_run_that_was_taken_back_by_hand_is_never_called_clean(agent: Agent, run: Path) -> None:
    ended = agent("play", "--resume", run, "--at", "185", "--ticks", "260", "--json")
    assert ended.code == 0, ended.err
    told = told_of(run)
    assert not told.verdict.is_clean
    assert told.verdict.kind is RunStatus.LIMIT
    html = text_of((run / "report.html").read_text(encoding="utf-8"))
    assert "Not a clean run: taken back by hand from tick" in html
    assert [each.id for each in told.milestones][-1] == "rival"


def test_a_run_that_is_being_played_has_a_report_and_is_not_called_ended(tmp_path: Path) -> None:
    run, shown = tmp_path / "run", []

    def react(moment: TickView) -> None:
        if moment.tick == 80:
            shown.append(text_of(report_run(run, None, None).read_text(encoding="utf-8")))

    play_run(Settings(run=run, ticks=90, memory=tmp_path / "m.sqlite"), Watcher(react), Interrupt())
    assert "Not ended: still being played, or cut off" in shown[0]
    assert f"1 of {len(STORY.milestones)}" in shown[0]
    assert "Still to come: get a starter" in shown[0]
    assert told_of(run).verdict.kind is RunStatus.LIMIT


def test_an_episode_says_what_was_tried_what_helped_and_how_to_see_it(run: Path) -> None:
    add_events(run, [(300, "stuck", STUCK)])
    shown = text_of(page_of(run))
    for words in (
        "1. nothing new in the lane",
        "tried travel:second_town, talk",
        "answered by replan, then restore",
        f"python -m agent replay {run} --episode 1",
        f"python -m agent scenario from-stuck {run} --episode 1",
    ):
        assert words in shown


def test_battles_are_grouped_by_opponent_and_place(run: Path) -> None:
    before = told_of(run).battles
    add_events(run, [(299, "battle", BATTLE)] * 3)
    after = told_of(run).battles
    assert after.fought == before.fought + 3
    (nibbit,) = [each for each in after.wild if (each.name, each.place) == ("NIBBIT", "the lane")]
    assert nibbit.lost == 3
    assert {"BASIL 2", "CAIRN 1"} <= {each.name for each in after.trainers}


def test_what_a_model_cost_is_told_by_milestone(run: Path) -> None:
    add_calls(run, "left_home", "starter", "starter")
    advice = told_of(run).advice
    assert [(each.milestone, each.calls, each.lost) for each in advice.spent] == [
        ("left_home", 1, 0),
        ("starter", 2, 2),
    ]
    assert advice.usd == pytest.approx(0.01 + 2 * 0.05)
    assert "3 calls, $0.11" in text_of(page_of(run))


def test_what_was_learnt_is_told_apart_from_what_was_known(agent: Agent, tmp_path: Path) -> None:
    memory = tmp_path / "memory.sqlite"
    for name, seed in (("first", 3), ("second", 4)):
        run = tmp_path / name
        ended = agent("play", "--run", run, "--seed", seed, "--ticks", 320, "--memory", memory)
        assert ended.code == 0, ended.err
    first, second = (told_of(tmp_path / name).learnt for name in ("first", "second"))
    assert all(each.before == 0 for each in first.sorts)
    known = {each.kind: each for each in second.sorts}
    assert known["acquaintance"].before > 0
    assert known["acquaintance"].new > 0
    assert second.new == sum(each.now - each.before for each in second.sorts)


def saying(text: str) -> list[tuple[int, str, dict[str, Any]]]:
    """Return events that bring a text to every place that a text comes to; halves of characters cannot be stored."""
    words = text.encode("utf-8", "replace").decode()
    return [
        (9, "stuck", {**STUCK, "reason": words, "place": words, "tried": [words]}),
        (9, "battle", {**BATTLE, "opponent": words, "location": words}),
        (9, "action", {"action_value": words, "outcome_summary": words, "reasoning": words}),
        (9, "disagreement", {"between": words}),
        (9, "advice", {"purpose": words, "advice": {"goals": [words], "note": words}}),
    ]


def test_hostile_texts_are_shown_as_text_by_every_way_onto_the_page(run: Path) -> None:
    texts = hostile_texts(key="not-a-key")
    assert len(texts) > 100
    add_events(run, [event for each in texts for event in saying(each.text)])
    write_night(
        run, [{"what": "fault", "kind": t.text, "says": t.text, "answer": t.text} for t in texts]
    )
    html = page_of(run)
    plain = page(told_of(run), None)
    tags = {each.lower() for each in re.findall(r"</?([a-zA-Z][\w-]*)", html)}
    assert not tags & {"script", "iframe", "object", "embed", "form", "base", "system-reminder"}
    assert not re.search(r"<[^>]*\son\w+\s*=", html)
    assert not OBEYED.search(html)
    assert not OBEYED.search(plain)
    assert len(html) < 3_000_000


def test_pictures_that_are_none_are_left_out(run: Path) -> None:
    bad = {"id": "starter", "witnesses": {}, "picture": '"><script>alert(1)</script>'}
    add_events(run, [(5, "milestone", bad)])
    assert "<script" not in page_of(run)


def test_somebody_elses_run_is_told_without_its_map_and_says_so(run: Path) -> None:
    html = page(told_of(run, None), None)
    assert "the cartridge that this run was played on is not at hand" in html
    assert "<image" not in html
    assert "first badge" in html


def test_figures_come_as_an_object_and_as_a_row(agent: Agent, played: Played) -> None:
    one = agent("report", played.folder, "--json")
    assert one.code == 0, one.err
    told = json.loads(one.out)
    assert (told["verdict"], told["ticks"], told["clean"]) == ("goal", played.summary.ticks, True)
    assert told["milestones"][0]["id"] == "left_home"
    assert "picture" not in told["milestones"][0]
    two = agent("report", played.folder, played.folder, "--csv")
    rows = list(csv.DictReader(io.StringIO(two.out)))
    assert len(rows) == 2
    assert rows[0]["verdict"] == "goal"
    assert isinstance(agent("report", played.folder, played.folder, "--json").json, list)


def test_several_runs_are_compared_on_one_page(
    agent: Agent, run: Path, played: Played, tmp_path: Path
) -> None:
    page = tmp_path / "both.html"
    ended = agent("report", run, played.folder, "--write", page)
    assert (ended.code, ended.out.strip()) == (0, str(page))
    html = page.read_text(encoding="utf-8")
    assert html.count("Goal reached: beat Cairn (Pebble Badge)") == 2
    assert "run (2)" in html


def test_a_folder_that_is_no_run_is_one_line(agent: Agent, tmp_path: Path) -> None:
    ended = agent("report", tmp_path)
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.count("\n") == 1
    assert "is no run" in ended.err


def test_two_ways_to_print_are_refused(agent: Agent, played: Played) -> None:
    assert agent("report", played.folder, "--json", "--csv").code == 2


def test_thinning_keeps_every_peak_and_bounds_the_points() -> None:
    points = [Point(float(n), float(n == 77_777)) for n in range(100_000)]
    kept = thinned(points)
    assert len(kept) <= 808
    assert Point(77_777.0, 1.0) in kept
    assert (kept[0], kept[-1]) == (points[0], points[-1])


def test_a_clock_that_jumps_back_turns_no_curve_around() -> None:
    def row(session: str, at_ms: int, wall_s: float) -> VitalsRow:
        return VitalsRow(session, 1, 1, at_ms, wall_s, 1, 1, 1)

    rows = [
        row("a", 10_000, 1.0),
        row("a", 2_000, 2.0),
        row("b", 1_000, 0.5),
        row("b", 90_000, 3.0),
    ]
    at = [each for _, each in clocked(rows)]
    assert at == sorted(at)
    assert at[1] - at[0] == pytest.approx(1.0)


def test_the_summary_is_kept_beside_the_page(played: Played) -> None:
    kept = json.loads((played.folder / "summary.json").read_text(encoding="utf-8"))
    kept["run"] = played.summary.run  # this worker's copy
    assert kept == json.loads(json.dumps(Summary.as_json(played.summary)))


def test_a_page_replaces_an_older_page_and_nothing_else(
    agent: Agent, run: Path, tmp_path: Path
) -> None:
    mine = tmp_path / "mine.html"
    mine.write_text("<!doctype html>not of a run", encoding="utf-8")
    for runs in ((run,), (run, run)):
        for taken in (mine, run / "run.toml", run / "run.sqlite", tmp_path):
            before = taken.read_bytes() if taken.is_file() else b""
            ended = agent("report", *runs, "--write", taken)
            assert (ended.code, ended.out) == (2, "")
            assert "exists already and is no report" in ended.err
            assert taken.is_dir() or taken.read_bytes() == before
        page = tmp_path / f"{len(runs)}.html"
        for _ in range(2):
            assert agent("report", *runs, "--write", page).code == 0
    ended = agent("report", run, "--write", tmp_path / "none" / "page.html")
    assert (ended.code, "is no folder" in ended.err) == (2, True)


def test_a_page_that_cannot_be_written_leaves_the_old_one(run: Path) -> None:
    page = run / "report.html"
    page.write_text("old", encoding="utf-8")
    with pytest.raises(UnicodeEncodeError):
        write_whole(page, "half a page \ud800")
    assert page.read_text(encoding="utf-8") == "old"
    assert not list(run.glob("*.unfinished"))


CHROMIUM: Final = Path("/usr/bin/chromium")
FLAGS: Final = (
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip
WIDTHS: Final = {"desktop": (1280, 900), "phone": (360, 780)}
THEMES: Final = ("light", "dark")
READABLE: Final = 4.5  # the contrast that WCAG AA asks of text
# For each element that holds words of its own: how its colour stands out from whatever is behind it.
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
    a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)).map(() => axis.textContent);
})"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's chromium; at a desk without one these tests are left out, in CI they fail."""
    if not CHROMIUM.exists() and not os.environ.get("CI"):
        pytest.skip(f"{CHROMIUM} is not installed")
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))


@pytest.fixture(scope="module")
def eventful(played: Played, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a run in which everything happened that a page tells of."""
    run = shutil.copytree(played.folder, tmp_path_factory.mktemp("eventful") / "run")
    write_night(run, NIGHT)
    add_events(run, [(300, "stuck", STUCK), *[(299, "battle", BATTLE)] * 3])
    add_calls(run, "left_home", "starter")
    path = run / "night.html"
    path.write_text(page(told_of(run), CARTRIDGE), encoding="utf-8")
    return path


def opened(browser: Browser, path: Path, width: str, theme: Any) -> tuple[Page, list[str]]:  # noqa: ANN401 -- a word
    """Return a page in a context of its own, and all it said or asked for beside itself."""
    wide, high = WIDTHS[width]
    context = browser.new_context(
        viewport=ViewportSize(width=wide, height=high), color_scheme=theme, offline=True
    )
    page, said = context.new_page(), list[str]()

    def hear(message: ConsoleMessage) -> None:
        said.append(f"console {message.type}: {message.text}")

    page.on("console", hear)
    page.on("pageerror", lambda error: said.append(f"error: {error}"))
    page.on("request", lambda asked: said.append(f"request: {asked.url}"))
    page.goto(path.as_uri())
    said.remove(f"request: {path.as_uri()}")
    return page, said


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_the_page_of_a_run_is_quiet_whole_and_readable(
    browser: Browser, eventful: Path, width: str, theme: str
) -> None:
    page, said = opened(browser, eventful, width, theme)
    page.evaluate("document.querySelectorAll('details').forEach((each) => each.open = true)")
    assert said == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert [words for ratio, words in page.evaluate(CONTRASTS) if ratio < READABLE] == []
    assert page.evaluate(CLIPPED) == []
    assert page.evaluate(COLLIDING) == []
    assert page.locator("img").evaluate_all("(all) => all.every((e) => e.naturalWidth === 160)")
    page.context.close()
