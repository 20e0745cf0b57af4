"""A long run: what keeps it busy, what is looked at meanwhile, and what is too much."""

from dataclasses import replace
from pathlib import Path

import pytest
from hours.budgets import KB, MIB, growth_of, tenths, verdicts
from hours.growth import (
    CHECKPOINT,
    CONSOLIDATION,
    TIMED,
    Lapse,
    Sample,
    Sampler,
    Soak,
    console_alone,
)
from hours.page import page, plot
from hours.tour import brawl, tour

from agent.app import Interrupt, Stop, Summary, record_of
from agent.app.play import NEVER, session_in
from agent.app.session import PlayLimits
from agent.story import Story
from emulator import demo_cartridge_path, load_cartridge

CARTRIDGE = load_cartridge(demo_cartridge_path())
STORY = Story.of(CARTRIDGE.kind)
FRAMES, EVERY = 6_000, 40


def played(home: Path, *, frames: int = FRAMES) -> Soak:
    """A story that ends at the door of the house, and the tour from there on."""
    story = replace(STORY, milestones=STORY.milestones[:1])
    interrupt = Interrupt()
    sampler = Sampler(home, frames, interrupt, lambda _: None, every=EVERY)
    with (
        sampler.stopwatch.on(TIMED),
        session_in(home, CARTRIDGE, story, 3, interrupt, tour, brawl) as (session, store),
    ):
        summary = session.play(PlayLimits(NEVER, float("inf")), sampler)
        alone = console_alone([record_of(row).step for row in store.steps()], EVERY)
    lapses, doings = sampler.lapses, sampler.doings
    return Soak(summary, sampler.samples, lapses, doings, {}, sampler.bought, alone)


@pytest.fixture(scope="module")
def soak(tmp_path_factory: pytest.TempPathFactory) -> Soak:
    return played(tmp_path_factory.mktemp("soak"))


def test_who_tours_is_never_idle_for_long(soak: Soak) -> None:
    ticks = sum(soak.doings.values())
    assert soak.summary.stop is Stop.INTERRUPTED
    assert soak.summary.frames >= FRAMES
    assert soak.doings["walking"] > ticks / 2
    assert soak.doings["at a stop: looking round"] >= 3
    assert soak.doings["waiting"] < ticks / 5  # a moment between two stops


def test_the_same_seed_tours_the_same_places(soak: Soak, tmp_path: Path) -> None:
    again = played(tmp_path)
    assert again.doings == soak.doings
    assert [each.tick for each in again.samples] == [each.tick for each in soak.samples]


def test_a_look_tells_what_there_is(soak: Soak) -> None:
    last = soak.samples[-1]
    assert last.rss > 20 * MIB
    assert last.run_bytes > 10 * KB
    assert last.knowledge_bytes > KB
    assert last.entries["agent:play:sensory"] > 0
    assert 0 < last.observer_bytes < 2 * KB
    assert 0 < last.strategist_bytes < 50 * KB
    assert [frame for frame, _ in soak.alone] == [each.frame for each in soak.samples]


def test_the_page_has_every_verdict_and_every_scope(soak: Soak) -> None:
    text = page(soak, "soak.png")
    assert all(each.what in text and each.figure in text for each in verdicts(soak))
    assert all(f"`{scope}`" in text for scope in soak.samples[-1].entries)
    assert "![What grew and what did not](soak.png)" in text
    assert plot(soak).startswith(b"\x89PNG")


def even(
    *,
    rss: float = 0,
    run: float = 0,
    slower_ms: float = 0,
    saving_ms: float = 0,
    entries: float = 0,
    idle: int = 0,
) -> Soak:
    """A run of a hundred samples that is as it should be, but for what each look adds to the one before."""
    samples = [
        Sample(
            tick=500 * at,
            frame=22_000 * at,
            wall_s=float(at),
            rss=int(100 * MIB + rss * at),
            objects=1_000,
            run_bytes=int(50_000 * at + run * at * at),
            knowledge_bytes=300 * KB,
            log_bytes=4_000 * KB,
            patterns=10,
            archived=0,
            archive_bytes=0,
            observer_bytes=KB,
            strategist_bytes=20 * KB,
            entries={"agent:play:stm": int(100 + entries * at)},
        )
        for at in range(1, 101)
    ]
    lapses = [
        Lapse(what, each.frame, 0.001 * (base_ms + slower * at))
        for what, base_ms, slower in ((CONSOLIDATION, 5, slower_ms), (CHECKPOINT, 30, saving_ms))
        for at, each in enumerate(samples)
        if at % 2
    ]
    summary = Summary(
        run="", cartridge="", seed=0, stop=Stop.INTERRUPTED, reason="", ticks=50_000, frames=2_200_000,
        wall_s=1.0, frames_per_s=1.0, milestones=(), badges=1, battles=0, errors=0, consolidations=50,
        episodes=0, restores=0,
    )  # fmt: skip
    doings = {"walking": 100 - idle, "waiting": idle}
    return Soak(summary, samples, lapses, doings, {}, 0, [(each.frame, MIB) for each in samples])


def broken(soak: Soak) -> list[str]:
    return [each.what.split(",")[0] for each in verdicts(soak) if not each.is_met]


def test_e37_a_run_that_does_not_grow_keeps_every_budget() -> None:
    assert broken(even()) == []


@pytest.mark.parametrize(
    ("soak", "what"),
    [
        (even(rss=MIB / 4), "resident memory"),
        (even(run=1_000), "run.sqlite"),
        (even(slower_ms=0.1), "a consolidation"),
        (even(saving_ms=0.5), "a checkpoint"),
        (even(entries=2), "entries alive at once: up to tenth 7"),
        (even(idle=6), "ticks waited"),
    ],
    ids=["leak", "file", "slower", "outbox", "entries", "idle"],
)
def test_e37_whatever_grows_breaks_its_budget_alone(soak: Soak, what: str) -> None:
    assert broken(soak) == [what]


@pytest.mark.parametrize(
    ("field", "most", "what"),
    [
        ("knowledge_bytes", 511 * KB, "memory.sqlite without its archive"),
        ("log_bytes", 13_000 * KB, "the logs beside both files"),
        ("strategist_bytes", 51 * KB, "the strategist's session"),
        ("observer_bytes", 3 * KB, "the observer's moment"),
    ],
)
def test_e37_one_look_above_a_budget_breaks_it(field: str, most: int, what: str) -> None:
    soak = even()
    samples = [*soak.samples]
    samples[50] = replace(samples[50], **{field: most})  # type: ignore[arg-type]
    assert broken(replace(soak, samples=samples)) == [what]


def test_growth_counts_from_the_end_of_the_first_tenth() -> None:
    assert growth_of([(1, 10), (5, 40), (10, 50), (50, 70), (100, 60)]) == 20


def test_each_tenth_has_its_own_consolidations() -> None:
    parts = tenths(even())
    assert [len(each.consolidations_ms) for each in parts] == [5] * 10
    assert [each.ticks for each in parts] == [4_500] + [5_000] * 9
