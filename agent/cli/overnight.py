"""`overnight`: supervised play."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, replace
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import typer

from agent import HOME
from agent.advisor.port import Decider
from agent.cli.flags import AS_JSON, option, run_named, with_settings
from agent.cli.output import optional_outputs
from agent.errors import RunError, UsageError
from agent.settings import NO_MEMORY, Settings
from agent.shell import shown_path

if TYPE_CHECKING:
    from agent.story.story import Story

HANG_S: Final = 300.0  # without a tick, if no model is asked
CALLS: Final = 6  # at most between two ticks


@with_settings("run", "resume", "at", "recovers", "pace")
def overnight(
    *,
    hours: float | None = option("End after this many hours of wall time, including restarts."),
    game_hours: float | None = option("End when the run has this many hours of game time."),
    run: Path | None = option(
        "The folder of the run, or the `last` one; the same command continues it. Default: runs/overnight.",
        "DIR",
        callback=run_named,
    ),
    max_calls: int | None = option("Ask a model at most N times; then continue by rules.", "N"),
    min_free: int = option("End when less disk space is free.", "MB", default=500),
    max_resident: int = option("Restart play when it takes more memory.", "MB", default=1_500),
    max_log: int = option("End when the logs are larger in total.", "MB", default=100),
    hang: float | None = option(
        "Restart play after so long without a tick. Default: 300, more with a model.", "SECONDS"
    ),
    patience: float = option(
        "Go back to a checkpoint after this time without progress.", "GAME_HOURS", default=3.0
    ),
    backoff: float = option(
        "Wait before the first restart; doubled each time, up to 60 times it.",
        "SECONDS",
        default=1.0,
    ),
    settings: Settings,
    as_json: bool = AS_JSON,
) -> None:
    """Play unattended, with restarts after crashes and hangs."""
    from agent.app import interrupts
    from agent.app.settings import ANSWER_S
    from agent.cli.night import NightGoal, NightScreen, last_lines, night_table
    from agent.tools.overnight.night import (
        MB,
        NightEnding,
        NightLimits,
        NightSettings,
        NightTimeouts,
    )
    from agent.tools.overnight.supervisor import Supervisor, finished_night
    from agent.tools.report.page import report_ended

    folder, seed, asking = run or HOME / "runs" / "overnight", settings.seed, settings.asking
    stored = _settings_of(folder)
    was = stored.get("memory", {}).get("path")
    memory = settings.memory or Path(was or HOME / "memory.sqlite")
    if memory == NO_MEMORY:
        raise UsageError(
            "a night keeps its memory, which each restart of play goes on with; name another --memory than none, or use play"
        )
    if seed is not None and stored.get("seed", seed) != seed:
        message = f"the run in {folder} has seed {stored['seed']}; leave out --seed, or name another --run"
        raise UsageError(message)
    kept_s = stored.get("advice", {}).get("timeout")
    mind = settings.mind.value if settings.mind else stored.get("mind")
    asks = mind == Decider.CLAUDE.value
    night_settings = NightSettings(
        run=folder,
        memory=memory,
        play=replace(settings, memory=None),
        asks=asks,
        limits=NightLimits(
            hours=inf if hours is None else hours,
            game_hours=inf if game_hours is None else game_hours,
            free_bytes=min_free * MB,
            resident=max_resident * MB,
            log_bytes=max_log * MB,
            calls=inf if max_calls is None else max_calls,
            usd=inf if asking.usd is None else asking.usd,
        ),
        patience=NightTimeouts(
            hang_s=_hang_s(hang, asking.timeout_s or kept_s or ANSWER_S, asks=asks),
            gain_hours=patience,
            backoff_s=backoff,
        ),
    )
    goal = NightGoal.of(
        _story(settings.rom, stored), settings.until or stored.get("limits", {}).get("until")
    )
    finished = finished_night(folder, goal.until)
    with optional_outputs() as (out, err):
        if finished is not None:
            words = f"{shown_path(folder)} {finished.reason}"
            out.say(json.dumps(asdict(finished)) if as_json else words)
            return
        screen = NightScreen(err, goal)
        with interrupts() as interrupt, screen.live():
            night = Supervisor(night_settings, interrupt, screen).play()
            report_ended(folder, settings.rom)  # again, with the verdict
        if as_json:
            out.say(json.dumps(asdict(night)))
        else:
            out.print(night_table(night, goal))
            for line in last_lines(night, goal, sys.argv[1:]):
                out.say(line)
    raise typer.Exit(NightEnding(night.verdict).exit_code)


def _hang_s(hang: float | None, timeout_s: float, *, asks: bool) -> float:
    """Return the time without a tick that counts as a hang, which includes answers and retries of a model."""
    from agent.advisor.calls import RETRY_POLICY

    longest: float = RETRY_POLICY.max_total_s + timeout_s
    if hang is None:
        return HANG_S + CALLS * longest * asks
    if asks and hang < longest:
        message = f"--hang {hang:g} is shorter than one answer of a model may take, {longest:g} s"
        raise UsageError(message)
    return hang


def _story(rom: Path | None, stored: dict[str, Any]) -> Story | None:
    """Return the story of the cartridge that is played; None if it cannot be loaded, which the child reports."""
    from agent.app.settings import RunSettings, cartridge_for
    from agent.story.story import Story
    from emulator import CartridgeError

    try:
        return Story.of(cartridge_for(rom, RunSettings.of(stored) if stored else None).kind)
    except (RunError, CartridgeError):
        return None


def _settings_of(folder: Path) -> dict[str, Any]:
    """Return the settings of the run in a folder, or of their copy; empty if there are none."""
    from agent.tools.overnight.copies import settings_fault, settings_file
    from memory.file_access import read_toml

    good = (path for path in settings_file(folder) if not settings_fault(path))
    return read_toml(path) if (path := next(good, None)) else {}
