"""The figures of a long conversation as a page."""

from collections.abc import Iterator
from statistics import median, quantiles

from dialogues.lane import Told
from dialogues.life import CONFIG
from dialogues.play import Compressed
from memory.thread.config import ThreadConfig


def document(
    told: Told, play: Compressed, config: ThreadConfig, seed: int, picture: str | None
) -> str:
    """Return the page; `picture` is the name of the plot beside it."""
    lines = [*_head(told, seed), *_table(told, config), *_play(play)]
    if picture is not None:
        lines += ["", f"![Tokens of the context over the turns]({picture})"]
    return "\n".join([*lines, *_wrong(told, play)]) + "\n"


def is_sound(told: Told, play: Compressed) -> bool:
    """Return whether all holds that the page says must hold."""
    is_within = all(messages + observed <= CONFIG.hard_limit for _, messages, observed in told.saw)
    is_small = not play.missing and play.said >= 10 * play.observed
    return not told.problems and is_within and is_small


def _head(told: Told, seed: int) -> Iterator[str]:
    yield from (
        "# A conversation that never runs out, measured",
        "",
        f"Written by `scripts/thread --turns {told.turns} --crashes {told.killed} --seed {seed}`; every figure is from one run",
        "of it. One conversation goes on for thousands of turns: questions with maps, calls of tools and their results, answers. It is",
        "observed and reflected upon by rules, with the thresholds of the design. Each life is a process of its own, most are killed",
        "with SIGKILL: before any one of the statements they make, within what keeps, activates or swaps observations, or at any",
        "instant. Now and then two processes talk on one thread at the same time, and both are killed.",
        "",
        "After each life the file is read without the program. Each message that the life knew to be kept must be there as it was said;",
        "each message must be raw or covered by one chunk of observations, never both, never twice; the cursor must not go back.",
    )


def _table(told: Told, config: ThreadConfig) -> Iterator[str]:
    messages = max(each for _, each, _ in told.saw)
    observed = max(each for *_, each in told.saw)
    context = max(one + two for _, one, two in told.saw)
    observation, reflection = config.observation, config.reflection
    over = sum(each >= observation.message_tokens for _, each, _ in told.saw)
    kills = ", ".join(f"{count:,} {where}" for where, count in told.kills.most_common())
    yield from (
        "",
        f"**{told.turns:,} turns, {told.killed:,} kills, {len(told.problems)} things lost, covered twice or left out.**",
        "",
        "| what | measured | threshold | never above |",
        "|---|---:|---:|---:|",
        f"| most tokens of messages in a call | {messages:,} | {observation.message_tokens:,} | {observation.hard_limit:,} |",
        f"| most tokens of observations in a call | {observed:,} | {reflection.observation_tokens:,} | {reflection.hard_limit:,} |",
        f"| most tokens of both | {context:,} | | {config.hard_limit:,} |",
        f"| calls with more messages than their threshold | {over} of {len(told.saw):,} | | |",
        f"| making a call fit, median | {median(told.took):.1f} ms | | |",
        f"| making a call fit, 99th of 100 | {quantiles(told.took, n=100)[-1]:.1f} ms | | |",
        "",
        f"Kills: {kills}. Two processes at once {told.together:,} times.",
        "",
        "Calls with more than the threshold come where there are two: one has a call of a tool open, observes, or was killed at it, and",
        "then the other waits two seconds for what was claimed. A process by itself stays below.",
    )


def _play(play: Compressed) -> Iterator[str]:
    ratio = play.said / max(1, play.observed)
    yield from (
        "",
        "## Recorded play",
        "",
        f"{play.games} games of the demo were played, and asked about wherever something happened in them: {play.questions:,} questions",
        "in one conversation. A question tells the moment and, as JSON of the record, the state and the events before.",
        "",
        "| what | measured | bound |",
        "|---|---:|---:|",
        f"| tokens that are observed | {play.said:,} | |",
        f"| tokens of observations of them | {play.observed:,} | |",
        f"| smaller by | {ratio:.1f} times | 10 times |",
        f"| tokens that a call has of them, after {play.generations} reflections | {play.in_sight:,} | |",
        f"| verified milestones still in sight | {play.milestones - len(play.missing)} | {play.milestones} |",
    )


def _wrong(told: Told, play: Compressed) -> Iterator[str]:
    if told.problems or play.missing:
        yield from ("", "## What was wrong", "")
        yield from (f"- {each}" for each in (*told.problems, *play.missing))
