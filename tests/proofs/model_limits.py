"""The cost of a model beside the service: play and a long conversation with the loopback server, timed and counted.

No model is asked: a loopback server generates the answers (`tests/fake_service`) for the real SDK. So neither the time
of a service nor the value of an answer is measured. Tokens are counted by the server, about 3.6 bytes each.

A game asks every 60 ticks beside its other questions. A long talk repeats the questions of that game in one
conversation, so that its older part is observed repeatedly; distilled is `--distil`: a model observes. The share of
memory is the calls of observer and reflector, and in other prompts the text about the last session, the older
conversation and the observations of this session.
"""

import gc
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from agent.advisor.calls import Calls
from agent.advisor.exchange import ClaudeAdvisor
from agent.advisor.model import Reply
from agent.advisor.money.limits import Ceilings
from agent.advisor.port import Decider, Question, Tool
from agent.advisor.request import memory_parts, request_of
from agent.advisor.toolbox import Toolbox
from agent.app import AskSettings, Interrupt, Summary
from agent.app.model import ModelService
from agent.app.settings import model_terms
from agent.fake_claude.answers import tokens_of_text
from agent.fake_claude.server import Handler
from agent.lab.bench.stopwatch import Calls as RecordedCalls
from agent.lab.bench.stopwatch import ObservedCall, calls_of
from agent.record.observations import GAME_SECTIONS, PlayObservations
from agent.story.story import Story
from emulator import Dex, demo_cartridge_path, load_cartridge
from memory import Blackboard, Hooks, Observed, open_run_store, read_run
from memory.conversation.conversation import Conversation
from memory.conversation.jobs import Dependencies
from memory.conversation.port import ConversationEventKind
from memory.conversation.rules import HeuristicObserver
from memory.observations.block import observations_block
from memory.observations.observation import Observation
from memory.tapes.notes import observe
from memory.tapes.recorder import TapeRecorder
from tests.fake_service import FakeClaude
from tests.proofs.limits import BoundedFigure, figure, limits_row, timed
from tests.proofs.played import asking, played
from tests.proofs.workers import Row

KINDS: Final = ("cache_read", "cache_write_1h", "cache_write_5m", "input", "output")
MEMORY: Final = frozenset({"observer", "reflector"})  # purposes of calls that belong to memory
EVERY: Final = 60  # ticks between two questions
LATER_S: Final = 15.0  # game seconds in them
SEED: Final = 0
A_NODE: Final = 2  # nodes of a tape in a turn: question and answer
SESSION: Final = "bench"

ASKED: Final = ClaudeAdvisor.ask
COMPLETED: Final = Calls.complete
SERVED: Final = Handler.do_POST
REPORTED: Final = Dependencies.report
BEFORE: Final = Conversation.before_call
OBSERVED: Final = HeuristicObserver.observe
RECORDED: Final = TapeRecorder.record
LAID_OUT: Final = request_of
TOOL_USED: Final = Toolbox.result_of

ACTIVATION: Final = "before a call that activates what waits, without a model"
NOTHING_DUE: Final = "before a call with nothing due"


def model_job(
    questions: int, _number: int, *, ticks: int = 6_000, observations: int = 20_000
) -> Row:
    """Return every figure of a game of at most that many ticks, and of talks of so many questions."""
    rounds = max(questions // 2, 10)
    try:
        with TemporaryDirectory(prefix="model-") as folder:
            home = Path(folder)
            game = _played(home / "game", ticks)
            long, calls = _talk(game, home / "long", "long", questions, distils=False)
            distilled, _ = _talk(
                game, home / "distilled", "long, distilled", questions, distils=True
            )
            tape = home / "long" / "tapes.sqlite"
            observing = partial(observe, tape, home / "notes", reset=True)
            turns = len(calls[RECORDED])
            figures = [
                *_costs(calls),
                timed(
                    "reader and observer of tapes, a turn",
                    (2.0, 2.0),
                    [observing],
                    max(rounds // 10, 1),
                    turns,
                ),
                _block(game, home, rounds, observations),
            ]
    finally:
        gc.unfreeze()  # measured objects were frozen for the garbage collector
    held = {"questions of a long talk": questions, "observations": observations}
    return limits_row("model", held, figures, talks=[game.talk, long, distilled])


def talk_of(name: str, calls: RecordedCalls, summary: Mapping[str, Any]) -> Row:
    """Return the figures of one conversation: tokens by kind, the share of memory, and the summary of its session."""
    tokens, purposes, memory = Counter(dict.fromkeys(KINDS, 0)), Counter[str](), 0
    for each in calls[COMPLETED]:
        _, request, purpose = each.args
        if not isinstance(each.result, Reply):
            continue
        kinds = {kind: getattr(each.result.usage, kind) for kind in KINDS}
        tokens.update(kinds)
        purposes[purpose] += 1
        own = kinds.values() if purpose in MEMORY else map(tokens_of_text, memory_parts(request))
        memory += sum(own)
    return {
        "name": name,
        "questions": len(calls[ASKED]),
        "calls": purposes.total(),
        "calls_by_purpose": purposes,
        "tokens": tokens,
        "memory_share": memory / max(tokens.total(), 1),
        "said": summary,
    }


@dataclass(frozen=True, slots=True)
class ModelGame:
    """A game with its questions, its observations and the tools it offered."""

    talk: Row
    summary: Summary
    questions: Sequence[Question]
    observations: Sequence[Observation]
    tools: Sequence[Tool]


def _played(home: Path, ticks: int) -> ModelGame:
    """Return a game to the last milestone of the story, at most `ticks` long, stored in `home`."""
    with (
        FakeClaude() as server,
        asking(server.url),
        calls_of((ASKED, COMPLETED, LAID_OUT, TOOL_USED)) as calls,
    ):
        every = AskSettings(every=EVERY)
        summary = played(home, ticks=ticks, seed=SEED, mind=Decider.CLAUDE, asking=every)
    with closing(read_run(home / "run")) as folder:
        observations = folder.store.observations.find()
    used = [each.result["content"][0]["text"] for each in calls[TOOL_USED]]
    answer = str(used[0]) if used else "nothing is known"
    return ModelGame(
        talk=talk_of("a game", calls, summary.advice or {}),
        summary=summary,
        questions=[each.args[1] for each in calls[ASKED]],
        observations=observations,
        tools=[
            replace(tool, run=lambda _asked: answer) for tool in calls[LAID_OUT][0].args[0].tools
        ],
    )


def _talk(
    game: ModelGame, home: Path, name: str, count: int, *, distils: bool
) -> tuple[Row, RecordedCalls]:
    """Ask `count` questions of `game` in one conversation; return its figures, and the recorded calls."""
    home.mkdir()
    functions = (ASKED, COMPLETED, SERVED, REPORTED, BEFORE, OBSERVED, RECORDED, LAID_OUT)
    with (
        FakeClaude() as server,
        asking(server.url),
        calls_of(functions) as calls,
        closing(open_run_store(home / "run.sqlite", run_id=name)) as store,
    ):
        terms = model_terms(AskSettings(tapes=home, distils=distils), home)
        # No limit on questions: the loopback server costs nothing.
        free = terms._replace(terms=replace(terms.terms, ceilings=Ceilings(), steps=()))
        service = ModelService(store, free, lambda _name, _error: None, Interrupt())
        with closing(service):
            block = partial(observations_block, game.observations, GAME_SECTIONS)
            advisor = service.asking(0).advisor(game.tools, block)
            for number, question in enumerate(islice(cycle(game.questions), count), start=1):
                gc.freeze()  # stored requests belong to the measurement, not to the game
                advisor.ask(replace(question, tick=EVERY * number, game_s=LATER_S * number))
        summary = service.with_figures(game.summary).advice or {}
    return talk_of(name, calls, summary), calls


def _costs(calls: RecordedCalls) -> Iterator[BoundedFigure]:
    """Yield the times of a talk: processor time, but wall time for questions and for writes that wait for the disk."""
    questions = [each.wall_s - sum(_within(calls[SERVED], each)) for each in calls[ASKED]]
    yield figure("a question, tools and service apart", (None, None), questions)
    yield figure("recorder, a node", (1.0, 1.0), [each.cpu_s / A_NODE for each in calls[RECORDED]])
    yield figure(
        "recorder, a node, with the disk",
        (1.0, 1.0),
        [each.wall_s / A_NODE for each in calls[RECORDED]],
    )
    yield figure(
        "observer of a conversation without a model, a turn",
        (2.0, 2.0),
        [each.cpu_s for each in calls[OBSERVED]],
    )
    activations = [
        each for each in calls[REPORTED] if each.args[1] is ConversationEventKind.ACTIVATION
    ]
    before: dict[str, list[float]] = {ACTIVATION: [], NOTHING_DUE: []}
    for each in calls[BEFORE]:
        before[ACTIVATION if any(_within(activations, each)) else NOTHING_DUE].append(each.cpu_s)
    yield from (figure(what, (5.0, 5.0), took) for what, took in before.items() if took)
    yield figure("a request laid out", (5.0, 5.0), [each.cpu_s for each in calls[LAID_OUT]])


def _within(calls: Sequence[ObservedCall], outer: ObservedCall) -> Iterator[float]:
    """Yield the seconds of each of `calls` that began during `outer`."""
    ended = outer.began + outer.wall_s
    for each in calls:
        if outer.began <= each.began < ended:
            yield min(each.wall_s, ended - each.began)


def _block(game: ModelGame, home: Path, rounds: int, observations: int) -> BoundedFigure:
    """Return the time of the observation block of a session with very many observations."""
    cartridge = load_cartridge(demo_cartridge_path())
    story, dex = Story.of(cartridge.kind), Dex.of(cartridge)
    with closing(open_run_store(home / "observed.sqlite", run_id=SESSION)) as store:
        for tick, each in enumerate(islice(cycle(game.observations), observations)):
            copy = Observed(each.type, each.content, each.importance, each.about, each.metadata)
            store.observations.add(SESSION, [copy], tick=tick, game_s=float(tick))
        store.commit()
        play = PlayObservations(store, SESSION, story, dex, Hooks(), Blackboard(store))
        return timed(
            "block of what was observed: found among many, and written",
            (5.0, 5.0),
            [play.block],
            rounds,
        )
