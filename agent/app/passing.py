"""A session that is played for what is seen on the way, and whose folder nobody keeps."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from agent.app.interrupts import Interrupt
from agent.app.moment import Moment, Viewer
from agent.app.session import Session
from agent.app.settings import Decider, Frozen
from agent.capabilities import Story, Topic
from emulator import Cartridge, Console, PyBoyConsole
from memory import RunStore, create_run, open_knowledge_store

NEVER: Final = "never"  # no milestone: play goes on after the story's last one
RUN: Final = "run"
KNOWLEDGE: Final = "memory.sqlite"


class Nobody(Viewer):
    """A viewer that looks away."""

    def show(self, moment: Moment) -> None:
        """Look away."""


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
    """Lend a new session with the memory in `home`, and its record, in `home` as well.

    `more` is what it can do beside the registry's topics; `around` puts something between play and the machine.
    """
    frozen = Frozen(
        run=f"passing-seed{seed}",
        started=datetime(2000, 1, 1, tzinfo=UTC),
        seed=seed,
        until=NEVER,
        ticks=None,
        mind=Decider.RULES.value,
        cartridge=cartridge.name,
        sha1=cartridge.sha1,
        pyboy="",
        memory_hash="",
    )
    with ExitStack() as stack:
        folder = create_run(home / RUN, frozen.table(), run_id=frozen.run)
        stack.enter_context(closing(folder))
        knowledge = open_knowledge_store(home / KNOWLEDGE, now=0.0)
        stack.enter_context(closing(knowledge))
        machine = stack.enter_context(closing(PyBoyConsole(cartridge)))
        console = machine if around is None else around(machine)
        session = Session(folder, frozen, console, knowledge, story, interrupt, *more)
        yield session, folder.store
