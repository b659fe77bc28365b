"""What `am instrument`, `logcat`, cpufreq and the package manager print on Android 8 to 16, replayed through what reads them.

Grammars: am/Instrument.java and androidx.test's InstrumentationResultPrinter; liblog/logprint.cpp and logcat.cpp (dividers),
logd/LogBufferElement.cpp (chatty, Android 11 and older); the kernel's cpufreq_stats.c; toybox's and toolbox's cat and ls.
"""

from __future__ import annotations

import pytest
from fake_device import FakeDevice

from navitas.android.instrumentation import InstrumentationParser, RunFinished, TestFinished, TestStarted
from navitas.base.errors import DeviceError
from navitas.capture.collect.readings import topology
from navitas.recording.manifest import Policy

START = "INSTRUMENTATION_STATUS: class=a.B\nINSTRUMENTATION_STATUS: test=t\nINSTRUMENTATION_STATUS_CODE: 1\n"
END = START.replace("CODE: 1", "CODE: 0")
WHILE = "Test instrumentation process crashed. Check a.B#t.txt for details"
INSTRUMENTS = {
    "8: a native crash has no end of the test": (
        START + "INSTRUMENTATION_RESULT: shortMsg=Process crashed.\nINSTRUMENTATION_CODE: 0\n",
        [],
        (False, "Process crashed."),
    ),
    "9: an uncaught exception, text of many lines": (
        START + "INSTRUMENTATION_RESULT: longMsg=java.lang.RuntimeException: no\n\tat a.B.t(B.java:1)\n"
        "INSTRUMENTATION_RESULT: shortMsg=java.lang.RuntimeException\nINSTRUMENTATION_CODE: 0\n",
        [],
        (False, "java.lang.RuntimeException: java.lang.RuntimeException: no\n\tat a.B.t(B.java:1)"),
    ),
    "androidx.test 1.5: the runner itself reports the crash": (
        START + f"INSTRUMENTATION_STATUS: class=a.B\nINSTRUMENTATION_STATUS: stack={WHILE}\nINSTRUMENTATION_STATUS: stream=\n"
        "INSTRUMENTATION_STATUS: test=t\nINSTRUMENTATION_STATUS_CODE: -2\n"
        "INSTRUMENTATION_RESULT: shortMsg=Process crashed.\nINSTRUMENTATION_CODE: 0\n",
        [("t", "failed", WHILE)],
        (False, "Process crashed."),
    ),
    "12: a linker's and a shell's words between the lines": (
        "WARNING: linker: Warning: x\n" + START + "Error: stray\n" + END + "INSTRUMENTATION_CODE: -1\n",
        [("t", "passed", "")],
        (True, ""),
    ),
    "13: the system dies": (
        START + "onError: commandError=false message=INSTRUMENTATION_ABORTED: System has crashed.\n"
        "INSTRUMENTATION_ABORTED: System has crashed.\n",
        [],
        (False, "INSTRUMENTATION_ABORTED: System has crashed."),
    ),
    "a failed class, \\r\\n": (
        (START + END).replace("test=t", "test=null").replace("CODE: 0", "CODE: -2").replace("\n", "\r\n")
        + "INSTRUMENTATION_RESULT: stream=\r\n\r\nFAILURES!!!\r\nTests run: 1,  Failures: 1\r\nINSTRUMENTATION_CODE: -1\r\n",
        [("", "failed", "")],
        (True, "FAILURES!!!\nTests run: 1,  Failures: 1"),
    ),
    "an assumption and an ignored test": (
        START + END.replace("CODE: 0", "CODE: -4") + START + END.replace("CODE: 0", "CODE: -3") + "INSTRUMENTATION_CODE: -1\n",
        [("t", "assumption", ""), ("t", "ignored", "")],
        (True, ""),
    ),
    "no end at all": (START, [], None),
}


@pytest.mark.parametrize("name", INSTRUMENTS)
def test_am_instrument(name: str) -> None:
    text, tests, end = INSTRUMENTS[name]
    parser = InstrumentationParser()
    events = [event for line in text.split("\n") for event in parser.feed(line)]
    assert isinstance(events[0], TestStarted)
    assert [(one.method, one.status, one.stack) for one in events if isinstance(one, TestFinished)] == tests
    ends = [(one.ok, one.message) for one in events if isinstance(one, RunFinished)]
    assert ends == ([end] if end else [])


POLICY = Policy(id=4, cpus=[4, 5])
STATES = f"cat {topology.CPUFREQ}/policy4/stats/time_in_state"
SPEEDS = f"cat {topology.CPUFREQ}/policy4/scaling_available_frequencies"
SYSFS = {
    "time_in_state": ({STATES: "300000 12\n1200000 4\n"}, [300000, 1200000]),
    "time_in_state, \\r\\n": ({STATES: "300000 12\r\n1200000 4\r\n"}, [300000, 1200000]),
    "a maker's third column": ({STATES: "300000 12 3\n1200000 4 0\n"}, [300000, 1200000]),
    "8, no stats: the speeds alone": ({STATES: "", SPEEDS: "300000 1200000 \n"}, [300000, 1200000]),
    "toybox is refused": (
        {STATES: "cat: /sys/x4/time_in_state: Permission denied\n", SPEEDS: "cat: /sys/x4/speeds: Permission denied\n"},
        [],
    ),
    "toolbox has none": (
        {STATES: "/system/bin/sh: cat: /sys/x4: No such file or directory\n", SPEEDS: "cat: /sys/x4: Invalid argument\n"},
        [],
    ),
    "empty": ({}, []),
}


@pytest.mark.parametrize("name", SYSFS)
def test_sysfs(name: str) -> None:
    texts, speeds = SYSFS[name]
    assert topology.read_frequencies(FakeDevice(texts), [POLICY]) == ({4: speeds} if speeds else {})


@pytest.mark.parametrize(
    ("listing", "ids"),
    [
        ("policy0\npolicy4\n", [0, 4]),
        ("policy0 policy4 policy7 schedutil boost\n", [0, 4, 7]),
        ("policy0\r\npolicy4\r\n", [0, 4]),
        ("ls: /sys/devices/system/cpu/cpufreq: Permission denied\n", []),
        ("/sys/devices/system/cpu/cpufreq: No such file or directory\n", []),
        ("", []),
    ],
)
def test_policies(listing: str, ids: list[int]) -> None:
    device = FakeDevice({f"ls {topology.CPUFREQ}": listing, f"cat {topology.CPUFREQ}/policy": "0 1\n"})
    assert [policy.id for policy in topology.read_policies(device)] == ids


@pytest.mark.parametrize(
    ("possible", "cpus"),
    [("0-7\n", list(range(8))), ("0\n", [0]), ("0-3,6-7\n", [0, 1, 2, 3, 6, 7]), ("0-1\r\n", [0, 1]), ("", [4, 5])],
)
def test_cpus(possible: str, cpus: list[int]) -> None:
    assert topology.read_cpus(FakeDevice({"cat /sys/devices/system/cpu/possible": possible}), [POLICY]) == cpus


def test_cpus_that_nothing_reports_are_an_error() -> None:
    with pytest.raises(DeviceError, match="is readable"):
        topology.read_cpus(FakeDevice(), [])
