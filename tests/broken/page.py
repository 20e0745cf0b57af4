"""The table of what was broken and what was named, as a page."""

from collections.abc import Iterator, Sequence

from tests.broken.trying import Sound, Tried


def document(tried: Sequence[Tried], sound: Sequence[Sound]) -> str:
    """Return the page."""
    return "\n".join([*_head(tried, sound), *_table(tried), *_sound(sound)]) + "\n"


def _head(tried: Sequence[Tried], sound: Sequence[Sound]) -> Iterator[str]:
    named = sum(each.is_named for each in tried)
    first = sum(each.named[:1] == (each.edit.finds,) for each in tried)
    wrong = sum(bool(each.named) for each in sound)
    yield from (
        "# Broken cartridges, and what `verify` says of them",
        "",
        "Written by `scripts/broken --write docs/verify_broken.md`. Each row is our demo with one small change of its",
        "sources (`tests/broken/edits.toml`), played with seed 0 until the fault was named.",
        "",
        f"{named} of {len(tried)} are named, {first} of them before anything else was found.",
        f"Of {len(sound)} games on the demo as it is, {wrong} found a fact wrong.",
        "",
    )


def _table(tried: Sequence[Tried]) -> Iterator[str]:
    yield "| broken | what was done | named | what was seen instead | tick | also named before |"
    yield "|---|---|---|---|--:|---|"
    for each in tried:
        row = next((r for r in each.verdict.wrong if r.fact.id == each.edit.finds), None)
        seen = row.findings[0].seen if row is not None else ""
        tick = row.findings[0].tick if row is not None else ""
        named = f"`{each.edit.finds}`, {row.fact.reference}" if row is not None else "**no**"
        before = ", ".join(f"`{name}`" for name in each.named if name != each.edit.finds)
        yield f"| {each.edit.name} | {each.edit.says} | {named} | {seen} | {tick} | {before} |"
    yield ""


def _sound(sound: Sequence[Sound]) -> Iterator[str]:
    yield "| seed | the demo as it is | ticks |"
    yield "|--:|---|--:|"
    for each in sound:
        yield f"| {each.seed} | {each.headline} | {each.ticks} |"
