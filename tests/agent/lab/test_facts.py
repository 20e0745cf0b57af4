"""The facts of a moment: a run that got stuck does so again when it is rehearsed from them, and they tell nothing else."""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from agent.app import Summary
from agent.capabilities.capability import domain_of
from agent.capabilities.registry import capabilities_for
from agent.lab.rehearse.console import ModelConsole
from agent.lab.rehearse.facts import StartingMoment
from agent.lab.rehearse.play import RehearsedGame, rehearse
from agent.lab.rehearse.scripts import ScriptBook
from agent.tools.replay.facts import ENUMS, write_facts
from emulator import PyBoyConsole, read_state
from emulator.cartridge import HEADER_CHECKSUM, IMAGE_CHECKSUM, header_checksum, image_checksum
from emulator.model import moment_of
from emulator.text import charmap
from emulator.world.map_objects import TOGGLE_HIDDEN, TOGGLE_SIZE, TOGGLE_STATES
from memory import read_run
from tests.agent.demo import CARTRIDGE, DEX, STORY, game_context
from tests.agent.support import Agent, Played, driven, edited, play_in, refused
from tests.agent.support import short_limits as short_limits

LAB, STARTERS = 40, (11, 12, 13)  # the toggles of what lies on its table
NAME = "QUXZYW"  # instead of the player's
KEY = "sk-ant-api03-a-key-that-is-nobodys"
LAST = "third_badge"
PATH = "/home/somebody/games/run.sqlite"
CODES = {printed: code for code, printed in charmap().items()}


def stored(name: str) -> bytes:
    return bytes(CODES[letter] for letter in name)


def odd_image(folder: Path, name: str) -> Path:
    """Return an image of the demo without starters on the table, whose player has another name."""
    image = bytearray(CARTRIDGE.rom)
    for flag in STARTERS:
        at = TOGGLE_STATES.bank * 0x4000 + TOGGLE_STATES.address % 0x4000 + flag * TOGGLE_SIZE
        assert image[at] == LAB
        image[at + 2] = TOGGLE_HIDDEN
    old, new = stored(name), stored(NAME[: len(name)])
    assert bytes(image).count(old) >= 1
    image[:] = bytes(image).replace(old, new)
    image[HEADER_CHECKSUM] = header_checksum(bytes(image))
    image[IMAGE_CHECKSUM] = image_checksum(bytes(image))
    path = folder / "odd.gb"
    path.write_bytes(image)
    return path


class StuckRun(dict[str, Any]):
    """The facts of a run that got stuck."""

    file: Path
    summary: Summary


@pytest.fixture(scope="module")
def stuck(tmp_path_factory: pytest.TempPathFactory, played: Played) -> StuckRun:
    home = tmp_path_factory.mktemp("without starters")
    name = driven(played.folder).states[-1].player.name
    image = odd_image(home, name)
    summary = play_in(home, rom=image, until=LAST)
    write_facts(home / "run", home / "facts.json", image)
    found = StuckRun(json.loads((home / "facts.json").read_text(encoding="utf-8")))
    found.file, found.summary = home / "facts.json", summary
    return found


def rehearsed(path: Path, **changes: Any) -> RehearsedGame:  # noqa: ANN401  # of the game
    start = StartingMoment.read(path)
    start = start._replace(game={**start.game, **changes})
    return rehearse(CARTRIDGE, start.seed, "starter", start)


def test_a_run_that_got_stuck_gets_stuck_alike_when_its_moment_is_rehearsed(
    stuck: StuckRun,
) -> None:
    assert stuck.summary.stop.value == stuck["status"] == "gave_up"
    assert stuck["stuck"][-1]["reason"] == "repeated_failure"
    assert "choose a starter" in stuck.summary.reason
    game = rehearsed(stuck.file)  # on the cartridge that has starters
    assert (game.stop, game.reason) == ("gave_up", stuck.summary.reason)


def test_what_stopped_the_run_is_in_its_facts(stuck: StuckRun) -> None:
    hidden = [each for each in stuck["game"]["hidden"] if each not in STARTERS]
    game = rehearsed(stuck.file, hidden=hidden)
    assert (game.stop, "starter" in game.milestones) == ("goal", True)


def test_a_moment_is_the_same_after_it_was_put_into_ram(played: Played) -> None:
    seen, moments = driven(played.folder).states, list[Mapping[str, Any]]()
    for before, state in pairwise(seen):
        if state.in_control and state.map.map_id != before.map.map_id:
            moments.append(moment_of(state))
    mon = moments[-1]["team"][0]
    more = {
        "travel": 1,
        "repel": 7,
        "safari_steps": 500,
        "badges": [0, 7],
        "scripts": [[3, 2], [199, 9]],
    }
    team = [
        mon,
        {**mon, "ot_id": 2, "status": (3, True, False, False, True), "hp": 0},
        {**mon, "moves": ((5, 63, 3),)},
    ]
    box = {"number": 11, "mons": [[3, 5], [7, 90]]}
    moments.append({**moments[-1], **more, "team": team, "box": box, "money": 999_999})
    with closing(PyBoyConsole(CARTRIDGE)) as console:
        for moment in moments:
            model = ModelConsole(console, STORY, ScriptBook.of(CARTRIDGE.kind), 0)
            start = StartingMoment(Path(), "demo", 0, (), {**moment, "frame": 7}, (), {})
            start.begin(model)
            again = read_state(model.ram(), model.frame)
            assert moment_of(again) == moment
            assert (again.in_control, again.frame) == (True, 7)


@pytest.fixture(scope="module")
def facts(played: Played, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the facts of a run whose file was edited, in a folder with a long name, with a key in the environment."""
    home = tmp_path_factory.mktemp("a_folder_whose_name_is_long_and_tells_whose_it_is")
    sql = f"UPDATE events SET payload = json_set(payload, '$.action_value', '{PATH}') WHERE kind = 'action' AND id % 2"
    run = edited(played.folder, home / "run", sql)
    settings = run / "run.toml"
    text = settings.read_text(encoding="utf-8")
    settings.write_text(re.sub(r'pyboy = ".*"', f'pyboy = "{PATH}"', text), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ANTHROPIC_API_KEY", KEY)
        write_facts(run, home / "facts.json")
    return (home / "facts.json").read_text(encoding="utf-8")


def values(value: object) -> Iterator[object]:
    """Yield the values in JSON, and each list of numbers as one."""
    match value:
        case dict():
            for each in value.values():
                yield from values(each)
        case list() if value and all(type(each) is int for each in value):
            yield value
        case list():
            for each in value:
                yield from values(each)
        case _:
            yield value


def words(text: str) -> set[str]:
    return {each for each in values(json.loads(text)) if isinstance(each, str)}


def test_a_fact_is_a_number_or_a_name_of_this_program(facts: str) -> None:
    domain = domain_of(capabilities_for(game_context()))
    known = {
        *(each.name for each in domain.actions),
        *(each.name for each in domain.goals),
        *domain.sensed,
        *(each.id for each in STORY.milestones),
        *(each.id for each in STORY.tasks),
        *(f"{kind}:{each.id}" for each in STORY.tasks for kind in ("odds", "recalled")),
        *(str(each.value) for kind in ENUMS for each in kind),
        *("shopping", "leave_map", "text", "place", "terrain", "stuck", "resumed", "other"),
    }
    unknown = words(facts) - known - {CARTRIDGE.sha1}
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", each) for each in unknown), unknown
    kinds = {type(each) for each in values(json.loads(facts))}
    assert kinds <= {str, int, bool, float, list, type(None)}
    assert set(json.loads(facts)["game"]) >= {"map", "events", "hidden", "team", "bag", "box", "money", "badges"}  # fmt: skip


def test_no_bytes_of_the_cartridge_are_in_the_facts(facts: str) -> None:
    rows = [each for each in values(json.loads(facts)) if isinstance(each, list) and len(each) > 7]
    parts = [bytes(each) for each in rows if all(0 <= number < 256 for number in each)]
    assert all(each not in CARTRIDGE.rom for each in parts if len(set(each)) > 3)
    assert max(map(len, words(facts))) <= 40  # a digest: no bytes are written as text


def test_no_picture_is_in_the_facts(facts: str, played: Played) -> None:
    with closing(read_run(played.folder)) as folder:
        pictures = [each.payload["picture"] for each in folder.store.record.events("milestone")]
    assert any(pictures)
    assert all(not each or each[:40] not in facts for each in pictures)
    assert len(facts) < 40_000


def test_no_text_of_the_game_is_in_the_facts(facts: str, played: Played) -> None:
    texts = {each.name for each in DEX.all_species.values()}
    texts |= {each.name for each in DEX.all_items.values()}
    texts |= {each.name for each in DEX.all_moves.values()}
    texts |= {each.dialogue.text for each in driven(played.folder).states}
    assert all(each not in facts for each in texts if len(each) > 2)


def test_no_name_that_the_owner_gave_is_in_the_facts(
    facts: str, stuck: StuckRun, played: Played
) -> None:
    last = driven(played.folder).states[-1]
    given = [last.player.name, last.player.rival_name, *(each.nickname for each in last.party.mons)]
    given += [NAME[: len(last.player.name)]]
    assert all(
        each and each not in facts + stuck.file.read_text(encoding="utf-8") for each in given
    )


def test_no_path_is_in_the_facts(facts: str) -> None:
    assert "/" not in facts
    assert "somebody" not in facts
    assert "long" not in facts
    assert '"other"' in facts


def test_no_key_is_in_the_facts(facts: str) -> None:
    assert KEY[:10] not in facts


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"game": {}}, "is no file of `report --facts`"),
        ({"game": {"map": 250}}, "is no file of `report --facts`"),
        ({"milestones": 3}, "is no file of `report --facts`"),
        ({"cartridge": {"kind": "red"}}, "has a moment of red"),
        ({"milestones": [[each.id, 1] for each in STORY.milestones]}, "has a moment after"),
    ],
)
def test_a_file_that_holds_no_moment_is_refused_in_one_line(
    change: Mapping[str, Any], says: str, stuck: StuckRun, agent: Agent, tmp_path: Path
) -> None:
    path = tmp_path / "facts.json"
    game = {**stuck["game"], **change.get("game", {})} if change.get("game") else change.get("game")
    new = {"game": game} if game is not None else change
    path.write_text(json.dumps({**stuck, **new}), encoding="utf-8")
    refused(agent("rehearse", "--from", path), 2, says)


def test_facts_are_asked_for_with_a_new_file_and_a_tick_of_the_run(
    agent: Agent, played: Played, stuck: StuckRun, tmp_path: Path
) -> None:
    refused(agent("report", played.folder, "--facts"), 2, "goes with --to FILE")
    refused(agent("report", played.folder, "--facts", "--to", stuck.file), 2, "exists already")
    to = tmp_path / "facts.json"
    refused(agent("report", played.folder, "--facts", "--to", to, "--at", 99_999), 2, "not in the")
    refused(agent("report", played.folder, "--facts", "--to", to, "--at", 3), 2, "has no control")
    ended = agent("report", played.folder, "--facts", "--to", to, "--at", 700)
    assert (ended.code, json.loads(to.read_text(encoding="utf-8"))["tick"]) == (0, 700), ended.err
    written = agent("rehearse", "--from", to, "--until", "first_badge", "--json")
    assert written.json["milestones"]["first_badge"]["reached"] == "1 of 1"
