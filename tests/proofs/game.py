"""Games with faults, from the first start to the verdict, several with one memory."""

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Final

from agent.story.story import Story
from emulator import Cartridge, CartridgeKind, Dex, Font, World, demo_cartridge_path, load_cartridge
from memory.tiers.knowledge import ConsolidationConfig
from tests.proofs import faults, memory_oracle, oracle
from tests.proofs.channel import NEVER, PORT, Channel, Phase, Player
from tests.proofs.child_process import CLOCK, INTERVAL, STUCK_AFTER
from tests.proofs.disk import Disk
from tests.proofs.faults import Fault, Planned, ProofFailure
from tests.proofs.ledger import Ledger
from tests.proofs.scene import Program, Scene
from tests.proofs.workers import STATE, Row

SEEDS: Final = 1_000
GAMES: Final = 2  # on one memory
KILLS: Final = (8, 16)  # in a game without a supervisor
STUCK: Final = 0.5  # share of games that also restore an older checkpoint
HOUR_S: Final = 3_600.0  # between two processes of such a game, so that memory decays
EFFECT_S: Final = 1.5  # duration of a lasting fault without an effect
AIM_S: Final = 60.0  # until the phase of an aim
CONTINUES_S: Final = 60.0  # until play continues
GIVES_UP_S: Final = 180.0  # until a night gives up: it waits for 60 s, and a child plays after each
ENDS_S: Final = 120.0  # for the rest of a game
LOGGED_S: Final = 3.0  # until a fault is in the log of the night
LIMIT: Final = 3  # exit code
KILLED: Final = -9
QUICK: Final = ("--hang", "15", "--backoff", "0.1", "--min-free", "0", "--json")


def killed_games(number: int) -> Row:
    """Play games without a supervisor; each is killed several times and resumed."""
    return _games(number, is_supervised=False)


def night_games(number: int) -> Row:
    """Play games under the supervisor, with faults of every kind."""
    return _games(number, is_supervised=True)


def _games(number: int, *, is_supervised: bool) -> Row:
    chance, start = Random(number), perf_counter()
    with tempfile.TemporaryDirectory(prefix="proof") as folder:
        is_own = is_supervised and _can_mount(Path(folder))
        games = Games(Path(folder), chance, is_supervised=is_supervised, has_own_disk=is_own)
        rows = [games.play(games.next_faults()) for _ in range(GAMES)]
    return {
        "name": f"job {number}",
        "faults": [fault for row in rows for fault in row["faults"]],
        "verdicts": [row["verdict"] for row in rows],
        "ticks": sum(row["ticks"] for row in rows),
        "restored": sum(row["restored"] for row in rows),
        "seconds": round(perf_counter() - start, 1),
        "problems": [problem for row in rows for problem in row["problems"]],
    }


@dataclass(frozen=True, slots=True)
class _Before:
    """The state before a fault."""

    player: Player
    tick: int
    logged: int


class Games:
    """Games in sequence with one memory, each in its own folder or on its own disk."""

    def __init__(
        self, folder: Path, chance: Random, *, is_supervised: bool, has_own_disk: bool = False
    ) -> None:
        self._folder = folder
        self._chance = chance
        self._is_supervised = is_supervised
        self._cartridge = loaded()
        self._memory = folder / "memory.sqlite"  # from the games before
        self._ledger = Ledger()
        self._has_own_disk = has_own_disk
        self._games = 0

    def next_faults(self) -> list[Planned]:
        """Return the random faults of the next game."""
        if self._is_supervised:
            return faults.night(self._chance, has_own_disk=self._has_own_disk)
        plan = faults.sample(self._chance, (faults.KILLED,), self._chance.randint(*KILLS))
        return [
            *plan,
            *faults.planned(self._chance, [faults.KILLED_AT_END] * self._chance.randint(0, 1)),
        ]

    def play(self, plan: Sequence[Planned], until: str = "") -> Row:
        """Play one game to its end, and check it."""
        self._games += 1
        goal = until or milestones()[-1]
        with ExitStack() as stack:
            scene = self._scene(stack, goal)
            logged = list(self._play_with_faults(scene, plan))
            scene.program.close()
            if self._has_own_disk:
                scene.disk.free()
                scene.disk.thaw(scene.run)
            ended_by = next(
                (each.fault for each in plan[: len(logged)] if each.fault.verdicts), None
            )
            problems = [problem for each in logged for problem in each.pop("problems")]
            files = oracle.Files(scene.run, scene.memory, self._folder)
            has_no_copy = _gave_up_without_copy(scene)
            if not has_no_copy:
                problems += self._verdict(scene, ended_by)
                problems += self._file_problems(scene, files, goal, ended_by)
            row = {
                "faults": logged,
                "verdict": _verdict_of(scene),
                "ticks": scene.ending.get("ticks", 0),
                "restored": oracle.restores(files),
                "problems": problems,
            }
            if problems:
                self._save_files(scene)
            is_complete = ended_by is None and not has_no_copy
            self._keep_memory(scene, is_good=not problems and is_complete)
        return row

    def _scene(self, stack: ExitStack, goal: str) -> Scene:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=self._folder)))
        home, clock, out, log = (place / name for name in ("home", "clock", "out", "log"))
        home.mkdir()
        disk = Disk(home, is_own=self._has_own_disk)
        stack.callback(disk.close)
        clock.write_text(str(HOUR_S * 100 * self._games), encoding="ascii")
        if self._memory.exists():
            shutil.copyfile(self._memory, home / "memory.sqlite")
        self._ledger.steps = self._ledger.checkpoints = 0
        channel = Channel(self._ledger)
        stack.callback(channel.close)
        interval = str(60 if self._is_supervised else self._chance.randint(20, 50))
        environment = {PORT: str(channel.port), CLOCK: str(clock), INTERVAL: interval}
        seed = ("--seed", str(self._chance.randrange(SEEDS)), "--until", goal)
        if not self._is_supervised and self._chance.random() < STUCK:
            environment[STUCK_AFTER] = str(self._chance.randint(40, 200))
        program = Program(partial(self._command, home, seed), environment, out, log)
        stack.callback(program.close)
        return Scene(disk, channel, program, clock, out, self._chance)

    def _command(self, home: Path, seed: Sequence[str]) -> Sequence[str]:
        run, memory = str(home / "run"), ("--memory", str(home / "memory.sqlite"))
        if self._is_supervised:
            return ("overnight", "--run", run, *memory, *seed, *QUICK)
        resumes = (home / "run" / "run.sqlite").exists()
        return (
            "play",
            *(("--resume", run) if resumes else ("--run", run, *seed)),
            *memory,
            "--json",
        )

    def _play_with_faults(self, scene: Scene, plan: Sequence[Planned]) -> Iterator[Row]:
        """Start the game, yield the result of each fault, and play to the end."""
        targets = [*(each.aim for each in plan), NEVER]
        channel = scene.channel
        channel.aim = targets[0]
        scene.program.begin()
        for number, (planned, following) in enumerate(zip(plan, targets[1:], strict=True), 1):

            def is_held(phase: Phase = planned.aim.phase) -> bool:
                return channel.player is not None and channel.player.held is phase

            channel.until(lambda: is_held() or scene.program.code is not None, AIM_S)
            if not is_held():
                break  # the game ended earlier
            channel.aim = following
            row = self._fault_result(scene, planned)
            if not self._is_supervised:
                scene.shift_clock(HOUR_S * (100 * self._games + number))
            yield row
            if row["outcome"] in ("ended", "wrong"):
                return
        channel.aim = NEVER
        channel.release()
        channel.until(lambda: scene.program.code is not None, ENDS_S)

    def _fault_result(self, scene: Scene, planned: Planned) -> Row:
        """Apply one fault, wait for its effect, and wait until play continues or has ended."""
        fault, channel = planned.fault, scene.channel
        before = _Before(scene.player, scene.player.tick, len(scene.logged_faults()))
        problems: list[str] = []
        detail = ""
        try:
            detail = _apply(scene, planned)
        except ProofFailure as failure:
            problems.append(str(failure))
        since = perf_counter()
        channel.until(lambda: _has_effect(scene, fault, before.player, since), CONTINUES_S)
        if fault.undo is not None:
            fault.undo(scene, before.player)
            since = perf_counter()
        if not self._is_supervised:
            problems += oracle.lost_commits(scene.run_file, self._ledger, self._folder)
        outcome, wrong = self._wait_for_outcome(scene, fault, before, since)
        player = channel.player
        is_new = player is not None and player is not before.player
        return {
            "fault": fault.name,
            "at": f"{planned.aim.phase.value}, tick {before.tick}",
            "says": detail,
            "outcome": outcome,
            "back_s": round(player.ticked_at - since, 3)
            if player and player.ticked_at > since
            else None,
            "replayed": max(before.tick - player.first_tick, 0)
            if player and is_new and player.first_tick >= 0
            else 0,
            "problems": [*problems, *wrong, *self._unlogged(scene, fault, before, outcome)],
        }

    def _wait_for_outcome(
        self, scene: Scene, fault: Fault, before: _Before, since: float
    ) -> tuple[str, list[str]]:
        """Wait until play continues or ends, restarting the command where that is expected."""
        within = GIVES_UP_S if fault.verdicts else CONTINUES_S
        outcome, deadline = "continued", perf_counter() + within
        while not _continues(scene, fault, before.player, since):
            if perf_counter() > deadline:
                return "wrong", [f"{fault.name}: neither play nor an end within {within:.0f} s"]
            scene.channel.listen()
            code = scene.program.code
            if code is None:
                continue
            if fault.verdicts or code == 0 or _gave_up_without_copy(scene):
                return "ended", []
            is_killed = not self._is_supervised and code == KILLED
            if not (is_killed or fault.needs_restart or (fault.may_end and code == LIMIT)):
                why = scene.ending.get("reason", scene.ending)
                return "wrong", [f"{fault.name}: the program ended with {code}: {why}"]
            outcome = "reported why, continued after a restart" if fault.may_end else outcome
            scene.program.begin()
        return outcome, []

    def _unlogged(self, scene: Scene, fault: Fault, before: _Before, outcome: str) -> list[str]:
        """Return an error when the log of the night lacks a required fault."""
        must = fault.must_be_logged or (fault.logged_as and not before.player.is_open)
        if not self._is_supervised or outcome in ("ended", "wrong") or not must:
            return []

        def logged() -> list[str]:
            return scene.logged_faults()[before.logged :]

        if scene.channel.until(lambda: not fault.logged_as.isdisjoint(logged()), LOGGED_S):
            return []
        return [f"{fault.name}: the log of the night has {logged()}"]

    def _verdict(self, scene: Scene, ended_by: Fault | None) -> Iterator[str]:
        wanted = ended_by.verdicts if ended_by else {("goal", "")}
        which = str(scene.ending.get("which", ""))
        verdict, why = _verdict_of(scene), str(scene.ending.get("reason", ""))
        if (verdict, which) not in wanted:
            yield f"the program ended with {scene.program.code}: {verdict} {which}: {why}"
        if (
            ended_by is not None
            and ".sqlite" in ended_by.name
            and ended_by.name.split()[0] not in why
        ):
            yield f"the verdict does not name {ended_by.name.split()[0]}: {why}"
        if not self._is_supervised and scene.ending.get("errors"):
            yield f"{scene.ending['errors']} errors: {scene.ending.get('reason')}"

    def _file_problems(
        self, scene: Scene, files: oracle.Files, goal: str, ended_by: Fault | None
    ) -> list[str]:
        """Return the problems of the files, except of destroyed ones."""
        is_destroyed = ended_by is not None and ended_by.name.startswith("run.sqlite")
        problems: list[str] = []
        try:
            if not is_destroyed:
                last = None if ended_by else goal
                problems += oracle.run_problems(files, self._cartridge, milestones(), last)
            if ended_by is None:
                problems += memory_oracle.delivered_problems(
                    files, self._ledger, ConsolidationConfig()
                )
                problems += self._unexplained_losses(scene)
        except (LookupError, ValueError, OSError, sqlite3.Error) as error:
            problems.append(f"cannot be examined: {error!r}")
        return problems

    def _unexplained_losses(self, scene: Scene) -> Iterator[str]:
        """Yield losses that no restored copy explains, and damaged files that were removed."""
        kinds, forgotten = scene.logged_faults(), self._ledger.forgotten
        if forgotten and "damaged_memory" not in kinds:
            yield f"memory: {len(forgotten)} stored lessons were lost"
        for file, kind in ((scene.run_file, "damaged_run"), (scene.memory, "damaged_memory")):
            kept = [
                each
                for each in file.parent.glob(f"{file.name}.damaged-*")
                if each.name[-3:] not in ("wal", "shm")
            ]
            repairs = scene.repairs(kind)
            if len(kept) < repairs:
                yield f"{kind}: {repairs} repairs are reported, {len(kept)} damaged files are stored"

    def _save_files(self, scene: Scene) -> None:
        """Copy all files of a game with problems."""
        kept = STATE / "failures" / f"{self._folder.name}-{self._games}"
        shutil.copytree(scene.disk.home, kept, dirs_exist_ok=True)
        for name in ("log", "out"):
            if (file := scene.out.with_name(name)).exists():
                shutil.copyfile(file, kept / name)

    def _keep_memory(self, scene: Scene, *, is_good: bool) -> None:
        """Give the memory of this game to the next one, or no memory if it is not reliable."""
        self._memory.unlink(missing_ok=True)
        if not is_good:
            self._ledger = Ledger()
            return
        self._ledger = Ledger(lessons=self._ledger.lessons)
        with closing(sqlite3.connect(scene.memory)) as file:
            file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        shutil.copyfile(scene.memory, self._memory)


def loaded() -> Cartridge:
    """Return the demo with all tables decoded."""
    cartridge = load_cartridge(demo_cartridge_path())
    for each in (World, Dex, Font):
        each.of(cartridge)
    return cartridge


def milestones() -> Sequence[str]:
    """Return the milestones of the demo's story up to the first badge."""
    return Story.of(CartridgeKind.DEMO).up_to("first_badge")


def _gave_up_without_copy(scene: Scene) -> bool:
    """Return whether a file without a copy was damaged, and the night gave up with that reason and left it."""
    why = str(scene.ending.get("reason", ""))
    return _verdict_of(scene) == "gave_up" and any(
        file.exists()
        and why.startswith(str(file))
        and why.endswith("there is no good copy of it, and it stays as it is")
        and not list((scene.run / "copies").glob(f"*{file.name}*"))
        for file in (scene.run_file, scene.memory)
    )


def _verdict_of(scene: Scene) -> str:
    return str(scene.ending.get("verdict", scene.ending.get("stop", "none")))


def _apply(scene: Scene, planned: Planned) -> str:
    """Apply a fault while the player is stopped, or at its delay after the release."""
    fault, channel = planned.fault, scene.channel
    # A player that is about to end must not be stopped again and wait for its release.
    later = NEVER if fault.ends_player else None
    if fault.while_held:
        detail = fault.apply(scene)
        channel.release(later)
        return detail
    channel.release(later)
    until = perf_counter() + planned.delay_s
    while perf_counter() < until:  # a sleep is not exact enough
        pass
    return fault.apply(scene)


def _has_effect(scene: Scene, fault: Fault, victim: Player, since: float) -> bool:
    """Return whether a fault has taken effect, so that it can be undone."""
    if fault.undo is not None:
        is_over = perf_counter() - since > EFFECT_S
        return is_over or (not victim.is_open and not fault.lasts_whole)
    if fault.needs_restart:
        return scene.program.code is not None
    return not fault.ends_player or not victim.is_open or bool(fault.verdicts)


def _continues(scene: Scene, fault: Fault, victim: Player, since: float) -> bool:
    """Return whether a process plays again, or is stopped for the next fault."""
    player = scene.channel.player
    if player is None or fault.verdicts or (fault.ends_player and player is victim):
        return False
    return player.ticked_at > since or player.held is not None


def _can_mount(folder: Path) -> bool:
    home = folder / "probe"
    home.mkdir()
    disk = Disk(home, is_own=True)
    disk.close()
    return disk.is_own
