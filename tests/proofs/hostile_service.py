"""A short game with a model service that sends one hostile answer again and again, or random ones, and the checks afterwards."""

import secrets
import sqlite3
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from functools import lru_cache
from pathlib import Path
from re import compile as pattern
from tempfile import TemporaryDirectory
from typing import Any, Final

from agent.advisor.deadline import TimedCall
from agent.advisor.model import Usage
from agent.advisor.money.prices import Prices
from agent.app import AskSettings
from agent.app.settings import model_terms
from memory import read_run
from tests.agent.support import Ended, in_this_process
from tests.fake_service.hostile_answers import FORMS, USAGE, HostileAnswer, hostile_answers
from tests.fake_service.random_answers import random_answers
from tests.fake_service.raw_server import RawServer
from tests.proofs.model_faults import ceilings_passed
from tests.proofs.patches import wrapped
from tests.proofs.played import asking
from tests.proofs.workers import Row

TICKS: Final = 150
EVERY: Final = 5  # ticks between two questions
TIMEOUT_S: Final = 1.0
MAX_USD: Final = 0.4
PART: Final = 16  # letters and digits of a key that must not be anywhere
_OTHER: Final = pattern("[^a-z0-9]+")
_ESCAPE: Final = pattern(r"\\u00([0-9a-f]{2})|%([0-9a-f]{2})")
BARE_FORMS: Final = (
    "as it is",
    "backwards",
    "hexadecimal",
    "base64",
    "base64, moved by 1",
    "base64, moved by 2",
)


def hostile_job(number: int) -> Row:
    """Play a game against the answer of that number."""
    key = f"sk-ant-api03-{secrets.token_urlsafe(64)}"
    answers = hostile_answers(key)
    with TemporaryDirectory(prefix="hostile") as folder:
        return play(answers[number % len(answers)], key, number % 100, Path(folder))


def random_job(number: int) -> Row:
    """Play a game against random answers of that seed, another one for each request."""
    key = f"sk-ant-api03-{secrets.token_urlsafe(64)}"
    with TemporaryDirectory(prefix="hostile") as folder:
        return play(random_answers(number, key), key, number % 100, Path(folder))


def play(hostile: HostileAnswer, key: str, seed: int, home: Path) -> Row:
    """Play a game whose service sends `hostile` only, below `home`, and check what it leaves behind."""
    waits: list[float] = []

    def measured(answer: Any, call: TimedCall[object]) -> Any:  # noqa: ANN401  # any answer
        began = time.perf_counter()
        try:
            return answer(call)
        finally:
            waits.append(time.perf_counter() - began)

    game = home / "game"
    game.mkdir()
    with ExitStack() as stack:
        server = stack.enter_context(RawServer(lambda _path: hostile.pieces()))
        stack.enter_context(asking(server.url, key))
        stack.enter_context(wrapped(TimedCall, "answer", measured))
        ended = in_this_process(home, command(game, seed))
    problems = [
        *_of_end(ended),
        *_of_money(game, server.messages),
        *(f"the key is in {each}" for each in leaks(game, key, ended.out, ended.err)),
    ]
    if max(waits, default=0.0) > 2 * TIMEOUT_S:
        problems.append(f"a call took {max(waits):.1f} s")
    return {
        "name": f"{hostile.kind}: {hostile.name}",
        "kind": hostile.kind,
        "calls": server.messages,
        "longest call": round(max(waits, default=0.0), 2),
        "problems": problems,
    }


def command(game: Path, seed: int) -> list[str]:
    """Return the command of a game in the folder `game`."""
    flags = {
        "--ticks": TICKS,
        "--seed": seed,
        "--run": game / "run",
        "--memory": game / "memory.sqlite",
        "--tapes": game / "tapes",
        "--mind": "claude",
        "--ask-every": EVERY,
        "--timeout": TIMEOUT_S,
        "--max-usd": MAX_USD,
    }
    return ["play", *(str(part) for flag in flags.items() for part in flag), "--json"]


def _of_end(ended: Ended) -> Iterator[str]:
    if ended.code != 0:
        yield f"exit code {ended.code}: {ended.err[-300:]}"
    elif ended.json["stop"] != "ticks" or ended.json["ticks"] != TICKS:
        yield f"the game ended at tick {ended.json['ticks']}: {ended.json['reason']}"
    if "Traceback" in ended.err:
        yield f"a traceback: {ended.err[-300:]}"


def _of_money(game: Path, served: int) -> Iterator[str]:
    hired = model_terms(AskSettings(usd=MAX_USD, tapes=game), game)
    with closing(read_run(game / "run")) as folder:
        calls = folder.store.calls.all()
    if len(calls) < served:
        yield f"{served} calls were served, and {len(calls)} were booked"
    yield from (f"went beyond a ceiling: {each}" for each in ceilings_passed(calls, hired.terms))
    if served * _usd(hired.prices, hired.terms.usual) > MAX_USD:
        yield f"{served} served calls cost more than the ceiling"


def _usd(prices: Prices, model: str) -> float:
    """Return the price of one call, as the service counts it."""
    usage = Usage(input=USAGE["input_tokens"], output=USAGE["output_tokens"])
    return prices.require(model).of(usage) / 1e9


def leaks(folder: Path, key: str, *said: str) -> list[str]:
    """Return the files below `folder`, tables in them, and the texts `said` that contain a part of `key` in any form."""
    texts = {f"said ({at})": words for at, words in enumerate(said)}
    for path in folder.rglob("*"):
        if path.is_file():
            name = str(path.relative_to(folder))
            texts[name] = path.read_bytes().decode("utf-8", "ignore")
            if path.suffix == ".sqlite":
                texts |= {f"{name}: {table}": rows for table, rows in _tables(path)}
    return sorted(name for name, words in texts.items() if is_in(words, key))


def is_in(words: str, key: str) -> bool:
    """Return whether `words` contain `PART` letters and digits of `key` in a row, in any form."""
    decoded = _ESCAPE.sub(lambda found: chr(int(found[1] or found[2], 16)), words.lower())
    bare = _OTHER.sub("", words.lower()), _OTHER.sub("", decoded)
    return any(part in text for part in _parts(key) for text in bare)


@lru_cache(maxsize=1)
def _parts(key: str) -> frozenset[str]:
    forms = [_OTHER.sub("", FORMS[name](key).lower()) for name in BARE_FORMS]
    return frozenset(
        form[at : at + PART] for form in forms for at in range(2, len(form) - PART - 1)
    )


def _tables(path: Path) -> Iterator[tuple[str, str]]:
    """Yield each table of a file with all its texts, which need not be in one piece in the file."""
    with closing(sqlite3.connect(path)) as database:
        database.text_factory = lambda raw: raw.decode("utf-8", "ignore")
        names = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        for (name,) in names:
            rows = database.execute(f'SELECT * FROM "{name}"')
            cells = (cell for row in rows for cell in row if isinstance(cell, str | bytes))
            texts = (c if isinstance(c, str) else c.decode("utf-8", "ignore") for c in cells)
            yield name, "\n".join(texts)
