"""`python -m tests.proofs.child_process ARGS`: the ordinary command line, observed.

A playing process reports to the proof and consolidates memory often; `overnight` starts such processes. A file can shift
the date. The product is not changed for this: its methods are wrapped here by ones that report.
"""

import datetime
import os
import sys
import time
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, Final

from agent.cli import main as command_line
from agent.errors import Stuck, StuckReason
from agent.loop import Loop
from agent.mind.recovery import StuckRecovery
from agent.tools.overnight.supervisor import Supervisor
from memory import KnowledgeStore, RunStore, StepRow
from memory.store.record import RecordLog
from memory.tiers.consolidator import MemoryConsolidator
from memory.tiers.knowledge import ConsolidationConfig
from memory.tiers.lasting import OutboxRow
from tests.proofs.channel import PORT, Phase, Reporter
from tests.proofs.patches import around, replace_everywhere

CLOCK: Final = "PROOF_CLOCK"  # a file with the shift of the date in seconds
INTERVAL: Final = "PROOF_INTERVAL"  # ticks between two consolidations
STUCK_AFTER: Final = "PROOF_STUCK_AFTER"  # ticks after which play gets stuck once
SKIPPED: Final = 2  # checkpoints skipped by that restore, whose ticks become an abandoned branch
ROOT: Final = Path(__file__).resolve().parents[2]
PROGRAM: Final = (sys.executable, "-m", "tests.proofs.child_process")

TRUE: Final = (datetime.datetime, time.time)  # in a tuple, so that they are not replaced


class ShiftedDate(datetime.datetime):
    """A date class with a shifted `now`."""

    @classmethod
    def now(cls, tz: datetime.tzinfo | None = None) -> "ShiftedDate":
        """Return the date of the shifted clock."""
        return cls.fromtimestamp(shifted_time(), tz)


def shifted_time() -> float:
    """Return the seconds since 1970 of the shifted clock."""
    _, true_time = TRUE
    return true_time() + float(Path(os.environ[CLOCK]).read_text(encoding="ascii") or 0)


def main() -> None:
    """Run the command line."""
    for true, shifted in zip(TRUE, (ShiftedDate, shifted_time), strict=True):
        replace_everywhere(true, shifted)
    if sys.argv[1:2] == ["overnight"]:
        replace_everywhere(Supervisor, partial(Supervisor, program=PROGRAM))
    else:
        report_to(Reporter(int(os.environ[PORT])))
        consolidate_every(int(os.environ[INTERVAL]))
        if STUCK_AFTER in os.environ:
            get_stuck_after(int(os.environ[STUCK_AFTER]))
    command_line()


def run(arguments: Sequence[str], environment: Mapping[str, str], out: Path, log: Path) -> int:
    """Run the command line in this process, a fork with its output in files; return 0."""
    os.setpgrp()
    os.chdir(ROOT)
    os.environ.update(environment)
    sys.argv = ["agent", *arguments]
    # New objects, because pytest may have replaced these.
    sys.stdout, sys.stderr = out.open("w", encoding="utf-8"), log.open("a", encoding="utf-8")
    os.dup2(sys.stdout.fileno(), 1)
    os.dup2(sys.stderr.fileno(), 2)
    main()
    return 0


def consolidate_every(ticks: int) -> None:
    """Make every session of this process consolidate at this interval."""

    def begin(original: Any, config: ConsolidationConfig, *values: Any, **more: Any) -> None:  # noqa: ANN401
        original(config, *values, **({} if values else {"tick_interval": ticks}) | more)

    around(ConsolidationConfig, "__init__", begin)


def get_stuck_after(ticks: int) -> None:
    """Get stuck once after a number of ticks, and restore an older checkpoint than the newest one."""
    ticks_perceived = count(1)

    def perceive(original: Any, *args: Any) -> Any:  # noqa: ANN401
        if next(ticks_perceived) == ticks:
            raise Stuck(StuckReason.NO_PLAN, "nowhere", "nothing", may_restore=True)
        return original(*args)

    def restore_target(original: Any, recovery: StuckRecovery, ticks: Sequence[int]) -> int:  # noqa: ANN401
        return int(original(recovery, ticks[min(SKIPPED, len(ticks) - 1) :]))

    around(Loop, "perceive", perceive)
    around(StuckRecovery, "restore_target", restore_target)


def report_to(reporter: Reporter) -> None:
    """Report every commit and delivery, and the ticks between them."""
    steps, checkpoints = [0], [0]  # since the last commit that was reported

    def commit(original: Any, store: RunStore, **more: Any) -> None:  # noqa: ANN401
        is_checkpoint = more.get("checkpoint") is not None
        with reporter.within(Phase.CHECKPOINTING if is_checkpoint else Phase.COMMITTING):
            original(store, **more)
        checkpoints[0] += is_checkpoint
        with reporter.within(Phase.KEPT):
            if store.database._connection.in_transaction:
                return  # a part of a greater one, which a kill may still undo: reported with the next
            reporter.say("kept", steps[0], checkpoints[0])
        steps[0] = checkpoints[0] = 0

    def append(original: Any, record: RecordLog, row: StepRow) -> None:  # noqa: ANN401
        original(record, row)
        steps[0] += 1

    def rewind(original: Any, *args: Any, **more: Any) -> None:  # noqa: ANN401
        steps[0] = 0  # uncommitted steps are dropped
        with reporter.within(Phase.REWINDING):
            original(*args, **more)

    def deliver(
        original: Any,  # noqa: ANN401
        known: KnowledgeStore,
        run_id: str,
        rows: Any,  # noqa: ANN401
        *,
        instead_of: Any = None,  # noqa: ANN401
    ) -> int:
        handed: list[OutboxRow] = list(rows)
        last = known.delivered(run_id) if instead_of is None else instead_of["delivered"]
        fresh = [row for row in handed if row.sequence > last]
        rows_sent = [[row.sequence, row.tick, row.kind, dict(row.payload)] for row in fresh]
        reporter.say("deliver", run_id, last, rows_sent)
        with reporter.within(Phase.DELIVERING if fresh else Phase.REPEATING):
            taken = int(original(known, run_id, handed, instead_of=instead_of))
            with reporter.within(Phase.KEPT):
                reporter.say("delivered", taken)
        return taken

    def consolidate(original: Any, *args: Any, **more: Any) -> Any:  # noqa: ANN401
        is_last = more.get("reason") == "session_end"
        with reporter.within(Phase.CLOSING if is_last else Phase.CONSOLIDATING):
            return original(*args, **more)

    def perceive(original: Any, loop: Loop, state: Any) -> Any:  # noqa: ANN401
        reporter.at(loop.tick)
        return original(loop, state)

    around(RecordLog, "append", append)
    around(RunStore, "commit", commit)
    around(RunStore, "rewind", rewind)
    around(KnowledgeStore, "deliver", deliver)
    around(MemoryConsolidator, "consolidate", consolidate)
    around(Loop, "perceive", perceive)
    for owner, name, phase in (
        (KnowledgeStore, "age", Phase.DECAYING),
        (KnowledgeStore, "maintain", Phase.MAINTAINING),
    ):
        around(owner, name, partial(_within, reporter, phase))


def _within(reporter: Reporter, phase: Phase, original: Any, *args: Any, **more: Any) -> Any:  # noqa: ANN401
    with reporter.within(phase):
        return original(*args, **more)


if __name__ == "__main__":
    main()
