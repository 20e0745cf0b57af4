"""When a conversation is observed and reflected upon: the settings by their names, `messageTokens` or `message_tokens`.

Knows what may be set and what is the default. Knows nothing of observers.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from enum import Enum
from typing import Any, Final

from memory.errors import MalformedRecord
from memory.store.conversation_record import ConversationScope

_AROUND: Final = ("memory", "options", "observational_memory")  # what settings may lie within
_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_BEYOND: Final = 0.3  # of a threshold: how far behind the point of blocking the last resort lies


@dataclass(frozen=True, slots=True)
class ObservationConfig:
    """When messages become observations. Shares are of `message_tokens`; 0 for `buffer_tokens` buffers nothing."""

    message_tokens: int = 30_000
    # How much is observed at a time ahead of need; from 1 on a count of tokens.
    buffer_tokens: float = 0.2
    buffer_activation: float = 0.8
    block_after: float = 1.2
    # How much of what was observed before an observer is shown.
    previous_observer_tokens: int = 2_000
    model: str = ""
    temperature: float = 0.3  # a hint; not every service takes one

    @property
    def buffer_step(self) -> int:
        """How many tokens are observed at a time ahead of need; 0 where nothing is."""
        return int(self.buffer_tokens * (self.message_tokens if self.buffer_tokens < 1 else 1))

    @property
    def floor(self) -> int:
        """How many tokens of messages stay, about, when the rest is observed."""
        return round(self.message_tokens * (1 - self.buffer_activation))

    @property
    def blocking(self) -> int:
        """From how many tokens on a step waits until they are observed."""
        return round(self.message_tokens * self.block_after)

    @property
    def hard_limit(self) -> int:
        """From how many tokens on they are observed without any model."""
        return round(self.message_tokens * (self.block_after + _BEYOND))


@dataclass(frozen=True, slots=True)
class ReflectionConfig:
    """When observations are reflected upon; shares are of `observation_tokens`."""

    observation_tokens: int = 40_000
    buffer_activation: float = 0.5  # 0 reflects upon nothing ahead of need
    block_after: float = 1.2
    model: str = ""
    temperature: float = 0.0  # a hint

    @property
    def buffering(self) -> int:
        """From how many tokens on a reflection is made ahead of need."""
        return round(self.observation_tokens * self.buffer_activation)

    @property
    def blocking(self) -> int:
        """From how many tokens on a step waits until they are fewer."""
        return round(self.observation_tokens * self.block_after)

    @property
    def hard_limit(self) -> int:
        """From how many tokens on they are made fewer without any model."""
        return round(self.observation_tokens * (self.block_after + _BEYOND))


@dataclass(frozen=True, slots=True)
class ConversationConfig:
    """All settings of a conversation's memory. Times are seconds of the caller's clock."""

    scope: ConversationScope = ConversationScope.THREAD
    model: str = ""
    observation: ObservationConfig = field(default_factory=ObservationConfig)
    reflection: ReflectionConfig = field(default_factory=ReflectionConfig)
    share_token_budget: bool = False  # what observations leave of their threshold, messages may use
    activate_after_idle: float = 0.0  # 0: never
    activate_on_provider_change: bool = False
    patience: float = 20.0  # how long one step waits for an observer or a reflector
    deadline: float = 120.0  # after how long one is given up
    timezone: str = "UTC"

    @property
    def hard_limit(self) -> int:
        """The tokens of observations and messages that no call has more of."""
        return self.observation.hard_limit + self.reflection.hard_limit


def parse_config(value: object) -> ConversationConfig | None:
    """Return the settings that `value` says: True for the defaults, a mapping of names, None or False for none at all.

    Raises MalformedRecord for a name that there is not, or a value that cannot be.
    """
    if value is None or value is False:
        return None
    if value is True:
        return ConversationConfig()
    named = _named(value)
    for key in _AROUND:
        if key in named:
            return parse_config(named[key])
    named.pop("storage", None)
    config: ConversationConfig = _parsed("settings", ConversationConfig(), named)
    _require(config)
    return config


def _parsed(name: str, default: Any, value: object) -> Any:  # noqa: ANN401  # a setting of any kind, or a group of them
    """Return the setting `value` in the place of `default`, whose type it must have."""
    if is_dataclass(default) and not isinstance(default, type):
        named = _named(value)
        named |= _named(named.pop("model_settings", {}))
        known = {each.name: getattr(default, each.name) for each in fields(default)}
        if unknown := sorted(named.keys() - known):
            message = (
                f"there is no setting {unknown[0]!r}; give some of {', '.join(sorted(known))}."
            )
            raise MalformedRecord(message)
        return replace(default, **{key: _parsed(key, known[key], named[key]) for key in named})
    if isinstance(default, Enum) and value in [each.value for each in type(default)]:
        return type(default)(value)
    if not _is_like(value, default):
        message = f"setting {name!r} cannot be {value!r}; give something like {default!r}."
        raise MalformedRecord(message)
    return value


def _named(value: object) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        message = f"{value!r} are no settings of a conversation; give true, or names and values."
        raise MalformedRecord(message)
    return {_CAMEL.sub("_", str(key)).lower(): each for key, each in value.items()}


def _is_like(value: object, example: object) -> bool:
    if isinstance(value, bool) or isinstance(example, bool):
        # false for what has a size means none of it, as in the settings this takes over
        return isinstance(value, bool) and (isinstance(example, bool) or not value)
    if isinstance(example, int | float):
        is_number = isinstance(value, int if isinstance(example, int) else int | float)
        return is_number and value >= 0  # type: ignore[operator]  # narrowed by hand
    return isinstance(value, type(example))


def _require(config: ConversationConfig) -> None:
    observation, reflection = config.observation, config.reflection
    is_sound = (
        observation.message_tokens >= 1
        and reflection.observation_tokens >= 1
        and observation.buffer_activation <= 1
        and reflection.buffer_activation < 1
        and min(observation.block_after, reflection.block_after) >= 1
        and observation.buffer_step < observation.message_tokens
    )
    if not is_sound:
        message = (
            "thresholds are 1 token or more, shares 0 to 1, blockAfter 1 or more, and less is buffered at a time than "
            f"the threshold; mend {config!r}."
        )
        raise MalformedRecord(message)
