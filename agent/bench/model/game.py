"""One whole game with a model to ask: what it cost, and what was said in it, to be said again as often as one likes."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from agent.advisor import Question
from agent.advisor.layout import Fixed
from agent.advisor.model import Reply
from agent.app import AskSettings, Decider, Interrupt, Settings, play_run
from agent.app.passing import Nobody
from agent.bench.model.figures import Talk
from agent.bench.model.listening import Heard, heard
from agent.bench.model.loopback import loopback
from agent.bench.model.parts import call_tokens
from agent.report import Summary
from emulator import Cartridge
from memory import Observation, read_run
from memory.thread.message import Message

EVERY: Final = 60  # ticks
SEED: Final = 0


@dataclass(frozen=True, slots=True)
class Game:
    """What was asked and said; `taped` are the calls as they were recorded: what was sent, and what came."""

    talk: Talk
    summary: Summary
    questions: Sequence[Question]
    messages: Sequence[Message]
    taped: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]
    observations: Sequence[Observation]
    fixed: Fixed
    tools: Sequence[Heard]


def played(cartridge: Cartridge, home: Path, name: str, ticks: int, *, distils: bool) -> Game:
    """Return a game to the story's last milestone, of `ticks` at most, with all that it keeps in `home`."""
    settings = Settings(
        rom=cartridge.path,
        ticks=ticks,
        seed=SEED,
        run=home / "run",
        memory=home / "memory.sqlite",
        mind=Decider.CLAUDE,
        asking=AskSettings(every=EVERY, distils=distils),
    )
    with ExitStack() as stack:
        stack.enter_context(loopback())
        listen = [
            stack.enter_context(heard(each))
            for each in (
                "agent.advisor.asking:ClaudeAdvisor.ask",
                "agent.advisor.calling:Calls.complete",
                "memory.thread.conversation:Conversation.say",
                "memory.tapes.recorder:TapeRecorder.record",
                "agent.advisor.asking:request_of",
                "agent.advisor.using:Toolbox.result_of",
            )
        ]
        summary = play_run(settings, Nobody(), Interrupt())
    asked, completed, said, recorded, laid_out, tools = listen
    with closing(read_run(home / "run")) as folder:
        observations = folder.store.observations()
    return Game(
        talk=talk_of(name, asked, completed, summary.advice or {}),
        summary=summary,
        questions=[each.args[1] for each in asked],
        messages=[each.result for each in said],
        taped=[(each.args[1], each.args[2]) for each in recorded],
        observations=observations,
        fixed=laid_out[0].args[0],
        tools=tools,
    )


def talk_of(
    name: str, asked: Sequence[Heard], completed: Sequence[Heard], said: Mapping[str, Any]
) -> Talk:
    """Return what was heard of ClaudeAdvisor.ask and Calls.complete as one talk; calls without a reply are left out."""
    calls = [
        call_tokens(request, purpose, each.result)
        for each in completed
        for _, request, purpose in [each.args]
        if isinstance(each.result, Reply)
    ]
    return Talk(name, len(asked), calls, said)
