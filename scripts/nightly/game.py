"""One game under the real supervisor, with all that happens to it, from its first start to its verdict."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import perf_counter
from typing import Final, NamedTuple

from nightly.clock import OFFSET
from nightly.faults import MAKERS, Fault, Lasting, SecondSupervisor
from nightly.kinds import FITTING, Kind, Outcome
from nightly.line import NEVER, Life
from nightly.plan import Planned
from nightly.scene import Scene
from nightly.trouble import Trouble
from nightly.voice import LINE

COMES_S: Final = 60.0  # until a moment that is aimed at
BACK_S: Final = 60.0  # until play goes on, else something is wrong
# Until a night gives up what never changes: its own waits come to 60 s at this back-off, and a child plays after each.
GIVES_UP_S: Final = 180.0
ENDS_S: Final = 120.0  # that the rest of a game may take
TOLD_S: Final = 3.0  # until a fault stands in the diary
# Whoever watched is gone, as asked: the same command is given again.
GONE: Final = frozenset({Kind.SUPERVISOR_KILLED, Kind.SUPERVISOR_TERMINATED})
# A lack that lasts may be given as the reason of an end; whoever makes room begins again.
MAY_END: Final = frozenset({Kind.DISK_FULL, Kind.READ_ONLY})
LIMIT_CODE: Final = 3
# Of these there is always something to tell; of what a limit or a page does, only where it was felt.
# A page may hold nothing that is in use, or be found bad later; where it never is, the file must be whole in the end.
PAGES: Final = frozenset(
    {
        Kind.RUN_PAGE_LIVE,
        Kind.RUN_PAGE_BETWEEN,
        Kind.MEMORY_PAGE_LIVE,
        Kind.MEMORY_PAGE_BETWEEN,
    }
)
ALWAYS_TOLD: Final = frozenset({Kind.CHILD_KILLED, Kind.CHILD_TERMINATED, Kind.CHILD_HANGS})


def command(run: Path, memory: Path, seed: int, until: str) -> Sequence[str]:
    """Return how a game is begun, and begun again."""
    return (
        *(sys.executable, "-m", "nightly.supervised", "overnight"),
        *("--run", str(run), "--memory", str(memory), "--seed", str(seed), "--until", until),
        *("--hang", "15", "--backoff", "0.1", "--min-free", "0", "--json"),
    )


def surroundings(port: int, clock: Path) -> dict[str, str]:
    """Return what the environment of all processes of a game has besides."""
    scripts = Path(__file__).resolve().parents[1]
    return {LINE: str(port), OFFSET: str(clock), "PYTHONPATH": f"{scripts}:{scripts.parent}"}


class Before(NamedTuple):
    """What was so when a fault struck: who played, at which tick, and how many faults the diary told of."""

    victim: Life
    tick: int
    told: int


class Play:
    """Goes through a game. `is_over` once the supervisor has ended for good."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._line = scene.line
        self.is_over = False

    def through(self, plan: Sequence[Planned]) -> Iterator[Trouble]:
        """Begin, yield each fault as it went, and play to the end."""
        aims = [*(each.aim for each in plan), NEVER]
        self._line.aim = aims[0]
        self._scene.watchman.begin()
        for planned, following in zip(plan, aims[1:], strict=True):
            if not self._comes(planned):
                break
            self._line.aim = following
            yield self._suffered(planned)
            if self.is_over:
                return
        self._line.aim = NEVER
        self._line.release()
        self.is_over = self._line.until(self._is_ended, ENDS_S)

    def _comes(self, planned: Planned) -> bool:
        """Return whether the moment that was aimed at has come; a game may be over before it does."""

        def is_held() -> bool:
            life = self._line.life
            return life is not None and life.held is planned.aim.phase

        self._line.until(lambda: is_held() or self._is_ended(), COMES_S)
        return is_held()

    def _is_ended(self) -> bool:
        return self._scene.watchman.code is not None

    def _suffered(self, planned: Planned) -> Trouble:
        """Do one fault, let it be felt, and wait until play goes on or the night is over."""
        scene, line, kind = self._scene, self._line, planned.kind
        fault = MAKERS[kind]()
        before = Before(scene.life, scene.life.tick, len(scene.faults_told()))
        says = self._strike(fault, planned.delay_s)
        since = perf_counter()
        line.until(lambda: fault.is_felt(scene) or self._is_ended(), BACK_S)
        if not fault.is_for_good:
            fault.relieve(scene)
            since = perf_counter() if isinstance(fault, Lasting) else since
        outcome, problems = self._answer(fault, kind, before, since)
        life = line.life
        return Trouble(
            kind=kind,
            at=f"{planned.aim.phase.value}, tick {before.tick}",
            says=says,
            outcome=outcome,
            ended=not before.victim.is_open,
            back_s=life.ticked_at - since if life is not None and life.ticked_at > since else None,
            lost=0 if life is None or life is before.victim else _lost(before.tick, life),
            problems=(*problems, *self._untold(kind, before), *_own_problems(fault)),
        )

    def _strike(self, fault: Fault, delay_s: float) -> str:
        """Do it while the player holds its breath, or so soon after it was let go."""
        # Whoever is about to die must not hold its breath again, and wait to be let go.
        later = NEVER if fault.ends_life else None
        if fault.is_held:
            says = fault.strike(self._scene)
            self._line.release(later)
            return says
        self._line.release(later)
        until = perf_counter() + delay_s
        while perf_counter() < until:  # a sleep would not be exact enough
            pass
        return fault.strike(self._scene)

    def _answer(
        self, fault: Fault, kind: Kind, before: Before, since: float
    ) -> tuple[Outcome, list[str]]:
        """Wait until there is play again or an end, beginning again where that is right."""
        within = GIVES_UP_S if fault.is_for_good else BACK_S
        outcome, deadline = Outcome.WENT_ON, perf_counter() + within
        while not self._plays(fault, before, since):
            if perf_counter() > deadline:
                self.is_over = True
                return Outcome.WRONG, [
                    f"{kind.value}: neither play nor an end within {within:.0f} s"
                ]
            self._line.listen()
            if not self._is_ended():
                continue
            code = self._scene.watchman.code
            if fault.is_for_good or code == 0:
                self.is_over = True
                return (Outcome.NAMED if fault.is_for_good else outcome), []
            if kind not in GONE and (kind not in MAY_END or code != LIMIT_CODE):
                self.is_over = True
                return Outcome.WRONG, [f"{kind.value}: {self._last_words()}"]
            outcome = outcome if kind in GONE else Outcome.BEGUN_AGAIN
            self._scene.watchman.begin()
        return outcome, []

    def _plays(self, fault: Fault, before: Before, since: float) -> bool:
        """Return whether somebody plays again, or was about to when the next fault's moment came."""
        life = self._line.life
        if life is None or fault.is_for_good or (fault.ends_life and life is before.victim):
            return False
        return life.ticked_at > since or life.held is not None

    def _untold(self, kind: Kind, before: Before) -> list[str]:
        """Return what the diary should tell and does not."""
        must = kind in ALWAYS_TOLD or (kind in FITTING and not before.victim.is_open)
        if self.is_over or not must or kind in PAGES:
            return []

        def is_told() -> bool:
            return not FITTING[kind].isdisjoint(self._scene.faults_told()[before.told :])

        if self._line.until(is_told, TOLD_S):
            return []
        return [f"{kind.value}: the diary tells of {self._scene.faults_told()[before.told :]}"]

    def _last_words(self) -> str:
        told = self._scene.watchman.told
        return f"the supervisor ended with {self._scene.watchman.code}: {told.get('why', told)}"


def _lost(tick: int, life: Life) -> int:
    """Return how many ticks are played again by a life that began before the tick of then."""
    return max(tick - life.first, 0) if life.first >= 0 else 0


def _own_problems(fault: Fault) -> tuple[str, ...]:
    return (fault.problem,) if isinstance(fault, SecondSupervisor) and fault.problem else ()
