"""A scripted child for a supervisor: it writes heartbeats and ends as planned, and plays nothing.

Called as `scripted_child.py PLAN ARGUMENTS OF PLAY...`. PLAN is a JSON file: a list with the plan of each life, the last of
which repeats; `lives.jsonl` beside it stores the arguments of each life.
"""

import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any


def main() -> None:
    plan_file, *arguments = sys.argv[1:]
    lives = Path(plan_file).with_name("lives.jsonl")
    number = len(lives.read_text().splitlines()) if lives.exists() else 0
    with lives.open("a") as file:
        file.write(json.dumps(arguments) + "\n")
    plan = json.loads(Path(plan_file).read_text(encoding="utf-8"))
    live(plan[min(number, len(plan) - 1)], int(arguments[arguments.index("--pulse") + 1]))


def live(life: dict[str, Any], pulse: int) -> None:
    if life.get("ends_cleanly", True):
        signal.signal(signal.SIGTERM, lambda *_: end({"stop": "interrupted", "code": 130}, 7))
    else:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    for beat in life.get("beats", []):
        table = {"place": "the lab", "doing": "test: stand in", "milestones": [], "checkpoint": 0}
        line = json.dumps({**table, "frame": 10 * beat["tick"], "gains": 0, **beat})
        os.write(pulse, line.encode() + b"\n")
        time.sleep(life.get("every_s", 0.01))
    sys.stderr.write(life.get("says", ""))
    sys.stderr.flush()
    if "signal" in life:
        os.kill(os.getpid(), life["signal"])
    while life.get("stays"):
        time.sleep(0.05)
    end(life, life["beats"][-1]["tick"] if life.get("beats") else 0)


def end(life: dict[str, Any], ticks: int) -> None:
    if "stop" in life:
        table = {"stop": life["stop"], "reason": life.get("reason", ""), "ticks": ticks}
        sys.stdout.write(json.dumps({**table, "frames": 10 * ticks}) + "\n")
        sys.stdout.flush()
    os._exit(life.get("code", 0))


main()
