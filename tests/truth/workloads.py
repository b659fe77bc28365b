"""The workloads that estimates are scored on. Each is a set of threads with a seed. Tuning and scoring use different seeds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import count
from random import Random

from truth.machine import Machine
from truth.phone import PIXEL_6, Phone
from truth.record import Record
from truth.work import (
    ENTER,
    EXIT,
    RESUME,
    Get,
    Mark,
    Probe,
    Program,
    Put,
    Queue,
    Run,
    Sleep,
    Spawn,
    Thread,
    call,
    holding,
    join,
    lock,
    with_probes,
)

TUNING_SEEDS = (1, 2, 3)
SCORING_SEEDS = (5023, 6197, 7411, 8819, 9337)
MS = 1_000_000
_LEAD_NS = 60 * MS

Workload = Callable[[Random], Sequence[Thread]]


def simulate(
    name: str,
    seed: int,
    phone: Phone = PIXEL_6,
    *,
    workloads: Mapping[str, Workload] | None = None,
    slower: float = 1.0,
    probes_ns: tuple[float, float] | None = None,
) -> Record:
    """Run a workload (by default of `WORKLOADS`) on the phone, together with the phone's background threads.

    `slower`: how much longer each piece of the app's work takes than usual. `probes_ns`: the time of a call's probes inside of
    the call and outside. By default they take no time.
    """
    random = Random(f"{name} {seed}")
    threads = (workloads or WORKLOADS)[name](random)
    for thread in (*threads, *(background := _background(random))):
        thread.activity = random.uniform(0.7, 1.3)
        scale = 1.0 if thread in background else 1 / slower
        thread.ipc = (scale * random.uniform(0.8, 1.1), scale * random.uniform(0.9, 1.05), scale)
    workers = [thread for thread in threads if not thread.name.startswith("HeapTask") and thread.app]
    others = [thread for thread in threads if thread not in workers]
    main = Thread("main", _test(workers), activity=random.uniform(0.7, 1.3))
    if probes_ns is not None:
        main.program = with_probes(main.program, *probes_ns)
    return Machine(phone).run([main, *others, *background])


def _test(workers: Sequence[Thread]) -> Program:
    """The thread that runs the test. It starts the workers and waits for them."""
    yield Sleep(_LEAD_NS)
    yield Mark("test_start")
    yield Probe(ENTER, "org.example.WorkloadTest#run")
    for thread in workers:
        yield Spawn(thread)
        yield Run(0.02 * MS)
    yield from join(workers)
    yield Probe(EXIT, "org.example.WorkloadTest#run")
    yield Mark("test_finish")
    yield Sleep(10**12)


def _background(random: Random) -> list[Thread]:
    """The profiler's sampler, and light system threads."""
    # 2 % of a small core at its lowest speed, which is a twentieth of the fastest core's.
    sampler = Thread("navitas-sampler", _periodic(random, 20, 0.01, 0.03))
    system = [Thread(f"system-{i}", _periodic(random, random.uniform(8, 60), 0.02, 0.3), app=False) for i in range(4)]
    return [sampler, *system]


def _periodic(random: Random, pause_ms: float, least_ms: float, most_ms: float) -> Program:
    yield Sleep(round(random.uniform(0, pause_ms) * MS))
    while True:
        yield Run(random.uniform(least_ms, most_ms) * MS)
        yield Sleep(round(random.expovariate(1 / pause_ms) * MS) + 1)


def _app(method: str) -> str:
    return f"org.example.{method}"


def _tree(random: Random, method: str, work_ms: float, depth: int = 3) -> Program:
    """A call that does some of the work itself and leaves the rest to callees, which it may call repeatedly."""
    own = work_ms if depth == 0 else work_ms * random.uniform(0.2, 0.5)
    pieces = random.randint(1, 4)

    def body() -> Program:
        for i in range(pieces):
            yield Run(own / pieces * MS)
            if depth:
                name = f"{method.partition('#')[0]}#{'abcdef'[random.randrange(3)]}{depth}"
                yield from _tree(random, name, (work_ms - own) / pieces, depth - 1 if i % 2 else max(0, depth - 2))

    yield from call(_app(method), body())


def _repeat(times: int, body: Callable[[int], Program]) -> Program:
    for i in range(times):
        yield from body(i)


def _bursty(random: Random) -> Sequence[Thread]:
    def burst(_: int) -> Program:
        yield from _tree(random, "Burst#work", random.uniform(5, 95))
        yield from call(_app("Burst#pause"), [Sleep(round(random.uniform(20, 130) * MS))])

    return [Thread("burst", _repeat(30, burst))]


def _short_threads(random: Random) -> Sequence[Thread]:
    def spawner(number: int) -> Program:
        for i in range(120):
            yield Run(0.05 * MS)
            program = _tree(random, f"Short#task{i % 3}", random.uniform(0.3, 9), 2)
            yield Spawn(Thread(f"short-{number}-{i}", program, activity=random.uniform(0.7, 1.3)))
            yield Sleep(round(random.expovariate(1 / 20) * MS) + 1)

    return [Thread(f"spawner-{n}", call(_app("Short#spawn"), spawner(n))) for n in range(3)]


def _contention(random: Random) -> Sequence[Thread]:
    shared = lock()

    def turn(_: int) -> Program:
        yield from _tree(random, "Locks#prepare", random.uniform(0.5, 4), 1)
        yield from call(_app("Locks#update"), holding(shared, _tree(random, "Locks#critical", random.uniform(1, 6), 1)))

    return [Thread(f"locker-{n}", _repeat(180, turn)) for n in range(4)]


def _priorities(random: Random) -> Sequence[Thread]:
    def audio(_: int) -> Program:
        yield from _tree(random, "Audio#mix", random.uniform(1, 2), 1)
        yield Sleep(8 * MS)

    def batch(_: int) -> Program:
        yield from _tree(random, "Batch#step", random.uniform(10, 60))
        yield Sleep(round(random.uniform(1, 20) * MS))

    def ui(_: int) -> Program:
        yield from _tree(random, "Ui#handle", random.uniform(3, 25))
        yield Sleep(round(random.uniform(10, 60) * MS))

    low = [Thread(f"batch-{n}", _repeat(35, batch), nice=10) for n in range(7)]
    return [Thread("audio", _repeat(350, audio), realtime=True), *low, *(Thread(f"ui-{n}", _repeat(60, ui)) for n in range(3))]


def _sleepy(random: Random) -> Sequence[Thread]:
    def turn(_: int) -> Program:
        yield from call(_app("Poll#wait"), [Sleep(round(random.uniform(30, 70) * MS))])
        yield from _tree(random, "Poll#check", random.uniform(0.5, 4), 2)

    return [Thread(f"poll-{n}", _repeat(70, turn)) for n in range(3)]


def _frames(random: Random) -> Sequence[Thread]:
    vsync, drawn = Queue(), Queue()
    number = 240

    def choreographer() -> Program:
        for _ in range(number):
            yield Put(vsync)
            yield Sleep(16_666_667)

    def ui(i: int) -> Program:
        yield Get(vsync)
        yield from _tree(random, "Ui#doFrame", random.uniform(3, 7) + (random.uniform(5, 20) if i % 30 == 0 else 0))
        yield Put(drawn)

    def render(_: int) -> Program:
        yield Get(drawn)
        yield from _tree(random, "Render#draw", random.uniform(2, 5), 2)

    threads = [Thread("ui", _repeat(number, ui)), Thread("RenderThread", _repeat(number, render))]
    return [*threads, Thread("vsync", choreographer())]


def _garbage(random: Random) -> Sequence[Thread]:
    full, free = Queue(), Queue()
    heap = {"bytes": 0.0}

    def collector() -> Program:
        while True:
            yield Get(full)
            yield Run(random.uniform(8, 25) * MS)
            yield Put(free)

    def mutate(_: int) -> Program:
        yield from _tree(random, "Heap#allocate", random.uniform(2, 12), 2)
        heap["bytes"] += random.uniform(1, 4)
        if heap["bytes"] > 40:
            heap["bytes"] = 0.0
            yield Put(full)
            yield from call(_app("Heap#stall"), [Get(free)])

    collectors = [Thread("HeapTaskDaemon", collector(), nice=4)]
    return [*(Thread(f"mutator-{n}", _repeat(250, mutate)) for n in range(3)), *collectors]


def _input_output(random: Random) -> Sequence[Thread]:
    def request(_: int) -> Program:
        for _ in range(random.randint(1, 4)):
            yield from call(_app("Disk#read"), _read(random))
        yield from _tree(random, "Decode#image", random.uniform(1, 12), 2)

    return [Thread(f"io-{n}", _repeat(60, request)) for n in range(6)]


def _read(random: Random) -> Program:
    yield Run(random.uniform(0.03, 0.2) * MS)
    yield Sleep(round(random.uniform(0.3, 15) * MS))
    yield Run(random.uniform(0.05, 0.3) * MS)


def _coroutines(random: Random) -> Sequence[Thread]:
    """Jobs that wait between their sections and continue on any free thread."""
    ready, left = Queue(), count(240, -1)
    workers = 4

    def timer(pause_ms: float, job: tuple[int, int]) -> Program:
        yield Sleep(round(pause_ms * MS))
        yield Put(ready, job)

    def part(kind: int, number: int) -> Program:
        yield Probe(RESUME if number else ENTER, _app(f"Jobs#job{kind}"))
        yield from _tree(random, f"Jobs#part{kind}", random.uniform(1, 6), 1)
        yield Probe(EXIT, _app(f"Jobs#job{kind}"))

    def worker() -> Program:
        while (job := (yield Get(ready))) is not None:
            kind, number = job
            yield from part(kind, number)
            if number < 3:
                yield Spawn(Thread("timer", timer(random.uniform(2, 40), (kind, number + 1)), app=False))
            elif next(left) == 1:
                for _ in range(workers):
                    yield Put(ready)

    def source() -> Program:
        for i in range(240):
            yield Put(ready, (i % 3, 0))
            yield Sleep(round(random.expovariate(1 / 14) * MS) + 1)

    return [Thread("source", source()), *(Thread(f"Dispatcher-{n}", worker()) for n in range(workers))]


def _background_load(random: Random) -> Sequence[Thread]:
    def turn(_: int) -> Program:
        yield from _tree(random, "Sync#merge", random.uniform(4, 30))
        yield Sleep(round(random.uniform(5, 40) * MS))

    def other() -> Program:
        while True:
            yield Run(random.uniform(5, 120) * MS)
            yield Sleep(round(random.uniform(1, 80) * MS))

    syncing = [Thread(f"sync-{n}", _repeat(90, turn)) for n in range(2)]
    return [*syncing, *(Thread(f"other-{n}", other(), app=False) for n in range(3))]


def _parallel(random: Random) -> Sequence[Thread]:
    done, start = Queue(), [Queue() for _ in range(8)]

    def part(n: int) -> Callable[[int], Program]:
        def one(_: int) -> Program:
            yield Get(start[n])
            yield from _tree(random, "Parallel#part", random.uniform(10, 40), 2)
            yield Put(done)

        return one

    def fork(_: int) -> Program:
        for queue in start:
            yield Put(queue)
        yield from (Get(done) for _ in start)
        yield from _tree(random, "Parallel#reduce", random.uniform(10, 50), 2)

    return [Thread("forker", _repeat(35, fork)), *(Thread(f"part-{n}", _repeat(35, part(n))) for n in range(8))]


def _long_and_light(random: Random) -> Sequence[Thread]:
    def light(_: int) -> Program:
        yield from _tree(random, "Light#tick", random.uniform(1, 4), 1)
        yield Sleep(round(random.uniform(20, 40) * MS))

    def heavy(_: int) -> Program:
        yield from _tree(random, "Heavy#round", random.uniform(100, 400))

    return [Thread("heavy", _repeat(12, heavy)), *(Thread(f"light-{n}", _repeat(100, light)) for n in range(2))]


WORKLOADS: dict[str, Workload] = {
    "bursty": _bursty,
    "short threads": _short_threads,
    "lock contention": _contention,
    "mixed priorities": _priorities,
    "sleep-heavy": _sleepy,
    "60 fps frames": _frames,
    "GC-heavy": _garbage,
    "I/O": _input_output,
    "coroutines": _coroutines,
    "background load": _background_load,
    "fork and join": _parallel,
    "long and light": _long_and_light,
}
