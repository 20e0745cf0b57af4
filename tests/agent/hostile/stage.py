"""A moment of a real game, and the real service beside a server that is no model: where hostile texts are let in.

The game is played once, up to where the team was healed. Its mind then asks about that moment, changed as a text wants
it, through everything that a session has: describing, tools, conversation, wallet, tape and mask.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from agent.advisor.money.limits import Ceilings, load_terms
from agent.advisor.money.prices import load_prices
from agent.advisor.port import Advice, Advisor, Purpose, Question, Silence, Silent, Tool
from agent.app import Summary
from agent.app.advice import Asking
from agent.app.build import Branch
from agent.app.model import THREAD, ModelService
from agent.app.session import PlayLimits
from agent.app.settings import ModelTerms
from agent.mind.advice import Advising, CurrentMoment, Describing, QuestionAnswered, QuestionContext
from agent.mind.advisor_tools import AdvisorTools
from emulator import Dex, demo_cartridge_path, load_cartridge
from memory import RunStore, open_run_store
from memory.conversation.boundaries import Slicer
from memory.conversation.config import ConversationConfig, ObservationConfig
from memory.conversation.conversation import Conversation
from memory.conversation.format import Observations, parse
from memory.conversation.jobs import Dependencies
from memory.conversation.rules import HeuristicObserver, HeuristicReflector
from memory.conversation.view import ConversationView
from memory.store.conversation_record import Message
from memory.store.conversations import ConversationStore
from memory.tokens import tokens
from tests.agent.support import Watcher, advised_session
from tests.fake_service import FakeClaude, ServiceScenario

KEY: Final = "an-entirely-made-up-key-0123456789"
UNTIL: Final = "healed"
SOON: Final = ConversationConfig(
    observation=ObservationConfig(
        message_tokens=500, buffer_tokens=0, buffer_activation=1.0, block_after=1e6
    )
)
SLICES: Final = (7, 40, 200)  # tokens
CARTRIDGE: Final = load_cartridge(demo_cartridge_path())


@dataclass
class Ear:
    """Answers for whoever sits in `advisor`, and hears nothing while nobody does."""

    tools: Sequence[Tool] = ()
    advisor: Advisor | None = None

    def ask(self, question: Question) -> Advice | Silent:
        if self.advisor is None:
            return Silent(Silence.FAULT, "nobody is there")
        return self.advisor.ask(question)


@dataclass
class Game:
    """A game that was played for a while, and can be asked about."""

    branch: Branch
    store: RunStore
    ear: Ear
    dex: Dex
    summary: Summary

    @property
    def moment(self) -> QuestionContext:
        advising = advising_of(self.branch)
        return advising.now()

    @property
    def known(self) -> dict[str, tuple[str, str, str, str]]:
        """Everything that memory trusts: its kind, what it says, how far, and whether it still holds."""
        return {
            f"{each.scope} {each.key}": (each.kind, repr(each.data), each.status, each.closed)
            for each in self.store.live_entries()
            if each.status != "claim"
        }

    @property
    def reached(self) -> list[str]:
        return [each.id for each in self.branch.ledger.reached]

    def ask(
        self, moment: QuestionContext, *, dex: Dex | None = None, about: str = ""
    ) -> Advice | Silent:
        """Have the mind ask about `moment`, with things called as `dex` calls them; return what came of it."""
        advising = advising_of(self.branch)
        old, tick = advising._describe, moment.percept.tick
        assert isinstance(old, Describing)
        heard: list[Advice | Silent] = []
        asked = self.branch.hooks.after(
            QuestionAnswered, lambda _call, answered: heard.append(answered.answer)
        )
        advising._describe = replace(old, dex=dex or old.dex)
        advising.now, before = CurrentMoment(), advising.now
        advising.now.look = lambda: moment
        try:
            advising._asked.clear()
            advising.ask(tick, Purpose.STUCK, about or "nothing moves")
        finally:
            advising._describe, advising.now = old, before
            self.branch.hooks.remove(asked)
        return heard[0]

    def tools(self, dex: Dex, moment: QuestionContext) -> Sequence[Tool]:
        """Return the tools of a mind that knows things as `dex` calls them, at `moment`."""
        advising = advising_of(self.branch)
        old = advising._describe
        assert isinstance(old, Describing)
        actions = self.branch.memory.actions(self.store, self.branch.hooks)
        still = moment._replace(plan_for=lambda _goal: None)
        return AdvisorTools(actions, replace(old, dex=dex), lambda: still).all()


def observed(messages: Sequence[Message]) -> tuple[Observations, Observations]:
    """Return what rules observe of all that was said: of whole messages, and of them in slices of many sizes."""
    observer = HeuristicObserver()
    whole = observer.observe(messages, "")
    sliced = [
        observer.observe(piece, "").observations
        for limit in SLICES
        for piece in Slicer(limit, tokens).slices(messages)
    ]
    return parse(whole.observations), parse("\n".join(sliced))


def advising_of(branch: Branch) -> Advising:
    """Return how a mind asks that has somebody to ask."""
    advising = branch.mind._advising
    assert advising is not None
    return advising


@contextmanager
def played_game(
    home: Path, asking: Asking | None = None, prepare: Callable[[Branch], object] = id
) -> Iterator[Game]:
    """Play the demo until the team was healed, and lend the game as it is then; without `asking` rules play alone.

    `prepare` is given the game before it begins.
    """
    ear = Ear()

    def asked(tools: Sequence[Tool], _observed: Callable[[], str | None]) -> Advisor:
        ear.tools = tools
        return ear

    with advised_session(home, asking or Asking(asked), seed=3) as opened:
        branch = opened.session._branch
        prepare(branch)
        summary = opened.session.play(PlayLimits(UNTIL, 2_000), Watcher())
        yield Game(branch, opened.run.store, ear, Dex.of(CARTRIDGE), summary)


@dataclass
class Stage:
    """One service with files of its own, and the server that it asks."""

    home: Path
    server: FakeClaude
    store: RunStore
    service: ModelService
    faults: list[str] = field(default_factory=list)

    @property
    def bodies(self) -> list[dict[str, Any]]:
        return [each.body for each in self.server.requests if each.path == "/v1/messages"]

    @property
    def messages(self) -> Sequence[Message]:
        return ConversationStore(self.store.database).messages(THREAD)

    def sight(self) -> ConversationView:
        """Have the conversation observed, and return what the next call is shown."""
        means = Dependencies(HeuristicObserver(), HeuristicReflector(), clock=lambda: 1.0)
        talk = Conversation(ConversationStore(self.store.database), THREAD, means, SOON)
        return talk.before_call(0)

    def seated(self, tools: Sequence[Tool], observed: str | None = None) -> Advisor:
        """Return the service with these tools, as a session asks it."""
        return self.service.asking(0).advisor(tools, lambda: observed)

    @property
    def files(self) -> Mapping[Path, bytes]:
        """What is on disk by now."""
        return {each: each.read_bytes() for each in self.home.rglob("*") if each.is_file()}


@contextmanager
def stage(home: Path, scenario: ServiceScenario | None = None) -> Iterator[Stage]:
    """Lend a service that asks a server with `scenario`; the environment must hold a key."""
    home.mkdir(parents=True, exist_ok=True)
    faults: list[str] = []

    def on_fault(name: str, error: Exception) -> None:
        faults.append(f"{name}: {error}")

    with FakeClaude(scenario) as server, ExitStack() as stack:
        os.environ["ANTHROPIC_BASE_URL"] = server.url  # put back by whoever set the key
        store = stack.enter_context(closing(open_run_store(home / "run.sqlite", run_id="r")))
        terms = replace(load_terms(), ceilings=Ceilings(), steps=())
        hiring = ModelTerms(terms, load_prices(), home / "tapes", timeout_s=5.0)
        service = stack.enter_context(closing(ModelService(store, hiring, on_fault)))
        yield Stage(home, server, store, service, faults)
