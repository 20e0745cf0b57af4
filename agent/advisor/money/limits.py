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
from agent.advisor.money.prices import NANO, NO_PRICES, Prices, prices_in, read_toml
from agent.advisor.prompt import prompt_file
from agent.errors import UsageError
from memory import file_access
from memory.conversation.config import ConversationConfig, parse_config
from memory.errors import MalformedRecord
from memory.store.calls import CallSums

_TERMS_FILE: Final = Path(__file__).with_name("terms.toml")
_INVALID: Final = "holds no valid terms ({}); write it like terms.toml"
FULL: Final = 100  # percent
_CONVERSATION: Final = ConversationConfig()
_TABLES: Final = ("models", "thinking", "conversation", "prompt", "prices", "ceilings", "steps")
_EFFORTS: Final = ("", "low", "medium", "high", "xhigh", "max")
_THINKING: Final = ("", "adaptive", "between_tools", "disabled")
VARIANTS: Final = {"usual": "rules", "brief": "rules_brief"}  # of the rules, with their files
MIN_ANSWER: Final = 500  # tokens; a shorter limit cuts each answer


@dataclass(frozen=True, slots=True)
class Ceiling:
    """The most that may be spent in one period; None is no limit. `nanos` are billionths of a dollar."""

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
    if unknown := [name for name in table if name not in _TABLES]:
        message = f"there is no table {unknown[0]!r}"
        raise ValueError(message)
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
        _settings(**table["thinking"]),
        _conversation(**table["conversation"]),
        _rules(folder, **table["prompt"]),
        prices_in({"models": table.get("prices", {})}),
    )


def _settings(
    thinking: str = "", effort: str = "", max_tokens: int = DEFAULT_SETTINGS.max_tokens
) -> ModelSettings:
    if thinking not in _THINKING or effort not in _EFFORTS:
        message = f"thinking {thinking!r} with effort {effort!r} is not known to the service"
        raise ValueError(message)
    if type(max_tokens) is not int or max_tokens < MIN_ANSWER:
        message = f"max_tokens {max_tokens!r} leaves no room for thinking and an answer"
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
    if min(message_tokens, observation_tokens) < MIN_ANSWER:
        message = f"a conversation of {min(message_tokens, observation_tokens)} tokens is too short"
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
        message = f"rules {rules!r}: {error.strerror}"
        raise ValueError(message) from error


def nanos_of(dollars: Decimal | int) -> int:
    """Return dollars in billionths, rounded down, so that a ceiling never exceeds its setting."""
    return int(Decimal(dollars) * NANO)


def _ceiling(table: Mapping[str, Any]) -> Ceiling:
    known = dict(table)
    dollars = known.pop("dollars", None)
    for name, limit in known.items():
        if type(limit) is not int:
            message = f"{limit!r} {name} is not a whole number"
            raise TypeError(message)
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
