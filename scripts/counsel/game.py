"""One seed, played by rules and with a model that fails, and everything that is looked at afterwards."""

import json
import logging
import os
import secrets
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from agent.advisor.money import load_terms
from agent.app import AskSettings, Decider, Interrupt, Settings, Stop, Summary, TickView, play_run
from agent.app.advice import ADVICE
from agent.tools.replay import redecide_run, replay_run
from counsel.bills import passed
from counsel.hearing import MESSAGES, Asked, Hearing
from counsel.leaks import leaks
from counsel.offline import Reached, offline
from memory import read_run
from tests.fake_service import (
    AnswerKind,
    FakeClaude,
    FaultSpread,
    ScriptedAnswer,
    ServiceFault,
    ServiceScenario,
    ToolCall,
    scenario_named,
)

WIDE: Final = Path(__file__).with_name("wide.toml")
LOG: Final = "log"
OWN_TURNS: Final = (2, 7)  # of the faults that a game has of its own
_NUMBERS: Final = 10_000  # of messages; no game asks for more
_FORMAT: Final = logging.Formatter("%(levelname)s %(name)s %(message)s")


class Nobody:
    """A viewer that looks away."""

    def show(self, moment: TickView) -> None:
        """Look away."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """One game to play. `faults` is the share of calls that fail; `is_wide` gives ceilings that are not met."""

    seed: int
    scenario: str
    faults: float
    every: int
    timeout_s: float
    is_wide: bool
    until: str = "first_badge"


@dataclass(frozen=True, slots=True)
class Game:
    """A seed, played twice. `made` counts faults by what the service made; `bills` the calls by what is known of them."""

    wanted: Wanted
    rules: Summary
    claude: Summary
    questions: Sequence[Asked]
    made: Mapping[str, int]
    bills: Mapping[str, int]
    usd: float
    problems: Sequence[str]

    @property
    def answers(self) -> int:
        """How many questions were answered."""
        return sum(each.end == "answered" for each in self.questions)


def play_apart(wanted: Wanted) -> Game:
    """Play a seed twice in a folder that is gone afterwards."""
    with TemporaryDirectory(prefix="advised-") as folder:
        return play(wanted, Path(folder))


def play(wanted: Wanted, home: Path) -> Game:
    """Play a seed twice below `home`, and look at what is left behind."""
    key = f"sk-ant-api03-{secrets.token_urlsafe(64)}"
    by_rules, with_claude = home / "rules", home / "claude"
    for each in (by_rules, with_claude):
        each.mkdir()
    common = Settings(seed=wanted.seed, until=wanted.until)
    rules = play_run(_in(by_rules, common), Nobody(), Interrupt())
    settings = _in(with_claude, replace(common, mind=Decider.CLAUDE, asking=_asking(wanted, home)))
    with ExitStack() as stack:
        stack.enter_context(_logged(home / LOG))
        server = stack.enter_context(FakeClaude(_scenario(wanted, key), seed=wanted.seed))
        stack.enter_context(_environment(server.url, key))
        hearing = Hearing(server)
        with hearing.listening():
            claude = play_run(settings, Nobody(), Interrupt())
    run = with_claude / "run"
    with closing(read_run(run)) as folder:
        calls = folder.store.calls()
    terms = load_terms(WIDE if wanted.is_wide else None)
    problems = [
        *_problems_of_play(rules, claude),
        *_problems_of_hearing(hearing, server),
        *(f"went beyond a ceiling: {each}" for each in passed(calls, terms)),
        *_problems_of_replay(run),
        *(f"the key is in {each}" for each in leaks(home, key, json.dumps(claude.as_json()))),
    ]
    return Game(
        wanted,
        rules,
        claude,
        hearing.questions,
        dict(server.faults),
        Counter(each.state.value for each in calls),
        float((claude.advice or {})["usd"]),
        problems,
    )


def _in(home: Path, settings: Settings) -> Settings:
    return replace(settings, run=home / "run", memory=home / "memory.sqlite")


def _asking(wanted: Wanted, home: Path) -> AskSettings:
    return AskSettings(
        every=wanted.every,
        terms=WIDE if wanted.is_wide else None,
        tapes=home / "claude" / ".tapes",
        timeout_s=wanted.timeout_s,
    )


def _scenario(wanted: Wanted, key: str) -> ServiceScenario:
    """Return the scenario that was asked for, of a service that also says the key back."""
    scenario = scenario_named(wanted.scenario)
    words = f"the key is {key}, note it"
    told = {"goals": ["$goal"], "candidates": ["$candidate"], "note": words, "confidence": 0.8}
    stored = ((ToolCall("store", {"text": words, "tags": ["key"]}),),)
    lines = (
        ScriptedAnswer(kind=AnswerKind.ANSWER, turns=tuple(range(3, _NUMBERS, 9)), json=told),
        ScriptedAnswer(kind=AnswerKind.ANSWER, turns=tuple(range(5, _NUMBERS, 11)), rounds=stored),
    )
    spread = replace(scenario.spread, share=wanted.faults)
    faults = (*_faults_of(wanted.seed, spread), *scenario.faults)
    return replace(scenario, lines=(*lines, *scenario.lines), faults=faults, spread=spread)


def _faults_of(seed: int, spread: FaultSpread) -> Iterator[ServiceFault]:
    """Yield faults that a game has whatever chance brings, so that seeds in a row meet every kind."""
    if not spread.share:
        return
    for at, turn in enumerate(OWN_TURNS):
        kind = spread.kinds[(len(OWN_TURNS) * seed + at) % len(spread.kinds)]
        yield ServiceFault(kind, turns=(turn,))


@contextmanager
def _environment(url: str, key: str) -> Iterator[None]:
    """Point the SDK at a server for as long as the context lasts."""
    told = {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": key}
    os.environ.update(told)
    try:
        yield
    finally:
        for name in told:
            del os.environ[name]


@contextmanager
def _logged(path: Path) -> Iterator[None]:
    """Write whatever anybody logs to a file."""
    root, handler = logging.getLogger(), logging.FileHandler(path, encoding="utf-8")
    before = root.level
    handler.setFormatter(_FORMAT)
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        yield
    finally:
        root.removeHandler(handler)
        root.setLevel(before)
        handler.close()


def _problems_of_play(rules: Summary, claude: Summary) -> Iterator[str]:
    for name, summary in (("rules", rules), ("claude", claude)):
        if summary.stop is not Stop.GOAL:
            yield f"{name} ended by {summary.stop.value}: {summary.reason}"
        if summary.errors:
            yield f"{name} counted {summary.errors} errors"
    if missing := {each.id for each in rules.milestones} - {each.id for each in claude.milestones}:
        yield f"with claude not earned: {', '.join(sorted(missing))}"
    if lost := (claude.advice or {})["tape_lost"]:
        yield f"{lost} calls are not on the tape"


def _problems_of_hearing(hearing: Hearing, server: FakeClaude) -> Iterator[str]:
    calls = [each for question in hearing.questions for each in question.calls]
    reached = sum(each.reached for each in calls)
    if reached != server.counts.calls[MESSAGES]:
        yield f"{server.counts.calls[MESSAGES]} requests came, and {reached} were made"
    heard = Counter(each.fault for each in calls if each.fault)
    if heard != server.faults:
        yield f"faults that nobody heard of: {dict(server.faults - heard)}"
    if server.counts.errors:
        yield f"the service refused requests: {dict(server.counts.errors)}"


def _problems_of_replay(run: Path) -> Iterator[str]:
    """Replay the steps and decide them anew, with no network."""
    with closing(read_run(run)) as folder:
        told = sum(1 for _ in folder.store.events(ADVICE))
    try:
        with offline():
            divergence, relived = replay_run(run, None).divergence, redecide_run(run, None, None)
    except Reached as reached:
        yield f"a replay reached for the network: {reached}"
        return
    if divergence is not None:
        yield f"the replay diverges: {divergence}"
    if relived.divergence:
        yield f"decided anew it diverges: {relived.divergence}"
    if relived.advice != told:
        yield f"of {told} answers {relived.advice} were given again"
