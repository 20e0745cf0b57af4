"""A console that shows every frame to watchers, and lends the machine to trials.

Play gets the same machine in the same state as without: a step is made of single frames, and a trial is undone.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from agent.tools.verify.fact import FactLog, FactSource, FactWatcher
from emulator import Button, PyBoyConsole, Ram, State, Step, read_state
from emulator.recording import ConsoleWrapper

PRESS: Final = 3  # frames: long enough to be seen, and short enough to count once


class Sandbox:
    """The machine, lent to one trial at a time."""

    def __init__(self, console: PyBoyConsole) -> None:
        self._console = console
        self._moment = console.save()

    @property
    def ram(self) -> Ram:
        """What RAM holds now."""
        return self._console.ram()

    @property
    def state(self) -> State:
        """The state of now."""
        return read_state(self.ram, self._console.frame)

    def restore(self) -> None:
        """Return to the moment at which the sandbox was made."""
        self._console.load(self._moment)

    def poke(self, address: int, data: bytes) -> None:
        """Set up what is tried out."""
        self._console.poke(address, data)

    def press(self, button: Button, *, hold: int = PRESS, settle: int = 8) -> State:
        """Press a button, and return what follows."""
        self._console.perform(Step(button, hold, settle))
        return self.state

    def wait(self, frames: int) -> State:
        """Let frames pass without a button, and return what follows."""
        self._console.perform(Step(None, 0, frames))
        return self.state

    def frames(self, button: Button | None, count: int) -> Iterator[Ram]:
        """Let frames pass one by one with a button down, or none, and yield what RAM holds after each."""
        step = Step(None, 0, 1) if button is None else Step(button, 1, 0)
        for _ in range(count):
            self._console.perform(step)
            yield self._console.ram()

    def until(
        self, reached: Callable[[Ram], bool], within: int, button: Button | None = None
    ) -> bool:
        """Let frames pass until RAM shows something, at most so many, and return whether it did."""
        return any(reached(ram) for ram in self.frames(button, within))


class Trial(FactSource):
    """Something to try out at moments that suit it."""

    def wants(self, state: State) -> bool:
        """Say whether to try it now; asked before every step, so it must be cheap."""
        raise NotImplementedError

    def run(self, sandbox: Sandbox, state: State) -> None:
        """Try it and note the results; time and memory are restored afterwards."""
        raise NotImplementedError


class WatchedConsole(ConsoleWrapper):
    """A console that lets watchers see every frame, and trials have their turn before a step."""

    def __init__(
        self,
        machine: PyBoyConsole,
        watchers: Sequence[FactWatcher],
        trials: Sequence[Trial],
        log: FactLog,
    ) -> None:
        super().__init__(machine)
        self._machine = machine
        self.save = machine.save
        self._watchers: Final = tuple(watchers)
        self._trials: Final = tuple(trials)
        self._log = log
        self._before: Ram | None = None

    def perform(self, step: Step, *, render: bool = False) -> None:
        """Let the trials have their turn, and then the frames of `step` pass one by one."""
        self._try_out()
        for _ in range(step.hold):
            self._pass(Step(step.button, 1, 0), step.button, render=render)
        for _ in range(step.settle):
            self._pass(Step(None, 0, 1), None, render=render)
        self._log.tick += 1
        state = read_state(self._machine.ram(), self._machine.frame)
        for watcher in self._watchers:
            watcher.moment(state)

    def load(self, state: bytes) -> None:
        """Go to the moment that `save` returned, or raise a StateError."""
        self._machine.load(state)
        self._before = None
        for watcher in self._watchers:
            watcher.reset()

    def _pass(self, step: Step, button: Button | None, *, render: bool) -> None:
        # Every frame of a step that is drawn is drawn: the first picture of all is only right so.
        self._machine.perform(step, render=render)
        before, now, number = self._before, self._machine.ram(), self._machine.frame
        if before is not None:
            for watcher in self._watchers:
                watcher.frame(before, now, button, number)
        self._before = now

    def _try_out(self) -> None:
        state = read_state(self._machine.ram(), self._machine.frame)
        if not (state.game_started or state.menu or state.dialogue.lines):
            return
        wanted = [trial for trial in self._trials if trial.wants(state)]
        if not wanted:
            return
        sandbox = Sandbox(self._machine)
        for trial in wanted:
            trial.run(sandbox, state)
            sandbox.restore()
