"""`doctor` and `plan`: what this machine, the cartridge and the planner say before anything is played."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from importlib import metadata
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from agent.app import HOME, Outlook, outlook, outlooks_of_ram
from agent.cli.flags import Rom, option
from agent.cli.output import Output
from agent.errors import UsageError
from agent.tools import OwnerFact, ReaderCheck, owner_facts, reader_checks
from emulator import Cartridge, EmulatorError, demo_cartridge_path, load_cartridge
from emulator.soundness.check import CartridgeCheck
from emulator.soundness.survey import UNSOUND_ADVICE, refuse_unsound, survey

PACKAGES: Final = ("pyboy", "numpy", "pillow", "anthropic", "pytesseract", "typer", "rich")
DISK_FLOOR_GB: Final = 1.0  # a night of play with checkpoints stays well below
KEY: Final = "ANTHROPIC_API_KEY"
SURVEY: Final = "survey"  # the checks of all that is decoded
GLYPHS: Final = "glyphs"  # the reader that knows the font


class Health(Enum):
    """How a check went."""

    OK = "ok"
    OPTIONAL = "optional"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class HealthFinding:
    """One check: what was found, and what to do about it."""

    what: str
    health: Health
    found: str
    advice: str = ""


def examine(rom: Path | None, folder: Path) -> Iterator[HealthFinding]:
    """Yield every finding about this machine, the cartridge, and `folder`, where runs would go."""
    yield _interpreter()
    yield _dependencies()
    yield _tesseract()
    yield _key()
    yield _disk(folder)
    try:
        cartridge = load_cartridge(rom or demo_cartridge_path())
    except EmulatorError as error:
        yield HealthFinding("cartridge", Health.BROKEN, "cannot be played", str(error))
        return
    advice = "" if rom else "to play your own Pokemon Red: --rom PATH"
    yield HealthFinding("cartridge", Health.OK, f"{cartridge.name}, SHA-1 {cartridge.sha1}", advice)
    soundness = list(_soundness(cartridge))
    yield from soundness
    if all(each.health is Health.OK for each in soundness):  # what is unsound may run for ever
        yield from _readings(cartridge)


def show_health(findings: Iterable[HealthFinding], console: Console) -> bool:
    """Print the findings, those of the survey by themselves; return whether the agent can play."""
    # Hashes and paths are shown whole.
    found, advised = (Column(name, overflow="fold") for name in ("found", "what to do"))
    table = Table("check", "", found, advised, title="doctor", title_justify="left")
    surveyed = Table("", "what holds of a sound cartridge", title="survey", title_justify="left")
    colour = {Health.OK: "green", Health.OPTIONAL: "yellow", Health.BROKEN: "red"}
    sound = True
    for finding in findings:
        sound = sound and finding.health is not Health.BROKEN
        health = Text(finding.health.value, style=colour[finding.health])
        if finding.what == SURVEY:
            advice = f". {finding.advice}" if finding.advice else ""
            surveyed.add_row(health, Text(finding.found + advice))
        else:
            table.add_row(finding.what, health, Text(finding.found), Text(finding.advice))
    console.print(table)
    if surveyed.row_count:
        console.print(surveyed)
    return sound


def confirmable(rom: Path | None) -> tuple[OwnerFact, ...]:
    """Return what the owner can confirm at a glance; nothing of a cartridge that is not sound."""
    try:
        cartridge = load_cartridge(rom or demo_cartridge_path())
        refuse_unsound(cartridge, survey(cartridge))
    except EmulatorError:
        return ()  # the findings say why
    return owner_facts(cartridge)


def show_facts(facts: tuple[OwnerFact, ...], console: Console) -> None:
    """Print what the owner can confirm."""
    table = Table("what", "the cartridge says", title="confirm at a glance", title_justify="left")
    for fact in facts:
        table.add_row(Text(fact.what), Text(fact.says))
    if facts:
        console.print(table)


def _interpreter() -> HealthFinding:
    version = ".".join(str(part) for part in sys.version_info[:3])
    return HealthFinding("python", Health.OK, f"{version} at {sys.executable}")


def _dependencies() -> HealthFinding:
    versions = {name: _version(name) for name in PACKAGES}
    found = ", ".join(f"{name} {version or 'missing'}" for name, version in versions.items())
    if None in versions.values():
        return HealthFinding(
            "packages", Health.BROKEN, found, "run scripts/play once: it installs them"
        )
    return HealthFinding("packages", Health.OK, found)


def _tesseract() -> HealthFinding:
    program = shutil.which("tesseract")
    if program is None:
        advice = "not needed to play; Debian: apt-get install tesseract-ocr"
        return HealthFinding("tesseract", Health.OPTIONAL, "not installed", advice)
    try:
        asked = subprocess.run(
            [program, "--version"], capture_output=True, text=True, timeout=10, check=True
        )
    except (OSError, subprocess.SubprocessError) as error:
        return HealthFinding(
            "tesseract", Health.OPTIONAL, f"does not run: {error}", "install it again"
        )
    words = asked.stdout.split()
    return HealthFinding("tesseract", Health.OK, " ".join(words[1:2]) or program)


def _key() -> HealthFinding:
    if os.environ.get(KEY):
        return HealthFinding("key", Health.OK, f"{KEY} is set (not used yet: play is by rules)")
    return HealthFinding(
        "key", Health.OPTIONAL, f"{KEY} is not set", "not needed: play is by rules"
    )


def _disk(folder: Path) -> HealthFinding:
    existing = next(parent for parent in (folder, *folder.parents) if parent.exists())
    free = shutil.disk_usage(existing).free / 1e9
    found = f"{free:.1f} GB free at {existing}"
    if free < DISK_FLOOR_GB:
        return HealthFinding("disk", Health.BROKEN, found, f"make {DISK_FLOOR_GB:.0f} GB of room")
    if not os.access(existing, os.W_OK):
        return HealthFinding(
            "disk", Health.BROKEN, f"{existing} is read-only", "play with --run DIR"
        )
    return HealthFinding("disk", Health.OK, found)


def _soundness(cartridge: Cartridge) -> Iterator[HealthFinding]:
    """How the cartridge does by every invariant; one that cannot even be decoded is one finding."""
    try:
        checks = survey(cartridge)
    except EmulatorError as error:
        yield HealthFinding(SURVEY, Health.BROKEN, "cannot be decoded", str(error))
        return
    for check in checks:
        yield _invariant(check)


def _invariant(check: CartridgeCheck) -> HealthFinding:
    if check.is_sound:
        looked = f"{check.looked_at} looked at" if check.looked_at else "it has none"
        return HealthFinding(SURVEY, Health.OK, f"{check.invariant}: {looked}")
    more = check.broken - len(check.violations)
    told = "; ".join(check.violations) + (f"; and {more} more" if more else "")
    found = f"{check.invariant}, but: {told}"
    return HealthFinding(SURVEY, Health.BROKEN, found, UNSOUND_ADVICE)


def _readings(cartridge: Cartridge) -> Iterator[HealthFinding]:
    """How each reader did on the main menu, to which the cartridge is switched on."""
    try:
        found = reader_checks(cartridge)
    except EmulatorError as error:
        yield HealthFinding("main menu", Health.BROKEN, "cannot be seen", str(error))
        return
    for opinion in found:
        yield _reading(opinion)


def _reading(opinion: ReaderCheck) -> HealthFinding:
    """How a reader did on the main menu: glyphs must be exact, the second opinion need not be."""
    what = f"text by {opinion.reader}"
    if opinion.accuracy is None:
        return HealthFinding(what, Health.OPTIONAL, opinion.reason, "not needed to play")
    right, total = opinion.accuracy
    found = f"{right} of {total} characters of the main menu"
    exact = right == total
    if exact or opinion.reader != GLYPHS:
        told = "; ".join(opinion.disagreements)
        return HealthFinding(what, Health.OK, f"{found} ({told})" if told else found)
    return HealthFinding(
        what, Health.BROKEN, found, "the picture does not show what RAM says; report it"
    )


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def doctor(rom: Rom = None) -> None:
    """Check this machine and the cartridge, and say what to do."""
    out = Output()
    healthy = show_health(examine(rom, HOME / "runs"), out)
    show_facts(confirmable(rom), out)
    if not healthy:
        raise typer.Exit(1)


def plan(
    rom: Rom = None,
    run: Annotated[
        Path | None,
        option(
            "Look at the last checkpoint of this run. Default: a cartridge just switched on.", "DIR"
        ),
    ] = None,
    from_ram: Annotated[
        Path | None,
        option(
            "Look at RAM images, NAME.wram with NAME.hram, of Pokemon Red or of the --rom.",
            "FOLDER_OR_FILE",
        ),
    ] = None,
) -> None:
    """Say what the agent would do now and why: facts, goals, and the plan in words."""
    out = Output()
    if from_ram is None:
        show_outlook(outlook(rom, run), out)
        return
    if run is not None:
        message = "--from-ram and --run are two different moments; name one"
        raise UsageError(message)
    for number, each in enumerate(outlooks_of_ram(from_ram, rom)):
        if number:
            out.say("")
        show_outlook(each, out)


def show_outlook(outlook: Outlook, output: Output) -> None:
    """Print the moment, its facts, the open goals, what is done next, and the plan with its reasons."""
    output.say(f"Moment: {outlook.name}, {outlook.moment}")
    output.say(f"Team: {outlook.team}")
    true = [f"{name} = {value}" for name, value in sorted(outlook.facts.items()) if value]
    output.say(f"Facts, {len(outlook.facts) - len(true)} others being 0: {', '.join(true)}")
    output.say("Open goals, the most urgent first:" if outlook.goals else "Open goals: none")
    for goal in outlook.goals:
        chosen = " <- pursued" if goal is outlook.goal else ""
        output.say(f"  {goal.says} (priority {goal.priority}){chosen}")
    output.say(f"Now: {outlook.now}.")
    output.say(outlook.plan or "No plan.")
    for words in outlook.remembered:
        output.say(f"Remembered: {words}.")
