"""Games one after the other on one memory: each with its own disk, its faults, and its judge."""

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Final

from kills.lane import milestones, warm

from nightly.disk import disk_in
from nightly.game import Play, command, surroundings
from nightly.kinds import FOR_GOOD, Kind
from nightly.line import Line
from nightly.oracle import Files, memory_problems, run_problems
from nightly.plan import Planned, drawn
from nightly.scene import Scene
from nightly.taught import Taught
from nightly.trouble import Game
from nightly.watchman import Watchman

SEEDS: Final = 1_000


class Lane:
    """Plays games in `folder` and keeps the files of those with something wrong in `failures`."""

    def __init__(self, folder: Path, failures: Path, number: int, chance: Random) -> None:
        self.disk_says = ""
        self._folder = folder
        self._failures = failures
        self._number = number
        self._chance = chance
        self._games = 0
        self._cartridge = warm()
        self._milestones = milestones()
        self._memory = folder / "memory.sqlite"  # what the games before taught
        self._taught = Taught()

    def games(self, faults: int) -> Iterator[Game]:
        """Yield games until so many faults were done."""
        while faults > 0:
            game = self.game(drawn(self._chance, faults))
            faults -= len(game.troubles)
            yield game

    def game(self, plan: Sequence[Planned], until: str = "") -> Game:
        """Play one game through, and judge it."""
        self._games += 1
        seed, start = self._chance.randrange(SEEDS), perf_counter()
        goal = until or self._milestones[-1]
        with ExitStack() as stack:
            scene = self._scene(stack, seed, goal)
            play = Play(scene)
            troubles = tuple(play.through(plan))
            scene.watchman.close()
            _let_go(scene)
            ended_for = next((each.kind for each in troubles if each.kind in FOR_GOOD), None)
            problems = [*self._verdict(scene, play, ended_for)]
            problems += self._judge(scene, goal, ended_for)
            told = scene.watchman.told
            game = Game(
                name=f"lane {self._number}, game {self._games}, seed {seed}",
                troubles=troubles,
                verdict=" ".join(str(told.get(each, "")) for each in ("verdict", "which")).strip(),
                why=str(told.get("why", "")).replace(f"{scene.disk.home}/", ""),
                ticks=int(told.get("ticks", 0)),
                seconds=perf_counter() - start,
                problems=tuple(problems),
                mended=sum(each.startswith("damaged_") for each in scene.faults_told()),
            )
            if game.is_wrong:
                game = game._replace(kept_as=self._keep(scene))
            self._remember(scene, is_good=not game.is_wrong and ended_for is None)
        return game

    def _scene(self, stack: ExitStack, seed: int, goal: str) -> Scene:
        """Lay out one game, with what the games before taught."""
        place = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=self._folder)))
        home = place / "disk"
        home.mkdir()
        disk = disk_in(home)
        stack.callback(disk.close)
        self.disk_says = disk.says
        memory, clock = home / "memory.sqlite", place / "clock"
        clock.write_text("0", encoding="ascii")
        if self._memory.exists():
            shutil.copyfile(self._memory, memory)
        line = Line()
        stack.callback(line.close)
        line.taught = self._taught
        watchman = Watchman(
            command(home / "run", memory, seed, goal),
            place / "log.txt",
            surroundings(line.port, clock),
        )
        stack.callback(watchman.close)
        return Scene(disk, line, watchman, clock, self._chance)

    def _verdict(self, scene: Scene, play: Play, ended_for: Kind | None) -> Iterator[str]:
        """Yield what is wrong with how the night ended."""
        if not play.is_over:
            yield "verdict: there is none"
            return
        told = scene.watchman.told
        said = str(told.get("verdict", "")), str(told.get("which", ""))
        why = str(told.get("why", ""))
        if said not in (FOR_GOOD[ended_for] if ended_for else {("goal", "")}):
            code = scene.watchman.code
            yield f"verdict: {' '.join(said).strip() or 'none'}, code {code}: {why}"
        kept = {Kind.RUN_DESTROYED: "run.sqlite", Kind.MEMORY_DESTROYED: "memory.sqlite"}
        if ended_for in kept and kept[ended_for] not in why:
            yield f"verdict: it does not name {kept[ended_for]}: {why}"

    def _judge(self, scene: Scene, goal: str, ended_for: Kind | None) -> Iterator[str]:
        """Yield what is wrong with the files; of what was destroyed nothing is asked."""
        scratch = self._folder / "scratch"
        scratch.mkdir(exist_ok=True)
        files = Files(scene.run, scene.memory, scratch)
        try:
            if ended_for is not Kind.RUN_DESTROYED:
                ended_at = None if ended_for else goal
                yield from run_problems(files, self._cartridge, self._milestones, ended_at)
            if ended_for is None:
                yield from memory_problems(files, scene.line.taught)
                yield from _put_back(scene)
        except (LookupError, ValueError, OSError, sqlite3.Error) as error:
            yield f"cannot be examined: {error!r}"
        finally:
            shutil.rmtree(scratch)

    def _keep(self, scene: Scene) -> str:
        """Keep all files of a game, and return under which name."""
        name = f"lane-{self._number}-game-{self._games}"
        kept = self._failures / name
        shutil.rmtree(kept, ignore_errors=True)
        shutil.copytree(scene.disk.home, kept)
        for each in scene.disk.home.parent.glob("log.*"):
            shutil.copyfile(each, kept / each.name)
        return name

    def _remember(self, scene: Scene, *, is_good: bool) -> None:
        """Let the next game begin with this one's memory, or with none where it is not to be trusted."""
        self._memory.unlink(missing_ok=True)
        if not is_good:
            self._taught = Taught()
            return
        self._taught = Taught(lessons=scene.line.taught.lessons)
        with closing(sqlite3.connect(scene.memory)) as file:
            file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        shutil.copyfile(scene.memory, self._memory)


def _let_go(scene: Scene) -> None:
    """Give room and right to write back, so that what is left can be examined."""
    if scene.line.lives:
        scene.disk.free(scene.life.pid)
    if scene.run.is_dir():
        scene.disk.thaw(scene.run)


def _put_back(scene: Scene) -> Iterator[str]:
    """Yield what is not explained by a copy that was put back, and what was thrown away for it."""
    kinds = scene.faults_told()
    forgotten = scene.line.taught.forgotten
    if forgotten and "damaged_memory" not in kinds:
        yield f"memory: {len(forgotten)} lessons that it had taken in were lost"
    for file, kind in ((scene.run_file, "damaged_run"), (scene.memory, "damaged_memory")):
        kept = [*file.parent.glob(f"{file.name}.damaged-*")]
        aside = [each for each in kept if not each.name.endswith(("-wal", "-shm", "-journal"))]
        if len(aside) < kinds.count(kind):
            yield f"{kind}: {kinds.count(kind)} are told of, {len(aside)} damaged files are kept"
