"""The progress of long commands, and counts in words."""

from io import StringIO

import pytest
import typer

from agent.app import Interrupt
from agent.cli.output import LINE_EVERY_S, Output, Progress, progress, rare_lines
from agent.tools.progress import tracked
from agent.tools.report.words import counted


def on_terminal(*, terminal: bool) -> Output:
    return Output(file=StringIO(), force_terminal=terminal, width=80, _environ={"TERM": "xterm"})


def text_of(output: Output) -> str:
    assert isinstance(output.file, StringIO)
    return output.file.getvalue()


def test_a_terminal_shows_a_bar_with_counts_which_is_removed_at_the_end() -> None:
    err = on_terminal(terminal=True)
    with progress(err, Interrupt()) as bar:
        assert list(tracked(range(4_905), bar)) == list(range(4_905))
    assert "4,905 of 4,905 ticks" in text_of(err)
    assert text_of(err).endswith("\x1b[2K")  # the line is erased


def test_short_work_is_silent_without_a_terminal() -> None:
    err = on_terminal(terminal=False)
    with progress(err, Interrupt()) as bar:
        list(tracked(range(100), bar))
    assert text_of(err) == ""


def test_long_work_prints_a_line_now_and_then_without_a_terminal() -> None:
    err, now = on_terminal(terminal=False), [0.0]
    games = Progress("game", 3, rare_lines(err, lambda: now[0]), Interrupt())
    for _ in range(3):
        now[0] += LINE_EVERY_S - 1
        games.done(1)
    assert text_of(err).splitlines() == ["2 of 3 games"]


@pytest.mark.parametrize("terminal", [True, False])
def test_ctrl_c_says_how_far_the_command_came(*, terminal: bool) -> None:
    err, interrupt = on_terminal(terminal=terminal), Interrupt()

    def work() -> None:
        with progress(err, interrupt) as bar:
            for each in tracked(range(10), bar):
                interrupt.asked = each == 6

    with pytest.raises(typer.Exit) as ended:
        work()
    assert ended.value.exit_code == 130
    assert text_of(err).endswith("interrupted after 7 of 10 ticks; there is no result\n")


@pytest.mark.parametrize(
    ("count", "nouns", "words"),
    [
        (1, ("game",), "1 game"),
        (0, ("game",), "0 games"),
        (1_200, ("entry", "entries"), "1,200 entries"),
        (122, ("entry",), "122 entries"),
        (26, ("strategy",), "26 strategies"),
        (1, ("strategy",), "1 strategy"),
        (29, ("totals",), "29 totals"),
        (3, ("day",), "3 days"),
    ],
)
def test_a_count_has_the_noun_in_its_form(count: int, nouns: tuple[str, ...], words: str) -> None:
    assert counted(count, *nouns) == words
