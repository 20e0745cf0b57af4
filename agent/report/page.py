"""`report.html`: one page, without any file beside it, that shows what happened in a run."""

from collections.abc import Iterable, Mapping
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template

from agent.report.summary import Summary
from memory import EventRow, RunFolder, RunReader


def write_report(folder: RunFolder[RunReader], summary: Summary) -> Path:
    """Write the page into the run's folder and return where it is."""
    path = folder.path / "report.html"
    path.write_text(page(folder, summary), encoding="utf-8")
    return path


def page(folder: RunFolder[RunReader], summary: Summary) -> str:
    """Return the page as text."""
    template = Template((files("agent.report") / "page.html").read_text(encoding="utf-8"))
    milestones = "\n".join(_figure(event) for event in folder.store.events("milestone"))
    return template.substitute(
        title=escape(f"{summary.cartridge}, seed {summary.seed}: {summary.stop.value}"),
        verdict=escape(_verdict(summary)),
        milestones=milestones or "<p>None was reached.</p>",
        deeds="\n".join(_deed(event) for event in folder.store.events("action")),
        advice=_advised(folder.store.events("advice"), summary.advice),
        settings="\n".join(_row([key, value]) for key, value in _flat(folder.settings)),
    )


def _verdict(summary: Summary) -> str:
    ending = f"{summary.stop.value}: {summary.reason}" if summary.reason else summary.stop.value
    return (
        f"Stopped by {ending}, after {summary.ticks:,} ticks and {summary.frames:,} frames"
        f" ({summary.frames_per_s:,.0f} a second). Battles {summary.battles}, badges"
        f" {summary.badges}, consolidations {summary.consolidations}, errors {summary.errors}. Got stuck"
        f" {summary.episodes} times, went back to a checkpoint {summary.restores} times."
    )


def _figure(event: EventRow) -> str:
    payload = event.payload
    witnesses: Mapping[str, str] = payload["witnesses"]
    words = "<br>".join(escape(f"{kind}: {says}") for kind, says in witnesses.items())
    return (
        f'<figure><img alt="the screen at {escape(payload["id"])}"'
        f' src="data:image/png;base64,{payload["picture"]}">'
        f"<figcaption><b>{escape(payload['id'])}</b>, tick {event.tick}<br>{words}</figcaption>"
        "</figure>"
    )


def _deed(event: EventRow) -> str:
    payload = event.payload
    return _row(
        [event.tick, payload["action_value"], payload["outcome_summary"], payload["location"]]
    )


def _advised(told: Iterable[EventRow], figures: Mapping[str, object] | None) -> str:
    """Return what was asked, what was answered, and what it cost; '' where nobody was asked."""
    if figures is None:
        return ""
    answers = "\n".join(_answer(event) for event in told)
    cost = "\n".join(_row([key, value]) for key, value in _flat(figures))
    return (
        "<h2>Advice</h2>\n<table><tr><th>tick</th><th>asked</th><th>goals</th><th>candidates</th>"
        f"<th>the model's word</th></tr>\n{answers}\n</table>\n<table>\n{cost}\n</table>"
    )


def _answer(event: EventRow) -> str:
    payload = event.payload
    advice = payload.get("advice")
    if advice is None:
        return _row([event.tick, payload["purpose"], "", "", f"no answer: {payload['silent']}"])
    goals, candidates = ", ".join(advice["goals"]), ", ".join(advice["candidates"])
    return _row([event.tick, payload["purpose"], goals, candidates, advice["note"]])


def _row(cells: Iterable[object]) -> str:
    return "<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in cells) + "</tr>"


def _flat(table: Mapping[str, object], prefix: str = "") -> Iterable[tuple[str, object]]:
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value
