"""The faults, each a small class: what it does, when it has been felt, and what is undone then."""

import resource
import signal
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from subprocess import TimeoutExpired
from time import perf_counter
from typing import Final, Protocol

from nightly import injuries
from nightly.kinds import Kind
from nightly.scene import Scene

PAGE: Final = resource.getpagesize()
MOST_ABOVE: Final = 16 << 20  # bytes that a process has above its limit
FELT_S: Final = 1.5  # that a lack lasts where nobody minds it
HOUR_S: Final = 3_600.0
MOST_HOURS: Final = 30.0


class Fault(Protocol):
    """Something that is done to a night.

    `is_held` says that it is done while the player holds its breath, `ends_life` that this player cannot go on, and
    `is_for_good` that nothing can: then `relieve` undoes nothing.
    """

    is_held: bool
    ends_life: bool
    is_for_good: bool

    def strike(self, scene: Scene) -> str:
        """Do it; return what exactly was done."""

    def is_felt(self, scene: Scene) -> bool:
        """Return whether it has had its effect, so that it can be relieved."""

    def relieve(self, scene: Scene) -> None:
        """Undo what lasts."""


class Ordinary:
    """What most faults have in common: the player dies of it, and nothing is to be undone."""

    is_held = False
    ends_life = True
    is_for_good = False

    def is_felt(self, scene: Scene) -> bool:
        """It is done when it is done."""
        del scene
        return True

    def relieve(self, scene: Scene) -> None:
        """Nothing lasts."""


class Lasting(Ordinary):
    """A fault that lasts until it is felt, by the end of whoever played, or for so long."""

    ends_life = False

    def __init__(self) -> None:
        self._since = perf_counter()

    def begin(self, scene: Scene) -> None:
        """Note who is to feel it."""
        self._since, self._victim = perf_counter(), scene.life

    def is_felt(self, scene: Scene) -> bool:
        """Whoever played is gone, or minds it not."""
        del scene
        return not self._victim.is_open or perf_counter() - self._since > FELT_S


class PlayerSignalled(Ordinary):
    """The player gets a signal."""

    def __init__(self, number: signal.Signals) -> None:
        self._number = number

    def strike(self, scene: Scene) -> str:
        """Send it."""
        scene.signal_player(self._number)
        return self._number.name


class SupervisorSignalled(Ordinary):
    """The supervisor gets a signal, and ends."""

    def __init__(self, number: signal.Signals) -> None:
        self._number = number

    def strike(self, scene: Scene) -> str:
        """Send it."""
        scene.watchman.signal(self._number)
        return self._number.name

    def is_felt(self, scene: Scene) -> bool:
        """It is gone."""
        return scene.watchman.code is not None


class SecondSupervisor(Ordinary):
    """The same command is begun a second time. What it says is for the judge: `problem` is '' when all is well."""

    ends_life = False
    problem = ""

    def strike(self, scene: Scene) -> str:
        """Run it to its end."""
        try:
            done = scene.watchman.another()
        except TimeoutExpired:
            if scene.watchman.code is None:
                self.problem = "a second supervisor was not refused"
            return "it played on where the first had just come to its end"
        lines = done.stderr.strip().splitlines()
        if done.returncode not in {1, 2} or len(lines) != 1:
            self.problem = f"a second supervisor ended with {done.returncode}: {done.stderr!r}"
        return lines[-1] if lines else ""


class NoMemory(Lasting):
    """The player gets no more memory than it has, and what it gives back is gone, so that an allocation soon fails."""

    def strike(self, scene: Scene) -> str:
        """Set the limit."""
        self.begin(scene)
        above = scene.chance.randrange(MOST_ABOVE)
        with suppress(ProcessLookupError, FileNotFoundError):
            pid = scene.life.pid
            size = PAGE * int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[0])
            most = resource.prlimit(pid, resource.RLIMIT_AS)[1]
            resource.prlimit(pid, resource.RLIMIT_AS, (size - above, most))
        return f"{above >> 10} KiB above the limit"

    def relieve(self, scene: Scene) -> None:
        """Lift it; who was started since never had it."""
        with suppress(ProcessLookupError):
            most = resource.prlimit(self._victim.pid, resource.RLIMIT_AS)[1]
            resource.prlimit(self._victim.pid, resource.RLIMIT_AS, (most, most))


class FullDisk(Lasting):
    """There is no room on the disk."""

    is_held = True

    def __init__(self, *, is_for_good: bool = False) -> None:
        super().__init__()
        self.is_for_good = is_for_good

    def strike(self, scene: Scene) -> str:
        """Fill it."""
        self.begin(scene)
        scene.disk.fill(scene.life.pid)
        return ""

    def relieve(self, scene: Scene) -> None:
        """Make room again."""
        scene.disk.free(self._victim.pid)


class ReadOnly(Lasting):
    """Nothing can be made or opened for writing in the run's folder, and the player is killed, half of the time."""

    is_held = True

    def __init__(self, *, is_for_good: bool = False) -> None:
        super().__init__()
        self.is_for_good = is_for_good

    def strike(self, scene: Scene) -> str:
        """Freeze the folder."""
        self.begin(scene)
        scene.disk.freeze(scene.run)
        if self.is_for_good or scene.chance.random() < 0.5:
            scene.signal_player(signal.SIGKILL)
            return "and the player killed"
        return ""

    def is_felt(self, scene: Scene) -> bool:
        """It lasts so long in any case: it is who comes next that feels it."""
        del scene
        return perf_counter() - self._since > FELT_S

    def relieve(self, scene: Scene) -> None:
        """Let it be written again."""
        scene.disk.thaw(scene.run)


class PageInUse(Lasting):
    """A page of a file is overwritten while it is played; where nobody reads it for a while, the player is killed."""

    is_held = True
    ends_life = True

    def __init__(self, file: Callable[[Scene], Path]) -> None:
        super().__init__()
        self._file = file

    def strike(self, scene: Scene) -> str:
        """Overwrite it."""
        self.begin(scene)
        return injuries.spoil_page_in_use(self._file(scene), scene.chance)

    def relieve(self, scene: Scene) -> None:
        """Make sure that the file is opened again."""
        if self._victim is scene.life:
            scene.signal_player(signal.SIGKILL)


class BetweenLives(Ordinary):
    """Something is done to files while nobody plays and the supervisor does not look."""

    is_held = True

    def __init__(self, hurt: Callable[[Scene], str], *, is_for_good: bool = False) -> None:
        self._hurt = hurt
        self.is_for_good = is_for_good

    def strike(self, scene: Scene) -> str:
        """Kill the player, and do it before the next one is started."""
        victim = scene.life
        scene.watchman.signal(signal.SIGSTOP)
        scene.signal_player(signal.SIGKILL)
        scene.line.until(lambda: not victim.is_open, FELT_S)
        try:
            return self._hurt(scene)
        finally:
            scene.watchman.signal(signal.SIGCONT)


class ClockJumps(Ordinary):
    """The clock on the wall goes hours forth or back, for player and supervisor."""

    ends_life = False

    def strike(self, scene: Scene) -> str:
        """Set it."""
        hours = scene.chance.uniform(-MOST_HOURS, MOST_HOURS)
        scene.clock.write_text(str(HOUR_S * hours), encoding="ascii")
        return f"to {hours:+.1f} h"


def _page_of_run(scene: Scene) -> str:
    return injuries.spoil_page(scene.run_file, scene.chance)


def _page_of_memory(scene: Scene) -> str:
    return injuries.spoil_page(scene.memory, scene.chance)


def _cut(scene: Scene) -> str:
    return injuries.cut_checkpoints(scene.run_file, scene.chance.randint(1, injuries.MOST_CUT))


def _destroy_run(scene: Scene) -> str:
    return _destroy(scene, scene.run_file)


def _destroy_memory(scene: Scene) -> str:
    return _destroy(scene, scene.memory)


def _destroy(scene: Scene, file: Path) -> str:
    copies = [each for each in (scene.run / "copies").glob(f"*{file.name}*") if each.is_file()]
    for each in (file, *copies):
        injuries.destroy(each)
    return f"and {len(copies)} copies"


MAKERS: Final[Mapping[Kind, Callable[[], Fault]]] = {
    Kind.CHILD_KILLED: lambda: PlayerSignalled(signal.SIGKILL),
    Kind.CHILD_TERMINATED: lambda: PlayerSignalled(signal.SIGTERM),
    Kind.CHILD_HANGS: lambda: PlayerSignalled(signal.SIGSTOP),
    Kind.SUPERVISOR_KILLED: lambda: SupervisorSignalled(signal.SIGKILL),
    Kind.SUPERVISOR_TERMINATED: lambda: SupervisorSignalled(signal.SIGTERM),
    Kind.SECOND_SUPERVISOR: SecondSupervisor,
    Kind.NO_MEMORY: NoMemory,
    Kind.DISK_FULL: FullDisk,
    Kind.READ_ONLY: ReadOnly,
    Kind.RUN_PAGE_LIVE: lambda: PageInUse(lambda scene: scene.run_file),
    Kind.RUN_PAGE_BETWEEN: lambda: BetweenLives(_page_of_run),
    Kind.MEMORY_PAGE_LIVE: lambda: PageInUse(lambda scene: scene.memory),
    Kind.MEMORY_PAGE_BETWEEN: lambda: BetweenLives(_page_of_memory),
    Kind.CUT_CHECKPOINTS: lambda: BetweenLives(_cut),
    Kind.CLOCK_JUMPS: ClockJumps,
    Kind.DISK_STAYS_FULL: lambda: FullDisk(is_for_good=True),
    Kind.STAYS_READ_ONLY: lambda: ReadOnly(is_for_good=True),
    Kind.RUN_DESTROYED: lambda: BetweenLives(_destroy_run, is_for_good=True),
    Kind.MEMORY_DESTROYED: lambda: BetweenLives(_destroy_memory, is_for_good=True),
}
