"""The faults of a game, one row each: the action, its time, its end, and its name in the supervisor's log."""

import resource
import signal
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from subprocess import TimeoutExpired
from typing import Final, NamedTuple

from tests.proofs import disk
from tests.proofs.channel import STARTUP, Aim, Phase, Player
from tests.proofs.scene import Scene

MOST_ABOVE: Final = 16 << 20  # bytes of a process above its memory limit
MOST_HOURS: Final = 30.0  # of a jump of the date
HOUR_S: Final = 3_600.0
CLOSE_S: Final = 0.005  # maximum delay after entering the phase
FAULTS: Final = (4, 9)  # minimum and maximum in a game
TICKS: Final = 1_250  # the range of the faults; about the length of the shortest games
FOR_GOOD: Final = 0.15  # share of games that end with a fatal fault

IN_PLAY: Final = {Phase.PLAYING: 1}
ANYWHERE: Final = {
    Phase.PLAYING: 30,
    Phase.COMMITTING: 4,
    Phase.CHECKPOINTING: 14,
    Phase.KEPT: 6,
    Phase.CONSOLIDATING: 10,
    Phase.DELIVERING: 14,
    Phase.REPEATING: 3,
    Phase.STARTING: 5,
    Phase.DECAYING: 3,
    Phase.REWINDING: 6,
}
AT_END: Final = {Phase.CLOSING: 1, Phase.MAINTAINING: 1}
WHEN_KEPT: Final = {
    Phase.PLAYING: 4,
    Phase.CHECKPOINTING: 8,
    Phase.CONSOLIDATING: 3,
    Phase.DELIVERING: 5,
}
ANY_END: Final = frozenset({"crash", "killed", "terminated", "error"})
STORAGE: Final = ANY_END | {"disk", "unwritable"}
GIVEN_UP: Final = frozenset({("gave_up", "")})
NO_ROOM: Final = GIVEN_UP | {("limit", "disk")}


class ProofFailure(Exception):
    """The program behaved wrongly; the message states how."""


@dataclass(frozen=True)
class Fault:
    """One kind of fault.

    `while_held`: applied while the player is stopped; `ends_player`: this player cannot continue; `needs_restart`: the
    command must be started again; `undo` undoes a lasting fault. `logged_as` are the possible kinds in the log of the
    night, `must_be_logged` requires one of them, and `verdicts` are the verdicts of a night that the fault ends.
    """

    name: str
    apply: Callable[[Scene], str]
    weight: int = 0
    at: Mapping[Phase, int] = field(default_factory=lambda: IN_PLAY)
    while_held: bool = False
    ends_player: bool = True
    needs_restart: bool = False
    may_end: bool = False
    undo: Callable[[Scene, Player], None] | None = None
    lasts_whole: bool = False
    logged_as: frozenset[str] = frozenset()
    must_be_logged: bool = False
    needs_own_disk: bool = False
    verdicts: frozenset[tuple[str, str]] = frozenset()


class Planned(NamedTuple):
    """One planned fault: its aim, and the seconds after the release of the player."""

    fault: Fault
    aim: Aim
    delay_s: float


def sample(chance: Random, faults: Sequence[Fault], count: int) -> list[Planned]:
    """Return `count` random faults with their targets, in the order of their ticks."""
    kinds = chance.choices(faults, [each.weight for each in faults], k=count)
    return planned(chance, kinds)


def planned(chance: Random, kinds: Sequence[Fault]) -> list[Planned]:
    """Return faults with random targets."""
    found: list[Planned] = []
    for fault, tick in zip(kinds, sorted(chance.randint(1, TICKS) for _ in kinds), strict=True):
        (phase,) = chance.choices(list(fault.at), list(fault.at.values()))
        # Only a starting process passes these phases, and none starts after a fault that is survived.
        if phase in STARTUP and not (found and found[-1].fault.ends_player):
            phase = Phase.PLAYING
        # Half of them early: most phases end in much less than the longest delay.
        delay_s = CLOSE_S * chance.random() ** chance.choice((1, 3))
        found.append(Planned(fault, Aim(phase, 0 if phase in STARTUP else tick), delay_s))
    return found


def night(chance: Random, *, has_own_disk: bool) -> list[Planned]:
    """Return the faults of a game under the supervisor."""
    possible = [each for each in ALL if has_own_disk or not each.needs_own_disk]
    plan = sample(chance, [each for each in possible if not each.verdicts], chance.randint(*FAULTS))
    if chance.random() < FOR_GOOD:
        last = chance.choice([each for each in possible if each.verdicts])
        plan = planned(chance, [*(each.fault for each in plan[:-1]), last])
    return plan


def _sent(number: signal.Signals, *, to_player: bool) -> Callable[[Scene], str]:
    """Return an action that sends a signal to the player, or to the supervisor."""

    def apply(scene: Scene) -> str:
        (scene.signal_player if to_player else scene.program.signal)(number)
        return number.name

    return apply


def _second_supervisor(scene: Scene) -> str:
    """Start the same command a second time: it must be refused with one line."""
    try:
        done = scene.program.another()
    except TimeoutExpired:
        if scene.program.code is None:
            message = "a second supervisor was not refused"
            raise ProofFailure(message) from None
        return "it continued where the first had just ended"
    lines = done.stderr.strip().splitlines()
    if done.returncode not in {1, 2} or len(lines) != 1:
        message = f"a second supervisor ended with {done.returncode}: {done.stderr!r}"
        raise ProofFailure(message)
    return lines[-1]


def _limit_memory(scene: Scene) -> str:
    """Limit the player to its current memory, so that an allocation soon fails."""
    above = scene.chance.randrange(MOST_ABOVE)
    with suppress(ProcessLookupError, FileNotFoundError):
        pages = Path(f"/proc/{scene.player.pid}/statm").read_text(encoding="ascii").split()[0]
        size = resource.getpagesize() * int(pages)
        most = resource.prlimit(scene.player.pid, resource.RLIMIT_AS)[1]
        resource.prlimit(scene.player.pid, resource.RLIMIT_AS, (size - above, most))
    return f"{above >> 10} KiB above the limit"


def _lift_limit(_: Scene, victim: Player) -> None:
    with suppress(ProcessLookupError):
        most = resource.prlimit(victim.pid, resource.RLIMIT_AS)[1]
        resource.prlimit(victim.pid, resource.RLIMIT_AS, (most, most))


def _fill_disk(scene: Scene) -> str:
    scene.disk.fill()
    return ""


def _freeze(scene: Scene, *, always_kill: bool = False) -> str:
    scene.disk.freeze(scene.run)
    if always_kill or scene.chance.random() < 0.5:
        scene.signal_player(signal.SIGKILL)
        return "and the player killed"
    return ""


def _kill_if_alive(scene: Scene, victim: Player) -> None:
    """Kill the player, so that a damaged file is opened again."""
    if victim.is_open:
        scene.signal_player(signal.SIGKILL)


def _between_players(damage: Callable[[Scene], str]) -> Callable[[Scene], str]:
    """Return an action that damages files after the player is killed and before the next one starts."""

    def apply(scene: Scene) -> str:
        victim = scene.player
        scene.program.signal(signal.SIGSTOP)
        scene.signal_player(signal.SIGKILL)
        scene.channel.until(lambda: not victim.is_open, 1.5)
        try:
            return damage(scene)
        finally:
            scene.program.signal(signal.SIGCONT)

    return apply


def _shift_clock(scene: Scene) -> str:
    hours = scene.chance.uniform(-MOST_HOURS, MOST_HOURS)
    scene.shift_clock(hours * HOUR_S)
    return f"{hours:+.1f} h"


KILLED: Final = Fault(
    "SIGKILL of the player", _sent(signal.SIGKILL, to_player=True), 18, ANYWHERE,
    logged_as=frozenset({"killed", "crash"}), must_be_logged=True,
)  # fmt: skip
KILLED_AT_END: Final = Fault("SIGKILL at the end", _sent(signal.SIGKILL, to_player=True), 0, AT_END)
ALL: Final = (
    KILLED,
    Fault(
        "SIGTERM of the player", _sent(signal.SIGTERM, to_player=True), 8, ANYWHERE,
        logged_as=frozenset({"terminated"}), must_be_logged=True,
    ),
    Fault(
        "the player hangs (SIGSTOP)", _sent(signal.SIGSTOP, to_player=True), 5, WHEN_KEPT,
        logged_as=frozenset({"hang"}), must_be_logged=True,
    ),
    Fault("SIGKILL of the supervisor", _sent(signal.SIGKILL, to_player=False), 10, ANYWHERE, needs_restart=True),
    Fault("SIGTERM of the supervisor", _sent(signal.SIGTERM, to_player=False), 7, ANYWHERE, needs_restart=True),
    Fault("a second supervisor", _second_supervisor, 4, ends_player=False),
    Fault(
        "out of memory, by limit", _limit_memory, 8, WHEN_KEPT, ends_player=False,
        undo=_lift_limit, logged_as=ANY_END | {"memory"},
    ),
    Fault(
        "the disk is full for a while", _fill_disk, 8, WHEN_KEPT, while_held=True, ends_player=False, may_end=True,
        undo=lambda scene, _: scene.disk.free(), logged_as=STORAGE, needs_own_disk=True,
    ),
    Fault(
        "the folder is read-only for a while", _freeze, 7, while_held=True, ends_player=False, may_end=True,
        undo=lambda scene, _: scene.disk.thaw(scene.run), lasts_whole=True, logged_as=STORAGE, needs_own_disk=True,
    ),
    Fault(
        "a page of run.sqlite, while it is played", lambda scene: disk.damage_page_in_use(scene.run_file, scene.chance), 6,
        while_held=True, undo=_kill_if_alive,
    ),
    Fault(
        "a page of run.sqlite, between two players",
        _between_players(lambda scene: disk.damage_page(scene.run_file, scene.chance)), 5, while_held=True,
    ),
    Fault(
        "a page of memory.sqlite, while it is played", lambda scene: disk.damage_page_in_use(scene.memory, scene.chance), 6,
        while_held=True, undo=_kill_if_alive,
    ),
    Fault(
        "a page of memory.sqlite, between two players",
        _between_players(lambda scene: disk.damage_page(scene.memory, scene.chance)), 5, while_held=True,
    ),
    Fault(
        "newest checkpoints cut short",
        _between_players(lambda scene: disk.cut_checkpoints(scene.run_file, scene.chance.randint(1, 3))), 7,
        while_held=True, logged_as=ANY_END | {"not_resumable"},
    ),
    Fault("the date jumps", _shift_clock, 8, ends_player=False),
    Fault(
        "the disk stays full", _fill_disk, 0, WHEN_KEPT, while_held=True, ends_player=False,
        verdicts=NO_ROOM, needs_own_disk=True,
    ),
    Fault(
        "the folder stays read-only", lambda scene: _freeze(scene, always_kill=True), while_held=True,
        verdicts=NO_ROOM, needs_own_disk=True,
    ),
    Fault(
        "run.sqlite and its copies destroyed",
        _between_players(lambda scene: disk.destroy(scene.run_file, scene.run / "copies")), while_held=True, verdicts=GIVEN_UP,
    ),
    Fault(
        "memory.sqlite and its copies destroyed",
        _between_players(lambda scene: disk.destroy(scene.memory, scene.run / "copies")), while_held=True, verdicts=GIVEN_UP,
    ),
)  # fmt: skip
