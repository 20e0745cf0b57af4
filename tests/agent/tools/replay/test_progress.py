"""The progress that every form of `replay` reports, and what Ctrl-C leaves of it."""

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import pytest

from agent.tools.progress import Bar, Done
from agent.tools.replay.operations import (
    PictureForm,
    PictureRequest,
    bisect_run,
    picture_run,
    redecide_run,
    replay_run,
)
from tests.agent.support import Agent, CtrlC, play_in
from tests.agent.tools.conftest import TICKS


def pictures(form: PictureForm, first: int, last: int) -> Callable[[Path, Path, Bar], object]:
    def draw(run: Path, home: Path, bar: Bar) -> object:
        file = home / f"a.{form.value.removeprefix('--')}"
        return picture_run(run, None, PictureRequest(form, file, first, last, 1), bar=bar)

    return draw


@pytest.mark.parametrize(
    ("work", "ticks"),
    [
        (lambda run, _home, bar: replay_run(run, None, bar=bar), TICKS),
        (lambda run, _home, bar: bisect_run(run, None, bar=bar), TICKS),
        (lambda run, _home, bar: redecide_run(run, None, bar=bar), TICKS),
        (pictures(PictureForm.PNG, 1, 20), 20),
        (pictures(PictureForm.GIF, 10, 20), 20),
        (pictures(PictureForm.MP4, 10, 20), 20),
    ],
    ids=["replay", "bisect", "decide", "png", "gif", "mp4"],
)
def test_every_tick_is_reported_once(
    work: Callable[[Path, Path, Bar], object], ticks: int, tiny_run: Path, tmp_path: Path
) -> None:
    started: list[tuple[str, int]] = []
    done: list[int] = []

    def bar(what: str, count: int) -> Done:
        started.append((what, count))
        return done.append

    work(tiny_run, tmp_path, bar)
    assert started == [("tick", ticks)]
    assert sum(done) == ticks


@pytest.mark.parametrize("form", [(), ("--bisect",), ("--decide",)])
def test_a_short_replay_says_one_line_and_ctrl_c_says_how_far_it_came(
    form: tuple[str, ...], tiny_run: Path, agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = agent("replay", tiny_run, *form)
    assert (ended.code, ended.out) == (0, "divergence: none\n")
    (line,) = ended.err.splitlines()
    assert line.startswith(f"{TICKS} ticks ")
    requested = CtrlC(iter([False] * 6 + [True]))
    monkeypatch.setattr("agent.app.interrupts", lambda: nullcontext(requested))
    ended = agent("replay", tiny_run, *form)
    assert (ended.code, ended.out) == (130, "")
    assert ended.err == f"interrupted after 7 of {TICKS} ticks; there is no result\n"


def test_runs_in_a_row_on_one_memory_are_all_decided_again(tmp_path: Path) -> None:
    runs = [tmp_path / str(seed) for seed in range(2)]
    for seed, run in enumerate(runs):
        play_in(tmp_path, run=run, seed=seed, until="left_home")
    digests = [redecide_run(run, None)[2:] for run in runs]
    for run, (divergence, digest) in zip(runs, digests, strict=True):
        assert (divergence, digest) == ("", replay_run(run, None).digest)
