"""Files of terms and prices with a wrong value at any key: one line that names the file, and no value taken for another."""

import tomllib
from collections.abc import Callable, Iterator
from copy import deepcopy
from datetime import date
from math import inf, isfinite, nan
from pathlib import Path
from typing import Any

import pytest
import tomli_w

from agent.advisor.money import prices as prices_module
from agent.advisor.money.limits import load_terms
from agent.advisor.money.prices import MOST, load_prices
from agent.errors import UsageError

FOLDER = Path(prices_module.__file__).parent
STRANGE: tuple[object, ...] = (
    True,
    "2",
    -1,
    1.5,
    nan,
    inf,
    -inf,
    10**30,
    1e300,
    [],
    [True],
    ["new"],
    {},
    {"a": 1},
)
STRANGE += (date(2026, 1, 2),)
At = tuple[str | int, ...]


def leaves(value: object, path: At = ()) -> Iterator[tuple[At, object]]:
    """Yield each value of a table with its path, the tables themselves included."""
    if path:
        yield path, value
    if isinstance(value, dict | list):
        for key, each in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(each, (*path, key))


def with_value(table: dict[str, Any], path: At, value: object) -> dict[str, Any]:
    changed: Any = deepcopy(table)
    inner = changed
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return dict(changed)


def may_be(value: object, usual: object) -> bool:
    """Return whether `value` may stand where the file of the program has `usual`."""
    if type(usual) is int or type(usual) is float:
        is_number = isinstance(value, int if type(usual) is int else int | float)
        return (
            is_number
            and type(value) is not bool
            and isfinite(float(str(value)))
            and 0 <= float(str(value)) <= MOST
        )
    return type(value) is type(usual)


def refusal(load: Callable[[Path], object], path: Path) -> str:
    """Return why a file is refused, '' when it is not."""
    try:
        load(path)
    except UsageError as refused:
        return str(refused)
    return ""


def cases(name: str) -> list[tuple[At, object, dict[str, Any]]]:
    table = tomllib.loads((FOLDER / name).read_text(encoding="utf-8"))
    if name == "prices.toml":
        table = {"models": dict(list(table["models"].items())[-2:]), "aliases": {"best": "m"}}
        for model in table["models"].values():
            del model["date"], model["source"]  # for people
    else:
        table["ceilings"]["run"]["dollars"] = 2.0  # a fraction is allowed
        table["prices"] = {"my-model": 0.0}
    found = []
    for path, usual in leaves(table):
        found += [(path, usual, with_value(table, path, each)) for each in STRANGE]
        if isinstance(usual, dict) and path[0] not in ("models", "prices", "aliases", "ceilings"):
            found.append((path, usual, with_value(table, (*path, "unknown"), 1)))
    return found


@pytest.mark.parametrize(
    ("name", "load"), [("terms.toml", load_terms), ("prices.toml", load_prices)]
)
def test_a_wrong_value_at_any_key_is_refused_in_one_line(
    name: str, load: Callable[[Path], object], tmp_path: Path
) -> None:
    path = tmp_path / name
    for at, usual, table in cases(name):
        path.write_text(tomli_w.dumps(table), encoding="utf-8")
        value: Any = table
        for key in at:
            value = value[key]
        words = refusal(load, path)
        if words:
            assert str(path) in words
            assert "\n" not in words
        else:
            is_priced = "prices" in at or name == "prices.toml" or at[-1] == "dollars"
            assert may_be(value, usual) or (is_priced and may_be(value, 1.0)), (at, value)
            assert "unknown" not in (value if isinstance(value, dict) else ())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[ceilings.run]\ndollars = true", "True cannot be dollars"),
        ("[ceilings.run]\ndollars = '2'", "'2' cannot be dollars"),
        ("[ceilings.run]\ndollars = -1", "a ceiling of -1 dollars is no limit; give 0 to"),
        ("[ceilings.run]\ndollar = 1", "there is no 'dollar', only dollars, calls, tokens"),
        ("[models]\nusual = 'm'\nsmall = 'm'\nalways_small = 'observer'", "cannot be always_small"),
        ("[[steps]]\nfrom_percent = 50\ngives_up = ['dinner']", "there is no purpose 'dinner'"),
    ],
)
def test_a_refusal_names_the_value_and_what_may_stand_there(
    text: str, words: str, tmp_path: Path
) -> None:
    (tmp_path / "terms.toml").write_text(text, encoding="utf-8")
    with pytest.raises(UsageError) as refused:
        load_terms(tmp_path / "terms.toml")
    assert words in str(refused.value)
    assert str(tmp_path) in str(refused.value)
