"""Seeded battles on a cartridge, each fought twice from the same state: by the agent, and by a strongest-move policy.

Each seed draws one battle, with an empty bag, or one of those that games met. No side runs.
"""

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from agent.app import Interrupt, TickView, Viewer
from agent.app.session import PlayLimits
from agent.battle.odds import prepare
from agent.battle.policy import BattlePolicy
from agent.errors import RunError
from agent.lab.bench.battle_setup import BattleSetup, met_trainer, opponent_in_ram
from agent.lab.bench.game import GOAL, StateWatcher, open_session
from agent.lab.bench.stopwatch import calls_of
from agent.lab.publish import Findings, Row
from agent.lab.runner import play_all
from agent.lab.stats import Distribution, Paired
from agent.skills import (
    Attack,
    Commander,
    Flee,
    Order,
    Outcome,
    SkillRun,
    TriedOrders,
    fight,
    first_able,
    usable_slots,
)
from agent.story.story import Story
from agent.tools.progress import Asked, Done
from agent.tools.report.words import counted
from emulator import (
    BattleResult,
    Cartridge,
    Dex,
    PyBoyConsole,
    State,
    Step,
    load_cartridge,
    read_state,
    symbol,
)


@dataclass(frozen=True, slots=True)
class StrongestMove:
    """A baseline policy that never uses status moves, switches, runs or learns a move."""

    dex: Dex

    def order(self, state: State, _tried: TriedOrders) -> Order:
        """Return the attack with the highest power times accuracy."""
        own = state.battle.own if state.battle is not None else None
        if own is None:
            return Attack(0)
        slots = usable_slots(own) or (0,)
        return Attack(max(slots, key=lambda slot: self._force(own.moves[slot].move)))

    def next_mon(self, state: State) -> int:
        """Return the first mon that can fight."""
        return first_able(state)

    def fights_on(self, _state: State) -> bool:
        """Never run."""
        return True

    def change(self, _state: State) -> int | None:
        """Never switch."""
        return None

    def forget(self, _state: State) -> int | None:
        """Never learn a fifth move."""
        return None

    def _force(self, number: int) -> int:
        move = self.dex.all_moves.get(number)
        return move.power * move.accuracy if move is not None else -1


LONGEST: Final = 5_000  # ticks of the game that leads to the start state
LONGEST_GAME: Final = 20_000  # of one that meets trainers
MOST_STEPS: Final = 4_000  # of a battle; a longer one counts as not won
CHUNK: Final = 10
FAST_AND_SET: Final = 0xC1  # of wOptions: fast text, no animations, no offers to switch
BEGINNING: Final = 120  # frames until a battle has begun


@dataclass(frozen=True, slots=True)
class FightResult:
    """The result of one policy; `decision_s` is the processor time of each decision in seconds."""

    result: BattleResult | None
    decision_s: tuple[float, ...]

    @property
    def won(self) -> bool:
        """Whether the battle was won."""
        return self.result is BattleResult.WON


@dataclass(frozen=True, slots=True)
class BattlePair:
    """One battle fought twice; `met` is the class of the trainer, if there was one."""

    seed: int
    kind: str
    agent: FightResult
    baseline: FightResult
    met: str = ""


def fight_pairs(
    cartridge: Cartridge, battles: Sequence[BattleSetup], *, processes: int, done: Done
) -> list[BattlePair]:
    """Return each battle, fought by both policies; `done` gets the number of further completed ones."""
    start = start_state(cartridge)
    chunks = [battles[at : at + CHUNK] for at in range(0, len(battles), CHUNK)]
    fought = play_all(
        partial(fight_chunk, cartridge.path, start),
        chunks,
        processes=processes,
        done=lambda more: done(more * CHUNK),
    )
    return [pair for chunk in fought for pair in chunk]


def fight_chunk(
    rom: Path, start: bytes, battles: Sequence[BattleSetup], _asked: Asked
) -> list[BattlePair]:
    """Return a few battles, each fought by both policies from the start state."""
    cartridge = load_cartridge(rom)
    dex = Dex.of(cartridge)
    agent, baseline = NoRunPolicy(dex), StrongestMove(dex)
    with closing(PyBoyConsole(cartridge)) as console:
        return [
            BattlePair(
                drawn.seed,
                drawn.kind,
                play_battle(console, start, drawn, agent),
                play_battle(console, start, drawn, baseline),
                dex.trainer(drawn.foe.trainer_class).name if drawn.foe.trainer_class else "",
            )
            for drawn in battles
        ]


def start_state(cartridge: Cartridge) -> bytes:
    """Return a saved state of the game of seed 0, in which the player has control after the first battle."""
    interrupt = Interrupt(is_final=True)
    with open_session(cartridge, Story.of(cartridge.kind), 0, interrupt) as (session, store):
        session.play(PlayLimits(GOAL, LONGEST), StateWatcher(_after_first_battle(), interrupt))
        moment = store.checkpoints.latest()
    if moment is None or not interrupt.asked:
        missing = f"the game of seed 0 has no battle within {LONGEST} ticks"
        raise RunError(f"{missing}; bench battles needs one")
    return moment.state


class TrainerWatcher(Viewer):
    """A viewer that notes each trainer when the battle begins."""

    def __init__(self, dex: Dex) -> None:
        self._dex = dex
        self.met: list[BattleSetup] = []
        self._in_battle = False

    def show(self, moment: TickView) -> None:
        """Take the state."""
        met = None if self._in_battle else met_trainer(moment.state, self._dex)
        self._in_battle = moment.state.in_battle
        self.met += [met] if met is not None else []


class GamePlayed(NamedTuple):
    """The trainers that a game met, and the processor time of each decision in its battles, in seconds."""

    met: list[BattleSetup]
    decision_s: tuple[float, ...]


def meet_trainers(rom: Path, until: str, seed: int, _asked: Asked) -> GamePlayed:
    """Return what a game met on its way to a milestone, and how long it took over its battles."""
    cartridge, decide = load_cartridge(rom), BattlePolicy.order
    dex = Dex.of(cartridge)
    watcher = TrainerWatcher(dex)
    prepare(dex)
    with (
        open_session(cartridge, Story.of(cartridge.kind), seed) as (session, _),
        calls_of([decide]) as turns,
    ):
        session.play(PlayLimits(until, LONGEST_GAME), watcher)
    return GamePlayed(watcher.met, tuple([each.cpu_s for each in turns[decide]]))


def _after_first_battle() -> Callable[[State], bool]:
    """Return a test that is called with each state in order, and is true after the first battle."""
    fought = False

    def is_over(state: State) -> bool:
        nonlocal fought
        fought = fought or state.in_battle
        return fought and state.in_control and not state.in_battle

    return is_over


def play_battle(
    console: PyBoyConsole, start: bytes, drawn: BattleSetup, commander: Commander
) -> FightResult:
    """Fight a battle from the saved start state."""
    console.load(start)
    for address, data in {**drawn.ram, symbol("wOptions"): bytes([FAST_AND_SET])}.items():
        console.poke(address, data)
    console.perform(Step(None, 0, drawn.wait))
    for address, data in opponent_in_ram(drawn.foe).items():
        console.poke(address, data)
    console.perform(Step(None, 0, BEGINNING))
    decide = type(commander).order
    with calls_of([decide]) as turns:
        state = read_state(console.ram(), console.frame)
        skill_run = SkillRun(fight(commander, state))
        for _ in range(MOST_STEPS):
            if skill_run.outcome is not Outcome.RUNNING:
                break
            console.perform(skill_run.step)
            state = read_state(console.ram(), console.frame)
            skill_run.resume(state)
    ended = skill_run.outcome in (Outcome.DONE, Outcome.INTERRUPTED)
    decision_s = tuple([each.cpu_s for each in turns[decide]])
    return FightResult(state.battle_result if ended else None, decision_s)


class NoRunPolicy(BattlePolicy):
    """The policy of the agent with running refused, so that it must win."""

    def order(self, state: State, tried: TriedOrders) -> Order:
        """Return the order for this turn."""
        return super().order(state, replace(tried, refused=tried.refused | {Flee()}))


ALL: Final = "all"
SIDES: Final = ("agent wins", "baseline wins")
MILLISECONDS: Final = 1_000


def battle_rows(pairs: Sequence[BattlePair]) -> list[Row]:
    """Return a row for all battles, and one for each kind that was fought."""
    rows: list[Row] = []
    for kind in (ALL, *dict.fromkeys(each.kind for each in pairs)) if pairs else ():
        counts = paired(pairs, kind)
        rows.append(
            {
                "battles": kind,
                "number": counts.count,
                **dict(zip(SIDES, counts.rates, strict=True)),
                "only the agent": counts.first,
                "only the baseline": counts.second,
                "difference": counts.interval(),
                "McNemar p": float(f"{counts.p_value():.2g}"),
            }
        )
    return rows


def paired(pairs: Sequence[BattlePair], kind: str = ALL) -> Paired:
    """Return the outcomes of one kind of battles, or of all."""
    return Paired.of(
        (each.agent.won, each.baseline.won) for each in pairs if kind in (ALL, each.kind)
    )


def battle_findings(
    cartridge: str, pairs: Sequence[BattlePair], games: Sequence[GamePlayed] = ()
) -> Findings:
    """Return the findings of battles fought twice, with the most important figure first.

    The times are those of the decisions of `games`, or of the battles where there are none.
    """
    counts, rows = paired(pairs), battle_rows(pairs)
    difference, low, high = counts.interval()
    agent, baseline = counts.rates
    played: Sequence[GamePlayed | FightResult] = games or [pair.agent for pair in pairs]
    decision_ms = [each * MILLISECONDS for one in played for each in one.decision_s]
    thinking = Distribution.of(decision_ms or [0.0])
    times = {"decisions": len(decision_ms), "ms, median": thinking.p50, "ms, p99": thinking.p99}
    figures = {
        "lower_bound": low,
        "upper_bound": high,
        "difference": difference,
        "agent": agent.estimate,
        "baseline": baseline.estimate,
        "pairs": counts.count,
        "p_value": counts.p_value(),
        "decision_ms": {"p50": thinking.p50, "p99": thinking.p99},
        "decisions": len(decision_ms),
    }

    def draw() -> bytes:
        from agent.lab.plots import intervals_plot

        sides = {who: {row["battles"]: row[who] for row in rows} for who in SIDES}
        return intervals_plot(sides, "share of battles won")

    title = f"bench battles: {cartridge}, {counted(len(pairs), 'battle')}, each fought twice"
    fought = [
        {
            "seed": each.seed,
            "kind": each.kind,
            "trainer": each.met,
            "agent": each.agent.won,
            "baseline": each.baseline.won,
        }
        for each in pairs
    ]
    return Findings(title, figures, [rows, [times]], fought, draw)
