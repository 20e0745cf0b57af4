"""Calls whose process is killed before one statement after the other: `python -m tests.memory.store.call_crashes FOLDER`.

Prints, one line of JSON for each kill and a last one without, what the process had been told and what the file held.
"""

import json
import os
import sys
from itertools import count
from pathlib import Path

from memory import open_run_store
from memory.store.calls import Booking, CallOutcome, CallState
from tests.memory.store.crashes import Killer

WORST = Booking("m", "stuck", "", 1, worst_nanos=100, worst_tokens=10)


def act(path: Path, survived: int, told: int) -> None:
    store = open_run_store(path, run_id="r")
    door = store._open_calls()
    door._connection.set_trace_callback(Killer(survived))
    number = store.book_call(WORST)
    os.write(told, b"leave ")
    store.settle_call(number, CallOutcome(CallState.SETTLED, 40, input=4))
    os.write(told, b"settled ")
    os._exit(0)


def main(folder: Path) -> None:
    for survived in count():
        path = folder / f"{survived}.sqlite"
        heard, told = os.pipe()
        child = os.fork()
        if child == 0:
            act(path, survived, told)
        os.close(told)
        _, status = os.waitpid(child, 0)
        with os.fdopen(heard) as pipe:
            words = pipe.read().split()
        store = open_run_store(path, run_id="r")
        calls = [[call.state.value, call.nanos] for call in store.calls()]
        store.close()
        sys.stdout.write(json.dumps([words, calls]) + "\n")
        if not os.WIFSIGNALED(status):
            return


if __name__ == "__main__":
    main(Path(sys.argv[1]))
