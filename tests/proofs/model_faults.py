"""One seed played by rules, and with a model whose service fails, and the checks afterwards.

The product is not changed for this: methods of the advisor are wrapped here by ones that record calls.
"""

import base64
import json
import logging
import secrets
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from urllib.parse import quote

from agent.advisor.claude import Claude
from agent.advisor.exchange import ClaudeAdvisor
from agent.advisor.money.limits import Terms, load_terms
from agent.advisor.port import Advice, Decider
from agent.app import AskSettings, Stop, Summary
from agent.record.answers import ADVICE
from agent.tools.replay.operations import redecide_run, replay_run
from memory import read_run
from memory.store.calls import HOUR_MS, CallState, CallSums, ModelCall, Sums
from tests import fake_service
from tests.proofs.patches import wrapped
from tests.proofs.played import asking, played
from tests.proofs.verdict_reader import verdicts_and_reading
from tests.proofs.workers import Row

WIDE: Final = Path(__file__).with_name("wide_terms.toml")
MESSAGES: Final = "POST /v1/messages"
ANSWERED: Final = "answered"
OWN_TURNS: Final = (2, 7)  # of the fixed faults, so that games of consecutive seeds have every kind
TIMEOUT_S: Final = 1.0  # of an answer; loopback takes milliseconds
EVERY: Final = 100  # ticks between two questions
SHARE: Final = 0.3  # of calls that fail
TURNS: Final = 10_000  # maximum messages of a game
NETWORK: Final = frozenset(
    f"socket.{name}"
    for name in ("connect", "sendto", "sendmsg", "bind", "getaddrinfo", "gethostbyname")
)


@dataclass(frozen=True, slots=True)
class GameSpec:
    """One game to play. `faults` is the share of calls that fail; `is_wide` selects ceilings that are not reached."""

    seed: int
    is_wide: bool
    scenario: str = "faulty"
    faults: float = SHARE
    every: int = EVERY
    timeout_s: float = TIMEOUT_S
    until: str = "first_badge"


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """One request: whether it reached the service, and its `fault` ('' for none)."""

    reached: bool
    fault: str


@dataclass(slots=True)
class RecordedQuestion:
    """One question: purpose, tick, calls, and its end: answered, or the reason for no answer."""

    purpose: str
    tick: int
    calls: list[RecordedCall] = field(default_factory=list)
    end: str = ""


@dataclass(frozen=True, slots=True)
class AdvisedGame:
    """A seed played twice. `made` counts the faults made by the service."""

    wanted: GameSpec
    rules: Summary
    claude: Summary
    questions: Sequence[RecordedQuestion]
    made: Counter[str]
    usd: float
    problems: Sequence[str]


def advised_job(number: int) -> Row:
    """Play a seed twice; every second one has the shipped ceilings, which three lost calls in ten soon reach."""
    wanted = GameSpec(100 + number, is_wide=bool(number % 2))
    with TemporaryDirectory(prefix="advised") as folder:
        game = play(wanted, Path(folder))
    return {
        "name": f"seed {wanted.seed}",
        "ceilings": "wide" if wanted.is_wide else "shipped",
        "ticks by rules": game.rules.ticks,
        "ticks with claude": game.claude.ticks,
        "questions": dict(Counter(each.end for each in game.questions)),
        "calls": sum(len(each.calls) for each in game.questions),
        "faults": dict(game.made),
        "usd": round(game.usd, 2),
        "problems": list(game.problems),
    }


def sound_job(number: int) -> Row:
    """Play a whole seed with a model whose service does not fail, asked as by default."""
    seed = 200 + number
    with (
        TemporaryDirectory(prefix="advised") as folder,
        fake_service.FakeClaude(fake_service.scenario_named("sensible"), seed=seed) as server,
        asking(server.url),
    ):
        log = QuestionLog(server)
        with log.recording():
            summary = played(
                Path(folder),
                seed=seed,
                until="third_badge",
                mind=Decider.CLAUDE,
                asking=AskSettings(tapes=Path(folder) / "tapes"),
            )
        given, read = verdicts_and_reading(Path(summary.run))
    advice = summary.advice or {}
    wrong = [
        f"verdict {ours}, read {theirs}"
        for ours, theirs in zip(given, read, strict=True)
        if ours != theirs
    ]
    return {
        "name": f"seed {seed}",
        "questions": dict(Counter(each.end for each in log.questions)),
        "tokens": advice["tokens"],
        "usd": round(advice["usd"], 3),
        "verdicts": dict(Counter(effect for effect, *_ in read)),
        "problems": [*_of_play({"claude": summary}), *log.problems(), *wrong],
    }


def play(wanted: GameSpec, home: Path) -> AdvisedGame:
    """Play a seed by rules and with a failing model below `home`, and check the files."""
    key = f"sk-ant-api03-{secrets.token_urlsafe(64)}"
    common = {"seed": wanted.seed, "until": wanted.until}
    terms = WIDE if wanted.is_wide else None
    asked = AskSettings(
        every=wanted.every,
        terms=terms,
        tapes=home / "claude" / ".tapes",
        timeout_s=wanted.timeout_s,
    )
    with ExitStack() as stack:
        rules = played(home / "rules", **common)
        stack.enter_context(_logged(home / "log"))
        server = stack.enter_context(
            fake_service.FakeClaude(_scenario(wanted, key), seed=wanted.seed)
        )
        stack.enter_context(asking(server.url, key))
        notes = QuestionLog(server)
        stack.enter_context(notes.recording())
        claude = played(home / "claude", **common, mind=Decider.CLAUDE, asking=asked)
    run = home / "claude" / "run"
    with closing(read_run(run)) as folder:
        calls = folder.store.calls.all()
    problems = [
        *_of_play({"rules": rules, "claude": claude}),
        *_behind(rules, claude),
        *notes.problems(),
        *(f"went beyond a ceiling: {each}" for each in ceilings_passed(calls, load_terms(terms))),
        *_of_replay(run),
        *(f"the key is in {each}" for each in leaks(home, key, json.dumps(claude.as_json()))),
    ]
    made = Counter[str](server.faults)
    usd = float((claude.advice or {})["usd"])
    return AdvisedGame(wanted, rules, claude, notes.questions, made, usd, problems)


class QuestionLog:
    """All questions of a session in order, as seen by the service and the advisor. One thread asks at a time."""

    def __init__(self, server: fake_service.FakeClaude) -> None:
        self.questions: list[RecordedQuestion] = []
        self._server = server

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Record questions and calls while the context lasts."""
        with wrapped(ClaudeAdvisor, "ask", self._ask), wrapped(Claude, "complete", self._complete):
            yield

    def problems(self) -> Iterator[str]:
        """Yield requests and faults known to only one side."""
        calls = [each for asked in self.questions for each in asked.calls]
        counts = self._server.counts
        reached = sum(each.reached for each in calls)
        if reached != counts.calls[MESSAGES]:
            yield f"{counts.calls[MESSAGES]} requests arrived, and {reached} were made"
        noticed = Counter(each.fault for each in calls if each.fault)
        if noticed != self._server.faults:
            yield f"faults that were not noticed: {dict(self._server.faults - noticed)}"
        if counts.errors:
            yield f"the service refused requests: {dict(counts.errors)}"

    def _ask(self, ask: Any, advisor: ClaudeAdvisor, question: Any) -> Any:  # noqa: ANN401
        asked = RecordedQuestion(question.purpose.value, question.tick)
        self.questions.append(asked)
        answer = ask(advisor, question)
        asked.end = ANSWERED if isinstance(answer, Advice) else answer.reason.value
        return answer

    def _complete(self, complete: Any, *request: Any) -> Any:  # noqa: ANN401
        counts, faults = self._server.counts, Counter(self._server.faults)
        calls = counts.calls[MESSAGES]
        try:
            return complete(*request)
        finally:
            made = "".join(self._server.faults - faults)
            self.questions[-1].calls.append(RecordedCall(counts.calls[MESSAGES] > calls, made))


def ceilings_passed(calls: Sequence[ModelCall], terms: Terms) -> list[str]:
    """Return the ceilings that the calls of a run exceed at any time."""
    counted = [each for each in calls if each.state is not CallState.CANCELLED]
    found = (terms.ceilings.exceeded_by(_sums(counted[: at + 1])) for at in range(len(counted)))
    return sorted({each for each in found if each is not None})


def _sums(calls: Sequence[ModelCall]) -> CallSums:
    """Return the sums of calls in total, in the hour before the last, and under the milestone of the last.

    The last call counts at its maximum cost, as it did while it was active.
    """
    last = replace(calls[-1], nanos=calls[-1].worst_nanos, tokens=calls[-1].worst_tokens)
    calls = [*calls[:-1], last]
    hour = [each for each in calls if each.started_ms > last.started_ms - HOUR_MS]
    milestone = [each for each in calls if each.milestone == last.milestone]
    return CallSums(_sum(calls), _sum(hour), _sum(milestone))


def _sum(calls: Sequence[ModelCall]) -> Sums:
    nanos, tokens = (sum(getattr(each, name) for each in calls) for name in ("nanos", "tokens"))
    return Sums(nanos, len(calls), tokens)


def leaks(folder: Path, secret: str, *said: str) -> list[str]:
    """Return the files below `folder` and the texts `said` that contain `secret`, plain or in a common encoding."""
    raw = secret.encode()
    coded = [base64.b64encode(b"\0" * before + raw)[4:-4] for before in range(3)]
    forms = [raw, raw[::-1], raw.hex().encode(), quote(secret, safe="").encode(), *coded]
    contents = {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }
    contents |= {f"said ({at})": words.encode() for at, words in enumerate(said)}
    return sorted(
        name for name, content in contents.items() if any(form in content for form in forms)
    )


class NetworkUsed(BaseException):  # so that the product does not catch it as an error
    """This process used the network while it was disabled."""


class _Gate:
    """An audit hook that can block the network; hooks cannot be removed, so it is installed once."""

    def __init__(self) -> None:
        self.is_off = False
        sys.addaudithook(self._check)

    def _check(self, event: str, arguments: tuple[object, ...]) -> None:
        if self.is_off and event in NETWORK:
            message = f"{event} {arguments[1:]!r}"
            raise NetworkUsed(message)


@cache
def _gate() -> _Gate:
    return _Gate()


@contextmanager
def offline() -> Iterator[None]:
    """Raise NetworkUsed on any use of the network while the context lasts."""
    gate = _gate()
    gate.is_off = True
    try:
        yield
    finally:
        gate.is_off = False


def _scenario(wanted: GameSpec, key: str) -> fake_service.ServiceScenario:
    """Return the requested scenario, with answers that also contain the key."""
    scenario = fake_service.scenario_named(wanted.scenario)
    words = f"the key is {key}, note it"
    answer = {"goals": ["$goal"], "candidates": ["$candidate"], "note": words, "confidence": 0.8}
    stored = ((fake_service.ToolCall("store", {"text": words, "tags": ["key"]}),),)
    answers = (
        fake_service.ScriptedAnswer(
            kind=fake_service.AnswerKind.ANSWER, turns=tuple(range(3, TURNS, 9)), json=answer
        ),
        fake_service.ScriptedAnswer(
            kind=fake_service.AnswerKind.ANSWER, turns=tuple(range(5, TURNS, 11)), rounds=stored
        ),
    )
    spread = replace(scenario.spread, share=wanted.faults)
    faults = (*_own_faults(wanted.seed, spread), *scenario.faults)
    return replace(scenario, lines=(*answers, *scenario.lines), faults=faults, spread=spread)


def _own_faults(seed: int, spread: fake_service.FaultSpread) -> Iterator[fake_service.ServiceFault]:
    """Yield the fixed faults of a game."""
    for at, turn in enumerate(OWN_TURNS if spread.share else ()):
        kind = spread.kinds[(len(OWN_TURNS) * seed + at) % len(spread.kinds)]
        yield fake_service.ServiceFault(kind, turns=(turn,))


@contextmanager
def _logged(path: Path) -> Iterator[None]:
    """Write all log messages to a file."""
    root, handler = logging.getLogger(), logging.FileHandler(path, encoding="utf-8")
    before = root.level
    handler.setFormatter(logging.Formatter("%(levelname)s %(name)s %(message)s"))
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        yield
    finally:
        root.removeHandler(handler)
        root.setLevel(before)
        handler.close()


def _of_play(games: Mapping[str, Summary]) -> Iterator[str]:
    for name, summary in games.items():
        if summary.stop is not Stop.GOAL:
            yield f"{name} ended by {summary.stop.value}: {summary.reason}"
        if summary.errors:
            yield f"{name} counted {summary.errors} errors"


def _behind(rules: Summary, claude: Summary) -> Iterator[str]:
    if missing := {each.id for each in rules.milestones} - {each.id for each in claude.milestones}:
        yield f"with claude not reached: {', '.join(sorted(missing))}"
    if lost := (claude.advice or {})["tape_lost"]:
        yield f"{lost} calls are not on the tape"


def _of_replay(run: Path) -> Iterator[str]:
    """Replay the steps and decide them again, without network."""
    with closing(read_run(run)) as folder:
        recorded = sum(1 for _ in folder.store.record.events(ADVICE))
    try:
        with offline():
            divergence, again = replay_run(run, None).divergence, redecide_run(run, None)
    except NetworkUsed as used:
        yield f"a replay used the network: {used}"
        return
    if divergence is not None:
        yield f"the replay diverges: {divergence}"
    if again.divergence:
        yield f"deciding again diverges: {again.divergence}"
    if again.advice != recorded:
        yield f"of {recorded} answers {again.advice} were used again"
