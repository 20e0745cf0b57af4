"""A game that asks the loopback server through the real SDK, with the tokens of its calls by kind and by part."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from agent.advisor.model import Reply, Request
from agent.advisor.port import Question
from agent.advisor.request import Fixed, remembered
from agent.app import AskSettings, Decider, Interrupt, Settings, Summary, play_run
from agent.app.play import NoViewer
from agent.fake_claude import FakeClaude
from agent.fake_claude.answers import tokens_of_block, tokens_of_text
from agent.lab.bench.stopwatch import ObservedCall, heard
from emulator import Cartridge
from memory import read_run
from memory.observations import Observation
from memory.store.conversation_record import Message

KINDS: Final = ("cache_read", "cache_write_1h", "cache_write_5m", "input", "output")
MEMORY: Final = frozenset({"observer", "reflector"})  # purposes of calls that are all memory's


@dataclass(frozen=True, slots=True)
class CallTokens:
    """One call: its tokens by kind, as the service counts them, and how many of what was sent each part is.

    `parts` are by the service's measure too; those of observers and reflectors have none.
    """

    purpose: str
    kinds: Mapping[str, int]
    parts: Mapping[str, int]
    memory: int

    @property
    def total(self) -> int:
        """All its tokens."""
        return sum(self.kinds.values())


@dataclass(frozen=True, slots=True)
class ConversationTokens:
    """All calls of one conversation, and what its session says of them."""

    name: str
    questions: int
    calls: Sequence[CallTokens]
    said: Mapping[str, Any]

    @property
    def kinds(self) -> Counter[str]:
        """Tokens by kind."""
        found: Counter[str] = Counter(dict.fromkeys(KINDS, 0))
        for each in self.calls:
            found.update(each.kinds)
        return found

    @property
    def parts(self) -> Counter[str]:
        """Tokens of what was sent with questions, by part."""
        found: Counter[str] = Counter()
        for each in self.calls:
            found.update(each.parts)
        return found

    @property
    def memory_share(self) -> float:
        """Which part of all tokens memory itself took, from 0 to 1."""
        total = self.kinds.total()
        return sum(each.memory for each in self.calls) / total if total else 0.0

    def as_json(self) -> Mapping[str, Any]:
        """Return the sums in plain JSON types."""
        return {
            "name": self.name,
            "questions": self.questions,
            "calls": len(self.calls),
            "calls_by_purpose": dict(Counter(each.purpose for each in self.calls)),
            "tokens": dict(self.kinds),
            "parts": dict(self.parts),
            "memory_share": self.memory_share,
            "said": dict(self.said),
        }


RULES: Final = "rules, tools and the form of an answer"
NOTES: Final = "memory: notes of the last session"
OBSERVED: Final = "memory: what became of the older conversation"
BLOCK: Final = "memory: what this session observed"
STATE: Final = "what is asked at this moment"
TAIL: Final = "the conversation: questions, answers, tools"


def call_tokens(request: Request, purpose: str, reply: Reply) -> CallTokens:
    """Return the tokens of one call that was answered."""
    usage = reply.usage
    kinds = {
        "cache_read": usage.cache_read,
        "cache_write_1h": usage.cache_write_1h,
        "cache_write_5m": usage.cache_write_5m,
        "input": usage.input,
        "output": usage.output,
    }
    if purpose in MEMORY:
        return CallTokens(purpose, kinds, {}, sum(kinds.values()))
    parts = parts_of(request)
    return CallTokens(purpose, kinds, parts, sum(parts[name] for name in (NOTES, OBSERVED, BLOCK)))


def parts_of(request: Request) -> Counter[str]:
    """Return how many tokens of `request` each of its parts takes."""
    parts = Counter({RULES: _rules(request)})
    for words in remembered(request):
        parts[_kind(words, request)] += tokens_of_text(words)
    *earlier, last = [block for each in request.messages for block in each["content"]]
    within = sum(tokens_of_text(each) for each in remembered_in([last]))
    parts[STATE] = tokens_of_block(last) - within
    parts[TAIL] = _size(earlier) - sum(tokens_of_text(each) for each in remembered_in(earlier))
    return parts


def remembered_in(blocks: Iterable[Mapping[str, Any]]) -> Iterable[str]:
    """Yield what memory put into some blocks of messages."""
    return remembered(Request("", (), [{"role": "user", "content": list(blocks)}], 0))


def _rules(request: Request) -> int:
    form = {"type": "json_schema", "schema": request.output_schema}
    return _size([*request.tools, form, *request.system[:1]])


def _kind(words: str, request: Request) -> str:
    if words.startswith("<memory>"):
        return NOTES
    is_older = any(words == each["text"] for each in request.system) or words.startswith("<system")
    return OBSERVED if is_older else BLOCK


def _size(blocks: Iterable[Mapping[str, Any]]) -> int:
    return sum(map(tokens_of_block, blocks))


KEY: Final = "sk-ant-api03-of-the-loopback-server"
OURS: Final = "ANTHROPIC_"  # what the SDK looks at


@contextmanager
def loopback() -> Iterator[FakeClaude]:
    """Lend a server that everything which asks Claude now asks instead."""
    before = {name: value for name, value in os.environ.items() if name.startswith(OURS)}
    with FakeClaude() as server:
        _set({"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": KEY})
        try:
            yield server
        finally:
            _set(before)


def _set(variables: dict[str, str]) -> None:
    for name in [each for each in os.environ if each.startswith(OURS)]:
        del os.environ[name]
    os.environ.update(variables)


EVERY: Final = 60  # ticks
SEED: Final = 0


@dataclass(frozen=True, slots=True)
class ModelGame:
    """What was asked and said; `taped` are the calls as they were recorded: what was sent, and what came."""

    talk: ConversationTokens
    summary: Summary
    questions: Sequence[Question]
    messages: Sequence[Message]
    taped: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]
    observations: Sequence[Observation]
    fixed: Fixed
    tools: Sequence[ObservedCall]


def played(cartridge: Cartridge, home: Path, name: str, ticks: int, *, distils: bool) -> ModelGame:
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
                "agent.advisor.exchange:ClaudeAdvisor.ask",
                "agent.advisor.calls:Calls.complete",
                "memory.conversation.conversation:Conversation.say",
                "memory.tapes.recorder:TapeRecorder.record",
                "agent.advisor.exchange:request_of",
                "agent.advisor.exchange:Toolbox.result_of",
            )
        ]
        summary = play_run(settings, NoViewer(), Interrupt())
    asked, completed, said, recorded, laid_out, tools = listen
    with closing(read_run(home / "run")) as folder:
        observations = folder.store.observations()
    return ModelGame(
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
    name: str,
    asked: Sequence[ObservedCall],
    completed: Sequence[ObservedCall],
    said: Mapping[str, Any],
) -> ConversationTokens:
    """Return what was heard of ClaudeAdvisor.ask and Calls.complete as one talk; calls without a reply are left out."""
    calls = [
        call_tokens(request, purpose, each.result)
        for each in completed
        for _, request, purpose in [each.args]
        if isinstance(each.result, Reply)
    ]
    return ConversationTokens(name, len(asked), calls, said)
