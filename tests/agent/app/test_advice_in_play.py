"""Advice in whole games: what is asked, what the run keeps of it, and that it can all be decided again."""

import json
import random
import shutil
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest

from agent.advisor import Advice, Question, Silence, Silent, Tool
from agent.app import Interrupt, Summary
from agent.app.advice import ADVICE, Asking
from agent.app.session import PlayLimits, Session
from agent.app.settings import Decider, RunSettings
from agent.errors import RunError
from agent.story import Story
from agent.tools.replay import redecide_run
from emulator import CartridgeKind, PyBoyConsole, demo_cartridge_path, load_cartridge
from memory import create_run, open_knowledge_store, read_run
from tests.agent.support import Watcher

CARTRIDGE = load_cartridge(demo_cartridge_path())
STORY = Story.of(CartridgeKind.DEMO)


class Dice:
    """Answers by chance, and uses every tool before it does."""

    def __init__(self, tools: Sequence[Tool], seed: int) -> None:
        self.tools = {tool.name: tool for tool in tools}
        self.asked: list[Question] = []
        self.told: list[str] = []
        self._chance = random.Random(seed)

    def ask(self, question: Question) -> Advice | Silent:
        self.asked.append(question)
        self._use("recall", text="home")
        self._use("store", text=f"claim {len(self.asked)}", tags=["guess"])
        self._use("store", text="far away", claims={"fact": "map", "at_least": 1_000})
        for name in ("list_tags", "memory_map"):
            self._use(name)
        for view in ("screen", "map", "party", "battle"):
            self._use("look", what=view)
        self._use("try_plan", goal=question.goals[0].name)
        if self._chance.random() < 0.2:
            return Silent(Silence.FAULT, "by chance")
        goals = [each.name for each in question.goals]
        candidates = [each.name for each in question.candidates]
        self._chance.shuffle(goals)
        self._chance.shuffle(candidates)
        return Advice(tuple(goals[:3]), tuple(candidates[:4]), "by chance", 0.9)

    def _use(self, name: str, **asked: object) -> None:
        self.told.append(self.tools[name].run(asked))


@dataclass
class Game:
    folder: Path
    summary: Summary
    dice: Dice


Play = Callable[[Path, int], Game]


def play(home: Path, seed: int, until: str = "first_badge") -> Game:
    dice: list[Dice] = []

    def advisor(tools: Sequence[Tool], _observed: object) -> Dice:
        dice.append(Dice(tools, seed))
        return dice[-1]

    with ExitStack() as stack:
        knowledge = stack.enter_context(closing(open_knowledge_store(home / "m.sqlite", now=0.0)))
        frozen = RunSettings(
            run=f"run{seed}",
            started=datetime(2000, 1, 1, tzinfo=UTC),
            seed=seed,
            until=until,
            ticks=None,
            mind=Decider.CLAUDE.value,
            cartridge=CARTRIDGE.name,
            sha1=CARTRIDGE.sha1,
            pyboy="",
            memory_hash=knowledge.content_hash(),
            ask_every=200,
        )
        path = home / "run"
        folder = stack.enter_context(closing(create_run(path, frozen.table(), run_id=frozen.run)))
        console = stack.enter_context(closing(PyBoyConsole(CARTRIDGE)))
        asking = Asking(advisor, frozen.ask_every)
        session = Session(folder, console, knowledge, STORY, Interrupt(), asking=asking)
        return Game(path, session.play(PlayLimits(until, 6_000), Watcher()), dice[0])


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Game:
    return play(tmp_path_factory.mktemp("advised"), 7)


def test_with_advice_by_chance_the_badge_is_earned_all_the_same(game: Game) -> None:
    assert game.summary.stop.value == "goal"
    assert game.summary.badges == 1
    assert game.summary.errors == 0


def test_every_answer_is_kept_with_what_was_done_before_it(game: Game) -> None:
    with closing(read_run(game.folder)) as folder:
        told = list(folder.store.events(ADVICE))
    assert [each.tick for each in told] == [each.tick for each in game.dice.asked]
    assert all(len(each.payload["done"]) == 10 for each in told)
    assert any("silent" in each.payload for each in told)
    assert any("advice" in each.payload for each in told)


def test_what_a_model_stores_is_a_claim_and_the_cartridge_judges_it(game: Game) -> None:
    with closing(read_run(game.folder)) as folder:
        claims = [each for each in folder.store.live_entries() if each.kind == "claim"]
    assert claims
    assert {each.status for each in claims} == {"claim"}
    wrong = [each for each in claims if each.data["says"] == "far away"]
    assert wrong
    assert all(each.closed.startswith("the cartridge says") for each in wrong)


def test_what_is_advised_is_remembered_as_a_claim(game: Game) -> None:
    with closing(read_run(game.folder)) as folder:
        advised = [each for each in folder.store.live_entries() if each.kind == "advice"]
    assert advised
    assert {each.status for each in advised} == {"claim"}
    assert {each.data["says"] for each in advised} == {"by chance"}


def test_the_situation_tells_what_is_true_wanted_and_around(game: Game) -> None:
    text = game.dice.asked[-1].situation
    for head in ("Why you are asked: ", "Tick: ", "Place: ", "Reached: left_home", "Facts, "):
        assert head in text
    for head in ("Team:\n| ", "Bag:\n| ", "Money: ", "The map around"):
        assert head in text
    assert "@" in text


def test_a_run_with_advice_is_decided_again_without_asking_anybody(game: Game) -> None:
    relived = redecide_run(game.folder, None, None)
    assert relived.divergence == ""
    assert relived.ticks == game.summary.ticks
    assert relived.advice == len(game.dice.asked)


def test_a_run_whose_advice_was_edited_is_named_to_the_tick(game: Game, tmp_path: Path) -> None:
    copy = shutil.copytree(game.folder, tmp_path / "run")
    with closing(sqlite3.connect(copy / "run.sqlite")) as run, run:
        told = run.execute("SELECT id, tick, payload FROM events WHERE kind = ?", (ADVICE,))
        choices = [row for row in told if json.loads(row[2]).get("advice", {}).get("candidates")]
        number, tick, payload = choices[0]
        edited = json.loads(payload)
        edited["advice"]["candidates"].reverse()
        run.execute("UPDATE events SET payload = ? WHERE id = ?", (json.dumps(edited), number))
    divergence = redecide_run(copy, None, None).divergence
    assert divergence.startswith("tick ")
    assert int(divergence.split()[1].rstrip(":")) > tick


def test_a_run_that_began_with_another_memory_is_refused(game: Game) -> None:
    memory = game.folder.parent / "m.sqlite"  # by now it has learnt from the run
    with pytest.raises(RunError, match="began with another memory"):
        redecide_run(game.folder, None, memory)
