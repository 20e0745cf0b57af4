"""What tapes, conversations, the budget and questions cost beside the service, in files that hold much of each."""

import gc
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from typing import Any, Final

from agent.advisor.model import Usage
from agent.advisor.money.limits import Ceilings, Terms, load_terms
from agent.advisor.money.prices import load_prices
from agent.advisor.money.wallet import Wallet
from agent.advisor.port import Question, Tool
from agent.advisor.request import request_of, text
from agent.advisor.secrets import Mask
from agent.app import AskSettings
from agent.app.model import ModelService
from agent.app.observations import GameKnowledge, PlayObservations
from agent.app.settings import ModelTerms, model_terms
from agent.lab.bench.limits import (
    BoundedFigure,
    FigureBound,
    Lapse,
    Lapses,
    figure,
    lapse,
    lapse_of,
    timed,
)
from agent.lab.bench.model_games import KEY, ConversationTokens, ModelGame, loopback, talk_of
from agent.lab.bench.stopwatch import ObservedCall, heard
from agent.mind import GAME_SECTIONS
from agent.story import Story
from emulator import Cartridge, Dex
from memory import Blackboard, Faults, Hooks, Observed, open_run_store
from memory.conversation.conversation import DEFAULTS, Conversation, open_conversations
from memory.conversation.jobs import Dependencies
from memory.conversation.port import ConversationEvent, ConversationEventKind
from memory.conversation.rules import HeuristicObserver, HeuristicReflector
from memory.observations import observations_block
from memory.store.conversation_record import Message
from memory.tapes.hashing import Bucket, mask_secrets
from memory.tapes.notes import ObserveRequest, observe
from memory.tapes.recorder import TapeRecorder, blocks_of
from memory.tapes.tape import open_tape

BOOKING: Final = FigureBound("a call booked and settled for good, behind many others", None, None)
BLOCK: Final = FigureBound("block of what was observed: found among many, and written", 5.0, 5.0)
OBSERVATIONS: Final = 20_000
NOW_MS: Final = 1_800_000_000_000
SESSION: Final = "bench"
INPUT: Final = 100  # tokens
OUTPUT: Final = 10


def booking(home: Path, calls: int, rounds: int) -> Iterator[BoundedFigure]:
    """Yield what leave for a call and its bill take where so many calls were made before."""
    terms, prices = without_ceilings(load_terms(None)), load_prices(None)
    with closing(open_run_store(home / "calls.sqlite", run_id=SESSION)) as store:
        wallet = Wallet(store, prices, terms, now_ms=lambda: NOW_MS, faults=Faults())
        work = partial(_booked, wallet, terms.usual)
        for _ in range(calls):
            work()
        took = Lapses()
        for _ in range(rounds):
            took.of(BOOKING, work)
    yield from took.figures()


def without_ceilings(terms: Terms) -> Terms:
    """Return terms on which one may ask as often as one likes: nothing is paid here."""
    return replace(terms, ceilings=Ceilings(), steps=())


def block(cartridge: Cartridge, game: ModelGame, home: Path, rounds: int) -> BoundedFigure:
    """Return what the block of a session takes that observed very much."""
    knowing = GameKnowledge(Story.of(cartridge.kind), Dex.of(cartridge))
    with closing(open_run_store(home / "observed.sqlite", run_id=SESSION)) as store:
        for tick, observed in enumerate(islice(_observed(game), OBSERVATIONS)):
            store.add_observations(SESSION, [observed], tick=tick, game_s=float(tick))
        store.commit()
        play = PlayObservations(store, SESSION, knowing, Hooks(), Blackboard(store))
        return timed(BLOCK, [play.block], rounds)


def _booked(wallet: Wallet, model: str) -> None:
    permit = wallet.permit(model, INPUT, OUTPUT, "stuck")
    if permit is None:
        raise RuntimeError("there is no leave for a call: the terms allow too few")
    wallet.settle(permit, Usage(input=INPUT, output=OUTPUT))


def _observed(game: ModelGame) -> Iterator[Observed]:
    """Yield without end what was observed in the game."""
    for each in cycle(game.observations):
        yield Observed(each.type, each.content, each.importance, each.about, each.metadata)


RECORDER: Final = FigureBound("recorder, a node", 1.0, 1.0)
TAPE_OBSERVER: Final = FigureBound("reader and observer of tapes, a turn", 2.0, 2.0)
HASH: Final = FigureBound("hash v1, a node", None, None, "μs")
KEY_MASK: Final = FigureBound("mask of the key, a KB", None, None, "μs")
TAPE_MASK: Final = FigureBound("mask of a tape, a KB", None, None, "μs")
MODEL: Final = "claude"
STARTED: Final = 1_800_000_000.0  # epoch seconds
A_NODE: Final = 2  # nodes in a turn: what was asked, and what came
KILO: Final = 1_000
ROUNDS: Final = 200


def taping(game: ModelGame, home: Path, turns: int, rounds: int) -> Iterator[BoundedFigure]:
    """Yield what a tape of so many turns takes: its recorder, and its observer so many times over."""
    path = home / "tapes.sqlite"
    took = Lapses()
    _record(game, path, turns, took)
    work = partial(observe, ObserveRequest(path, home / "memory", reset=True))
    for _ in range(rounds):
        took.of(TAPE_OBSERVER, work, turns)
    yield from took.figures()
    yield _hashing(game)
    text = _text(game)
    for bound, mask in ((KEY_MASK, Mask([KEY])), (TAPE_MASK, mask_secrets)):
        masked = [lapse(partial(mask, text)) * KILO / len(text.encode()) for _ in range(rounds)]
        yield figure(bound, masked)


def _record(game: ModelGame, path: Path, turns: int, took: Lapses) -> None:
    """Record one conversation, all of which is sent again with every call."""
    messages: list[Mapping[str, Any]] = []
    with closing(open_tape(path)) as tape:
        recorder = TapeRecorder(tape, agent_name="bench", clock=lambda: STARTED, mask=Mask([KEY]))
        for sent, came in islice(cycle(game.taped), turns):
            messages.append({"role": "user", "content": sent["messages"][-1]["content"]})
            request = {"model": MODEL, "messages": list(messages)}
            took.of(RECORDER, partial(recorder.record, request, came), A_NODE)
            messages.append({"role": "assistant", "content": came["content"]})


def _hashing(game: ModelGame) -> BoundedFigure:
    """Return what the name of a node takes: of questions and answers by turns."""
    contents = [each for sent, came in game.taped for each in (sent["messages"][-1], came)]
    buckets = [Bucket(each["role"], blocks_of(each["content"], str), MODEL) for each in contents]
    parent = "0" * 64
    took = [
        lapse(partial(bucket.hash, parent)) for bucket in islice(cycle(buckets), ROUNDS * A_NODE)
    ]
    return figure(HASH, took)


def _text(game: ModelGame) -> str:
    """Return what was said in the game, as text."""
    blocks = (block for each in game.messages for block in each.blocks)
    return "\n".join(str(block.get("text", "")) for block in blocks)


ACTIVATION: Final = FigureBound(
    "before a call that activates what waits, without a model", 5.0, 5.0
)
PROMPT: Final = FigureBound("before a call with nothing due, and its request laid out", 5.0, 5.0)
REFLECTION: Final = FigureBound("before a call that reflects, without a model", None, None)
KEPT: Final = FigureBound("a message kept for good", None, None)
AFTER: Final = FigureBound(
    "after a turn: observed ahead of need, where enough came together", None, None
)
CONVERSATION_OBSERVER: Final = FigureBound(
    "observer of a conversation without a model, a turn", 2.0, 2.0
)
STATE: Final = "what is asked at this moment"


def conversing(game: ModelGame, home: Path, turns: int) -> Iterator[BoundedFigure]:
    """Yield what a conversation of so many turns took, which says again and again what was said in `game`."""
    yield observing(game.messages)
    told: list[ConversationEventKind] = []
    means = Dependencies(
        HeuristicObserver(),
        HeuristicReflector(),
        clock=lambda: STARTED,
        on_part=partial(_note, told),
    )
    took = Lapses()
    with closing(open_conversations(home / "threads.sqlite")) as store:
        conversation = Conversation(store, "bench", means)
        for number, turn in zip(range(turns), cycle(list(_turns(game.messages))), strict=False):
            for message in turn:
                if message.role == "assistant":
                    told.clear()
                    _before(conversation, game, told, took)
                took.of(KEPT, partial(_say, conversation, message, number))
            took.of(AFTER, conversation.after_turn)
    yield from took.figures()


def observing(messages: Sequence[Message]) -> BoundedFigure:
    """Return what an observer without a model takes for a turn, with as much of what was known before as it is shown."""
    observer = HeuristicObserver()
    known = observer.observe(messages, "").observations
    known = (known * 20)[: 4 * DEFAULTS.observation.previous_observer_tokens]
    works = [partial(observer.observe, turn, known) for turn in _turns(messages)]
    return timed(CONVERSATION_OBSERVER, works, max(400 // len(works), 1))


def _before(
    conversation: Conversation, game: ModelGame, told: list[ConversationEventKind], took: Lapses
) -> None:
    def prepare() -> None:
        sight = conversation.before_call(0)
        request_of(game.fixed, sight, sight.tail, [text(STATE)], MODEL, "")

    before = _reflections(conversation)
    lapse, _ = lapse_of(prepare)
    if _reflections(conversation) != before:
        took.note(REFLECTION, lapse)
    else:
        took.note(ACTIVATION if ConversationEventKind.ACTIVATION in told else PROMPT, lapse)


def _reflections(conversation: Conversation) -> tuple[int, bool]:
    record = conversation.record()
    return record.generation_count, record.buffered_reflection is not None


def _note(told: list[ConversationEventKind], part: ConversationEvent) -> None:
    told.append(part.kind)


def _say(conversation: Conversation, message: Message, number: int) -> None:
    conversation.say(message.role, message.blocks, message.origin, number, float(number))


def _turns(messages: Sequence[Message]) -> Iterator[list[Message]]:
    """Yield each question with all that was said until its answer."""
    turn: list[Message] = []
    for message in messages:
        is_answer = message.role == "assistant" and all(
            each["type"] == "text" for each in message.blocks
        )
        turn.append(message)
        if is_answer:
            yield turn
            turn = []


QUESTION: Final = FigureBound("a question, tools and service apart", None, None)
LATER: Final = 60  # ticks between two questions
SECONDS: Final = 15.0  # of the game in them


@dataclass(frozen=True, slots=True)
class Long:
    """The conversation, and what its questions took."""

    talk: ConversationTokens
    figures: Sequence[BoundedFigure]


def talked(game: ModelGame, home: Path, name: str, count: int, *, distils: bool) -> Long:
    """Ask `count` questions of `game` in one conversation, and return what that came to."""
    with ExitStack() as stack:
        stack.enter_context(loopback())
        asked, completed, served = [
            stack.enter_context(heard(each))
            for each in (
                "agent.advisor.exchange:ClaudeAdvisor.ask",
                "agent.advisor.calls:Calls.complete",
                "agent.fake_claude.server:Handler.do_POST",
            )
        ]
        store = stack.enter_context(closing(open_run_store(home / "run.sqlite", run_id=name)))
        service = ModelService(store, _hiring(home, distils=distils), _told)
        with closing(service):
            advisor = service.asking(0).advisor(_tools(game), partial(_block, game))
            for question in islice(_again(game.questions), count):
                gc.freeze()  # what is kept of all requests is the measurement's, and not the game's
                advisor.ask(question)
        said = service.told_in(game.summary).advice or {}
    talk = talk_of(name, asked, completed, said)
    return Long(talk, [] if distils else list(_took(asked, served)))


def _took(asked: Sequence[ObservedCall], served: Sequence[ObservedCall]) -> Iterator[BoundedFigure]:
    took = Lapses()
    for each in asked:
        took.note(QUESTION, Lapse(each.cpu_s, each.wall_s - _serving(each, served)))
    return took.figures()


def _serving(question: ObservedCall, served: Sequence[ObservedCall]) -> float:
    """Return how long the server was at work for a question; nothing of ours goes on meanwhile."""
    ended = question.began + question.wall_s
    return sum(
        min(each.wall_s, ended - each.began)
        for each in served
        if question.began <= each.began < ended
    )


def _hiring(home: Path, *, distils: bool) -> ModelTerms:
    hiring = model_terms(AskSettings(tapes=home / "tapes", distils=distils), home)
    return hiring._replace(terms=without_ceilings(hiring.terms))


def _again(questions: Sequence[Question]) -> Iterator[Question]:
    """Yield the questions without end, each later than the one before."""
    for number, each in enumerate(cycle(questions), start=1):
        yield replace(each, tick=LATER * number, game_s=SECONDS * number)


def _tools(game: ModelGame) -> list[Tool]:
    """Return the tools of the game, which say again what one of them said there."""
    return [replace(tool, run=partial(_canned, game)) for tool in game.fixed.tools]


def _canned(game: ModelGame, _asked: Mapping[str, Any]) -> str:
    results = [each.result["content"][0]["text"] for each in game.tools]
    return str(results[0]) if results else "nothing is known"


def _block(game: ModelGame) -> str | None:
    return observations_block(game.observations, GAME_SECTIONS)


def _told(_name: str, _error: Exception) -> None:
    """Nobody is told: what failed is counted, and is among what the talk says."""
