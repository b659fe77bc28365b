"""The event loop: threads run their programs on cores, ticks preempt, timers wake, governors change frequencies."""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from itertools import count
from math import ceil

from truth.cores import Core, remember, rest
from truth.governor import BLOCKED_PERIOD_NS, Governor
from truth.phone import Phone
from truth.placement import Placement
from truth.record import DEAD, MOVED, RUNNABLE, SLEEPS, Record, Switch
from truth.work import Get, Here, Mark, Operation, Probe, Put, Queue, Run, Say, Sleep, Spawn, Spend, Thread

_FIRST_TID = 5000
_SLEEPER_BONUS_NS = 3e6
_MOST_BACKLOG_NS = 24e6


class Machine:
    """One run of threads. Call `run` once."""

    def __init__(self, phone: Phone, *, tick_ns: int = 4_000_000) -> None:
        self.now_ns = 0
        self.record = Record(phone, tick_ns)
        self._cores = [Core(cpu, k, phone.capacity(k)) for cpu, k in enumerate(phone.cluster_of)]
        self._governors = [Governor(phone, k, self._cores) for k in range(len(phone.clusters))]
        self._placement = Placement(self._cores)
        self._events: list[tuple[int, int, Core | Thread, int]] = []
        self._order = count()
        self._tids = count(_FIRST_TID)
        self._blocked_ns = 0
        self.record.frequencies += [(0, k, governor.index) for k, governor in enumerate(self._governors)]

    def run(self, threads: Iterable[Thread], tail_ns: int = 30_000_000) -> Record:
        """Run until `tail_ns` after the test's finish."""
        for thread in threads:
            self._start(thread)
        tick_ns, end_ns = self.record.tick_ns, None
        while end_ns is None or self.now_ns < end_ns:
            if not self._events or self._events[0][0] >= tick_ns:
                self.now_ns = tick_ns
                tick_ns += self.record.tick_ns
                self._tick()
            else:
                self.now_ns, _, subject, version = heapq.heappop(self._events)
                if isinstance(subject, Thread):
                    self._wake(subject)
                elif subject.version == version:
                    self._proceed(subject)
            if end_ns is None and self.record.marks and self.record.marks[-1][1] == "test_finish":
                end_ns = self.now_ns + tail_ns
        self.record.end_ns = self.now_ns
        for core in self._cores:
            core.sync(self.now_ns)
        return self.record

    def _start(self, thread: Thread) -> None:
        thread.tid, thread.born_ns, thread.util_ns = next(self._tids), self.now_ns, self.now_ns
        self.record.threads.append(thread)
        # A new thread is assumed to need half of a core (kernel: post_init_entity_util_avg).
        thread.util = self._cores[0].capacity / 2
        self._wake(thread)

    def _wake(self, thread: Thread) -> None:
        core = self._placement.on_wake(thread, self.now_ns)
        if thread.core != core.cpu:
            if thread.core >= 0:
                self._cores[thread.core].detach(thread, self.now_ns)
                thread.vruntime += core.min_vruntime
            core.attach(thread, self.now_ns)
        thread.vruntime = max(thread.vruntime, core.min_vruntime - _SLEEPER_BONUS_NS)
        thread.vruntime = min(thread.vruntime, core.min_vruntime + _MOST_BACKLOG_NS)
        self._enqueue(thread, core)

    def _enqueue(self, thread: Thread, core: Core) -> None:
        core.sync(self.now_ns)
        core.queue.append(thread)
        self._govern(core.cluster)
        if self._placement.preempts(thread, core):
            self._switch(core, RUNNABLE)

    def _tick(self) -> None:
        record = self.record
        busy = [core for core in self._cores if core.current is not None]
        for core in busy:
            core.sync(self.now_ns)
            if core.current is not None:
                record.ticks.append((self.now_ns, core.cpu, core.current, self._governors[core.cluster].index))
        for k in {core.cluster for core in busy}:
            self._govern(k)
        for core in busy:
            if (bigger := self._placement.bigger_for(core)) is not None and core.current is not None:
                self._move_running(core, bigger)
            elif self._placement.is_over(core):
                self._switch(core, RUNNABLE)
        for core in self._cores:
            if not core.running:
                self._pull(core)
        if busy:
            self._look_at_sleeping()

    def _look_at_sleeping(self) -> None:
        if self.now_ns - self._blocked_ns >= BLOCKED_PERIOD_NS:
            self._blocked_ns = self.now_ns
            for k in range(len(self._governors)):
                self._govern(k)

    def _govern(self, k: int) -> None:
        governor = self._governors[k]
        if governor.update(self.now_ns):
            self.record.frequencies.append((self.now_ns, k, governor.index))
            for core in governor.cores:
                self._plan(core)

    def _plan(self, core: Core) -> None:
        """Schedule the end of the running thread's current work."""
        core.version += 1
        if core.current is not None:
            done_ns = self.now_ns + max(0, ceil(core.current.remaining / core.work_rate(core.current)))
            heapq.heappush(self._events, (done_ns, next(self._order), core, core.version))

    def _switch(self, core: Core, state: str) -> None:
        """Switch to the next thread. The previous one waits, sleeps, has ended, or moves to another core."""
        core.sync(self.now_ns)
        previous = core.current
        if previous is not None and state == RUNNABLE:
            core.queue.append(previous)
        following = core.next()
        if following is not None:
            core.queue.remove(following)
            rest(following, self.now_ns)
        if following is not previous:
            self.record.switches.append(Switch(self.now_ns, core.cpu, previous, state, following))
        core.current, core.slice_ns = following, 0
        self._plan(core)
        if following is None:
            self._govern(core.cluster)
            self._pull(core)

    def _pull(self, core: Core) -> None:
        found = self._placement.to_pull(core)
        if found is not None:
            source, thread = found
            source.queue.remove(thread)
            self._move(thread, source, core)

    def _move_running(self, source: Core, to: Core) -> None:
        thread = source.current
        self._switch(source, MOVED)
        if thread is not None:
            self._move(thread, source, to)

    def _move(self, thread: Thread, source: Core, to: Core) -> None:
        source.detach(thread, self.now_ns)
        thread.vruntime += to.min_vruntime
        to.attach(thread, self.now_ns)
        self._enqueue(thread, to)

    def _proceed(self, core: Core) -> None:
        """Advance the running thread to its next work, or remove it from the core."""
        core.sync(self.now_ns)
        thread = core.current
        while thread is not None and thread is core.current:
            try:
                operation: Operation = thread.program.send(thread.received)
            except StopIteration:
                thread.died_ns = self.now_ns
                self._switch(core, DEAD)
                self._put(thread.ends, None)
                return
            thread.received = None
            if isinstance(operation, Run | Spend):
                rate = core.work_rate(thread)
                thread.remaining = operation.ns * rate if isinstance(operation, Spend) else operation.work_ns
                if thread.remaining > 0:
                    self._plan(core)
                    return
            elif self._blocks(thread, operation):
                remember(thread)
                self._switch(core, SLEEPS)
                return
        # It woke a thread that preempted it: continue when it runs again.

    def _blocks(self, thread: Thread, operation: Operation) -> bool:
        """Execute operations that take no time; return whether the thread has to wait."""
        match operation:
            case Probe(kind, method):
                thread.events.append((self.now_ns, kind, method, thread.cpu_ns))
            case Sleep(ns):
                heapq.heappush(self._events, (self.now_ns + max(ns, 1), next(self._order), thread, 0))
                return True
            case Put(queue, item):
                self._put(queue, item)
            case Get(queue):
                if not queue.items:
                    queue.waiting.append(thread)
                    return True
                thread.received = queue.items.popleft()
            case Spawn(started):
                self._start(started)
            case Here():
                thread.received = thread, self.now_ns
            case Say():
                thread.messages.append((self.now_ns, operation))
            case Mark(kind):
                self.record.marks.append((self.now_ns, kind))
            case _:
                raise TypeError(operation)
        return False

    def _put(self, queue: Queue, item: object) -> None:
        if queue.waiting:
            waiter = queue.waiting.popleft()
            waiter.received = item
            self._wake(waiter)
        else:
            queue.items.append(item)
