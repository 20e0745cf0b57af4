"""One memory, and the runs that are played on it, life after life; each death is examined before the next life."""

import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Final, NamedTuple

from agent.story import Story
from agent.tools.replay import replay_run
from emulator import Cartridge, CartridgeKind, Dex, Font, World, demo_cartridge_path, load_cartridge
from kills import aims
from kills.counted import miscounted, unfinished
from kills.found import FoundRun, copied, found_run
from kills.heard import Heard
from kills.image import Image
from kills.kill import FIRST, Kill, Outcome
from kills.knowing import Knowing
from kills.life import Aim, Death, lived
from kills.lineage import differences, seams
from kills.playing import Plan, play, today
from kills.watch import Teller
from kills.words import Lesson

HOUR_S: Final = 3_600.0  # between two lives, so that memory ages
RESTORES: Final = 0.1  # share of lives that go back to an older checkpoint
INTERVALS: Final = (20, 50)  # ticks between two consolidations, drawn for each run


class Places(NamedTuple):
    """The folders of one lane: its own, one for copies to look at, and one to keep what is found wrong."""

    home: Path
    scratch: Path
    failures: Path


class Lane:
    """Kills and examines. What `chance` draws is where to kill and what to play: seeds, and which of `goals` to play to."""

    def __init__(
        self,
        places: Places,
        number: int,
        chance: Random,
        goals: Sequence[str] = (),
    ) -> None:
        self.folder = folder = places.home
        self._scratch = scratch = places.scratch
        self._failures = places.failures
        self.number = number
        self._chance = chance
        self._goals = goals or milestones()
        self.memory = folder / "memory.sqlite"
        self._knowing = Knowing(self.memory, scratch / "twin.sqlite", scratch)
        self._cartridge = warm()
        self._now = today()
        self._lives = 0
        self._begun, self._outcome, self._is_first = "", Outcome.NO_MATTER, True
        self._found: FoundRun | None = None
        self._runs = 0
        self._begin()

    def kills(self, count: int) -> Iterator[Kill]:
        """Yield the next `count` kills, and the lives between that came to an end by themselves."""
        while count > 0:
            kill = self.live(aims.drawn(self._chance))
            count -= kill.is_kill
            yield kill

    def live(self, aim: Aim) -> Kill:
        """Play one life, kill it as aimed, and examine what it left."""
        self._lives += 1
        self._now += HOUR_S
        restore = self._chance.randint(5, 150) if self._chance.random() < RESTORES else None
        plan = Plan(
            run=self.run,
            memory=self.memory,
            seed=self.seed,
            until=self._goal,
            is_new=not self.image.marks,
            now=self._now,
            interval=self._interval,
            delivered=self._delivered(),
            restore_after=restore,
        )
        death = lived(partial(play, plan), aim, self.folder / "log.txt")
        start = perf_counter()
        problems = [*_faults(death), *self.examine(death)]
        where = FIRST if self._is_first else death.phase.value
        ended = death.code == 0
        if ended:
            problems += self._farewell()
        kill = Kill(
            lane=self.number,
            number=self._lives,
            seed=self.seed,
            aim=str(aim),
            where=where,
            is_kill=death.code is None,
            life_s=death.seconds,
            oracle_s=perf_counter() - start,
            ticks=self.image.marks[-1].tick if self.image.marks else 0,
            restored=restore is not None,
            ended=ended,
            begun=self._begun,
            outcome=self._outcome,
            problems=tuple(problems),
            kept_as=self._keep() if problems else "",
        )
        if ended or problems or not self.image.marks:
            self._begin()
        return kill

    def examine(self, death: Death) -> list[str]:
        """Return what the files have otherwise than by all that was said, of this life and those before."""
        problems: list[str] = []
        try:
            problems.extend(self._examine(death))
        except (LookupError, ValueError, sqlite3.Error) as error:
            problems.append(f"cannot be examined: {error!r}")
        return problems

    def _examine(self, death: Death) -> Iterator[str]:
        heard = Heard(self.image, self._now)
        heard.hear(death.said)
        self._is_first = not heard.images[0].marks
        yield from heard.problems
        if heard.images[-1].marks:
            yield from self._examine_run(heard.images)
        yield from self._knowing.examine(heard.deeds, self._lesson)
        yield from self._uncovered()
        self._begun = heard.word
        if heard.word in {"age", "deliver", "maintain"}:
            self._outcome = self._knowing.outcome

    def _examine_run(self, images: Sequence[Image]) -> Iterator[str]:
        """Take the image that the file is like, before or after the last thing that was begun, for the true one."""
        found = found_run(copied(self.run / "run.sqlite", self._scratch))
        if found is None:
            self._outcome = Outcome.NOT_DONE
            if images[0].marks:
                yield "run: there is none in its file"
            return
        problems = [differences(image, found) for image in images]
        best = min(range(len(images)), key=lambda each: len(problems[each]))
        yield from problems[best]
        self.image = images[best]
        self._outcome = Outcome.DONE if best else Outcome.NOT_DONE
        if images[0] == images[-1]:
            self._outcome = Outcome.NO_MATTER
        self._lessons |= {(found.run_id, each.sequence): each for each in found.outbox}
        yield from seams(found, self._cartridge.sha1)
        if not problems[best]:
            yield from miscounted(self.image, found)
        self._found = found

    def _lesson(self, run_id: str, sequence: int) -> Lesson:
        return self._lessons[run_id, sequence]

    def _delivered(self) -> frozenset[int]:
        """Return the sequences of this run's lessons that went up already."""
        run_id = self._found.run_id if self._found else ""
        return frozenset(each for run, each in self._knowing.delivered if run == run_id)

    def _uncovered(self) -> Iterator[str]:
        """Yield the lessons that went up before a checkpoint covered them."""
        if self._found is None:
            return
        covered = {each.sequence for each in self._found.outbox[: self.image.covered]}
        for run_id, sequence in self._knowing.delivered:
            if run_id == self._found.run_id and sequence not in covered:
                yield f"deliveries: {sequence} is not covered by a checkpoint"

    def _farewell(self) -> Iterator[str]:
        """Yield what a run that came to its end left untold, or what its replay does otherwise."""
        assert self._found is not None
        yield from unfinished(self.image, self._found)
        for lesson, row in zip(self._found.outbox, self._found.lessons, strict=True):
            name = self._found.run_id, lesson.sequence
            if row.live and name not in self._knowing.delivered:
                yield f"end: lesson {lesson.sequence} was never delivered"
        log = self.folder / "log.txt"
        yield from (
            str(about)
            for word, about in lived(partial(_replay, self.run), aims.to_the_end(), log).said
            if word == "diverges"
        )

    def _keep(self) -> str:
        """Keep the run, the memory and the log as they are, and return under which name."""
        name = f"lane-{self.number}-life-{self._lives}"
        kept = self._failures / name
        shutil.rmtree(kept, ignore_errors=True)
        kept.mkdir(parents=True)
        for folder in (self.run, self.folder):
            for file in folder.iterdir():
                if file.is_file():
                    shutil.copyfile(file, kept / file.name)
        self._anew()
        return name

    def _anew(self) -> None:
        """Let go of a memory that is no longer what it should be."""
        for folder in (self.folder, self._scratch):
            for file in folder.glob("*.sqlite*"):
                file.unlink()
        self._knowing.delivered.clear()

    def _begin(self) -> None:
        """Begin another run on the same memory."""
        self._runs += 1
        self.run = self.folder / f"run-{self._runs}"
        self.seed = self._chance.randrange(1_000)
        self._interval = self._chance.randint(*INTERVALS)
        # Half of the runs play the whole story; the others are shorter, so that more of them come to an end.
        whole = self._chance.random() < 0.5
        self._goal = self._goals[-1] if whole else self._chance.choice(self._goals)
        self.image = Image()
        self._found = None
        self._lessons: dict[tuple[str, int], Lesson] = {}


def warm() -> Cartridge:
    """Return the cartridge, with all decoded that a life would decode."""
    cartridge = load_cartridge(demo_cartridge_path())
    World.of(cartridge)
    Dex.of(cartridge)
    Font.of(cartridge)
    return cartridge


def milestones() -> Sequence[str]:
    """Return the milestones of the demo's story up to the first badge, in their order."""
    return Story.of(CartridgeKind.DEMO).up_to("first_badge")


def _replay(run: Path, teller: Teller) -> None:
    divergence = replay_run(run, None).divergence
    if divergence is not None:
        teller.say("diverges", f"replay: {divergence}")


def _faults(death: Death) -> Iterator[str]:
    """Yield how a life ended that ended otherwise than by a kill or at the story's end."""
    if death.code is None:
        return
    if death.code:
        yield f"life: ended with code {death.code}; its log says more"
    for word, *about in death.said:
        if word == "end" and (about[0] != "goal" or about[2]):
            yield f"life: ended with {about[0]}, {about[2]} errors: {about[3]}"
