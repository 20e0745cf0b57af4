"""The terms on which a model is asked, and the most tokens that a request can have.

Terms: which model, up to which ceilings, and what is given up on the way there (terms.toml).

The bound is no estimate: what is reserved for a call must not be exceeded by it. A token stands for at least one byte of
text, whatever the tokenizer. So the bytes of the request as JSON, with all that surrounds its words, are at least its
tokens, once these are added:

- a tokenizer may bring text into its compatible form first, which can make it longer: the longer form counts;
- a picture is no text: its base64 counts, and beside it the most that the service takes for a picture of any size
  (documents are never sent);
- the service adds words of its own, above all for tools and for answers that follow a schema.

That is three to four times the likely number. It is booked for as long as the call takes; what is paid and counted
afterwards is what the service says.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from decimal import Decimal
from pathlib import Path
from typing import Any, Final, NamedTuple
from unicodedata import normalize

from agent.advisor.model import Request
from agent.advisor.money.prices import NANO, read_toml
from agent.errors import UsageError
from memory.store.calls import CallSums

_TERMS_FILE: Final = Path(__file__).with_name("terms.toml")
_LACKS: Final = "does not say on what terms to ask ({}); write it like terms.toml"
FULL: Final = 100  # percent


@dataclass(frozen=True, slots=True)
class Ceiling:
    """The most that may be spent in one stretch; None is no limit. `nanos` are billionths of a dollar."""

    nanos: int | None = None
    calls: int | None = None
    tokens: int | None = None

    def __post_init__(self) -> None:
        for field in fields(self):
            limit = getattr(self, field.name)
            if limit is not None and limit < 0:
                message = f"a ceiling of {limit} {field.name} is negative; give 0 or more"
                raise UsageError(message)


@dataclass(frozen=True, slots=True)
class Ceilings:
    """The most that may be spent in a run, in any hour, and between milestones."""

    run: Ceiling = Ceiling()
    hour: Ceiling = Ceiling()
    milestone: Ceiling = Ceiling()

    def percent(self, sums: CallSums) -> int:
        """Return how much of the nearest limit of all is used, in whole percent."""
        shares = [
            FULL if used >= limit else FULL * used // limit for _, used, limit in self._used(sums)
        ]
        return max(shares, default=0)

    def passed_by(self, sums: CallSums) -> str | None:
        """Return which limit `sums` go beyond, such as `hour dollars`, or None."""
        return next((name for name, used, limit in self._used(sums) if used > limit), None)

    def _used(self, sums: CallSums) -> Iterator[tuple[str, int, int]]:
        """Yield each limit that there is: its name, how much of it is used, and the limit."""
        for stretch in fields(self):
            ceiling, spent = getattr(self, stretch.name), getattr(sums, stretch.name)
            for name in ("nanos", "calls", "tokens"):
                if (limit := getattr(ceiling, name)) is not None:
                    what = "dollars" if name == "nanos" else name
                    yield f"{stretch.name} {what}", getattr(spent, name), limit


class BudgetStep(NamedTuple):
    """What is given up from so many percent of a ceiling on."""

    from_percent: int
    gives_up: frozenset[str] = frozenset()
    small: bool = False


@dataclass(frozen=True, slots=True)
class Terms:
    """The models, the ceilings and the steps down to them."""

    usual: str
    small: str
    always_small: frozenset[str] = frozenset()
    ceilings: Ceilings = Ceilings()
    steps: tuple[BudgetStep, ...] = ()

    def model_for(self, purpose: str, percent: int) -> str | None:
        """Return whom to ask for `purpose` when so much is used, or None when nobody is to be asked."""
        if percent >= FULL:
            return None
        taken = [step for step in self.steps if percent >= step.from_percent]
        if any(purpose in step.gives_up for step in taken):
            return None
        is_small = purpose in self.always_small or any(step.small for step in taken)
        return self.small if is_small else self.usual


def load_terms(path: Path | None = None) -> Terms:
    """Return the terms in the file at `path`, or those that hold where nothing else was said.

    Raises UsageError when the file cannot be read or does not say it.
    """
    return read_toml(path or _TERMS_FILE, _terms_in, _LACKS)


def _terms_in(table: Mapping[str, Any]) -> Terms:
    models = table["models"]
    return Terms(
        str(models["usual"]),
        str(models["small"]),
        frozenset(models.get("always_small", ())),
        Ceilings(**{name: _ceiling(each) for name, each in table.get("ceilings", {}).items()}),
        tuple(
            BudgetStep(
                int(each["from_percent"]),
                frozenset(each.get("gives_up", ())),
                bool(each.get("small", False)),
            )
            for each in table.get("steps", ())
        ),
    )


def nanos_of(dollars: Decimal | int) -> int:
    """Return dollars in billionths, rounded down, so that a ceiling is never higher than was said."""
    return int(Decimal(dollars) * NANO)


def _ceiling(table: Mapping[str, Any]) -> Ceiling:
    known = dict(table)
    dollars = known.pop("dollars", None)
    for name, limit in known.items():
        if type(limit) is not int:
            message = f"{limit!r} {name} is no whole number"
            raise TypeError(message)
    return Ceiling(None if dollars is None else nanos_of(dollars), **known)


ADDED: Final = 4_000  # tokens of the service's own words; it speaks of hundreds
PICTURE: Final = 5_000  # tokens; it speaks of 4,784 for the largest


def most_input_tokens(request: Request) -> int:
    """Return a number of tokens that the prompt of `request` cannot pass."""
    sent = {
        "system": list(request.system),
        "messages": list(request.messages),
        "tools": list(request.tools),
        "schema": request.output_schema,
    }
    text = json.dumps(sent, ensure_ascii=False, default=str)
    return _longest(text) + PICTURE * _pictures(request.messages) + ADDED


def _longest(text: str) -> int:
    """Return the bytes of `text` in the longest of the forms that a tokenizer may bring it into."""
    if text.isascii():
        return len(text)
    forms = (text, normalize("NFKC", text), normalize("NFKD", text))
    return max(len(form.encode("utf-8", "surrogatepass")) for form in forms)


def _pictures(messages: Iterable[Mapping[str, Any]]) -> int:
    """Return how many blocks are pictures, those within results of tools too."""
    waiting: list[object] = list(messages)
    count = 0
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            count += each.get("type") == "image"
            waiting.extend(each.values())
        elif isinstance(each, list | tuple):
            waiting.extend(each)
    return count
