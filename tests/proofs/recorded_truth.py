"""Games played with one memory: its records, its sentences and its answers, beside what their recordings show."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

from agent.app import Stop
from agent.record.battles import MOST_DECISIONS
from agent.story.story import Story
from emulator import Cartridge, Dex, demo_cartridge_path, load_cartridge
from memory import read_run
from memory.inspect import view_file
from tests.proofs.game_truth import (
    PROOF_DELAY,
    CartridgeNames,
    FightOutcome,
    GameTruth,
    HeldValue,
    ObservedFight,
    truth_of,
)
from tests.proofs.memory_answers import open_game_memory, questions
from tests.proofs.played import played
from tests.proofs.sentences import false_records, false_sentences, sentence_kinds
from tests.proofs.workers import Row

TOGETHER: Final = 3  # games with one memory
ENOUGH: Final = 0.9  # of the questions about a game, answered rightly
OUTCOMES: Final = {
    FightOutcome.WON: "victory",
    FightOutcome.LOST: "defeat",
    FightOutcome.FLED: "runaway",
    FightOutcome.CAUGHT: "catch",
}
Written = Mapping[str, Any]


class RecordedGame(NamedTuple):
    """One game: its run folder, and what really happened."""

    run: Path
    truth: GameTruth


class Answers(NamedTuple):
    """How many questions of a kind memory was asked about games, and those that it answered wrongly."""

    asked: int
    wrong: Sequence[str]

    @property
    def right(self) -> float:
        """The share of right answers."""
        return 1 - len(self.wrong) / self.asked


def games_job(number: int, until: str = "third_badge") -> Row:
    """Play several games with one memory, drive their recordings, and compare records, sentences and answers."""
    seeds = range(TOGETHER * number, TOGETHER * (number + 1))
    with TemporaryDirectory() as home:
        cartridge = load_cartridge(demo_cartridge_path())
        games = [recorded_game(cartridge, seed, Path(home), until) for seed in seeds]
        problems = [f"seed {g.truth.seed}: {each}" for g in games for each in different_records(g)]
        kinds, false = sentences_after(games, Path(home))
        happened, never = answers_about(games, Path(home))
    fights = [fight for game in games for fight in game.truth.fights]
    few = [f"{each.right:.0%} right: {each.wrong}" for each in (happened, never)]
    problems += [each for each, of in zip(few, (happened, never), strict=True) if of.right < ENOUGH]
    return {
        "name": f"games {seeds[0]} to {seeds[-1]}",
        "battles": len(fights),
        "with several": sum(len(each.places) > 1 for each in fights),
        "items": sum(len(each.items) for each in fights),
        "sentences": kinds,
        "questions": happened.asked,
        "answered wrongly": happened.wrong,
        "questions about what never was": never.asked,
        "answered all the same": never.wrong,
        "problems": [*problems, *false],
    }


def recorded_game(cartridge: Cartridge, seed: int, home: Path, until: str) -> RecordedGame:
    """Return the game of a seed, played with the memory of the games before it in `home`."""
    run = home / f"run-{seed}"
    summary = played(home, rom=cartridge.path, until=until, seed=seed, run=run)
    assert summary.stop is Stop.GOAL, summary
    return RecordedGame(run, truth_of(run, cartridge))


def different_records(game: RecordedGame) -> list[str]:
    """Return what the events of a run say that its recording does not show."""
    with closing(read_run(game.run)) as run:
        written = {
            kind: [event.payload for event in run.store.record.events(kind)]
            for kind in ("battle", "resources", "blackout", "location", "milestone_time")
        }
    return [
        *different_battles(written["battle"], game.truth.fights),
        *different_snapshots(written["resources"], game.truth),
        *different_counts(written, game.truth),
    ]


def sentences_after(games: Sequence[RecordedGame], home: Path) -> tuple[Counter[str], list[str]]:
    """Return how many sentences of each kind memory tells after these games, and the false ones."""
    truths, memory = [game.truth for game in games], home / "memory.sqlite"
    with view_file(memory, now=datetime.now(UTC).timestamp()) as view:
        items = view.items()
    with (
        TemporaryDirectory() as copies,
        open_game_memory(games[-1].run, memory, Path(copies)) as notes,
    ):
        records = list(false_records(notes.tiers, truths))
    return sentence_kinds(items), [*false_sentences(items, truths), *records]


def answers_about(games: Sequence[RecordedGame], home: Path) -> tuple[Answers, Answers]:
    """Return how memory answers questions about what happened in these games, and about what never did."""
    cartridge = load_cartridge(demo_cartridge_path())
    names = CartridgeNames.of(Story.of(cartridge.kind), Dex.of(cartridge))
    truths = [game.truth for game in games]
    asked, wrong = Counter[bool](), {True: list[str](), False: list[str]()}
    for number, game in enumerate(games, start=1):
        with (
            TemporaryDirectory() as copies,
            open_game_memory(game.run, home / "memory.sqlite", Path(copies)) as notes,
        ):
            for each in questions(truths[:number], names):
                never, answer = each.right is None, notes.answer(each)
                asked[never] += 1
                if not each.is_answered_by(answer):
                    wrong[never].append(f"seed {game.truth.seed}: {each}: {answer}")
    return Answers(asked[False], wrong[False]), Answers(asked[True], wrong[True])


def different_battles(records: Sequence[Written], fights: Sequence[ObservedFight]) -> Iterator[str]:
    """Yield what records say of battles that is not so."""
    for written, fight in zip_longest(records, fights):
        if written is None or fight is None:
            yield f"{len(records)} battles are recorded of {len(fights)}"
            return
        for name, right in shown(fight).items():
            if written.get(name) != right:
                yield f"tick {fight.first_tick}: {name} is {written.get(name)}, and was {right}"
        decisions = written["key_decisions"]
        for item, own, enemy in fight.items:
            right = (
                f"{item} when {fight.finisher} had {own:.0f}% HP",
                f"{item} at {fight.enemies[-1]} with {enemy:.0f}% HP",
            )
            is_plain = len(fight.places) == len(fight.enemies) == 1
            if is_plain and len(decisions) < MOST_DECISIONS and not set(right) & set(decisions):
                yield f"tick {fight.first_tick}: not {decisions}, but {right[0]}"


def shown(fight: ObservedFight) -> dict[str, object]:
    """Return the fields of a record that a recording shows."""
    right: dict[str, object] = {
        "enemy_pokemon": ", ".join(fight.enemies),
        "player_pokemon": fight.own,
        "player_level": fight.own_level,
        "outcome": OUTCOMES[fight.outcome],
        "turns_taken": fight.turns,
        "moves_used": list(fight.own_moves),
        "items_used": [item for item, _, _ in fight.items],
        "location": fight.place,
        "opponent": fight.opponent or None,
    }
    if len(fight.places) > 1:
        right |= {"finisher": fight.finisher, "finisher_moves": list(fight.moves)}
    return right


def different_snapshots(records: Sequence[Written], truth: GameTruth) -> Iterator[str]:
    """Yield what snapshots say of money and items that is not so."""
    for written in records:
        tick = written["tick"]
        if tick < truth.money[0].tick:
            continue  # before the game has begun
        held = {name: _at(history, tick) for name, history in truth.items.items()}
        bag = {name: number for name, number in held.items() if number}
        if (written["money"], written["items"]) != (truth.money_at(tick), bag):
            yield f"tick {tick}: {written['money']} and {written['items']}, not {bag}"
        machines = sorted(name for name in bag if name[:2] in ("TM", "HM") and name[2:].isdigit())
        named = [*written["hms_obtained"], *(f"TM{each:02}" for each in written["tms_obtained"])]
        if sorted(named) != machines:
            yield f"tick {tick}: machines {named}, not {machines}"


def _at(history: Sequence[HeldValue], tick: int) -> int:
    return next((held.value for held in reversed(history) if held.tick <= tick), 0)


def different_counts(written: Mapping[str, Sequence[Written]], truth: GameTruth) -> Iterator[str]:
    """Yield the counts that differ: blackouts, visits and milestones."""
    visits = {each["location_name"]: each["visit_count"] for each in written["location"]}
    right = Counter(visit.place for visit in truth.visits if visit.tick < truth.ticks)
    if visits != right:
        yield f"visits are {visits}, and were {dict(right)}"
    reached = {each["milestone"]: each["tick"] for each in written["milestone_time"]}
    for name, tick in truth.milestones.items():
        if not tick <= reached.get(name, -1) <= tick + PROOF_DELAY:
            yield f"{name} at tick {reached.get(name)}, and was at {tick}"
    lost = sum(each.blacked_out for each in truth.fights)
    if len(written["blackout"]) != lost:
        yield f"{len(written['blackout'])} blackouts are recorded of {lost}"
