"""The settings of conversation memory, by their names in either spelling, `messageTokens` or `message_tokens`.

Knows the settings and their defaults. Knows nothing of observers.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from enum import Enum
from typing import Any, Final

from memory.errors import MalformedRecord
from memory.store.conversation_record import ConversationScope

_WRAPPER_KEYS: Final = ("memory", "options", "observational_memory")  # around the settings
_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_HARD_LIMIT_MARGIN: Final = 0.3  # of a threshold, above the blocking threshold


@dataclass(frozen=True, slots=True)
class ObservationConfig:
    """When messages become observations. Shares are of `message_tokens`; 0 for `buffer_tokens` turns buffering off."""

    message_tokens: int = 30_000
    # How much is observed at a time in advance; from 1 on a number of tokens.
    buffer_tokens: float = 0.2
    buffer_activation: float = 0.8
    block_after: float = 1.2
    # How much of the earlier observations an observer sees.
    previous_observer_tokens: int = 2_000
    model: str = ""
    temperature: float = 0.3  # a hint; not every service accepts one

    @property
    def buffer_step(self) -> int:
        """The number of tokens observed at a time in advance; 0 without buffering."""
        return int(self.buffer_tokens * (self.message_tokens if self.buffer_tokens < 1 else 1))

    @property
    def floor(self) -> int:
        """The approximate number of message tokens that stay when the rest is observed."""
        return round(self.message_tokens * (1 - self.buffer_activation))

    @property
    def blocking(self) -> int:
        """The number of message tokens from which a step waits until they are observed."""
        return round(self.message_tokens * self.block_after)

    @property
    def hard_limit(self) -> int:
        """The number of message tokens from which they are observed without a model."""
        return round(self.message_tokens * (self.block_after + _HARD_LIMIT_MARGIN))


@dataclass(frozen=True, slots=True)
class ReflectionConfig:
    """When observations are condensed to a reflection; shares are of `observation_tokens`."""

    observation_tokens: int = 40_000
    buffer_activation: float = 0.5  # 0: no reflection in advance
    block_after: float = 1.2
    model: str = ""
    temperature: float = 0.0  # a hint

    @property
    def buffering(self) -> int:
        """The number of observation tokens from which a reflection is made in advance."""
        return round(self.observation_tokens * self.buffer_activation)

    @property
    def blocking(self) -> int:
        """The number of observation tokens from which a step waits until they are reduced."""
        return round(self.observation_tokens * self.block_after)

    @property
    def hard_limit(self) -> int:
        """The number of observation tokens from which they are reduced without a model."""
        return round(self.observation_tokens * (self.block_after + _HARD_LIMIT_MARGIN))


@dataclass(frozen=True, slots=True)
class ConversationConfig:
    """All settings of conversation memory. Times are seconds of the caller's clock."""

    scope: ConversationScope = ConversationScope.THREAD
    model: str = ""
    observation: ObservationConfig = field(default_factory=ObservationConfig)
    reflection: ReflectionConfig = field(default_factory=ReflectionConfig)
    share_token_budget: bool = False  # messages may use the unused budget of observations
    activate_after_idle: float = 0.0  # 0: never
    activate_on_provider_change: bool = False
    patience: float = 20.0  # how long one step waits for an observer or reflector
    deadline: float = 120.0  # after how long an observer or reflector is abandoned
    timezone: str = "UTC"

    @property
    def hard_limit(self) -> int:
        """The maximum tokens of observations and messages in any call."""
        return self.observation.hard_limit + self.reflection.hard_limit


def parse_config(value: object) -> ConversationConfig | None:
    """Return the settings in `value`: True for the defaults, a mapping of names, None or False for no conversation memory.

    Raises MalformedRecord for an unknown name or an invalid value.
    """
    if value is None or value is False:
        return None
    if value is True:
        return ConversationConfig()
    by_name = _by_name(value)
    for key in _WRAPPER_KEYS:
        if key in by_name:
            return parse_config(by_name[key])
    by_name.pop("storage", None)
    config: ConversationConfig = _parsed("settings", ConversationConfig(), by_name)
    _validate(config)
    return config


def _parsed(name: str, default: Any, value: object) -> Any:  # noqa: ANN401  # a setting of any type, or a group of settings
    """Return the setting `value`, which must have the type of `default`."""
    if is_dataclass(default) and not isinstance(default, type):
        by_name = _by_name(value)
        by_name |= _by_name(by_name.pop("model_settings", {}))
        known = {each.name: getattr(default, each.name) for each in fields(default)}
        if unknown := sorted(by_name.keys() - known):
            message = f"there is no setting {unknown[0]!r}; use some of {', '.join(sorted(known))}."
            raise MalformedRecord(message)
        return replace(default, **{key: _parsed(key, known[key], by_name[key]) for key in by_name})
    if isinstance(default, Enum) and value in [each.value for each in type(default)]:
        return type(default)(value)
    if not _has_type_of(value, default):
        message = f"setting {name!r} cannot be {value!r}; give something like {default!r}."
        raise MalformedRecord(message)
    return value


def _by_name(value: object) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        message = f"{value!r} are not settings of a conversation; give true, or names and values."
        raise MalformedRecord(message)
    return {_CAMEL.sub("_", str(key)).lower(): each for key, each in value.items()}


def _has_type_of(value: object, example: object) -> bool:
    if isinstance(value, bool) or isinstance(example, bool):
        # false for a number means 0, as in the original settings
        return isinstance(value, bool) and (isinstance(example, bool) or not value)
    if isinstance(example, int | float):
        is_number = isinstance(value, int if isinstance(example, int) else int | float)
        return is_number and value >= 0  # type: ignore[operator]  # narrowed by hand
    return isinstance(value, type(example))


def _validate(config: ConversationConfig) -> None:
    observation, reflection = config.observation, config.reflection
    is_valid = (
        observation.message_tokens >= 1
        and reflection.observation_tokens >= 1
        and observation.buffer_activation <= 1
        and reflection.buffer_activation < 1
        and min(observation.block_after, reflection.block_after) >= 1
        and observation.buffer_step < observation.message_tokens
    )
    if not is_valid:
        message = (
            "thresholds must be 1 token or more, shares 0 to 1, blockAfter 1 or more, and bufferTokens below "
            f"the threshold; correct {config!r}."
        )
        raise MalformedRecord(message)
