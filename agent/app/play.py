"""Starts play: a new run, a resumed one, or a session in a temporary folder."""

import json
import logging
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import version
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final, NamedTuple

from agent import HOME
from agent.advisor.port import Decider
from agent.advisor.secrets import require_credentials
from agent.app.build import GameParts
from agent.app.process import Interrupt
from agent.app.session import (
    AT_END,
    BEFORE_END,
    NEWEST,
    OTHER_CHOICES,
    PlayLimits,
    ReturnPoint,
    Session,
    log_failure,
)
from agent.app.settings import TAPES, RunSettings, cartridge_for, model_terms
from agent.app.summary import SUMMARY, PlayStart, Summary, Viewer
from agent.capabilities.registry import Topic
from agent.errors import UsageError
from agent.record.answers import AdviceSource
from agent.record.observations import notes_of
from agent.settings import NO_MEMORY, Settings
from agent.story.story import Story
from emulator import Cartridge, Console, Dex, PyBoyConsole
from emulator.screen import find_tesseract
from memory import (
    Json,
    KnowledgeStore,
    MemoryFault,
    RunFolder,
    RunStore,
    create_run,
    open_knowledge_store,
    open_run,
)
from memory.file_access import write_file
from memory.store import MEMORY_AT_START
from memory.tapes import note_run

if TYPE_CHECKING:
    from agent.app.model import ModelService

RUN: Final = "run"
KNOWLEDGE: Final = "memory.sqlite"


class OpenSession(NamedTuple):
    """A session that is ready to play, the run it writes, and the memory that gets its lessons."""

    session: Session
    run: RunFolder[RunStore]
    knowledge: KnowledgeStore


@contextmanager
def session_of_run(  # noqa: PLR0913  # the parts of a session
    home: Path,
    settings: RunSettings,
    console: Console,
    story: Story,
    interrupt: Interrupt,
    *more: Topic,
    asking: AdviceSource | None = None,
    game: GameParts | None = None,
) -> Iterator[OpenSession]:
    """Yield a session of the run in `home`, created if missing, with the memory in `home`.

    `more` are topics added to those of every game; without `asking`, no model is asked; `game` as of `Session`.
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
        session = Session(
            folder, console, knowledge, story, interrupt, *more, asking=asking, game=game
        )
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
    """Yield a new session that plays by rules, with its memory and record in `home`, and its store.

    `around` wraps the console before play uses it.
    """
    name, began = f"passing-seed{seed}", datetime(2000, 1, 1, tzinfo=UTC)
    settings = RunSettings(cartridge.name, cartridge.sha1, name, began, seed)
    with closing(PyBoyConsole(cartridge)) as machine:
        console = machine if around is None else around(machine)
        with session_of_run(home, settings, console, story, interrupt, *more) as opened:
            yield opened.session, opened.run.store


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
    """Play as `settings` say, write a run folder, and return the summary.

    `stage` prepares the console before play begins; its steps are not recorded. `now` is the wall time and `run_id`
    the name of a new run; prompts and memory contain both.
    """
    now = now or datetime.now(UTC)
    with ExitStack() as stack:
        folder = None
        if settings.resume is not None:
            folder = stack.enter_context(closing(open_run(settings.resume)))
        began = RunSettings.of(folder.settings) if folder is not None else None
        cartridge = cartridge_for(settings.rom, began)
        chosen = (began or RunSettings(cartridge.name, cartridge.sha1, "", now)).chosen(settings)
        if folder is not None and folder.store.record.last_tick() >= (chosen.ticks or inf):
            # To resume a run that ended at its --ticks is to play on.
            chosen = replace(chosen, ticks=settings.ticks)
        story = Story.of(cartridge.kind).with_requested(chosen.wanted)
        if story.caveat:
            log.warning("%s", story.caveat)
        chosen = replace(chosen, until=story.last(chosen.until))
        memory = memory_of(chosen)
        knowledge = stack.enter_context(_open_memory(memory, now.timestamp()))
        new_service = _service_factory(chosen, (memory or HOME / KNOWLEDGE).parent, interrupt)
        if folder is None:
            chosen = _begun(chosen, settings, knowledge, run_id)
            folder = stack.enter_context(closing(_create(settings.run, chosen, knowledge)))
        console = stack.enter_context(closing(PyBoyConsole(cartridge)))
        limits = PlayLimits(chosen.until, chosen.ticks or inf, chosen.pace > 0)
        service = new_service(folder.store) if new_service is not None else None
        session = Session(
            folder,
            console,
            knowledge,
            story,
            interrupt,
            asking=service.asking(chosen.ask_every) if service is not None else None,
            back=_return_point(folder, settings)
            or (NEWEST if stage else _goes_on(folder.store, limits, began, chosen)),
        )
        if began is not None and chosen != began:
            _note_choices(folder, began, chosen, session)
        session.readers.find_second = find_tesseract
        if stage is not None:
            stage(console)
            session.begin_here()
        if service is not None:
            session.model = service.status
        viewer.show_start(
            PlayStart(
                run=folder.path,
                cartridge=cartridge.name,
                seed=chosen.seed,
                tick=session.tick,
                repeats_to=session.repeats_to,
                memory=memory,
                known=knowledge.size(),
                labels={each.id: each.label for each in story.milestones_up_to(chosen.until)},
                species=Dex.of(cartridge).all_species,
                asks=service.model if service is not None else "",
                model_fault=service.unreachable if service is not None else "",
                asked_at=settings.at,
                pace=chosen.pace,
            )
        )
        with nullcontext() if service is None else closing(service):
            summary = session.play(limits, viewer)
        if service is not None:
            summary = service.with_figures(summary)
        _write_summary(summary, folder)
        _write_notes(folder, chosen.asking.tapes or (memory and memory.parent / TAPES), now)
        return summary


def memory_of(settings: RunSettings) -> Path | None:
    """Return the memory file of a run, None when it plays without."""
    if settings.memory == str(NO_MEMORY):
        return None
    return Path(settings.memory) if settings.memory else HOME / KNOWLEDGE


def _note_choices(
    folder: RunFolder[RunStore], began: RunSettings, chosen: RunSettings, session: Session
) -> None:
    """Keep the choices of a resumed run, after recording those that change what is decided from now on."""
    if not chosen.decides_like(began):
        choices: dict[str, Json] = {"mind": chosen.mind, "wants": chosen.wants}
        choices |= {"ask_every": chosen.ask_every, "session": session.name}
        folder.store.record.add_event(session.tick, OTHER_CHOICES, choices)
        folder.store.commit()  # before a kill could leave the settings alone
    folder.save_settings(chosen.table())


def _goes_on(
    run: RunStore, limits: PlayLimits, began: RunSettings | None, chosen: RunSettings
) -> ReturnPoint:
    """Return where a run goes on: as if it had not ended, unless other settings make other decisions."""
    newest = next(reversed(run.checkpoints.marks()), None)
    if newest is None:
        return NEWEST
    is_end = newest.why == "end"
    reached = {each.payload.get("id") for each in run.record.events("milestone")}
    if is_end and (newest.tick >= limits.ticks or limits.until in reached):
        return NEWEST  # nothing is left to play
    if began is None or not chosen.decides_like(began):
        return AT_END
    return BEFORE_END if is_end else NEWEST


@contextmanager
def _open_memory(path: Path | None, now: float) -> Iterator[KnowledgeStore]:
    """Yield the memory in `path`; without one an empty memory that is removed afterwards."""
    with ExitStack() as stack:
        home = path.parent if path else Path(stack.enter_context(TemporaryDirectory()))
        store = open_knowledge_store(path or home / KNOWLEDGE, now=now)
        yield stack.enter_context(closing(store))
        if not store.is_in_place:
            log.warning(
                "%s was moved or removed during play; what this run learned is in the moved file",
                path,
            )


def _begun(
    chosen: RunSettings, settings: Settings, knowledge: KnowledgeStore, run_id: str | None
) -> RunSettings:
    """Return the settings of a new run."""
    seed = settings.seed or 0
    return replace(
        chosen,
        run=run_id or f"{chosen.started:%Y%m%d-%H%M%S}-seed{seed}-{secrets.token_hex(2)}",
        seed=seed,
        pyboy=version("pyboy"),
        memory_hash=knowledge.content_hash(),
        without=",".join(use.value for use in settings.without),
    )


def _create(
    path: Path | None, chosen: RunSettings, knowledge: KnowledgeStore
) -> RunFolder[RunStore]:
    """Create the folder of a run, with the memory that it begins with, if that was ever taught anything."""
    folder = create_run(path or HOME / "runs" / chosen.run, chosen.table(), run_id=chosen.run)
    try:
        if any(knowledge.size()):  # where all is forgotten, the totals stay
            knowledge.snapshot(folder.path / MEMORY_AT_START)
    except BaseException:
        folder.close()
        raise
    return folder


def _return_point(folder: RunFolder[RunStore], settings: Settings) -> ReturnPoint | None:
    """Return the restore target of --at, None without it; raises UsageError with the ticks of all checkpoints if none is old enough."""
    ticks = sorted({mark.tick for mark in folder.store.checkpoints.marks()})
    tick = settings.at
    if tick is None:
        return None
    if not ticks:
        message = f"--at {tick} needs a checkpoint, and nothing of the run was played; leave it out"
        raise UsageError(message)
    if tick < ticks[0]:
        message = f"--at {tick} is before the first checkpoint; there are checkpoints at ticks {', '.join(map(str, ticks))}"
        raise UsageError(message)
    if tick > ticks[-1] and not settings.recovers:
        raise UsageError(
            f"--at {tick} is after the end of the run; its newest checkpoint is at tick {ticks[-1]}"
        )
    return ReturnPoint(tick, "recovered" if settings.recovers else "asked")


def _service_factory(
    settings: RunSettings, home: Path, interrupt: Interrupt
) -> Callable[[RunStore], "ModelService"] | None:
    """Return a factory of the model service of a run, None by rules; raises UsageError without a key."""
    if settings.mind != Decider.CLAUDE.value:
        return None
    terms = model_terms(settings.asking, home)
    require_credentials(os.environ)
    from agent.app.model import ModelService, require_key  # the SDK takes a second to load

    require_key(terms)
    return lambda store: ModelService(store, terms, log_failure, interrupt)


def _write_notes(folder: RunFolder[RunStore], tapes: Path | None, now: datetime) -> None:
    """Add what is worth knowing of the run to the page that the next session reads, unless nothing is kept."""
    try:
        if tapes is not None:
            note_run(tapes / "memory", folder.store.run_id, notes_of(folder.store, now))
    except MemoryFault as error:
        log.warning("the notes of the run were not written: %s; the run itself is complete", error)


def _write_summary(summary: Summary, folder: RunFolder[RunStore]) -> None:
    """Write the summary beside the record of its run, for later reports."""
    if not folder.store.database.is_in_place:
        message = "%s was renamed or removed during play; if it was renamed, the run is complete there, and `report` writes its page"
        log.warning(message, folder.path)
        return
    try:
        write_file(folder.path / SUMMARY, json.dumps(summary.as_json(), indent=1) + "\n")
    except (OSError, ValueError) as error:
        log.warning("the summary was not written: %s; the run itself is complete", error)
