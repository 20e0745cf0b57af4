"""The examples at the end of each command's help, by the words that come before its flags."""

from collections.abc import Mapping
from typing import Final

from agent.shell import command

EXAMPLES: Final[Mapping[str, tuple[str, ...]]] = {
    "": ("play --until first_badge", "report last"),
    "play": ("play --seed 7 --until first_badge --run runs/seven", "play --resume last"),
    "overnight": (
        "overnight --run runs/tonight --hours 8",
        "overnight --rom roms/red.gb --run runs/red --game-hours 20",
    ),
    "replay": ("replay last", "replay last --from 1 --to 500 --gif start.gif"),
    "report": ("report last", "report runs/one runs/two --write both.html"),
    "runs": ("runs", "runs --json"),
    "milestones": ("milestones", "milestones --rom roms/red.gb"),
    "eval": (
        "eval --seeds 0..19 --until first_badge",
        "eval --seeds 0..9 --mind claude --against rules",
    ),
    "verify": ("verify --minutes 30", "verify --rom roms/red.gb --write checked"),
    "plan": ("plan", "plan --run last --facts"),
    "doctor": ("doctor --rom roms/red.gb", "doctor --model"),
    "fake-claude": ("fake-claude", "fake-claude --port 0 --seed 3"),
    "observe": ("observe --dry-run", "observe --db .tapes/tapes.sqlite --reset"),
    "bench": ("bench speed --rounds 2", "bench all"),
    "bench speed": ("bench speed --rounds 2", "bench speed --ticks 2000 --write speed.json"),
    "bench side-by-side": (
        "bench side-by-side --rounds 1",
        "bench side-by-side --write side_by_side.json",
    ),
    "bench battles": (
        "bench battles --seeds 0..59",
        "bench battles --met 0..9 --until third_badge",
    ),
    "bench experience": (
        "bench experience --seeds 0..19 --teach 3000..3003",
        "bench experience --seeds 100..119 --taught memory.sqlite",
    ),
    "bench all": ("bench all", "bench all dates merge"),
    "memory": ("memory show", "memory search first badge"),
    "memory show": ("memory show", "memory show last --kind battle"),
    "memory map": ("memory map", "memory map last --json"),
    "memory search": ("memory search first badge", "memory search tackle --in last --explain"),
    "memory progress": ("memory progress", "memory progress --json"),
    "memory explain": ("memory explain 520c8de8", "memory explain 520c8de8 --in last"),
    "memory forget": ("memory forget 520c8de8", "memory forget --kind battle --older-than 90"),
    "memory restore": ("memory restore", "memory restore 520c8de8"),
    "memory export": ("memory export --to memory.csv", "memory export last --to run.json"),
    "memory check": ("memory check", "memory check --repair"),
    "memory merge": (
        "memory merge one.sqlite two.sqlite --into both.sqlite",
        "memory merge other.sqlite --into memory.sqlite --json",
    ),
    "scenario": ("scenario run tests/scenarios --jobs 2", "scenario list tests/scenarios"),
    "scenario run": (
        "scenario run tests/scenarios --jobs 2",
        "scenario run tests/scenarios --seeds 0..4",
    ),
    "scenario list": ("scenario list tests/scenarios", "scenario list tests/scenarios --json"),
    "scenario record": (
        "scenario record last --at 1200 --name a_ledge --into mine",
        "scenario record last --at 900 --name parcel --into mine --until milestone:parcel=true",
    ),
    "scenario from-stuck": (
        "scenario from-stuck last --into mine",
        "scenario from-stuck runs/one --into mine --episode 2",
    ),
}


def epilog(path: str) -> str:
    """Return the examples of a command as the end of its help, one a line."""
    return "\n".join(["\b", "Examples:", *(f"  {command()} {each}" for each in EXAMPLES[path])])
