"""A page that `eval` wrote, read back: what others can be held against without playing it again."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

SHA1: Final = re.compile(r"SHA-1 `([0-9a-f]+)`")
SEEDS: Final = re.compile(r"--seeds (\S+)")
FIRST: Final = "| seed | stop | "  # how the head of the table of every game begins
LAST: Final = ("battles", "blackouts", "stuck, restores", "frames", "wall s")  # how it ends


@dataclass(frozen=True, slots=True)
class GameRow:
    """One game as its row tells it; `ticks` are those to each milestone it reached."""

    seed: int
    ticks: Mapping[str, int]
    battles_lost: int
    blackouts: int
    episodes: int
    restores: int
    frames: int


@dataclass(frozen=True, slots=True)
class Committed:
    """The games of a page; the last of `milestones` is the one they were played to."""

    seeds: str
    sha1: str
    milestones: tuple[str, ...]
    games: tuple[GameRow, ...]


def committed(path: Path) -> Committed | None:
    """Return what the page at `path` holds; None where there is none, or none that `eval` wrote."""
    if not path.is_file():
        return None
    text = path.read_text(encoding="utf-8")
    seeds, sha1, head = SEEDS.search(text), SHA1.search(text), text.find(FIRST)
    if seeds is None or sha1 is None or head < 0:
        return None
    names, _, *rows = [_cells(line) for line in text[head:].splitlines() if line.startswith("|")]
    milestones = tuple(names[2 : -len(LAST)])
    return Committed(seeds[1], sha1[1], milestones, tuple(_rows(milestones, rows)))


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def _rows(milestones: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[GameRow]:
    for row in rows:
        ticks = zip(milestones, row[2:], strict=False)
        battles, blackouts, stuck, frames, _ = row[-len(LAST) :]
        episodes, restores = (int(each) for each in stuck.split(", "))
        yield GameRow(
            seed=int(row[0]),
            ticks={name: int(tick) for name, tick in ticks if tick},
            battles_lost=int(battles.split(", ")[1]),
            blackouts=int(blackouts),
            episodes=episodes,
            restores=restores,
            frames=int(frames.replace(",", "")),
        )
