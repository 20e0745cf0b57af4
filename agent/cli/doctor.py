"""`doctor` and `plan`: checks of the machine and the cartridge, and the plan at one moment."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum
from importlib import metadata
from pathlib import Path
from platform import python_version
from typing import TYPE_CHECKING, Final, NamedTuple

import typer
from rich.table import Column
from rich.text import Text

from agent import HOME
from agent.cli import flags
from agent.cli.flags import option, switch, with_settings
from agent.cli.output import Output, rows_of
from agent.errors import UsageError
from agent.settings import AskSettings
from agent.shell import missing_package

if TYPE_CHECKING:
    from rich.console import Console

    from agent.app import Outlook
    from agent.tools.doctor import OwnerFact, ReaderCheck
    from emulator.soundness.check import CartridgeCheck

PACKAGES: Final = ("pyboy", "numpy", "pillow", "anthropic", "pytesseract", "typer", "rich")
DISK_FLOOR_GB: Final = 1.0  # a night of play with checkpoints takes less
KEY: Final = "ANTHROPIC_API_KEY"
SURVEY: Final = "cartridge checks"  # of all decoded tables
GLYPHS: Final = "glyphs"  # the reader that uses the font


class Health(Enum):
    """The result of a check."""

    OK = "ok"
    OPTIONAL = "optional"
    BROKEN = "broken"


OK, OPTIONAL, BROKEN = Health


class HealthFinding(NamedTuple):
    """One check: its subject, its result, and what to do."""

    what: str
    health: Health
    found: str
    advice: str = ""


def examine(rom: Path | None, folder: Path) -> Iterator[HealthFinding]:
    """Yield the findings about this machine, the cartridge, and `folder`, which is to hold runs."""
    from agent.tools.doctor import reader_checks
    from emulator import EmulatorError, demo_cartridge_path, load_cartridge
    from emulator.soundness.survey import survey

    yield HealthFinding("python", OK, f"{python_version()} at {sys.executable}")
    yield _dependencies()
    yield _key()
    yield _disk(folder)
    try:
        cartridge = load_cartridge(rom or demo_cartridge_path())
    except EmulatorError as error:
        yield HealthFinding("cartridge", BROKEN, "cannot be played", str(error))
        return
    advice = "" if rom else "to play your own Pokemon Red: --rom PATH"
    yield HealthFinding("cartridge", OK, f"{cartridge.name}, SHA-1 {cartridge.sha1}", advice)
    soundness = _findings(
        SURVEY, "cannot be decoded", lambda: [_invariant(each) for each in survey(cartridge)]
    )
    yield from soundness
    if all(each.health is OK for each in soundness):  # an unsound cartridge may never stop
        # Compare each reader with RAM on the main menu after power-on.
        yield from _findings(
            "main menu", "cannot be seen", lambda: [*map(_reader, reader_checks(cartridge))]
        )


def show_health(findings: Iterable[HealthFinding], console: Console) -> None:
    """Print the findings in two tables."""
    # Hashes and paths are not shortened.
    found, advised = (Column(name, overflow="fold") for name in ("found", "what to do"))
    colour = {OK: "green", OPTIONAL: "yellow", BROKEN: "red"}
    checks, cartridge_rows = list[Sequence[str | Text]](), list[Sequence[str | Text]]()
    for finding in findings:
        health = Text(finding.health.value, style=colour[finding.health])
        if finding.what == SURVEY:
            advice = f". {finding.advice}" if finding.advice else ""
            cartridge_rows.append((health, finding.found + advice))
        else:
            checks.append((finding.what, health, finding.found, finding.advice))
    console.print(rows_of(("check", "", found, advised), checks, "doctor"))
    if cartridge_rows:
        console.print(rows_of(("", "what must be true"), cartridge_rows, "cartridge checks"))


def confirmable(rom: Path | None) -> tuple[OwnerFact, ...]:
    """Return facts that the owner can confirm at a glance; none for an unsound cartridge."""
    from agent.tools.doctor import owner_facts
    from emulator import EmulatorError, demo_cartridge_path, load_cartridge
    from emulator.soundness.survey import require_valid, survey

    try:
        cartridge = load_cartridge(rom or demo_cartridge_path())
        require_valid(cartridge, survey(cartridge))
    except EmulatorError:
        return ()  # the findings contain the reason
    return tuple(owner_facts(cartridge))


def _dependencies() -> HealthFinding:
    versions = {name: _version(name) for name in PACKAGES}
    found = ", ".join(f"{name} {version or 'missing'}" for name, version in versions.items())
    if None in versions.values():
        absent = ", ".join(name for name, version in versions.items() if version is None)
        return HealthFinding("packages", BROKEN, found, missing_package(absent))
    return HealthFinding("packages", OK, found)


def _key() -> HealthFinding:
    if os.environ.get(KEY):
        return HealthFinding("key", OK, f"{KEY} is set (only --mind claude uses it)")
    return HealthFinding("key", OPTIONAL, f"{KEY} is not set", "only needed for --mind claude")


def _disk(folder: Path) -> HealthFinding:
    existing = next(parent for parent in (folder, *folder.parents) if parent.exists())
    free = shutil.disk_usage(existing).free / 1e9
    found = f"{free:.1f} GB free at {existing}"
    if free < DISK_FLOOR_GB:
        return HealthFinding("disk", BROKEN, found, f"free {DISK_FLOOR_GB:.0f} GB of disk space")
    if not os.access(existing, os.W_OK):
        return HealthFinding("disk", BROKEN, f"{existing} is read-only", "play with --run DIR")
    return HealthFinding("disk", OK, found)


def _findings(
    what: str, failed: str, look: Callable[[], list[HealthFinding]]
) -> list[HealthFinding]:
    """Return the findings of `look`, or one finding `failed` if the cartridge cannot be decoded."""
    from emulator import EmulatorError

    try:
        return look()
    except EmulatorError as error:
        return [HealthFinding(what, BROKEN, failed, str(error))]


def _invariant(check: CartridgeCheck) -> HealthFinding:
    from emulator.soundness.survey import INVALID_IMAGE_ADVICE

    if check.is_sound:
        counted = f"{check.checked} checked" if check.checked else "it has none"
        return HealthFinding(SURVEY, OK, f"{check.invariant}: {counted}")
    more = check.broken - len(check.violations)
    listed = "; ".join(check.violations) + (f"; and {more} more" if more else "")
    return HealthFinding(SURVEY, BROKEN, f"{check.invariant}, but: {listed}", INVALID_IMAGE_ADVICE)


def _reader(check: ReaderCheck) -> HealthFinding:
    """Return the result of a reader on the main menu; glyphs must be exact, other readers need not."""
    what = f"text by {check.reader}"
    if check.accuracy is None:
        return HealthFinding(what, OPTIONAL, check.reason, "not needed to play")
    right, total = check.accuracy
    found = f"{right} of {total} characters of the main menu"
    if right == total or check.reader != GLYPHS:
        differences = "; ".join(check.disagreements)
        return HealthFinding(what, OK, f"{found} ({differences})" if differences else found)
    return HealthFinding(what, BROKEN, found, "the screen differs from RAM; report it")


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


@with_settings("usd", "every", "tapes", "distils", "model")
def doctor(
    *,
    rom: Path | None = flags.ROM,
    model: bool = switch(
        "--model", "Only make one small call of the model, and say what works and what it cost."
    ),
    asking: AskSettings,
    as_json: bool = flags.AS_JSON,
) -> None:
    """Check this machine and the cartridge, and show what to do. Exits 1 when something is broken."""
    out = Output()
    if model:
        _check_model(out, asking, as_json=as_json)
        return
    findings = list(examine(rom, HOME / "runs"))
    healthy = all(each.health is not BROKEN for each in findings)
    if as_json:
        checks = [{**each._asdict(), "health": each.health.value} for each in findings]
        facts = [each._asdict() for each in confirmable(rom)]
        out.say(json.dumps({"healthy": healthy, "checks": checks, "facts": facts}))
    else:
        show_health(findings, out)
        if known := confirmable(rom):
            out.print(rows_of(("what", "the cartridge says"), known, "confirm at a glance"))
    if not healthy:
        raise typer.Exit(1)


def _check_model(out: Output, asking: AskSettings, *, as_json: bool) -> None:
    """Print in one line what works of the model. Raises Exit when it cannot be asked."""
    from agent.app.model_check import check_model
    from agent.app.settings import model_terms

    check = check_model(model_terms(asking, HOME))
    out.say(json.dumps(check._asdict()) if as_json else check.line)
    if not check.works:
        raise typer.Exit(1)


def plan(
    rom: Path | None = flags.ROM,
    run: Path | None = option(
        "Plan at the last checkpoint of this run, or of the `last` one. Default: at power-on.",
        "DIR",
        callback=flags.run_named,
    ),
    from_ram: Path | None = option(
        "Plan for RAM images, NAME.wram with NAME.hram, of Pokemon Red or of --rom.",
        "FOLDER_OR_FILE",
    ),
    facts: bool = switch("--facts", "Also print costs, effects and the facts of the planner."),
    as_json: bool = flags.AS_JSON,
) -> None:
    """Show what the agent would do now and why, and its open goals."""
    from agent.app import outlook, outlooks_of_ram

    out = Output()
    if from_ram is not None and run is not None:
        raise UsageError("--from-ram and --run are two different moments; give only one")
    seen = [outlook(rom, run)] if from_ram is None else outlooks_of_ram(from_ram, rom)
    if as_json:
        out.say(json.dumps({"moments": [_object(each, facts=facts) for each in seen]}))
        return
    for number, each in enumerate(seen):
        if number:
            out.say("")
        show_outlook(each, out, facts=facts)


def _object(outlook: Outlook, *, facts: bool) -> dict[str, object]:
    """Return an outlook in plain JSON types, with the facts if asked."""
    goals = [
        {"label": each.label, "priority": each.priority, "active": each is outlook.goal}
        for each in outlook.goals
    ]
    names = ("name", "moment", "team", "now", "plan", "steps", "remembered")
    shown = {name: getattr(outlook, name) for name in names}
    return {**shown, "goals": goals, **({"facts": dict(outlook.facts)} if facts else {})}


def show_outlook(outlook: Outlook, output: Output, *, facts: bool) -> None:
    """Print the moment, the next step, the plan and the open goals; with `facts`, also costs, effects and facts."""
    output.say(f"Moment: {outlook.name}, {outlook.moment}")
    output.say(f"Team: {outlook.team}")
    output.say(f"Now: {outlook.now}.")
    if facts or outlook.goal is None:
        output.say(outlook.plan or "No plan.")
    else:
        output.say(f"Goal: {outlook.goal.label}.")
        for number, step in enumerate(outlook.steps, start=1):
            output.say(f"{number}. {step}.")
    for words in outlook.remembered:
        output.say(f"From memory: {words}.")
    output.say("Open goals, most urgent first:" if outlook.goals else "Open goals: none")
    for goal in outlook.goals:
        chosen = " <- active" if goal is outlook.goal else ""
        output.say(f"  {goal.label} (priority {goal.priority}){chosen}")
    if facts:
        true = [f"{name} = {value}" for name, value in sorted(outlook.facts.items()) if value]
        output.say(f"Facts, {len(outlook.facts) - len(true)} others are 0: {', '.join(true)}")
