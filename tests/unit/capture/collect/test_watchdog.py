"""The watchdog: silence is what has no byte, not what has no line end."""

from __future__ import annotations

from dataclasses import dataclass, field

from navitas.capture.collect.runs.instrument import Watchdog


@dataclass
class Lab:
    """A stream's byte count and a clock, both set by hand."""

    received: int = 0
    now_s: float = 0.0
    expired: list[float] = field(default_factory=list)

    def dog(self, timeout_s: float) -> Watchdog:
        return Watchdog(timeout_s, lambda: self.received, lambda: self.expired.append(self.now_s), lambda: self.now_s)


def test_bytes_keep_it_quiet_and_silence_lets_it_bark_once() -> None:
    lab = Lab()
    dog = lab.dog(10)
    for _ in range(5):  # a dot each nine seconds, without a line end
        lab.now_s += 9
        lab.received += 1
        dog.check()
    assert not dog.fired
    for _ in range(30):
        lab.now_s += 1
        dog.check()
    assert dog.fired and lab.expired == [55]


def test_its_thread_looks_by_itself_and_ends_with_the_context() -> None:
    lab = Lab()
    with lab.dog(0.0) as dog:
        dog._thread.join(60)
    assert lab.expired == [0.0]
    with lab.dog(1000) as quiet:
        thread = quiet._thread
    assert not thread.is_alive() and not quiet.fired
