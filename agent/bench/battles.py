"""Seeded battles on a cartridge, each fought twice from the same moment: by the agent, and by who it is measured against."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from dataclasses import dataclass, replace
from multiprocessing import get_context
from time import process_time
from typing import Final, TypeAlias

from agent.bench.contests import Contest, contest
from agent.bench.game import steps_of
from agent.bench.parties import party_in_ram
from agent.bench.strongest import Strongest
from agent.capabilities.tactics import Tactics
from agent.errors import RunError
from agent.skills import Commander, Course, Flee, Order, Outcome, Tried, fight
from emulator import (
    BattleResult,
    Cartridge,
    Dex,
    PyBoyConsole,
    State,
    Step,
    load_cartridge,
    read_state,
)
from emulator.profile import symbol

LONGEST: Final = 5_000  # ticks of the game that leads to the first moment
MOST_STEPS: Final = 4_000  # of a battle; who has not won by then has not won
CHUNK: Final = 10
FAST_AND_SET: Final = 0xC1  # of wOptions: fast text, no animations, no offers to change
BEGINNING: Final = 120  # frames that a battle may take to begin
OPPONENT_IS_TRAINER: Final = 200

Progress: TypeAlias = Callable[[int], object]


@dataclass(frozen=True, slots=True)
class Fought:
    """How one policy did; `thought` is the seconds of the processor that each turn took it."""

    result: BattleResult | None
    thought: tuple[float, ...]

    @property
    def won(self) -> bool:
        """Whether the battle was won."""
        return self.result is BattleResult.WON


@dataclass(frozen=True, slots=True)
class Pair:
    """One battle fought twice; `met` is the class of the trainer, if one was met."""

    seed: int
    kind: str
    agent: Fought
    baseline: Fought
    met: str = ""


def fight_pairs(
    cartridge: Cartridge, seeds: Sequence[int], *, processes: int, done: Progress
) -> list[Pair]:
    """Return the battle of each seed, fought by both; `done` is told how many more are over."""
    start = first_moment(cartridge)
    chunks = [seeds[at : at + CHUNK] for at in range(0, len(seeds), CHUNK)]
    pairs: list[Pair] = []
    if processes == 1:
        for chunk in chunks:
            pairs += _fight_chunk(cartridge, start, chunk)
            done(len(chunk))
        return pairs
    # A process of its own that begins afresh: PyBoy may run threads, which a fork would break.
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        works = [pool.submit(_fight_loaded, cartridge, start, chunk) for chunk in chunks]
        for work in works:
            pairs += work.result()
            done(CHUNK)
    return pairs


def first_moment(cartridge: Cartridge) -> bytes:
    """Return a saved moment of the game of seed 0: the player is in control again after the first battle."""
    steps = steps_of(cartridge, 0, LONGEST, enough=_afterwards())
    is_over = _afterwards()
    with closing(PyBoyConsole(cartridge)) as console:
        for step in steps:
            console.perform(step)
            if is_over(read_state(console.ram(), console.frame)):
                return console.save()
    message = f"the game of seed 0 has no battle within {LONGEST} ticks; bench battles needs one"
    raise RunError(message)


def _afterwards() -> Callable[[State], bool]:
    """Return what says of one state after the other whether the first battle lies behind it."""
    fought = False

    def is_over(state: State) -> bool:
        nonlocal fought
        fought = fought or state.in_battle
        return fought and state.in_control and not state.in_battle

    return is_over


def play_battle(
    console: PyBoyConsole, start: bytes, dex: Dex, drawn: Contest, commander: Commander
) -> Fought:
    """Fight the battle that was drawn from a saved moment on."""
    console.load(start)
    state = read_state(console.ram(), console.frame)
    for address, data in _preparation(dex, drawn, state).items():
        console.poke(address, data)
    console.perform(Step(None, 0, drawn.wait))
    for address, data in _challenge(drawn).items():
        console.poke(address, data)
    console.perform(Step(None, 0, BEGINNING))
    timed = Timed(commander)
    course = Course(fight(timed, read_state(console.ram(), console.frame)))
    for _ in range(MOST_STEPS):
        if course.outcome is not Outcome.RUNNING:
            break
        console.perform(course.step)
        state = read_state(console.ram(), console.frame)
        course.resume(state)
    ended = course.outcome in (Outcome.DONE, Outcome.INTERRUPTED)
    return Fought(state.battle_result if ended else None, tuple(timed.thought))


class Timed:
    """A commander whose turns are timed, and who is told that there is no running: it has to win."""

    def __init__(self, commander: Commander) -> None:
        self._commander = commander
        self.thought: list[float] = []
        self.next_mon = commander.next_mon
        self.fights_on = commander.fights_on
        self.change = commander.change
        self.forget = commander.forget

    def order(self, state: State, tried: Tried) -> Order:
        """Return what the commander orders."""
        start = process_time()
        order = self._commander.order(state, replace(tried, refused=tried.refused | {Flee()}))
        self.thought.append(process_time() - start)
        return order


def _preparation(dex: Dex, drawn: Contest, state: State) -> dict[int, bytes]:
    party = party_in_ram(dex, drawn.own, drawn.dvs, state.player.player_id)
    return {**party, symbol("wOptions"): bytes([FAST_AND_SET])}


def _challenge(drawn: Contest) -> dict[int, bytes]:
    foe = drawn.foe
    if foe.trainer_class:
        opponent, level = OPPONENT_IS_TRAINER + foe.trainer_class, 0
    else:
        level, opponent = foe.team[0]
    return {
        symbol("wTrainerNo"): bytes([foe.number]),
        symbol("wCurEnemyLevel"): bytes([level]),
        symbol("wCurOpponent"): bytes([opponent]),
    }


def _fight_loaded(cartridge: Cartridge, start: bytes, seeds: Sequence[int]) -> list[Pair]:
    return list(_fight_chunk(load_cartridge(cartridge.path), start, seeds))


def _fight_chunk(cartridge: Cartridge, start: bytes, seeds: Sequence[int]) -> Iterator[Pair]:
    dex = Dex.of(cartridge)
    agent, baseline = Tactics(dex), Strongest(dex)
    with closing(PyBoyConsole(cartridge)) as console:
        for seed in seeds:
            drawn = contest(dex, seed)
            yield Pair(
                seed,
                drawn.foe.kind,
                play_battle(console, start, dex, drawn, agent),
                play_battle(console, start, dex, drawn, baseline),
                dex.trainer(drawn.foe.trainer_class).name if drawn.foe.trainer_class else "",
            )
