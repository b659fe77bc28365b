"""A simulated app whose modules send each other messages and hand work to a pool, with faults that advice should find.

The main thread runs callbacks, as Android's looper does. Each module's true energy is known from the spans that ran for it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import count
from random import Random

from truth.energy import Energy
from truth.machine import Machine
from truth.phone import PIXEL_6
from truth.record import Record
from truth.work import ENTER, EXIT, Get, Here, Mark, Probe, Program, Put, Queue, Run, Say, Sleep, Spawn, Thread, call

PACKAGE = "org.example"
MAIN, SYNC, UPLOAD, RECEIVER, BATTERY = (
    f"{PACKAGE}.{name}" for name in ("MainActivity", "SyncService", "UploadService", "DoneReceiver", "BatteryReceiver")
)
MS = 1_000_000
_START_SERVICE, _BROADCAST, _ALARM, _JOB_SET = 3, 8, 12, 13
_INTENT, _STARTED, _RECEIVED, _JOB = 32, 34, 36, 37
_PERIODIC, _EXACT, _WAKE_UP, _FROM_SYSTEM = 2, 4, 8, 32
_MOMENT = Run(0.01 * MS)
"""The least time between a call that sends something and the end of its callback: nothing of an app takes no time."""
_BATTERY_CHANGED = "android.intent.action.BATTERY_CHANGED"


@dataclass(frozen=True, slots=True)
class Faults:
    """How often something happens in a run: each as a number of times."""

    exact_alarms: int = 1
    jobs: int = 1
    broadcasts: int = 3
    battery_changes: int = 0


@dataclass(slots=True)
class App:
    """The app: the queues of its main thread and of its pool."""

    random: Random
    main: Queue = field(default_factory=Queue)
    pool: Queue = field(default_factory=Queue)
    tokens: count[int] = field(default_factory=lambda: count(100))

    def callback(self, module: str, method: str, receipt: Say | None, body: Callable[[], Program]) -> Program:
        """A callback of a module on the main thread. `body` is what it does. Without a receipt, no recorded message starts it."""
        thread, start_ns = yield Here()
        yield Probe(ENTER, f"{module}#{method}")
        if receipt is not None:
            yield receipt
        yield from body()
        yield _MOMENT
        yield Probe(EXIT, f"{module}#{method}")
        _, end_ns = yield Here()
        thread.owned.append((start_ns, end_ns, module))

    def hand(self, module: str, work_ms: float) -> Program:
        """Hand a task of another class to the pool, for a module."""
        thread, at_ns = yield Here()
        yield Put(self.pool, (thread, at_ns, module, self.random.uniform(0.7, 1.3) * work_ms))

    def worker(self) -> Program:
        """A thread of the pool."""
        while True:
            origin, at_ns, module, work_ms = yield Get(self.pool)
            thread, start_ns = yield Here()
            yield from call(f"{PACKAGE}.Task#run", call(f"{PACKAGE}.Codec#encode", [Run(work_ms * MS)]))
            _, end_ns = yield Here()
            thread.handed.append((start_ns, end_ns, origin, at_ns))
            thread.owned.append((start_ns, end_ns, module))

    def looper(self) -> Program:
        """The main thread."""
        while (callback := (yield Get(self.main))) is not None:
            yield from callback

    def work(self, method: str, least_ms: float, most_ms: float) -> Program:
        """Work of a method that several modules use."""
        yield from call(f"{PACKAGE}.{method}", [Run(self.random.uniform(least_ms, most_ms) * MS)])

    def sync(self, receipt: Say) -> Program:
        """The service works, hands work over and broadcasts, and the receiver starts the upload."""

        def body() -> Program:
            yield from self.work("Codec#decode", 2, 4)
            yield from self.hand(SYNC, 6)
            yield from self.hand(SYNC, 4)
            yield from self.broadcast(SYNC, "org.example.SYNCED", starts_upload=True)

        yield from self.callback(SYNC, "onStartCommand", receipt, body)

    def broadcast(self, module: str, action: str, *, starts_upload: bool = False) -> Program:
        """A module sends a broadcast to the receiver, which may start the upload."""
        token, upload = next(self.tokens), next(self.tokens)

        def received() -> Program:
            yield from self.work("Codec#decode", 1, 3)
            if starts_upload:
                yield Say(_START_SERVICE, RECEIVER, upload, target=UPLOAD)
                yield Put(self.main, self.callback(UPLOAD, "onStartCommand", Say(_STARTED, UPLOAD, upload), uploaded))

        def uploaded() -> Program:
            yield from self.work("Codec#encode", 1, 2)
            yield from self.hand(UPLOAD, 5)

        yield Say(_BROADCAST, module, token, action=action)
        yield Put(self.main, self.callback(RECEIVER, "onReceive", Say(_RECEIVED, RECEIVER, token, action=action), received))


def simulate_modules(faults: Faults, seed: int, seconds: float = 3.0) -> Record:
    """Run the app for some seconds. The user's taps and the phone's other threads are the same with and without faults."""
    app = App(Random(f"work {seed}"))
    workers = [Thread(f"pool-1-thread-{n}", app.worker()) for n in range(2)]
    main = Thread("main", _test(app, faults, seconds, workers))
    random = Random(f"others {seed}")
    others = [Thread(f"other-{n}", _other(random), app=False) for n in range(2)]
    return Machine(PIXEL_6).run([main, *others])


def module_energy(record: Record, energy: Energy) -> Mapping[str, float]:
    """The true joules of each module, and of nothing else."""
    found: defaultdict[str, float] = defaultdict(float)
    for thread in record.threads:
        for start_ns, end_ns, module in thread.owned:
            found[module] += energy.threads[thread].between(start_ns, end_ns)
    return found


def _test(app: App, faults: Faults, seconds: float, workers: list[Thread]) -> Program:
    yield Sleep(60 * MS)
    yield Mark("test_start")
    yield Probe(ENTER, "org.example.WorkloadTest#run")
    yield Probe(EXIT, "org.example.WorkloadTest#run")
    for thread in (*workers, Thread("system", _system(app, faults, seconds), app=False)):
        yield Spawn(thread)
    yield from app.looper()
    yield Sleep(50 * MS)
    yield Mark("test_finish")
    yield Sleep(10**12)


def _system(app: App, faults: Faults, seconds: float) -> Program:
    """Android: it starts the activity, delivers taps, alarms, jobs and broadcasts at their times, and ends the app."""
    random, period_ms = Random("times"), 1000 * seconds / max(faults.exact_alarms, 1)

    def created() -> Program:
        yield from app.work("Codec#decode", 5, 10)
        yield Say(_ALARM, MAIN, 1, _EXACT | _WAKE_UP | _PERIODIC, round(period_ms), SYNC)
        yield Say(_JOB_SET, MAIN, 2, _PERIODIC, round(1000 * seconds), f"{PACKAGE}.CleanJob", "7")

    def tapped() -> Program:
        yield from app.work("View#draw", 2, 5)

    def job() -> Program:
        yield from app.work("Codec#decode", 3, 6)

    def storm() -> Program:
        yield from app.broadcast(MAIN, "org.example.TICK")

    def battery() -> Program:
        yield from app.work("View#draw", 3, 6)

    changed = Say(_RECEIVED, BATTERY, 0, _FROM_SYSTEM, action=_BATTERY_CHANGED)
    due: list[tuple[float, Callable[[], Program]]]
    due = [(0.0, lambda: app.callback(MAIN, "onCreate", Say(_INTENT, MAIN, 0, _FROM_SYSTEM), created))]
    due += [(at, lambda: app.sync(Say(_STARTED, SYNC, 1))) for at in _even(faults.exact_alarms, seconds, 0.01)]
    clean = f"{PACKAGE}.CleanJob"
    due += [
        (at, lambda: app.callback(clean, "onStartJob", Say(_JOB, clean, 2, target=clean, action="7"), job))
        for at in _even(faults.jobs, seconds, 0.02)
    ]
    due += [(at, lambda: app.callback(MAIN, "onUserInteraction", None, storm)) for at in _even(faults.broadcasts, seconds, 0.03)]
    due += [
        (at, lambda: app.callback(BATTERY, "onReceive", changed, battery)) for at in _even(faults.battery_changes, seconds, 0.04)
    ]
    due += [(random.uniform(0.05, seconds), lambda: app.callback(MAIN, "onTouchEvent", None, tapped)) for _ in range(30)]
    now = 0.0
    for at, make in sorted(due, key=lambda each: each[0]):
        yield Sleep(round((at - now) * 1e9) + 1)
        now = at
        yield Put(app.main, make())
    yield Sleep(round((seconds + 0.1 - now) * 1e9))
    yield Put(app.main, None)


def _even(times: int, seconds: float, offset_s: float) -> list[float]:
    return [0.02 + offset_s + i * (seconds - 0.2) / max(times, 1) for i in range(times)]


def _other(random: Random) -> Program:
    while True:
        yield Run(random.uniform(0.2, 3) * MS)
        yield Sleep(round(random.uniform(2, 40) * MS))
