"""`report.html`: one page, without any file beside it, that shows what happened in a run."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from shlex import quote
from typing import Final

from agent.report.atlas import style as atlas_style
from agent.report.axis import game_time, local
from agent.report.gather import Gathered, gather
from agent.report.gather.verdict import SUMMARY
from agent.report.headline import figures, headline, lead
from agent.report.plots import WHY, game_charts, milestones_chart, process_charts
from agent.report.rendering import render, style
from agent.report.route import route
from agent.report.summary import Summary
from agent.report.words import plain
from agent.report.writing import require_page_or_new, write_whole
from emulator import Cartridge
from memory import RunFolder, RunReader

PAGE: Final = "report.html"
EPISODES: Final = 25  # told in full: the last ones
SIDES: Final = 8  # kinds of disagreement


def write_report(
    folder: RunFolder[RunReader],
    cartridge: Cartridge | None,
    summary: Summary | None = None,
    path: Path | None = None,
) -> Path:
    """Write the page into the run's folder, or to `path`, and return where it is.

    A `summary`, which only who has played has, is kept beside it, for pages that are written later.

    Raises:
        UsageError: when something that is no page of ours is at `path`.
    """
    if summary is not None:
        words = json.dumps(summary.as_json(), indent=1)
        write_whole(folder.path / SUMMARY, words + "\n")
    if path is not None:
        require_page_or_new(path)
    path = path or folder.path / PAGE
    write_whole(path, page(gather(folder, cartridge), cartridge))
    return path


def page(told: Gathered, cartridge: Cartridge | None) -> str:
    """Return the page as text."""
    of_game, of_process = list(game_charts(told)), list(process_charts(told))
    way = route(told, cartridge)
    return render(
        "page.html",
        style=atlas_style() + style(),
        told=told,
        title=f"{headline(told)}: {_cartridge(told)}, seed {told.settings.get('seed', '?')}",
        kicker=_kicker(told),
        headline=headline(told),
        lead=lead(told),
        figures=list(figures(told)),
        sections=_sections(told, has_game=bool(of_game), has_process=bool(of_process)),
        stairs=milestones_chart(told),
        returns=list(_returns(told)),
        route=way,
        of_game=of_game,
        of_process=of_process,
        zone=f"{local(told.last.at or 0):%Z}",
        episodes=told.stuck[-EPISODES:],
        spent=[replace(each, milestone=plain(each.milestone)) for each in told.advice.spent],
        disagreements=sorted(told.troubles.disagreements.items(), key=lambda each: -each[1])[
            :SIDES
        ],
        where=quote(str(told.path)),
        settings=list(_flat(told.settings)),
        now=datetime.now(UTC).timestamp(),
    )


def _cartridge(told: Gathered) -> str:
    return str(told.settings.get("cartridge", {}).get("name", "a cartridge"))


def _kicker(told: Gathered) -> str:
    settings, began = told.settings, told.settings.get("started")
    parts = [
        _cartridge(told),
        f"seed {settings.get('seed', '?')}",
        f"decided by {settings.get('mind', '?')}",
    ]
    if isinstance(began, datetime):
        parts.append(f"begun on {local(began.timestamp()):%A, %d %B %Y, %H:%M %Z}")
    return " · ".join(parts)


def _sections(told: Gathered, *, has_game: bool, has_process: bool) -> list[tuple[str, str]]:
    names = (
        ("milestones", "Milestones", True),
        ("route", "The way it went", True),
        ("team", "Team and money", has_game),
        ("process", "The process", has_process),
        ("battles", "Battles", True),
        ("stuck", "Getting stuck", True),
        ("learnt", "What was learnt", True),
        ("advice", "Advice", told.advice.is_there),
        ("faults", "Faults", True),
        ("deeds", "What it did", True),
        ("again", "See it again", True),
    )
    return [(name, says) for name, says, is_there in names if is_there]


def _returns(told: Gathered) -> Iterable[str]:
    for each in told.returns:
        yield (
            f"It {WHY[each.why]}: from tick {each.left:,} to tick {each.to.tick:,},"
            f" at {game_time(each.to.game_s)} of game time"
        )


def _flat(table: Mapping[str, object], prefix: str = "") -> Iterable[tuple[str, object]]:
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value
