"""Six programs that are profiled by samples of their stacks. Their calls last from microseconds to tens of milliseconds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from random import Random

from truth.work import (
    ENTER,
    EXIT,
    Get,
    Operation,
    Probe,
    Program,
    Put,
    Queue,
    Run,
    Sleep,
    Spawn,
    Spend,
    Thread,
    call,
    holding,
    lock,
)
from truth.workloads import MS, Workload

_US = 1_000
_DEEPEST = 400
_HEAP_FULL = 400


def _method(name: str, *body: Operation | Iterable[Operation]) -> Program:
    """A call of a method that does its work and its callees' in turn."""
    return call(f"org.example.{name}", _in_turn(body))


def _in_turn(parts: Iterable[Operation | Iterable[Operation]]) -> Program:
    for part in parts:
        if isinstance(part, Iterable):
            yield from part
        else:
            yield part


def _us(random: Random, least: float, most: float) -> Run:
    return Run(random.uniform(least, most) * _US)


def _times(count: int, body: Callable[[], Iterable[Operation]]) -> Program:
    for _ in range(count):
        yield from body()


def _calls(random: Random) -> Sequence[Thread]:
    """A parser with calls of some microseconds, and a sort that takes many milliseconds."""

    def token() -> Program:
        kind = random.choices(("number", "word", "quote"), (5, 3, 1))[0]
        yield from _method(f"Lexer#{kind}", _us(random, 3, 15), _method("Text#copy", _us(random, 1, 6)))

    def line() -> Program:
        yield from _method("Parser#line", _us(random, 5, 20), _times(random.randint(3, 9), token), _us(random, 2, 8))

    def document() -> Program:
        yield from _method("Parser#document", _us(random, 50, 200), _times(random.randint(20, 80), line))
        yield from _method("Index#sort", _us(random, 1_000, 9_000))

    return [Thread("parser", _method("Parser#run", _times(70, document)))]


def _recursion(random: Random) -> Sequence[Thread]:
    """Trees that are visited depth first, two methods that call each other, and one that descends hundreds of frames."""

    def visit(size: int) -> Program:
        if size:
            left = random.randint(0, size - 1)
            value = _method("Tree#value", _us(random, 1, 10))
            yield from _method("Tree#visit", visit(left), _us(random, 2, 20), value, visit(size - 1 - left))

    def nested(names: Sequence[str], least_us: float, most_us: float) -> Program:
        for name in names:
            yield Probe(ENTER, f"org.example.{name}")
            yield _us(random, least_us, most_us)
        for name in reversed(names):
            yield _us(random, least_us, most_us)
            yield Probe(EXIT, f"org.example.{name}")

    def turn() -> Program:
        yield from visit(random.randint(100, 500))
        yield from nested(["Pair#even", "Pair#odd"] * random.randint(3, 20), 5, 60)
        yield from nested(["Deep#descend"] * random.randint(_DEEPEST // 4, _DEEPEST), 1, 5)

    return [Thread("visitor", _method("Tree#all", _times(50, turn)))]


def _waits(random: Random) -> Sequence[Thread]:
    """Threads that compute for a short time between waits for a lock, for a timer, and for each other."""
    shared, jobs = lock(), Queue()

    def produce() -> Program:
        yield from _method("Producer#prepare", _us(random, 50, 1_500))
        yield from _method("Store#update", holding(shared, _method("Store#write", _us(random, 20, 400))))
        yield Put(jobs, random.uniform(100, 2_000))
        yield Sleep(round(random.expovariate(1 / 3) * MS) + 1)

    def consume() -> Program:
        work_us = yield Get(jobs)
        yield from _method("Consumer#read", holding(shared, _method("Store#find", _us(random, 10, 200))))
        yield from _method("Consumer#digest", Run(work_us * _US), _method("Consumer#log", _us(random, 3, 30)))

    def poll() -> Program:
        yield from _method("Timer#check", _us(random, 20, 120))
        yield Sleep(round(random.uniform(1, 6) * MS))

    producers = [Thread(f"producer-{n}", _times(200, produce)) for n in range(2)]
    consumers = [Thread(f"consumer-{n}", _times(200, consume)) for n in range(2)]
    return [*producers, *consumers, Thread("timer", _times(250, poll))]


def _many_threads(random: Random) -> Sequence[Thread]:
    """Threads that live for about 2 ms of CPU time, whatever the core."""

    def task() -> Program:
        yield from _method(
            "Task#run",
            Spend(random.uniform(50, 200) * _US),
            _method("Task#parse", Spend(random.uniform(100, 900) * _US)),
            _times(random.randint(5, 40), lambda: _method("Task#hash", Spend(random.uniform(5, 40) * _US))),
            _method("Task#store", Spend(random.uniform(200, 1_200) * _US)),
        )

    def spawner(number: int) -> Program:
        for i in range(150):
            yield Run(0.05 * MS)
            yield Spawn(Thread(f"task-{number}-{i}", task(), activity=random.uniform(0.7, 1.3)))
            yield Sleep(round(random.expovariate(1 / 4) * MS) + 1)
        # The last tasks end before the test does.
        yield Sleep(40 * MS)

    return [Thread(f"spawner-{n}", _method("Spawner#run", spawner(n))) for n in range(4)]


def _allocation(random: Random) -> Sequence[Thread]:
    """Threads that allocate on a fast and a slow path, and a collector that runs while they go on."""
    full = Queue()
    heap = {"objects": 0}

    def allocate() -> Program:
        heap["objects"] += 1
        if heap["objects"] == _HEAP_FULL:
            heap["objects"] = 0
            yield Put(full)
        slow = (_method("Heap#refill", _us(random, 20, 90)),) if random.random() < 0.1 else ()
        yield from _method("Heap#allocate", _us(random, 2, 8), *slow)

    def build() -> Program:
        parts = _times(random.randint(2, 12), lambda: _in_turn((allocate(), _method("Node#fill", _us(random, 3, 25)))))
        yield from _method("Builder#build", _us(random, 5, 30), parts)

    def mutate() -> Program:
        yield from _method("Builder#batch", _times(60, build))
        yield Sleep(round(random.expovariate(1 / 2) * MS) + 1)

    def collect() -> Program:
        while True:
            yield Get(full)
            mark = _method("Collector#mark", _us(random, 1_500, 5_000))
            yield from _method("Collector#collect", mark, _method("Collector#sweep", _us(random, 500, 2_500)))

    mutators = [Thread(f"mutator-{n}", _times(30, mutate)) for n in range(3)]
    return [*mutators, Thread("HeapTaskDaemon", collect(), nice=4)]


def _input_output(random: Random) -> Sequence[Thread]:
    """Threads that read blocks from a disk, which answers within milliseconds, decode them, and write some."""

    def read() -> Program:
        copy = _method("Kernel#copy", _us(random, 20, 90))
        yield from _method("Disk#read", _us(random, 5, 30), Sleep(round(random.uniform(0.2, 4) * MS)), copy)

    def write() -> Program:
        copies = _times(4, lambda: _method("Kernel#copy", _us(random, 10, 60)))
        yield from _method("Disk#write", copies, Sleep(round(random.uniform(0.5, 6) * MS)), _us(random, 5, 30))

    def request() -> Program:
        yield from _method("Request#blocks", _times(random.randint(1, 5), read))
        check = _method("Decode#check", _us(random, 20, 200))
        yield from _method("Decode#image", _us(random, 100, 3_000), check, _us(random, 100, 1_000))
        if random.random() < 0.3:
            yield from write()

    return [Thread(f"io-{n}", _method("Request#serve", _times(70, request))) for n in range(5)]


PROGRAMS: dict[str, Workload] = {
    "calls": _calls,
    "recursion": _recursion,
    "waits": _waits,
    "many threads": _many_threads,
    "allocation": _allocation,
    "I/O": _input_output,
}
