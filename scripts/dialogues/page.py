"""The figures of a long conversation as a page."""

from collections.abc import Iterator
from statistics import median, quantiles

from dialogues.lane import Told
from dialogues.life import CONFIG
from dialogues.play import Compressed
from memory.conversation.config import ConversationConfig


def document(
    lanes: tuple[Told, Told],
    play: Compressed,
    config: ConversationConfig,
    seed: int,
    picture: str | None,
) -> str:
    """Return the page of a thread that one process at a time is on, and of one that two are; `picture` is the first's plot."""
    told, pairs = lanes
    lines = [*_head(told, seed), *_table(told, config)]
    if picture is not None:
        lines += ["", f"![Tokens of the context over the turns]({picture})"]
    lines += [*_pairs(pairs, config), *_play(play), *_wrong(lanes, play)]
    return "\n".join(lines) + "\n"


def is_sound(lanes: tuple[Told, Told], play: Compressed) -> bool:
    """Return whether all holds that the page says must hold."""
    told, pairs = lanes
    is_within = all(
        messages + observed <= CONFIG.hard_limit
        for lane in lanes
        for _, messages, observed in lane.saw
    )
    is_small = not play.missing and play.said >= 10 * play.observed
    return not (told.problems or pairs.problems or _over(told, CONFIG)) and is_within and is_small


def _over(told: Told, config: ConversationConfig) -> int:
    """Return how many calls had more of something than its threshold."""
    most, seen = config.observation.message_tokens, config.reflection.observation_tokens
    return sum(messages > most or observed > seen for _, messages, observed in told.saw)


def _head(told: Told, seed: int) -> Iterator[str]:
    yield from (
        "# A conversation that never runs out, measured",
        "",
        f"Written by `scripts/thread --turns {told.turns} --crashes {told.killed} --seed {seed}`; every figure is from one run",
        "of it. One conversation goes on for thousands of turns: questions with maps, calls of tools and their results, answers. It is",
        "observed and reflected upon by rules, with the thresholds of the design. Each life is a process of its own, and is killed",
        "with SIGKILL: before any one of the statements it makes, within what keeps, activates or swaps observations, or at any instant.",
        "",
        "After each life the file is read without the program. Each message that the life knew to be kept must be there as it was said;",
        "each message must be raw or covered by one chunk of observations, never both, never twice; the cursor must not go back.",
    )


def _table(told: Told, config: ConversationConfig) -> Iterator[str]:
    kills = ", ".join(f"{count:,} {where}" for where, count in told.kills.most_common())
    yield from (
        "",
        f"**{told.turns:,} turns, {told.killed:,} kills, {len(told.problems)} things lost, covered twice or left out.**",
        "",
        *_figures(told, config),
        f"| making a call fit, median | {median(told.took):.1f} ms | | |",
        f"| making a call fit, 99th of 100 | {quantiles(told.took, n=100)[-1]:.1f} ms | | |",
        "",
        f"Kills: {kills}.",
    )


def _figures(told: Told, config: ConversationConfig) -> Iterator[str]:
    messages = max(each for _, each, _ in told.saw)
    observed = max(each for *_, each in told.saw)
    context = max(one + two for _, one, two in told.saw)
    observation, reflection = config.observation, config.reflection
    yield from (
        "| what | measured | threshold | never above |",
        "|---|---:|---:|---:|",
        f"| most tokens of messages in a call | {messages:,} | {observation.message_tokens:,} | {observation.hard_limit:,} |",
        f"| most tokens of observations in a call | {observed:,} | {reflection.observation_tokens:,} | {reflection.hard_limit:,} |",
        f"| most tokens of both | {context:,} | | {config.hard_limit:,} |",
        f"| calls with more than a threshold | {_over(told, config)} of {len(told.saw):,} | 0 | |",
    )


def _pairs(told: Told, config: ConversationConfig) -> Iterator[str]:
    yield from (
        "",
        "## Two processes at once",
        "",
        f"Another thread, on which two processes talk at the same time {told.together:,} times: **{told.turns:,} turns, {told.killed:,}",
        f"kills, {len(told.problems)} things lost, covered twice or left out.** While one of the two observes, has a call of a tool open, or was",
        "killed at it, the other waits two seconds for what was claimed, and then goes on with more than the threshold for a while.",
        "",
        *_figures(told, config),
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


def _wrong(lanes: tuple[Told, Told], play: Compressed) -> Iterator[str]:
    problems = [*(each for lane in lanes for each in lane.problems), *play.missing]
    if problems:
        yield from ("", "## What was wrong", "")
        yield from (f"- {each}" for each in problems)
