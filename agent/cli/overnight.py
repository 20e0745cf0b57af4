"""`overnight`: supervised play."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import typer

from agent import HOME
from agent.advisor.port import Decider
from agent.cli import flags
from agent.cli.flags import option, switch
from agent.cli.output import optional_outputs
from agent.errors import RunError, UsageError
from agent.experience.memory_use import MemoryUse
from agent.shell import shown_path

if TYPE_CHECKING:
    from agent.story.story import Story

HANG_S: Final = 300.0  # without a tick, if no model is asked
CALLS: Final = 6  # at most between two ticks


def overnight(
    rom: Path | None = flags.ROM,
    until: str | None = flags.UNTIL,
    hours: float | None = option("End after this many hours of wall time, including restarts."),
    game_hours: float | None = option("End when the run has this many hours of game time."),
    ticks: int | None = flags.TICKS,
    seed: int | None = flags.SEED,
    run: Path | None = option(
        "The folder of the run, or the `last` one; the same command continues it. Default: runs/overnight.",
        "DIR",
        callback=flags.run_named,
    ),
    memory: Path | None = flags.MEMORY,
    mind: Decider | None = flags.MIND,
    without: list[MemoryUse] | None = flags.WITHOUT,
    max_usd: float | None = flags.MAX_USD,
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
    ask_every: int | None = flags.ASK_EVERY,
    terms: Path | None = flags.TERMS,
    prices: Path | None = flags.PRICES,
    tapes: Path | None = flags.TAPES,
    timeout: float | None = flags.TIMEOUT,
    distil: bool = flags.DISTIL,
    model: str | None = flags.MODEL,
    as_json: bool = switch("--json", "Print the result as one JSON object on the last line."),
) -> None:
    """Play unattended, with restarts after crashes and hangs."""
    from agent.app import AskSettings, interrupts
    from agent.app.settings import ANSWER_S, NO_MEMORY
    from agent.cli.night import NightGoal, NightScreen, last_lines, night_table
    from agent.tools.overnight.outcomes import MB, NightEnding, NightLimits
    from agent.tools.overnight.settings import NightSettings, NightTimeouts
    from agent.tools.overnight.supervisor import Supervisor, finished_night
    from agent.tools.report.page import report_ended

    AskSettings(
        ask_every, max_usd, terms, prices, tapes, timeout, distil, model
    )  # checks the flags
    folder = run or HOME / "runs" / "overnight"
    stored = _settings_of(folder)
    memory = memory or Path(stored.get("memory", {}).get("path") or HOME / "memory.sqlite")
    if memory == NO_MEMORY:
        raise UsageError(
            "a night keeps its memory, which each restart of play goes on with; name another --memory than none, or use play"
        )
    if seed is not None and stored.get("seed", seed) != seed:
        message = f"the run in {folder} has seed {stored['seed']}; leave out --seed, or name another --run"
        raise UsageError(message)
    kept_s = stored.get("advice", {}).get("timeout")
    asks = (mind.value if mind else stored.get("mind")) == Decider.CLAUDE.value
    settings = NightSettings(
        run=folder,
        memory=memory,
        flags=_flags(
            rom=rom,
            until=until,
            ticks=ticks,
            mind=mind and mind.value,
            max_usd=max_usd,
            ask_every=ask_every,
            terms=terms,
            prices=prices,
            tapes=tapes,
            timeout=timeout,
            distil=distil,
            model=model,
        ),
        first_flags=_flags(seed=seed, without=[use.value for use in without or ()]),
        asks=asks,
        limits=NightLimits(
            hours=inf if hours is None else hours,
            game_hours=inf if game_hours is None else game_hours,
            free_bytes=min_free * MB,
            resident=max_resident * MB,
            log_bytes=max_log * MB,
            calls=inf if max_calls is None else max_calls,
            usd=inf if max_usd is None else max_usd,
        ),
        patience=NightTimeouts(
            hang_s=_hang_s(hang, timeout or kept_s or ANSWER_S, asks=asks),
            gain_hours=patience,
            backoff_s=backoff,
        ),
    )
    goal = NightGoal.of(_story(rom, stored), until or stored.get("limits", {}).get("until"))
    finished = finished_night(folder, goal.until)
    with optional_outputs() as (out, err):
        if finished is not None:
            words = f"{shown_path(folder)} {finished.reason}"
            out.say(json.dumps(asdict(finished)) if as_json else words)
            return
        screen = NightScreen(err, goal)
        with interrupts() as interrupt, screen.live():
            night = Supervisor(settings, interrupt, screen).play()
            report_ended(folder, rom)  # again, with the verdict
        if as_json:
            out.say(json.dumps(asdict(night)))
        else:
            out.print(night_table(night, goal))
            for line in last_lines(night, goal, sys.argv[1:]):
                out.say(line)
    raise typer.Exit(NightEnding(night.verdict).exit_code)


def _flags(**given: object) -> tuple[str, ...]:
    """Return the given flags of `play` as command line words."""
    words: list[str] = []
    for name, value in given.items():
        flag = f"--{name.replace('_', '-')}"
        match value:
            case None | False:
                pass
            case True:
                words.append(flag)
            case _:
                for each in value if isinstance(value, list) else [value]:
                    words += [flag, str(each)]
    return tuple(words)


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
