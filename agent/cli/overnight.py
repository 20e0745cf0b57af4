"""`overnight`: supervised play, and its display."""

from __future__ import annotations

import json
import tomllib
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Final

import typer
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from agent import HOME
from agent.advisor.decider import Decider
from agent.cli import flags
from agent.cli.flags import option, switch
from agent.cli.output import Output, facts, grid
from agent.errors import UsageError
from agent.experience.memory_use import MemoryUse
from agent.tools.report.words import game_time

if TYPE_CHECKING:
    from agent.tools.overnight.child import Heartbeat
    from agent.tools.overnight.logs import Line
    from agent.tools.overnight.outcomes import Night

LINE_EVERY_S: Final = 600.0  # of the night, between two progress lines
REFRESH_PER_SECOND: Final = 2
WORDS: Final = {  # the lines for events of a night
    "began": "started or resumed",
    "started": "game started at tick {tick:,}",
    "milestone": "reached {id} by tick {tick:,}",
    "fault": "{kind} at tick {tick:,}: {says}; {answer}",
    "rules": "rules only from now on: {says}",
}


@dataclass
class NightScreen:
    """Prints a line for each event of a night, and progress: in a panel on a terminal, else in lines."""

    output: Output
    _heartbeat: Heartbeat | None = None
    _night_s: float = 0.0
    _next: float = 0.0
    _restarts: int = 0
    _faults: int = 0

    def show_event(self, line: Line) -> None:
        """Print a line of the journal, if it has words."""
        if words := WORDS.get(line["what"], "").format_map(line):
            time = datetime.fromtimestamp(line["at"], UTC).astimezone()
            self.output.say(f"{time:%H:%M:%S}  {words}")
        self._faults += line["what"] == "fault"
        self._restarts = max(self._restarts, line.get("n", 1) - 1)

    def show_heartbeat(self, heartbeat: Heartbeat, night_s: float) -> None:
        """Store a heartbeat for the next drawing, or print it after a long time without one."""
        self._heartbeat, self._night_s = heartbeat, night_s
        if not self.output.is_terminal and night_s >= self._next:
            self._next = night_s + LINE_EVERY_S
            self.output.say(
                f"          tick {heartbeat.tick:,}, {heartbeat.place}: {heartbeat.doing}"
            )

    def live(self) -> AbstractContextManager[object]:
        """Return a context manager that draws the panel on a terminal."""
        if not self.output.is_terminal:
            return nullcontext()
        return Live(
            console=self.output, get_renderable=self.draw, refresh_per_second=REFRESH_PER_SECOND
        )

    def draw(self) -> Panel | str:
        """Return the panel, or an empty text before play begins."""
        heartbeat = self._heartbeat
        if heartbeat is None:
            return ""
        rows = {
            "where": heartbeat.place,
            "doing": heartbeat.doing,
            "milestones": ", ".join(heartbeat.milestones) or "none yet",
            "time": f"tick {heartbeat.tick:,}, frame {heartbeat.frame:,}, {game_time(round(self._night_s))} of the night",
            "so far": f"{self._restarts} restarts, {self._faults} faults",
        }
        return Panel(grid(rows), title=Text("red-agent overnight"))


def night_table(night: Night) -> Table:
    """Return the result of a night as a table."""
    which = f" ({night.which.replace('_', ' ')})" if night.which else ""
    faults = ", ".join(f"{kind} {times}" for kind, times in night.faults.items())
    rows = {
        "why": night.why,
        "milestones": ", ".join(night.milestones) or "none",
        "played": f"{night.ticks:,} ticks, {night.frames:,} frames",
        "wall time": game_time(round(night.night_s)),
        "restarts": str(night.restarts),
        "faults": faults or "none",
    }
    return facts(f"{night.run}: {night.verdict.replace('_', ' ')}{which}", rows.items())


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
        "The folder of the run; the same command continues it. Default: runs/overnight.", "DIR"
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
    timeout: float = flags.TIMEOUT,
    distil: bool = flags.DISTIL,
    as_json: bool = switch("--json", "Print the result as one JSON object on the last line."),
) -> None:
    """Play unattended, with restarts after crashes and hangs."""
    from agent.app import AskSettings, interrupts
    from agent.tools.overnight.outcomes import MB, NightEnding, NightLimits
    from agent.tools.overnight.settings import NightSettings, NightTimeouts
    from agent.tools.overnight.supervisor import Supervisor
    from agent.tools.report.page import report_ended

    out, err = Output(), Output(stderr=True)
    AskSettings(ask_every, max_usd, terms, prices, tapes, timeout, distil)  # checks the flags
    folder = run or HOME / "runs" / "overnight"
    stored = _settings_of(folder)
    if seed is not None and stored.get("seed", seed) != seed:
        message = f"the run in {folder} has seed {stored['seed']}; leave out --seed, or name another --run"
        raise UsageError(message)
    asks = (mind.value if mind else stored.get("mind")) == Decider.CLAUDE.value
    settings = NightSettings(
        run=folder,
        memory=memory or HOME / "memory.sqlite",
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
            hang_s=_hang_s(hang, timeout, asks=asks), gain_hours=patience, backoff_s=backoff
        ),
    )
    screen = NightScreen(err)
    with interrupts() as interrupt, screen.live():
        night = Supervisor(settings, interrupt, screen).play()
        report_ended(folder, rom)  # again, with the verdict
    if as_json:
        out.say(json.dumps(asdict(night)))
    else:
        out.print(night_table(night))
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


def _settings_of(folder: Path) -> dict[str, object]:
    """Return the settings of the run in a folder; empty if there is none or run.toml is damaged."""
    try:
        return tomllib.loads((folder / "run.toml").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
