"""Starts play: a new run, a resumed one, or a session in a temporary folder."""

import json
import logging
import secrets
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, nullcontext
from datetime import UTC, datetime
from importlib.metadata import version
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from agent.app.advice import Asking
from agent.app.process import Interrupt, write_whole
from agent.app.session import PlayLimits, ReturnPoint, Session, passed_over
from agent.app.settings import (
    Decider,
    ModelTerms,
    RunSettings,
    Settings,
    cartridge_for,
    model_terms,
)
from agent.app.summary import SUMMARY, Summary, TickView, Viewer
from agent.capabilities.registry import Topic
from agent.errors import UsageError
from agent.story.story import Story
from emulator import Cartridge, Console, PyBoyConsole
from memory import KnowledgeStore, RunFolder, RunStore, create_run, open_knowledge_store, open_run

if TYPE_CHECKING:
    from agent.app.model import ModelService

RUN: Final = "run"
KNOWLEDGE: Final = "memory.sqlite"


class NoViewer(Viewer):
    """A viewer that looks away."""

    def show(self, moment: TickView) -> None:
        """Look away."""


class OpenSession(NamedTuple):
    """A session that can play, the run it writes, and the memory it hands lessons on to."""

    session: Session
    run: RunFolder[RunStore]
    knowledge: KnowledgeStore


@contextmanager
def session_of_run(
    home: Path,
    settings: RunSettings,
    console: Console,
    story: Story,
    interrupt: Interrupt,
    *more: Topic,
    asking: Asking | None = None,
) -> Iterator[OpenSession]:
    """Lend a session of the run in `home`, a new one where there is none, with the memory in `home`.

    `more` is what it can do beside the topics of every game; without `asking` no model is asked.
    """
    path, now = home / RUN, settings.started.timestamp()
    is_new = not path.exists()
    with ExitStack() as stack:
        folder = (
            create_run(path, settings.table(), run_id=settings.run) if is_new else open_run(path)
        )
        stack.enter_context(closing(folder))
        knowledge = open_knowledge_store(home / KNOWLEDGE, now=now)
        stack.enter_context(closing(knowledge))
        session = Session(folder, console, knowledge, story, interrupt, *more, asking=asking)
        yield OpenSession(session, folder, knowledge)


@contextmanager
def session_in(
    home: Path,
    cartridge: Cartridge,
    story: Story,
    seed: int,
    interrupt: Interrupt,
    *more: Topic,
    around: Callable[[PyBoyConsole], Console] | None = None,
) -> Iterator[tuple[Session, RunStore]]:
    """Lend a new session by rules with the memory in `home`, and its record, in `home` as well.

    `around` puts something between play and the machine.
    """
    settings = RunSettings(
        cartridge.name,
        cartridge.sha1,
        f"passing-seed{seed}",
        datetime(2000, 1, 1, tzinfo=UTC),
        seed,
    )
    with closing(PyBoyConsole(cartridge)) as machine:
        console = machine if around is None else around(machine)
        with session_of_run(home, settings, console, story, interrupt, *more) as opened:
            yield opened.session, opened.run.store


HOME: Final = Path(__file__).resolve().parents[2]

log = logging.getLogger(__name__)


def play_run(
    settings: Settings,
    viewer: Viewer,
    interrupt: Interrupt,
    stage: Callable[[PyBoyConsole], object] | None = None,
    *,
    now: datetime | None = None,
    run_id: str | None = None,
) -> Summary:
    """Play as `settings` say, leave a run folder behind, and return how it went.

    `stage` sets up the moment that play begins at; what it does is not part of the recording. `now` is the time of day,
    and `run_id` the name of a new run; prompts and memory hold both.
    """
    now = now or datetime.now(UTC)
    with ExitStack() as stack:
        folder, frozen = None, None
        if settings.resume is not None:
            folder = stack.enter_context(closing(open_run(settings.resume)))
            frozen = RunSettings.of(folder.settings)
        cartridge = cartridge_for(settings.rom, frozen)
        wants = settings.wants or (frozen.wanted if frozen else ())
        story = Story.of(cartridge.kind).wanting(wants)
        if story.caveat:
            log.warning("%s", story.caveat)
        until = story.up_to(settings.until or (frozen.until if frozen else None))[-1]
        memory = settings.memory or HOME / "memory.sqlite"
        knowledge = open_knowledge_store(memory, now=now.timestamp())
        stack.enter_context(closing(knowledge))
        mind = settings.mind or (Decider(frozen.mind) if frozen else Decider.RULES)
        asked = settings.asking if mind is Decider.CLAUDE else None
        hire = None if asked is None else _hire(model_terms(asked, memory.parent))
        if folder is None or frozen is None:
            seed = settings.seed or 0
            run_id = run_id or f"{now:%Y%m%d-%H%M%S}-seed{seed}-{secrets.token_hex(2)}"
            frozen = RunSettings(
                run=run_id,
                started=now,
                seed=seed,
                until=until,
                ticks=settings.ticks,
                mind=mind.value,
                ask_every=settings.asking.every or 0,
                cartridge=cartridge.name,
                sha1=cartridge.sha1,
                pyboy=version("pyboy"),
                memory_hash=knowledge.content_hash(),
                without=",".join(use.value for use in settings.without),
                wants=",".join(wants),
            )
            path = settings.run or HOME / "runs" / run_id
            folder = create_run(path, frozen.table(), run_id=run_id)
            stack.enter_context(closing(folder))
        console = stack.enter_context(closing(PyBoyConsole(cartridge)))
        ticks = frozen.ticks if settings.ticks is None else settings.ticks
        limits = PlayLimits(until, inf if ticks is None else ticks)
        service = hire(folder.store) if hire is not None else None
        asking = service.asking(frozen.ask_every) if service is not None else None
        back = None if settings.at is None else _back(folder, settings)
        session = Session(folder, console, knowledge, story, interrupt, asking=asking, back=back)
        if stage is not None:
            stage(console)
        with nullcontext() if service is None else closing(service):
            summary = session.play(limits, viewer)
        if service is not None:
            summary = service.told_in(summary)
        _keep(summary, folder.path / SUMMARY)
        return summary


def _back(folder: RunFolder[RunStore], settings: Settings) -> ReturnPoint:
    """Return where to go back to; raises UsageError, with the ticks that there are, where nothing is so old."""
    ticks = sorted({mark.tick for mark in folder.store.marks()})
    tick = settings.at
    if tick is None or tick < ticks[0]:
        message = f"--at {tick} is before the first checkpoint; there are those of ticks {', '.join(map(str, ticks))}"
        raise UsageError(message)
    return ReturnPoint(tick, "recovered" if settings.recovers else "asked")


def _hire(hiring: ModelTerms) -> Callable[[RunStore], "ModelService"]:
    """Return what makes the service of a run; raises UsageError where it could not be asked, before there is a run."""
    from agent.app.model import ModelService, require_key  # the SDK takes a second to load

    require_key(hiring)
    return lambda store: ModelService(store, hiring, passed_over)


def _keep(summary: Summary, path: Path) -> None:
    """Write the summary beside the record of its run, for reports that are written later."""
    try:
        write_whole(path, json.dumps(summary.as_json(), indent=1) + "\n")
    except (OSError, ValueError) as error:
        log.warning("no summary was kept: %s; the run itself is whole", error)
