"""The terms for calling a model, and an upper bound for the tokens of a request.

Terms: the models and how they are asked, the ceilings, and the purposes that are dropped as spending nears a ceiling
(terms.toml).

The bound is not an estimate: a call must never exceed what is reserved for it. In every tokenizer a token stands for at
least one byte of text. The bytes of the request as JSON are therefore an upper bound, with these additions:

- a tokenizer may normalise text to its compatible form, which can be longer: the longer form counts;
- a picture is not text: its base64 counts, and also the maximum that the service counts for one picture
  (documents are never sent);
- the service adds text of its own, mainly for tools and for answers with a schema.

The bound is three to four times the likely number. It is booked while the call runs; afterwards the usage that the
service reports is paid and counted.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from decimal import Decimal
from pathlib import Path
from typing import Any, Final, NamedTuple
from unicodedata import normalize

from agent.advisor.model import DEFAULT_SETTINGS, ModelSettings, Request
from agent.advisor.money.prices import (
    MEMORY,
    MOST,
    NANO,
    NO_PRICES,
    Prices,
    checked,
    prices_in,
    read_toml,
)
from agent.advisor.port import Purpose
from agent.advisor.prompt import prompt_file
from memory import MalformedRecord, file_access
from memory.conversation import ConversationConfig, parse_config
from memory.store import CallSums

_TERMS_FILE: Final = Path(__file__).with_name("terms.toml")
_INVALID: Final = "holds no valid terms ({}); write it like terms.toml"
FULL: Final = 100  # percent
_CONVERSATION: Final = ConversationConfig()
# The keys of terms.toml with their kinds.
_TABLES: Final = {
    **dict.fromkeys(("models", "thinking", "conversation", "prompt", "prices", "ceilings"), dict),
    "steps": list,
}
_MODELS: Final = {"usual": str, "small": str, "always_small": list}
_STEP: Final = {"from_percent": int, "gives_up": list, "small": bool}
_PERIODS: Final = dict.fromkeys(("run", "hour", "milestone"), dict)
_CEILING: Final[Mapping[str, type | tuple[type, ...]]] = {
    "dollars": (int, Decimal),
    "calls": int,
    "tokens": int,
}
_EFFORTS: Final = ("", "low", "medium", "high", "xhigh", "max")
_THINKING: Final = ("", "adaptive", "between_tools", "disabled")
VARIANTS: Final = {"usual": "rules", "brief": "rules_brief"}  # of the rules, with their files
MIN_ANSWER: Final = 500  # tokens; a shorter limit cuts each answer
MOST_ANSWER: Final = 1_000_000  # tokens; no model writes so many


@dataclass(frozen=True, slots=True)
class Ceiling:
    """The most that may be spent in one period; None is no limit. `nanos` are billionths of a dollar."""

    nanos: int | None = None
    calls: int | None = None
    tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Ceilings:
    """The limits of spending in a run, in any hour, and between milestones."""

    run: Ceiling = Ceiling()
    hour: Ceiling = Ceiling()
    milestone: Ceiling = Ceiling()

    def percent(self, sums: CallSums) -> int:
        """Return the used part of the limit nearest to its end, in whole percent."""
        shares = [
            FULL if used >= limit else FULL * used // limit for _, used, limit in self._used(sums)
        ]
        return max(shares, default=0)

    def exceeded_by(self, sums: CallSums) -> str | None:
        """Return the name of a limit that `sums` exceed, such as `hour dollars`, or None."""
        return next((name for name, used, limit in self._used(sums) if used > limit), None)

    def _used(self, sums: CallSums) -> Iterator[tuple[str, int, int]]:
        """Yield each limit that is set: its name, the used amount, and the limit."""
        for period in fields(self):
            ceiling, spent = getattr(self, period.name), getattr(sums, period.name)
            for name in ("nanos", "calls", "tokens"):
                if (limit := getattr(ceiling, name)) is not None:
                    unit = "dollars" if name == "nanos" else name
                    yield f"{period.name} {unit}", getattr(spent, name), limit


class BudgetStep(NamedTuple):
    """The purposes dropped, and whether the small model is used, from a percentage of a ceiling on."""

    from_percent: int
    gives_up: frozenset[str] = frozenset()
    small: bool = False


@dataclass(frozen=True, slots=True)
class Terms:
    """The models, the ceilings, the steps of saving before a ceiling is reached, and how a model is asked.

    `prices` are those of the file itself; `rules` is the text of the rules that a model is given.
    """

    usual: str
    small: str
    always_small: frozenset[str] = frozenset()
    ceilings: Ceilings = Ceilings()
    steps: tuple[BudgetStep, ...] = ()
    settings: ModelSettings = DEFAULT_SETTINGS
    conversation: ConversationConfig = _CONVERSATION
    rules: str = ""
    prices: Prices = NO_PRICES

    def model_for(self, purpose: str, percent: int) -> str | None:
        """Return the model for `purpose` at `percent` of a ceiling, or None when no call is allowed."""
        if percent >= FULL:
            return None
        active = [step for step in self.steps if percent >= step.from_percent]
        if any(purpose in step.gives_up for step in active):
            return None
        is_small = purpose in self.always_small or any(step.small for step in active)
        return self.small if is_small else self.usual


def load_terms(path: Path | None = None) -> Terms:
    """Return the terms in the file at `path`; tables that it leaves out are those of the default terms.

    Raises UsageError when the file cannot be read or is invalid.
    """
    usual: dict[str, Any] = read_toml(_TERMS_FILE, dict, _INVALID)
    folder = (path or _TERMS_FILE).parent
    return read_toml(path or _TERMS_FILE, lambda own: _terms_in({**usual, **own}, folder), _INVALID)


def _terms_in(table: Mapping[str, Any], folder: Path) -> Terms:
    checked(table, _TABLES)
    models = checked(table["models"], _MODELS)
    return Terms(
        models["usual"],
        models["small"],
        _purposes(models.get("always_small", [])),
        Ceilings(
            **{name: _ceiling(each) for name, each in checked(table["ceilings"], _PERIODS).items()}
        ),
        tuple(_step(checked(each, _STEP)) for each in table["steps"]),
        _settings(**table["thinking"]),
        _conversation(**table["conversation"]),
        _rules(folder, checked(table["prompt"], {"rules": str})["rules"]),
        prices_in({"models": table.get("prices", {})}),
    )


def _step(table: Mapping[str, Any]) -> BudgetStep:
    percent, gives_up = table["from_percent"], _purposes(table.get("gives_up", []))
    if not 0 <= percent <= FULL:
        raise ValueError(f"from_percent {percent} is no percentage from 0 to {FULL}")
    return BudgetStep(percent, gives_up, table.get("small", False))


def _purposes(names: list[object]) -> frozenset[str]:
    known = MEMORY | {each.value for each in Purpose}
    if unknown := [each for each in names if each not in known]:
        raise ValueError(f"there is no purpose {unknown[0]!r}, only {', '.join(sorted(known))}")
    return frozenset(map(str, names))


def _settings(
    thinking: str = "", effort: str = "", max_tokens: int = DEFAULT_SETTINGS.max_tokens
) -> ModelSettings:
    if thinking not in _THINKING or effort not in _EFFORTS:
        message = f"thinking {thinking!r} with effort {effort!r} is not known to the service"
        raise ValueError(message)
    if type(max_tokens) is not int or not MIN_ANSWER <= max_tokens <= MOST_ANSWER:
        message = f"max_tokens {max_tokens!r} is not between {MIN_ANSWER} and {MOST_ANSWER:,}"
        raise ValueError(message)
    return ModelSettings(thinking, effort, max_tokens)


def _conversation(
    message_tokens: int,
    observation_tokens: int,
    observation: Mapping[str, Any] | None = None,
    reflection: Mapping[str, Any] | None = None,
    **more: object,
) -> ConversationConfig:
    """Return the settings of a conversation; the two limits stand for themselves, all others in the design's groups."""
    for tokens in (message_tokens, observation_tokens):
        if type(tokens) is not int or not MIN_ANSWER <= tokens <= MOST:
            message = f"a conversation cannot have {tokens!r} tokens; give {MIN_ANSWER} or more"
            raise ValueError(message)
    observed = {**(observation or {}), "message_tokens": message_tokens}
    reflected = {**(reflection or {}), "observation_tokens": observation_tokens}
    try:
        found = parse_config({**more, "observation": observed, "reflection": reflected})
    except MalformedRecord as error:
        raise ValueError(str(error)) from error
    assert found is not None
    return found


def _rules(folder: Path, rules: str) -> str:
    """Return the text of the rules of that name, or in the file of that path."""
    if rules in VARIANTS:
        return prompt_file(VARIANTS[rules])
    try:
        return file_access.read_bytes(folder / rules).decode("utf-8")
    except OSError as error:
        raise ValueError(f"rules {rules!r}: {error.strerror}") from error


def nanos_of(dollars: Decimal | int) -> int:
    """Return dollars in billionths, rounded down, so that a ceiling never exceeds its setting."""
    return int(Decimal(dollars) * NANO)


def _ceiling(table: Mapping[str, Any]) -> Ceiling:
    known = dict(checked(table, _CEILING))
    for name, limit in known.items():
        if Decimal(limit).is_nan() or not 0 <= limit <= MOST:
            raise ValueError(f"a ceiling of {limit} {name} is no limit; give 0 to {MOST:,}")
    dollars = known.pop("dollars", None)
    return Ceiling(None if dollars is None else nanos_of(dollars), **known)


ADDED: Final = 4_000  # tokens of the service's own text; documented as hundreds
PICTURE: Final = 5_000  # tokens; documented as 4,784 for the largest


def input_token_bound(request: Request) -> int:
    """Return an upper bound for the input tokens of `request`."""
    sent = {
        "system": list(request.system),
        "messages": list(request.messages),
        "tools": list(request.tools),
        "schema": request.output_schema,
    }
    text = json.dumps(sent, ensure_ascii=False, default=str)
    return _longest(text) + PICTURE * _pictures(request.messages) + ADDED


def _longest(text: str) -> int:
    """Return the number of bytes of `text` in the longest normal form that a tokenizer may use."""
    if text.isascii():
        return len(text)
    forms = (text, normalize("NFKC", text), normalize("NFKD", text))
    return max(len(form.encode("utf-8", "surrogatepass")) for form in forms)


def _pictures(messages: Iterable[Mapping[str, Any]]) -> int:
    """Return the number of image blocks, including those in results of tools."""
    pending: list[object] = list(messages)
    count = 0
    while pending:
        each = pending.pop()
        if isinstance(each, dict):
            count += each.get("type") == "image"
            pending.extend(each.values())
        elif isinstance(each, list | tuple):
            pending.extend(each)
    return count
