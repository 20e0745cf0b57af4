"""A console that shows every frame to watchers, and runs trials on the same machine.

Play is not affected: a step is split into single frames, and the effects of a trial are undone.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from agent.skills import Outcome, Skill, SkillRun
from agent.tools.verify.fact import FactLog, FactSource, FactWatcher
from emulator import Button, PyBoyConsole, Ram, State, Step, read_state
from emulator.recording import ConsoleWrapper

PRESS: Final = 3  # frames: long enough to register, and short enough to count once


class Sandbox:
    """The machine as used by one trial at a time."""

    def __init__(self, console: PyBoyConsole) -> None:
        self._console = console
        self._start = console.save()

    @property
    def ram(self) -> Ram:
        """The current RAM."""
        return self._console.ram()

    @property
    def state(self) -> State:
        """The current state."""
        return read_state(self.ram, self._console.frame)

    def restore(self) -> None:
        """Restore the state in which the sandbox was created."""
        self._console.load(self._start)

    def poke(self, address: int, data: bytes) -> None:
        """Write bytes to memory."""
        self._console.poke(address, data)

    def press(self, button: Button, *, hold: int = PRESS, settle: int = 8) -> State:
        """Press a button, and return the state after it."""
        self._console.perform(Step(button, hold, settle))
        return self.state

    def follow(self, skill: Skill, steps: int) -> State:
        """Perform at most that many steps of a skill, and return the state after them."""
        skill_run = SkillRun(skill)
        for _ in range(steps):
            if skill_run.outcome is not Outcome.RUNNING:
                break
            self._console.perform(skill_run.step)
            skill_run.resume(self.state)
        return self.state

    def wait(self, frames: int) -> State:
        """Let frames pass without a button, and return the state after them."""
        self._console.perform(Step(None, 0, frames))
        return self.state

    def frames(self, button: Button | None, count: int) -> Iterator[Ram]:
        """Let frames pass with a button down, or none, and yield RAM after each."""
        step = Step(None, 0, 1) if button is None else Step(button, 1, 0)
        for _ in range(count):
            self._console.perform(step)
            yield self._console.ram()

    def until(
        self, reached: Callable[[Ram], bool], within: int, button: Button | None = None
    ) -> bool:
        """Let at most `within` frames pass until `reached` is true of RAM, and return whether it was."""
        return any(reached(ram) for ram in self.frames(button, within))


class Trial(FactSource):
    """A test run on the machine in states that suit it."""

    def is_ready(self, state: State) -> bool:
        """Return whether to run now; called before every step, so it must be cheap."""
        raise NotImplementedError

    def run(self, sandbox: Sandbox, state: State) -> None:
        """Run the test and log the results; the caller restores the machine afterwards."""
        raise NotImplementedError


class WatchedConsole(ConsoleWrapper):
    """A console that shows every frame to watchers, and runs trials before a step."""

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
        """Run the trials that are ready, and then the frames of `step` one by one."""
        self._run_trials()
        for _ in range(step.hold):
            self._pass(Step(step.button, 1, 0), step.button, render=render)
        for _ in range(step.settle):
            self._pass(Step(None, 0, 1), None, render=render)
        self._log.tick += 1
        state = read_state(self._machine.ram(), self._machine.frame)
        for watcher in self._watchers:
            watcher.after_step(state)

    def load(self, state: bytes) -> None:
        """Load a state returned by `save`, or raise a StateError."""
        self._machine.load(state)
        self._before = None
        for watcher in self._watchers:
            watcher.reset()

    def _pass(self, step: Step, button: Button | None, *, render: bool) -> None:
        # A rendered step renders every frame: otherwise the first picture would be wrong.
        self._machine.perform(step, render=render)
        before, now, number = self._before, self._machine.ram(), self._machine.frame
        if before is not None:
            for watcher in self._watchers:
                watcher.frame(before, now, button, number)
        self._before = now

    def _run_trials(self) -> None:
        state = read_state(self._machine.ram(), self._machine.frame)
        if not (state.game_started or state.menu or state.dialogue.lines):
            return
        ready = [trial for trial in self._trials if trial.is_ready(state)]
        if not ready:
            return
        sandbox = Sandbox(self._machine)
        for trial in ready:
            trial.run(sandbox, state)
            sandbox.restore()
