"""Formats, modifiers, filters and buffers of `logcat`, as in Android's documentation and liblog's logprint.cpp.

Every line has a tag that only this test writes, so a phone with a busy log passes, too.
"""

from __future__ import annotations

import re
import time

import pytest

from navitas.capture.device.base import Device

DATE, CLOCK = r"\d\d-\d\d", r"\d\d:\d\d:\d\d"


@pytest.fixture(scope="module")
def tag(device: Device) -> str:
    """A tag with an entry of each priority, and an entry with several lines."""
    name = f"nv{time.time_ns() % 10**9}"
    script = "; ".join(f"log -p {letter} -t {name} 'message {letter}'" for letter in "vdiwef")
    device.shell(f"{script}; log -p i -t {name} 'first\nsecond'")
    return name


def lines(device: Device, options: str) -> list[str]:
    """The lines that logcat prints, without dividers."""
    found = device.shell(f"logcat -d {options}")
    assert found.exit_code == 0, found.stderr
    return [line for line in found.text.splitlines() if not line.startswith("--------- ")]


FORMATS = [
    ("brief", r"W/TAG *\( *\d+\): message w"),
    ("tag", r"W/TAG *: message w"),
    ("raw", r"message w"),
    ("time", rf"{DATE} {CLOCK}\.\d{{3}} W/TAG *\( *\d+\): message w"),
    ("threadtime", rf"{DATE} {CLOCK}\.\d{{3}} +\d+ +\d+ W TAG *: message w"),
    ("threadtime,year", rf"\d{{4}}-{DATE} {CLOCK}\.\d{{3}} +\d+ +\d+ W TAG *: message w"),
    ("threadtime -v zone", rf"{DATE} {CLOCK}\.\d{{3}} [-+]\d{{4}} +\d+ +\d+ W TAG *: message w"),
    ("threadtime -v usec", rf"{DATE} {CLOCK}\.\d{{6}} +\d+ +\d+ W TAG *: message w"),
    ("epoch", r" *\d{10}\.\d{3} +\d+ +\d+ W TAG *: message w"),
    ("epoch,usec,time", r" *\d{10}\.\d{6} W/TAG *\( *\d+\): message w"),
    ("threadtime,uid", rf"{DATE} {CLOCK}\.\d{{3}} (shell| 2000) +\d+ +\d+ W TAG *: message w"),
    ("brief,uid", r"W/TAG *\((shell| 2000): *\d+\): message w"),
    ("brief,color", r"\x1b\[33mW/TAG *\( *\d+\): message w\x1b\[0m"),
]


@pytest.mark.parametrize(("form", "expected"), FORMATS)
def test_formats_and_modifiers(device: Device, tag: str, form: str, expected: str) -> None:
    line = lines(device, f"-v {form} -s {tag}")[3]
    assert re.fullmatch(expected.replace("TAG", tag), line), line


def test_the_default_format_is_threadtime(device: Device, tag: str) -> None:
    assert lines(device, f"-s {tag}") == lines(device, f"-v threadtime -s {tag}")


def test_long_has_a_header_and_an_empty_line(device: Device, tag: str) -> None:
    text = device.shell(f"logcat -d -v long -s {tag}:W").text
    assert re.search(rf"\[ {DATE} {CLOCK}\.\d{{3}} +\d+: *\d+ W/{tag} *\]\nmessage w\n\n\[ ", text), text


def test_each_line_of_a_message_has_the_prefix_except_in_long(device: Device, tag: str) -> None:
    assert lines(device, f"-v tag -s {tag}")[-2:] == [f"I/{tag:<8}: first", f"I/{tag:<8}: second"]
    assert "\nfirst\nsecond\n\n" in device.shell(f"logcat -d -v long -s {tag}").text


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        ("-s TAG", "vdiwef"),
        ("-s TAG:V", "vdiwef"),
        ("-s TAG:d", "diwef"),
        ("-s TAG:W", "wef"),
        ("-s TAG:F", "f"),
        ("-s TAG:S", ""),
        ("TAG:E '*:S'", "ef"),
        ("'*:S' TAG:E", "ef"),
        ("-s TAG:I TAG:E", "ef"),
        ("-s TAG -e 'message [wf]'", "wf"),
        ("-s TAG -m 2", "vd"),
        ("-s TAG -e 'message [ef]' -m 1", "e"),
        ("-s TAG --pid=999999", ""),
        ("-s TAG -b main", "vdiwef"),
        ("-s TAG -b crash,system", ""),
        ("-s TAG -b all", "vdiwef"),
        ("-s TAG -b main -b crash", "vdiwef"),
        ("-s TAG -T 2001-01-01\\ 00:00:00.000", "vdiwef"),
        ("-s TAG -t 1000000000.0", "vdiwef"),
    ],
)
def test_filters(device: Device, tag: str, options: str, shown: str) -> None:
    found = lines(device, f"-v raw {options.replace('TAG', tag)}")
    assert "".join(line[-1] for line in found if line.startswith("message ")) == shown


def test_default_priorities_of_filters(device: Device, tag: str) -> None:
    letters = [line[0] for line in lines(device, "-v tag '*'") if f"/{tag}" in line]
    assert "".join(letters).startswith("DIWEF")
    assert lines(device, f"-v tag '*:S' {tag}")[0][0] == "V"


def test_the_newest_lines_are_counted_before_filtering(device: Device) -> None:
    name = f"nvt{time.time_ns() % 10**9}"
    pid = device.shell(f"log -t {name} a; log -t {name}x b; log -t {name} c; log -t {name}x d; echo $$").text.strip()
    every = lines(device, f"-v raw -s {name} {name}x")
    assert every == ["a", "b", "c", "d"]
    assert len(lines(device, f"-v raw -t 3 --pid={pid} -s {name}")) <= 2


def test_a_time_selects_later_entries(device: Device) -> None:
    name = f"nvs{time.time_ns() % 10**9}"
    since = device.shell(f"log -t {name} before; sleep 0.02; echo $EPOCHREALTIME; sleep 0.02; log -t {name} after").text.strip()
    assert lines(device, f"-v raw -T {since} -s {name}") == ["after"]


def test_dividers_name_the_buffer(device: Device, tag: str) -> None:
    text = device.shell(f"logcat -d -s {tag}").text
    assert text.startswith("--------- beginning of main\n")
    assert text.count("--------- ") == 1


def test_streaming_starts_with_the_newest_lines_and_continues(device: Device) -> None:
    name = f"nvf{time.time_ns() % 10**9}"
    device.shell(f"log -t {name} old; log -t {name} newest")
    with device.stream(f"logcat -v raw -T 1000 -s {name}") as stream:
        found = iter(line for line in stream.lines() if not line.startswith(b"----"))
        assert [next(found), next(found)] == [b"old", b"newest"]
        device.shell(f"log -t {name} live")
        assert next(found) == b"live"


def test_a_long_message_is_truncated_at_the_payload_limit(device: Device) -> None:
    name = f"nvl{time.time_ns() % 10**9}"
    device.shell(f"log -t {name} $(printf '%05000d' 1)")
    assert len(lines(device, f"-v raw -s {name}")[0]) == 4068 - 3 - len(name)


@pytest.mark.parametrize(
    "options",
    [
        "-b nope",
        "-v nope",
        "-G x",
        "-t nonsense",
        "-T 12:00",
        "TAG:Q",
        ":I",
        "--pid=x",
        "-m 0",
        "-m 1 -t 1",
        "--nope",
        "-b",
    ],
)
def test_invalid_options_are_reported_on_standard_error(device: Device, options: str) -> None:
    found = device.shell(f"logcat -d {options}")
    assert (found.exit_code, found.stdout) == (1, b"")
    assert found.stderr.startswith(b"logcat: ")


def test_the_ring_buffer_drops_the_oldest_entries_and_can_be_cleared(virtual: Device) -> None:
    name = "nv-ring"
    loop = f"i=0; while [ $i -lt 40 ]; do log -b main -t {name} $i$(printf '%04000d' 1); i=$((i+1)); done"
    virtual.shell(f"logcat -G 64K; {loop.replace('-b main ', '')}")
    kept = [int(line[:-4000]) for line in lines(virtual, f"-v raw -s {name}")]
    assert kept == list(range(kept[0], 40)) and kept[0] > 20
    assert virtual.shell("logcat -G 256K; logcat -c; logcat -d").stdout == b""
    assert virtual.shell("logcat -G 1K").exit_code == 1
