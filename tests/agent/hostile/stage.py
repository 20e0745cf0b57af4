"""A moment of a real game, and the real service against the stand-in server, for tests with hostile texts.

The game is played once, until the team is healed. Its mind then asks about that moment, with a hostile text put in,
through all parts of a session: descriptions, tools, conversation, wallet, tape and mask.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

from agent.advisor.money.limits import Ceilings, load_terms
from agent.advisor.money.prices import load_prices
from agent.advisor.port import Advice, Advisor, NoAnswer, NoAnswerReason, Purpose, Question, Tool
from agent.app import Interrupt, Summary
from agent.app.build import Branch
from agent.app.model import THREAD, ModelService
from agent.app.session import PlayLimits, Session
from agent.app.settings import ModelTerms
from agent.mind.advice import CurrentMoment, ModelAdvice, QuestionAnswered
from agent.mind.advisor_tools import AdvisorTools
from agent.mind.situation import QuestionContext, SituationDescriber
from agent.record.answers import AdviceSource
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
OBSERVE_SOON: Final = ConversationConfig(
    observation=ObservationConfig(
        message_tokens=500, buffer_tokens=0, buffer_activation=1.0, block_after=1e6
    )
)
SLICES: Final = (15, 60)  # tokens
CARTRIDGE: Final = load_cartridge(demo_cartridge_path())


@dataclass
class AdvisorSlot:
    """An advisor that passes questions to `advisor`; without one it gives no answer."""

    tools: Sequence[Tool] = ()
    advisor: Advisor | None = None

    def ask(self, question: Question) -> Advice | NoAnswer:
        if self.advisor is None:
            return NoAnswer(NoAnswerReason.FAULT, "there is no advisor")
        return self.advisor.ask(question)


@dataclass
class Game:
    """A played game whose mind can ask questions."""

    branch: Branch
    store: RunStore
    slot: AdvisorSlot
    dex: Dex
    summary: Summary

    @cached_property
    def moment(self) -> QuestionContext:
        """The moment of all questions, whose plans are made once."""
        moment = advising_of(self.branch).now()
        return moment._replace(plan_for=cache(moment.plan_for))

    @property
    def known(self) -> dict[str, tuple[str, str, str, str]]:
        """All entries of memory except claims: kind, data, status, and whether they are closed."""
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
    ) -> Advice | NoAnswer:
        """Return the answer to a question of the mind about `moment`, with the names of `dex`."""
        model_advice = advising_of(self.branch)
        old, tick = model_advice._describer, moment.percept.tick
        assert isinstance(old, SituationDescriber)
        answers: list[Advice | NoAnswer] = []
        hook = self.branch.hooks.after(
            QuestionAnswered, lambda _call, answered: answers.append(answered.answer)
        )
        model_advice._describer = replace(old, dex=dex or old.dex)
        model_advice.now, before = CurrentMoment(), model_advice.now
        model_advice.now.look = lambda: moment
        try:
            for state in (model_advice._asked, model_advice._pending, model_advice._results):
                state.clear()
            model_advice._learnt = ""
            model_advice.ask(tick, Purpose.STUCK, about or "nothing moves")
        finally:
            model_advice._describer, model_advice.now = old, before
            self.branch.hooks.remove(hook)
        return answers[0]

    def tools(self, dex: Dex, moment: QuestionContext) -> Sequence[Tool]:
        """Return the tools of a mind at `moment`, with the names of `dex`."""
        model_advice = advising_of(self.branch)
        old = model_advice._describer
        assert isinstance(old, SituationDescriber)
        actions = self.branch.memory.actions(self.store, self.branch.hooks)
        still = moment._replace(plan_for=lambda _goal: None)
        return AdvisorTools(actions, replace(old, dex=dex), lambda: still).all()


def observed(messages: Sequence[Message]) -> tuple[Observations, Observations]:
    """Return the rules' observations of the messages: of complete messages, and of slices of several sizes."""
    complete = HeuristicObserver().observe(messages, "").observations
    sliced = [
        _observed_of(piece) for limit in SLICES for piece in Slicer(limit, tokens).slices(messages)
    ]
    return parse(complete), parse("\n".join(sliced))


def _observed_of(piece: Sequence[Message]) -> str:
    """Return the observations of a piece, most of which are in every conversation."""
    key = repr([(each.role, each.blocks, each.origin, each.game_s) for each in piece])
    if key not in _OBSERVED:
        _OBSERVED[key] = HeuristicObserver().observe(piece, "").observations
    return _OBSERVED[key]


_OBSERVED: Final[dict[str, str]] = {}


def advising_of(branch: Branch) -> ModelAdvice:
    """Return the `ModelAdvice` of a mind with an advisor."""
    model_advice = branch.mind._model_advice
    assert model_advice is not None
    return model_advice


@contextmanager
def played_game(
    home: Path,
    asking: AdviceSource | None = None,
    prepare: Callable[[Branch], object] = id,
    until: str = UNTIL,
) -> Iterator[Game]:
    """Play the demo, by default until the team is healed, and yield the game; without `asking` only rules play.

    `prepare` receives each branch of the game before it is played.
    """
    slot = AdvisorSlot()

    def make_advisor(tools: Sequence[Tool], _observed: Callable[[], str | None]) -> Advisor:
        slot.tools = tools
        return slot

    build = Session._build_branch

    def build_prepared(session: Session, *given: Any, **more: Any) -> None:  # noqa: ANN401
        build(session, *given, **more)
        prepare(session._branch)

    with (
        patch.object(Session, "_build_branch", build_prepared),
        advised_session(home, asking or AdviceSource(make_advisor), seed=3) as opened,
    ):
        summary = opened.session.play(PlayLimits(until, 2_000), Watcher())
        yield Game(opened.session._branch, opened.run.store, slot, Dex.of(CARTRIDGE), summary)


@dataclass
class Stage:
    """A service with its own files, and its stand-in server."""

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

    def view(self) -> ConversationView:
        """Have the conversation observed and return its view for the next call."""
        rules = Dependencies(HeuristicObserver(), HeuristicReflector(), clock=lambda: 1.0)
        chat = Conversation(ConversationStore(self.store.database), THREAD, rules, OBSERVE_SOON)
        return chat.before_call(0)

    def advisor_with(self, tools: Sequence[Tool], observed: str | None = None) -> Advisor:
        """Return the service as an advisor with these tools, as in a session."""
        return self.service.asking(0).advisor(tools, lambda: observed)

    @property
    def files(self) -> Mapping[Path, bytes]:
        """The files on disk and their bytes."""
        return {each: each.read_bytes() for each in self.home.rglob("*") if each.is_file()}


@contextmanager
def stage(home: Path, scenario: ServiceScenario | None = None) -> Iterator[Stage]:
    """Yield a service that asks a server with `scenario`; the environment must hold a key."""
    home.mkdir(parents=True, exist_ok=True)
    faults: list[str] = []

    def on_fault(name: str, error: Exception) -> None:
        faults.append(f"{name}: {error}")

    with FakeClaude(scenario) as server, ExitStack() as stack:
        os.environ["ANTHROPIC_BASE_URL"] = server.url  # restored by the fixture that sets the key
        store = stack.enter_context(closing(open_run_store(home / "run.sqlite", run_id="r")))
        terms = replace(load_terms(), ceilings=Ceilings(), steps=())
        hiring = ModelTerms(terms, load_prices(), home / "tapes", timeout_s=5.0)
        service = stack.enter_context(closing(ModelService(store, hiring, on_fault, Interrupt())))
        yield Stage(home, server, store, service, faults)
