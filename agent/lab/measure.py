"""Measurement of every published result that is older than the code.

Each measurement is a separate command, so that a failure stops no other, and an interrupted series is resumed by
starting it again.
"""

import json
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from time import perf_counter
from typing import NamedTuple

from agent import HOME
from agent.lab.publish import FOLDER, publish, results


class Job(NamedTuple):
    """A command that publishes a result whose recorded command contains `marker`. Minutes are on two cores.

    With `only_prints` its output is published here.
    """

    name: str
    command: list[str]
    marker: str
    minutes: float
    only_prints: bool = False


# Name, arguments, those for smaller counts, and the minutes that both take.
OURS = (
    ("speed", "bench speed", "bench speed --ticks 2000 --rounds 3", 8, 2),
    ("battles", "bench battles --seeds 0..599", "bench battles --seeds 0..99", 6, 1),
    ("memory", "bench memory", "bench memory --quick", 6, 1),
    ("model", "bench model", "bench model --quick", 8, 1),
    ("checkpoints", "bench checkpoints", "bench checkpoints --quick", 8, 2),
    ("games", "eval --seeds 700..749 --until third_badge --out .cache/eval", "eval --seeds 700..709 --until third_badge --out .cache/eval", 12, 3),
    (
        "experience",
        "bench experience --teach 200..239 --seeds 400..439 --until first_badge",
        "bench experience --teach 200..203 --seeds 400..407 --until first_badge --no-each-use",
        60,
        3,
    ),
)  # fmt: skip
# The number of jobs of a proof for publication, where it is more than the default.
PROOFS = {
    "broken_cartridges": 57,
    "conversation": 20,
    "corruption": 10_000,
    "crash": 50,
    "divergence": 50,
    "exam": 3,
    "files": 5_000,
    "kills": 20,
    "merge": 1_000,
    "model_faults": 20,
    "mutations": 60,
    "night": 20,
    "odds": 100,
    "reach": 1,
    "recorded_games": 25,
    "red_model": 100,
    "reference": 100,
    "soak": 22,
}
PROOF_MINUTES = (30.0, 1.5)
SCENARIOS = "scenario run tests/scenarios --jobs 2 --json"


def jobs(*, quick: bool) -> Iterator[Job]:
    """Yield every measurement and every proof; games come before the results compared with them."""
    for name, full, small, minutes, few in OURS:
        words = f"{small if quick else full} --write docs/results/{name}.json"
        command = [sys.executable, "-m", "agent", *words.split()]
        yield Job(name, command, words, few if quick else minutes)
    words = SCENARIOS if quick else f"{SCENARIOS} --seeds 100..104"
    command = [sys.executable, "-m", "agent", *words.split()]
    yield Job("scenarios", command, words, 4 if quick else 20, only_prints=True)
    for path in sorted((HOME / "tests" / "proofs").glob("test_*.py")):
        if "mark.proof" in path.read_text(encoding="utf-8"):
            test = path.relative_to(HOME).as_posix()
            name = path.stem.removeprefix("test_")
            size = [f"PROOF_SIZE={PROOFS[name]}"] if name in PROOFS and not quick else []
            command = ["env", "PROOF_PUBLISH=1", *size, sys.executable, "-m", "pytest", "-q"]
            command += ["-n", "0", "-m", "proof", test]
            yield Job(name, command, test, PROOF_MINUTES[quick])


def measure_all(say: Callable[[str], object], *, quick: bool) -> bool:
    """Run every job whose result is older than the tree; return whether all succeeded."""
    fresh = [each.command for each in results() if not each.older_than_tree()]
    waiting = []
    for job in jobs(quick=quick):
        if any(job.marker in command for command in fresh):
            say(f"{job.name}: already measured on this code")
        else:
            waiting.append(job)
    minutes = sum(job.minutes for job in waiting)
    say(f"{len(waiting)} to measure, about {minutes:.0f} minutes on two cores")
    FOLDER.mkdir(parents=True, exist_ok=True)
    failed = []
    for number, job in enumerate(waiting, start=1):
        say(f"{number} of {len(waiting)}, {job.name}")
        shutil.rmtree(HOME / ".cache" / "eval", ignore_errors=True)  # from an earlier evaluation
        started = perf_counter()
        ended = subprocess.run(job.command, cwd=HOME, stdout=subprocess.PIPE, check=False)
        if job.only_prints and ended.returncode == 0:
            rows = json.loads(ended.stdout.splitlines()[-1])["scenarios"]
            verdicts = Counter(row["verdict"] for row in rows)
            publish(job.name, rows, verdicts, f"scripts/red-agent {job.marker}", what="Scenarios")
        took = (perf_counter() - started) / 60
        say(f"{job.name}: {'done' if ended.returncode == 0 else 'FAILED'} after {took:.1f} minutes")
        failed += [job.name] * (ended.returncode != 0)
    if failed:
        say(f"not measured: {', '.join(failed)}")
    return not failed
