"""Templates into text, by Jinja: the only file that knows of it.

Whatever is put into a template is text: markup in it is shown as it is, and so is what a screen would obey.
"""

from importlib.resources import files
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined

from agent.report.axis import clock_time, game_time, local
from agent.report.visible import cut, visible
from agent.report.words import number, plain

LONGEST: Final = 400  # characters of any one text


def render(name: str, **values: object) -> str:
    """Return a template of this package, filled."""
    return _environment().get_template(name).render(values)


def style() -> str:
    """Return the rules that all pages share."""
    return (files("agent.report") / "templates" / "style.css").read_text(encoding="utf-8")


def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("agent.report"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "amount": number,
        "plain": plain,
        "game_time": game_time,
        "clock": clock_time,
        "stamp": lambda at: f"{local(at):%Y-%m-%d %H:%M:%S %Z}",
        "usd": lambda dollars: (
            f"${dollars:,.2f}" if dollars >= 0.01 or not dollars else f"${dollars:.4f}"
        ),
    }
    return environment


def _shown(value: Any) -> Any:  # noqa: ANN401 -- whatever a template puts out
    """Return a text as people may see it; what is markup of ours stays so."""
    return visible(cut(value, LONGEST)) if type(value) is str else value
