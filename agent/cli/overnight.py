"""`overnight`: play under supervision, and what is shown meanwhile."""

import json
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from math import inf
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from agent.advisor.calls import RETRY_POLICY
from agent.app import HOME, AskSettings, Decider, interrupts
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
    option,
)
from agent.cli.output import Output, facts, grid
from agent.errors import UsageError
from agent.tools.overnight.child import Heartbeat
from agent.tools.overnight.logs import Line
from agent.tools.overnight.outcomes import MB, Night, NightEnding, NightLimits
from agent.tools.overnight.settings import NightSettings, NightTimeouts
from agent.tools.overnight.supervisor import Supervisor
from agent.tools.overnight.watch import NightViewer
from agent.tools.report.page import report_ended

LINE_EVERY_S: Final = 600.0  # of the night, between lines that only say where it is
REFRESH_PER_SECOND: Final = 2


@contextmanager
def night_view_on(output: Output) -> Iterator[NightViewer]:
    """Lend the view that suits where the output goes."""
    lines = NightLines(output)
    if not output.is_terminal:
        yield lines
        return
    panel = NightPanel(lines)
    live = Live(console=output, get_renderable=panel.draw, refresh_per_second=REFRESH_PER_SECOND)
    with live:
        yield panel


@dataclass
class NightLines:
    """A line for each thing that happens, and one now and then that says where play is."""

    output: Output
    restarts: int = 0
    _next: float = 0.0

    def told(self, line: Line) -> None:
        """Print what a line of the diary says, where it is of interest."""
        words = words_of(line)
        if words:
            made = datetime.fromtimestamp(line["at"], UTC).astimezone()
            self.output.say(f"{made:%H:%M:%S}  {words}")
        self.restarts = max(self.restarts, line.get("n", 1) - 1)

    def saw(self, beat: Heartbeat, night_s: float) -> None:
        """Print where play is, if that was long ago."""
        if night_s >= self._next:
            self._next = night_s + LINE_EVERY_S
            self.output.say(f"          tick {beat.tick:,}, {beat.place}: {beat.doing}")


@dataclass
class NightPanel:
    """A panel of how it goes now, below the lines of what happened."""

    lines: NightLines
    _beat: Heartbeat | None = None
    _night_s: float = 0.0
    _faults: int = field(default=0)

    def told(self, line: Line) -> None:
        """Print it above the panel."""
        self._faults += line["what"] == "fault"
        self.lines.told(line)

    def saw(self, beat: Heartbeat, night_s: float) -> None:
        """Keep it for the next drawing."""
        self._beat, self._night_s = beat, night_s

    def draw(self) -> Panel | str:
        """Return the panel, or nothing before play begins."""
        beat = self._beat
        if beat is None:
            return ""
        rows = {
            "where": beat.place,
            "doing": beat.doing,
            "milestones": ", ".join(beat.milestones) or "none yet",
            "time": f"tick {beat.tick:,}, frame {beat.frame:,}, {_duration(self._night_s)} of the night",
            "so far": f"{self.lines.restarts} restarts, {self._faults} faults",
        }
        return Panel(grid(rows), title=Text("red-agent overnight"))


def words_of(line: Line) -> str:
    """Return a line of the diary in words, or '' for one that is for the morning only."""
    match line["what"]:
        case "began":
            return "the night begins, or goes on"
        case "started":
            return f"play is up at tick {line['tick']:,}"
        case "milestone":
            return f"reached {line['id']} by tick {line['tick']:,}"
        case "fault":
            return f"{line['kind']} at tick {line['tick']:,}: {line['says']}; {line['answer']}"
        case "rules":
            return f"no model is asked any more: {line['says']}"
        case _:
            return ""


def night_table(night: Night) -> Table:
    """Return how a night ended, as a table."""
    which = f" ({night.which.replace('_', ' ')})" if night.which else ""
    faults = ", ".join(f"{kind} {times}" for kind, times in night.faults.items())
    rows = {
        "why": night.why,
        "milestones": ", ".join(night.milestones) or "none",
        "played": f"{night.ticks:,} ticks, {night.frames:,} frames",
        "the night took": _duration(night.night_s),
        "restarts": str(night.restarts),
        "faults": faults or "none",
    }
    return facts(f"{night.run}: {night.verdict.replace('_', ' ')}{which}", rows.items())


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}"


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
        option(
            "The folder of the run; the same command again goes on with it. Default: runs/overnight.",
            "DIR",
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
        option(
            "Without a tick for so long play hangs. Default: 300, and more with a model.", "SECONDS"
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
            hang_s=_hang_s(hang, timeout, asks=asks), gain_hours=patience, backoff_s=backoff
        ),
    )
    with interrupts() as interrupt, night_view_on(err) as view:
        night = Supervisor(settings, interrupt, view).play()
        report_ended(folder, rom)  # again, now that there is a verdict
    if as_json:
        out.say(json.dumps(asdict(night)))
    else:
        out.print(night_table(night))
    raise typer.Exit(NightEnding(night.verdict).exit_code)


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
    longest: float = RETRY_POLICY.in_all_s + timeout_s
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
