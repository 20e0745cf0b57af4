"""The panel of play at several sizes, its picture, the pace, and that a display changes nothing in play."""

import io
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest
from rich.console import Console

from agent.app import Interrupt, Settings, Summary, TickView, Viewer, play_run
from agent.app.summary import ModelStatus
from agent.cli.output import Output
from agent.cli.panel import LivePanel, PacedViewer, PlainLines, event_line, model_line, picture
from emulator import Screen
from memory import read_run
from memory.store.record import EventRow
from tests.agent.support import Watcher, play_in

TICKS: Final = 100


class Drawn(LivePanel):
    """A panel that keeps what it shows of the last tick as text and as SVG, and draws nothing in between."""

    def show(self, moment: TickView) -> None:
        if moment.screen is not None:
            self._screen = moment.screen()
        self._moment = moment

    def text(self) -> str:
        return self._exported().export_text()

    def svg(self) -> str:
        return self._exported().export_svg(title="red-agent")

    def _exported(self) -> Console:
        columns, rows = self.output.size
        console = Console(
            record=True, width=columns, height=rows, file=io.StringIO(), force_terminal=True,
            color_system="truecolor", no_color=self.output.no_color,
        )  # fmt: skip
        console.print(self.draw())
        return console


def terminal(columns: int, rows: int, *, no_color: bool = False) -> Output:
    return Output(
        file=io.StringIO(), force_terminal=True, width=columns, height=rows,
        color_system="truecolor", no_color=no_color,
    )  # fmt: skip


def played_with(
    view: Viewer, home: Path, *, ticks: int = TICKS, seed: int = 0, pace: float | None = None
) -> Summary:
    memory = home / "memory.sqlite"
    settings = Settings(run=home / "run", memory=memory, ticks=ticks, seed=seed, pace=pace)
    return play_run(settings, view, Interrupt())


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Drawn:
    """Return a panel at a tick of a game with a team."""
    view = Drawn(terminal(80, 24))
    played_with(view, tmp_path_factory.mktemp("panel"), ticks=200, seed=7)
    return view


def at_size(drawn: Drawn, columns: int, rows: int, *, no_color: bool = False) -> Drawn:
    drawn.output = terminal(columns, rows, no_color=no_color)
    return drawn


@pytest.mark.parametrize(("columns", "rows"), [(40, 24), (60, 24), (80, 24), (200, 50)])
def test_the_panel_fits_the_terminal_and_shows_goal_team_and_time(
    drawn: Drawn, columns: int, rows: int
) -> None:
    lines = at_size(drawn, columns, rows).text().splitlines()
    assert len(lines) <= rows
    assert all(len(line) <= columns for line in lines)
    text = "\n".join(lines)
    for name in ("goal", "doing", "where", "team", "has", "time"):
        assert f"│ {name} " in text or f"  {name} " in text
    assert "of 15" in text or "of   │" in text
    assert "reached:" not in text  # labels, not the names of facts
    assert ">=" not in text


def test_a_wide_terminal_shows_the_picture_in_the_colours_of_the_game_boy(drawn: Drawn) -> None:
    wide = at_size(drawn, 200, 50)
    assert "▀" * 10 in wide.text()
    assert "#e0f8d0" in wide.svg()
    assert "▀" not in at_size(drawn, 80, 24).text()


def test_without_colours_the_picture_is_drawn_in_shades(drawn: Drawn) -> None:
    text = at_size(drawn, 200, 50, no_color=True).text()
    assert "▀" not in text
    assert "▓" in text


@pytest.mark.parametrize(
    ("columns", "rows", "size"), [(80, 36, 2), (79, 36, 4), (40, 18, 4), (20, 9, 8), (19, 9, 0)]
)
def test_the_largest_picture_that_fits_is_drawn(columns: int, rows: int, size: int) -> None:
    screen = Screen(np.zeros((144, 160), dtype=np.uint8))
    drawn = picture(screen, columns, rows, colours=True)
    if drawn is None:
        assert size == 0
    else:
        assert (len(drawn.rows), drawn.width) == (72 // size, 160 // size)


def test_play_with_a_panel_is_the_same_and_leaves_a_line_for_the_cursor(tmp_path: Path) -> None:
    def chain(home: Path) -> bytes:
        with closing(read_run(home / "run")) as run:
            *_, last = run.store.record.steps()
        return last.chain

    silent, shown = tmp_path / "silent", tmp_path / "shown"
    silent.mkdir()
    shown.mkdir()
    play_in(silent, ticks=TICKS)
    view = LivePanel(terminal(120, 40))
    played_with(PacedViewer(view, Interrupt()), shown, pace=1_000_000)
    view.stop()
    assert chain(shown) == chain(silent)
    shown = view.output.file.getvalue()  # type: ignore[attr-defined]
    assert "goal" in shown
    assert all(each.partition("╯")[2].startswith("\n") for each in shown.split("╰")[1:])


def test_a_paced_viewer_holds_play_back_and_ends_on_request(tmp_path: Path) -> None:
    interrupt, watcher = Interrupt(), Watcher()
    interrupt.asked = True  # it must not wait at all
    played_with(PacedViewer(watcher, interrupt), tmp_path, seed=1, pace=0.01)
    assert len(watcher.moments) == TICKS


def plain_lines(**flags: Any) -> list[str]:  # noqa: ANN401  # those of Settings
    view = PlainLines(terminal(200, 24))
    play_run(Settings(**flags), view, Interrupt())
    return view.output.file.getvalue().splitlines()  # type: ignore[attr-defined,no-any-return]


def test_plain_lines_name_what_is_new_and_the_checkpoint_that_play_goes_back_to(
    tmp_path: Path,
) -> None:
    run, memory = tmp_path / "run", tmp_path / "memory.sqlite"
    first = plain_lines(run=run, memory=memory, until="left_home")
    assert first[-1].endswith("  milestone: leave home")
    assert first[-2].endswith("  confirm on screen: leave home")
    lines = plain_lines(resume=run, memory=memory, until="starter")
    assert [each.split("milestone: ")[1] for each in lines if "milestone: " in each] == [
        "get a starter"
    ]
    with closing(read_run(run)) as folder:
        ticks = sorted(folder.store.checkpoints.ticks())
    lines = plain_lines(resume=run, memory=memory, at=ticks[-1] - 1, ticks=ticks[-2] + 1)
    assert lines[0].endswith(
        f"going back in {run} to tick {ticks[-2]}, the last checkpoint up to tick {ticks[-1] - 1}"
    )


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (("milestone", {"id": "starter"}), "milestone: get a starter"),
        (
            ("battle", {"outcome": "victory", "enemy_pokemon": "NIBBIT", "enemy_level": 5}),
            "beat NIBBIT (level 5)",
        ),
        (("stuck", {"reason": "no plan"}), "stuck: no plan"),
        (("stuck", {"over": True, "solved_by": "replan"}), "no longer stuck: replan"),
        (
            ("advice", {"purpose": "milestone", "advice": {"note": "rival first"}}),
            "model (milestone): rival first",
        ),
        (
            ("advice", {"purpose": "stuck", "silent": "breaker"}),
            "model (stuck): no answer, paused after failures",
        ),
    ],
)
def test_an_event_is_one_plain_line(
    drawn: Drawn, event: tuple[str, dict[str, object]], line: str
) -> None:
    kind, payload = event
    assert event_line(EventRow(9, kind, payload), drawn.start) == line


def test_the_cost_of_another_server_is_not_called_billed() -> None:
    billed = ModelStatus(4, 3, 0.02, 2.0, is_billed=True)
    assert model_line(billed) == "3 of 4 questions answered, $0.0200 of $2.00"
    made_up = model_line(billed._replace(is_billed=False))
    assert made_up.endswith("by list prices; this server is not Anthropic's")
    answered = billed._replace(made_up_usd=0.02, answered_by="fake-claude:claude-opus-5-5")
    assert model_line(answered) == (
        "3 of 4 questions answered, made-up answers would have cost $0.0200 at list prices;"
        " answers of fake-claude (made-up answers)"
    )
