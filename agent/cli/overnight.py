"""`overnight`: play until there is a verdict, whatever happens meanwhile."""

import json
import tomllib
from math import inf
from pathlib import Path
from typing import Annotated, Final

import typer

from agent.advisor.calling import PATIENCE
from agent.app import HOME, AskSettings, Decider, interrupts, report_run
from agent.cli.flags import (
    AskEvery,
    Distil,
    MaxUsd,
    MemoryPath,
    Mind,
    PricesPath,
    Rom,
    Seed,
    TapesPath,
    TermsPath,
    Ticks,
    Timeout,
    Until,
    Without,
)
from agent.cli.night_view import night_table, night_view_on
from agent.cli.output import Output
from agent.errors import AgentError, UsageError
from agent.overnight import MB, Ending, Limits, NightSettings, Patience, Supervisor
from emulator import EmulatorError
from memory import MemoryFault

HANG_S: Final = 300.0  # without a tick, where no model is asked
CALLS: Final = 6  # of a model at most between two ticks


def overnight(
    rom: Rom = None,
    until: Until = None,
    hours: Annotated[
        float | None,
        typer.Option(help="End after so many hours of wall time, restarts included."),
    ] = None,
    game_hours: Annotated[
        float | None, typer.Option(help="End when the run has so many hours of game time.")
    ] = None,
    ticks: Ticks = None,
    seed: Seed = None,
    run: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="The folder of the run; the same command again goes on with it. Default: runs/overnight.",
            show_default=False,
        ),
    ] = None,
    memory: MemoryPath = None,
    mind: Mind = None,
    without: Without = None,
    max_usd: MaxUsd = None,
    max_calls: Annotated[
        int | None,
        typer.Option(metavar="N", help="Ask a model at most so often; then play goes on by rules."),
    ] = None,
    min_free: Annotated[
        int, typer.Option(metavar="MB", help="End while so much is left on the disk.")
    ] = 500,
    max_resident: Annotated[
        int, typer.Option(metavar="MB", help="Start play anew when it takes more memory.")
    ] = 1_500,
    max_log: Annotated[
        int, typer.Option(metavar="MB", help="End when more was logged, in all.")
    ] = 100,
    hang: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            help="Without a tick for so long play hangs. Default: 300, and more with a model.",
            show_default=False,
        ),
    ] = None,
    patience: Annotated[
        float,
        typer.Option(metavar="GAME_HOURS", help="Without a gain for so long play gets nowhere."),
    ] = 3.0,
    backoff: Annotated[
        float,
        typer.Option(
            metavar="SECONDS", help="Before the first restart; doubled each time, 60 times at most."
        ),
    ] = 1.0,
    ask_every: AskEvery = None,
    terms: TermsPath = None,
    prices: PricesPath = None,
    tapes: TapesPath = None,
    timeout: Timeout = 60.0,
    distil: Distil = False,
    as_json: Annotated[
        bool,
        typer.Option("--json", help="Print the verdict as one JSON object on the last line."),
    ] = False,
) -> None:
    """Play all night under supervision: started again after crashes and hangs, within limits, to a verdict."""
    out, err = Output(), Output(stderr=True)
    asking = AskSettings(ask_every, max_usd, terms, prices, tapes, timeout, distil)
    folder = run or HOME / "runs" / "overnight"
    _require_same_seed(folder, seed)
    asks = (mind or _mind_of(folder)) is Decider.CLAUDE
    settings = NightSettings(
        run=folder,
        memory=memory or HOME / "memory.sqlite",
        flags=tuple(
            _flags(rom=rom, until=until, ticks=ticks, mind=mind and mind.value)
            + _asking_flags(asking)
        ),
        first_flags=tuple(
            _flags(seed=seed) + [part for use in without or () for part in ("--without", use.value)]
        ),
        asks=asks,
        limits=Limits(
            hours=inf if hours is None else hours,
            game_hours=inf if game_hours is None else game_hours,
            free_bytes=min_free * MB,
            resident=max_resident * MB,
            log_bytes=max_log * MB,
            calls=inf if max_calls is None else max_calls,
            usd=inf if max_usd is None else max_usd,
        ),
        patience=Patience(
            hang_s=_hang_s(hang, timeout, asks=asks), gain_hours=patience, backoff_s=backoff
        ),
    )
    with interrupts() as interrupt, night_view_on(err) as view:
        night = Supervisor(settings, interrupt, view).play()
        _write_report(folder, rom, err)
    if as_json:
        out.say(json.dumps(night.as_json()))
    else:
        out.print(night_table(night))
    raise typer.Exit(Ending(night.verdict).exit_code)


def _write_report(folder: Path, rom: Path | None, err: Output) -> None:
    """Write the page of the run again, now that there is a verdict; the night is what it is without it, too."""
    try:
        report_run(folder, rom, None)
    except (AgentError, EmulatorError, MemoryFault, OSError) as error:
        err.say(f"no report was written: {error}")


def _flags(**given: object) -> list[str]:
    """Return the flags of `play` that were given, as words of a command line."""
    return [
        word
        for name, value in given.items()
        if value is not None
        for word in (f"--{name.replace('_', '-')}", str(value))
    ]


def _asking_flags(asking: AskSettings) -> list[str]:
    return [
        *_flags(
            max_usd=asking.usd,
            ask_every=asking.every,
            terms=asking.terms,
            prices=asking.prices,
            tapes=asking.tapes,
            timeout=asking.timeout_s,
        ),
        *(["--distil"] if asking.distils else []),
    ]


def _hang_s(hang: float | None, timeout_s: float, *, asks: bool) -> float:
    """Return how long no tick is no hang: a model may take its time, and be asked again."""
    longest: float = PATIENCE.in_all_s + timeout_s
    if hang is None:
        return HANG_S + CALLS * longest * asks
    if asks and hang < longest:
        message = f"--hang {hang:g} is shorter than one answer of a model may take, {longest:g} s"
        raise UsageError(message)
    return hang


def _require_same_seed(folder: Path, seed: int | None) -> None:
    begun = _settings_of(folder).get("seed")
    if seed is not None and begun is not None and seed != begun:
        message = f"the run in {folder} has seed {begun}; leave --seed away, or name another --run"
        raise UsageError(message)


def _mind_of(folder: Path) -> Decider:
    is_claude = _settings_of(folder).get("mind") == Decider.CLAUDE.value
    return Decider.CLAUDE if is_claude else Decider.RULES


def _settings_of(folder: Path) -> dict[str, object]:
    """Return what the run in a folder was begun with; nothing where there is none, or it is damaged."""
    try:
        return tomllib.loads((folder / "run.toml").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
