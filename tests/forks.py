"""Child processes that begin as forks of the test process: a new interpreter would load for a second each time."""

import faulthandler
import gc
import importlib
import json
import logging
import multiprocessing.util
import os
import pkgutil
import random
import runpy
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import process
from contextlib import redirect_stderr, redirect_stdout, suppress
from functools import cache, partial
from io import StringIO
from itertools import pairwise
from multiprocessing import resource_tracker
from typing import Any, Final

from agent import app, cli, tools
from agent.battle.odds import prepare
from emulator import Dex, demo_cartridge_path, load_cartridge

# An interpreter reads these when it starts.
ONLY_AT_START: Final = ("PYTHON", "LC_", "LANG", "LD_", "NUMBA_")
USUAL_BYTES: Final = 110_000_000  # of a process that plays
Popen: Final[Any] = subprocess.Popen
spawn: Final[Any] = multiprocessing.util.spawnv_passfds


class ForkedPopen(Popen):  # type: ignore[misc]  # its type is taken from a variable
    """A Popen whose process, if it is to run a module of this project or `-c` a program, is a fork of this one.

    It has what was loaded and replaced here. An interpreter starts where a test asks for another one: with flags, with
    limits, or with other variables that one reads at its start.
    """

    def __init__(self, args: Any, *others: Any, **more: Any) -> None:  # noqa: ANN401
        if others or not _is_like_this_one(args, more):
            super().__init__(args, *others, **more)
            return
        loaded()
        work = partial(_run_program, [os.fspath(each) for each in args[1:]], more.pop("env", None))
        kept = more.get("pass_fds", ())
        with warnings.catch_warnings():
            # From 3.12 on: the child does not use the threads of this process.
            warnings.simplefilter("ignore", DeprecationWarning)
            super().__init__(args, preexec_fn=partial(_begin, work, kept), **more)


def forked_spawn(_: object, args: Sequence[str], kept: Collection[int]) -> int:
    """Begin what multiprocessing would run in a new interpreter in a fork of this one, and return its pid."""
    loaded()
    if pid := os.fork():
        return pid
    _begin(partial(_run_program, args[args.index("-c") :], None), kept)
    raise AssertionError("a fork never returns")


def resident_bytes(pid: int) -> int:
    """Return what a process, perhaps a fork, takes beyond this one, and what a usual one takes; 0 if it is gone."""
    taken = app.resident_bytes(pid)
    return max(taken - app.resident_bytes(os.getpid()), 0) + USUAL_BYTES if taken else 0


@cache
def loaded() -> None:
    """Load what decides battles, once for all forks."""
    prepare(Dex.of(load_cartridge(demo_cartridge_path())))


def serve(address: str, first: Sequence[str]) -> None:
    """Run programs for `fork_client.py` in forks of this process, until it is ended.

    The command `first` is run in this process: it loads what others need.
    """
    loaded()
    vars(subprocess)["Popen"] = ForkedPopen
    for package in (cli, tools):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    sys.argv = ["agent", *first]
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()), suppress(SystemExit):
        cli.main()
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(address)
        server.listen()
        print("ready", flush=True)  # noqa: T201
        while True:
            client, _ = server.accept()
            if not os.fork():
                _answer(client)
            client.close()
            with suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass


def _answer(client: socket.socket) -> None:
    """Run a program in this fork, send its exit code, and end."""
    text, files, _, _ = socket.recv_fds(client, 1 << 20, 3)
    folder, group, environment, words = json.loads(text)
    os.setpgid(0, group)  # so that Ctrl-C reaches it
    os.chdir(folder)
    for number, file in enumerate(files):
        os.dup2(file, number)

    def leave(code: int) -> None:
        client.sendall(str(code).encode())
        os._exit(code)

    _begin(partial(_run_program, words, environment), [client.fileno()], leave)


def _is_like_this_one(args: object, more: Mapping[str, Any]) -> bool:
    if not isinstance(args, Sequence) or len(args) < 3 or args[0] != sys.executable:
        return False
    is_ours = args[1] == "-c" or (args[1] == "-m" and args[2].startswith(("agent", "tests.")))
    if not is_ours or {"preexec_fn", "executable", "shell"} & more.keys():
        return False
    environment = more.get("env")
    return environment is None or _read_at_start(environment) == _read_at_start(os.environ)


def _read_at_start(environment: Mapping[str, str]) -> Mapping[str, str]:
    return {name: value for name, value in environment.items() if name.startswith(ONLY_AT_START)}


def _begin(
    work: Callable[[], object], kept: Collection[int], leave: Callable[[int], object] = os._exit
) -> None:
    """Run `work` in this fork, and end it; never returns to what would load another program."""
    # What pytest replaced is kept alive: its files have the numbers of new ones.
    replaced = sys.stdin, sys.stdout, sys.stderr, logging.root.handlers
    code = 1
    try:
        gc.freeze()
        faulthandler.disable()
        for first, end in _gaps(kept):
            os.closerange(first, end)  # also that by which Popen waits for the start
        # What is ignored stays ignored, as in an interpreter.
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM):
            if signal.getsignal(number) is not signal.SIG_IGN:
                is_ctrl_c = number is signal.SIGINT
                usual = signal.default_int_handler if is_ctrl_c else signal.SIG_DFL
                signal.signal(number, usual)
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)  # as an interpreter does at its start
        logging.root.handlers = []
        # Pools of this process, and what tracks their resources, are not those of the fork.
        vars(resource_tracker._resource_tracker).update(_fd=None, _pid=None)
        process._threads_wakeups.clear()
        random.seed()
        tempfile.tempdir = None
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.stderr = open(2, "w", 1, encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
        work()
        code = 0
    except SystemExit as ended:
        code = _code_of(ended)
    except BaseException:  # noqa: BLE001  # as at the end of a program
        traceback.print_exc()
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()
    with suppress(BaseException):
        sys.stderr.flush()
    try:
        sys.stdout.flush()
    except BaseException:  # noqa: BLE001
        code = 120
    del replaced
    leave(code)


def _gaps(kept: Collection[int]) -> list[tuple[int, int]]:
    """Return the ranges of descriptors without the first three and those that are kept."""
    edges = [2, *sorted(kept), os.sysconf("SC_OPEN_MAX")]
    return [(low + 1, high) for low, high in pairwise(edges)]


def _code_of(ended: SystemExit) -> int:
    if isinstance(ended.code, int | None):
        return ended.code or 0
    print(ended.code, file=sys.stderr)  # noqa: T201
    return 1


def _run_program(words: Sequence[str], environment: Mapping[str, str] | None) -> None:
    if environment is not None:
        os.environ.clear()
        os.environ.update(environment)
    flag, module, *arguments = words
    if flag == "-c":
        sys.argv = [flag, *arguments]
        exec(module, {"__name__": "__main__"})
        return
    sys.argv = [module, *arguments]
    warnings.filterwarnings("ignore", module="runpy")  # the module is loaded here already
    runpy.run_module(module, run_name="__main__", alter_sys=True)
