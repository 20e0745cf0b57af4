"""A blackboard with a cycle of edges against a simple model: writes, time, carries, commits, restores, kills."""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from memory import (
    Blackboard,
    BlackboardEvent,
    Checkpoint,
    Entry,
    RunStore,
    open_run_store,
    scope_name,
)
from memory.blackboard.entry import scope_of
from memory.flow.flows import Flows
from memory.flow.subscription import AnyOf, Derived, OnDemand, Periodic, Threshold
from tests.memory.flow.streams import edge
from tests.memory.samples import checkpoint

SENSORY, WORKING, STM = (scope_name("m", each) for each in ("sensory", "working", "stm"))
SCOPES = st.sampled_from([SENSORY, WORKING, STM])
NAMES = ("up", "on", "down", "aside")


def contributors(entry: Entry) -> set[str]:
    names = entry.data.get("ways", [])
    assert isinstance(names, list)
    return {str(each) for each in names}


@dataclass
class Ledger:
    """The model of one lineage: which entries each edge should carry, need not carry any more, and did carry."""

    owed: defaultdict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    not_required: set[int] = field(default_factory=set)
    carried: defaultdict[str, Counter[int]] = field(default_factory=lambda: defaultdict(Counter))
    keys: dict[tuple[str, str], int] = field(default_factory=dict)


class Machine(RuleBasedStateMachine):
    @initialize()
    def begin(self) -> None:
        self.folder = TemporaryDirectory()
        self.tick = 0
        self.is_forgetting = False
        self.ledger = Ledger()
        self.saved: dict[int, tuple[object, object, Ledger]] = {}
        self.open()
        self.save()

    def open(self) -> None:
        self.store: RunStore = open_run_store(Path(self.folder.name) / "run.sqlite", run_id="m")
        self.blackboard = Blackboard(self.store)
        self.flows = Flows(self.blackboard)
        self.flows.add(
            edge(
                "up",
                SENSORY,
                WORKING,
                self.carrier("up"),
                trigger=AnyOf((Threshold(1, 7), Periodic(8.0))),
            ),
            edge("on", WORKING, STM, self.carrier("on"), consumes=True, keep_last=3, keep_s=5.0),
            edge("down", STM, WORKING, self.carrier("down"), trigger=Threshold(2, 9)),
            edge("aside", "agent:m:*", "collective", self.carrier("aside"), trigger=OnDemand()),
        )
        self.store.attach("flows", self.flows)
        self.blackboard.subscribe("*", self.on_event)

    def carrier(self, name: str) -> Callable[[Sequence[Entry]], list[Derived]]:
        def carry(entries: Sequence[Entry]) -> list[Derived]:
            self.ledger.carried[name].update(each.seq for each in entries)
            names = sorted({name}.union(*map(contributors, entries)))
            return [
                Derived("copy", {"of": each.seq, "ways": names}, (each.key,)) for each in entries
            ]

        return carry

    def on_event(self, event: BlackboardEvent) -> None:
        action, entry = event
        place = entry.scope, entry.key
        ledger = self.ledger
        if action == "write":
            if (old := ledger.keys.get(place)) is not None:
                ledger.not_required.add(old)  # replaced by its new version
            ledger.keys[place] = entry.seq
            sources = {
                "up": [SENSORY],
                "on": [WORKING],
                "down": [STM],
                "aside": [SENSORY, WORKING, STM],
            }
            for name in NAMES:
                if entry.scope in sources[name] and name not in contributors(entry):
                    ledger.owed[name].add(entry.seq)
        elif action == "revise":
            ledger.not_required.update([entry.seq] if entry.closed else [])
        else:
            if ledger.keys.get(place) == entry.seq:
                del ledger.keys[place]
            ledger.not_required.update([entry.seq] if self.is_forgetting else [])

    @rule(scope=SCOPES, importance=st.integers(1, 10), number=st.integers(1, 25))
    def write(self, scope: str, importance: int, number: int) -> None:
        for n in range(number):
            self.put(scope, n, importance=importance)

    @rule(scope=SCOPES, key=st.sampled_from("abc"), ttl_s=st.sampled_from([None, 3.0]))
    def write_again(self, scope: str, key: str, ttl_s: float | None) -> None:
        self.put(scope, 0, key=key, ttl_s=ttl_s)

    def put(
        self,
        scope: str,
        n: int,
        *,
        importance: int = 3,
        key: str | None = None,
        ttl_s: float | None = None,
    ) -> None:
        self.tick += 1
        self.blackboard.write(
            scope,
            "n",
            {"n": n},
            tick=self.tick,
            game_s=self.blackboard.game_s,
            importance=importance,
            key=key,
            ttl_s=ttl_s,
        )

    @rule(scope=SCOPES, place=st.integers(0, 40), close=st.booleans(), utility=st.floats(0, 1))
    def check_claims(self, scope: str, place: int, close: bool, utility: float) -> None:  # noqa: FBT001
        entries = self.blackboard.entries(scope)
        if entries:
            entry = entries[place % len(entries)]
            if close:
                self.blackboard.close(entry, "no")
            else:
                self.blackboard.revise(entry, utility=utility)

    @rule(scope=SCOPES, through=st.integers(0, 10))
    def forget(self, scope: str, through: int) -> None:
        entries = self.blackboard.entries(scope)
        self.is_forgetting = True  # unlike the removal by a consuming edge
        self.blackboard.forget(scope, keys={each.key for each in entries[:through]})
        self.is_forgetting = False

    @rule(seconds=st.sampled_from([0.5, 4.0, 11.0, 4000.0]))
    def wait(self, seconds: float) -> None:
        self.blackboard.expire(self.blackboard.game_s + seconds)

    @rule(name=st.sampled_from(NAMES), final=st.booleans())
    def carry(self, name: str, final: bool) -> None:  # noqa: FBT001
        self.flows.run(name, final=final)

    @rule()
    def drain(self) -> None:
        while self.flows.run(final=True):
            pass
        for name in NAMES:
            missing = (
                self.ledger.owed[name] - self.ledger.not_required - self.ledger.carried[name].keys()
            )
            assert not missing, f"{name} has lost {missing}"
            assert self.flows.pending(name) == []

    @rule()
    def commit(self) -> None:
        self.store.commit()
        assert self.entries() == list(self.store.live_entries())

    @rule()
    def save(self) -> None:
        self.store.commit(checkpoint=checkpoint(self.tick))
        number = self.newest().id
        self.saved[number] = (self.entries(), self.state(), deepcopy(self.ledger))
        assert self.entries() == list(self.store.live_entries())

    @rule(back=st.integers(0, 9))
    def restore_earlier(self, back: int) -> None:
        found = list(self.store.checkpoints.all())
        self.restore_to(found[back % len(found)])

    @rule()
    def kill(self) -> None:
        self.store.close()
        self.open()
        self.restore_to(self.newest())

    def restore_to(self, moment: Checkpoint) -> None:
        self.store.rewind(moment)
        entries, state, ledger = self.saved[moment.id]
        assert self.entries() == entries
        assert self.state() == state
        self.ledger = deepcopy(ledger)

    def newest(self) -> Checkpoint:
        return next(self.store.checkpoints.all())

    def entries(self) -> list[Entry]:
        every = (
            each for name in self.blackboard.scopes() for each in self.blackboard.entries(name)
        )
        return sorted(every, key=lambda each: each.seq)

    def state(self) -> object:
        return deepcopy((self.blackboard.to_json(), self.flows.to_json()))

    @invariant()
    def every_scope_keeps_its_policies(self) -> None:
        for name in self.blackboard.scopes():
            entries = self.blackboard.entries(name)
            assert len(entries) <= scope_of(name).capacity
            assert len({each.key for each in entries}) == len(entries)
            assert all(self.blackboard.get(name, each.key) is each for each in entries)
            assert [each.seq for each in entries] == sorted(each.seq for each in entries)
            now = self.blackboard.game_s
            assert all(each.expires_s is None or each.expires_s > now for each in entries)

    @invariant()
    def each_edge_carries_what_it_should_and_once(self) -> None:
        for name in NAMES:
            carried = self.ledger.carried[name]
            assert all(times == 1 for times in carried.values()), f"{name} carried twice: {carried}"
            assert carried.keys() <= self.ledger.owed[name]
        assert self.blackboard.faults == {}

    def teardown(self) -> None:
        self.drain()
        self.store.close()
        self.folder.cleanup()


TestMachine = Machine.TestCase
TestMachine.settings = settings(max_examples=12, stateful_step_count=25)
