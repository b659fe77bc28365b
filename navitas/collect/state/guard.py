"""Sets a phone for a measurement and gives it back as it was, whatever happened."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import ExitStack, contextmanager

from navitas.collect.state.journal import Journal
from navitas.collect.state.settings import BY_KEY, RADIOS, SETTINGS, PhoneSetting, parse_reading, reading_script, same
from navitas.device.base import Device
from navitas.errors import DeviceError
from navitas.recording.codes import WarningCode

Warn = Callable[[WarningCode, str, str], None]
"""Takes a warning's code, its message and its remedy."""

_SHELL_S = 60.0
_BACK_S = 5.0
# Radios and the screen take a moment.
_LOOKS = 4
_LOOK_PAUSE_S = 0.5
_AS_FOUND = "The figures hold for the phone as it was; set it by hand where that matters."
_WIFI = "radio/wifi"


@contextmanager
def prepared(device: Device, warn: Warn, *, radios_off: bool = False) -> Iterator[Set[str]]:
    """Set the phone for as long as the context is open; yields the keys of the settings that will be given back.

    What cannot be read or set on this phone stays as it is, named in a warning. What is changed is on disk first, so that the
    next start can give it back where this one cannot: after SIGKILL, or when the phone was unplugged.
    Raises `DeviceError` when the device is lost, or another profiling has it.
    """
    journal = Journal(device.info)
    with ExitStack() as stack:
        changed: dict[str, str] = {}
        try:
            stack.enter_context(journal.held())
            for name in restore_left(device, journal, warn):
                warn("state", f"the phone's {name}, left changed by an earlier measurement, was put back", "")
            changed = _changes(device, warn, radios_off=radios_off)
            journal.write(changed)
        except OSError as error:
            warn("state", f"the phone's settings were left alone: {journal.path}: {error.strerror}", "make that folder writable")
            changed = {}
        try:
            for key in _put(device, {key: BY_KEY[key].wanted for key in changed}):
                warn("state", f"the phone's {BY_KEY[key].name} could not be set to {BY_KEY[key].wanted}", _AS_FOUND)
            yield changed.keys()
        finally:
            if changed:
                _give_back(device, journal, changed, warn)


def restore_left(device: Device, journal: Journal, warn: Warn) -> list[str]:
    """Give back what an earlier measurement has left changed; returns the names of what was."""
    left = journal.read()
    if not left:
        return []
    _give_back(device, journal, left, warn)
    still = journal.read() or {}
    return [BY_KEY[key].name for key in left if key in BY_KEY and key not in still]


def _changes(device: Device, warn: Warn, *, radios_off: bool) -> dict[str, str]:
    """What is to be changed, with its value now; what the phone does not tell is named and left as it is."""
    settings = _chosen(device, warn, radios_off=radios_off)
    before = _read(device, settings)
    changed: dict[str, str] = {}
    for setting in settings:
        value = before[setting.key]
        if value is None:
            warn("state", f"the phone does not tell its {setting.name}: left as it is", _AS_FOUND)
        elif not same(value, setting.wanted):
            changed[setting.key] = value
    return changed


def _chosen(device: Device, warn: Warn, *, radios_off: bool) -> list[PhoneSetting]:
    if not radios_off:
        return list(SETTINGS)
    wireless = re.search(r":\d+$|_adb-tls-connect", device.info.serial)
    if wireless and device.info.kind == "phone":
        warn("state", "Wi-Fi stays on: adb reaches the phone by it", "connect the phone by cable to measure with Wi-Fi off")
        return [*SETTINGS, *(radio for radio in RADIOS if radio.key != _WIFI)]
    return [*SETTINGS, *RADIOS]


def _read(device: Device, settings: Sequence[PhoneSetting]) -> dict[str, str | None]:
    return parse_reading(settings, device.shell(reading_script(settings), timeout_s=_SHELL_S).text)


def _put(device: Device, values: Mapping[str, str]) -> list[str]:
    """Put settings, all in one command, and read them back: setters are silent. Returns the keys that did not take."""
    wanted = {key: value for key, value in values.items() if key in BY_KEY}
    if not wanted:
        return []
    settings = [BY_KEY[key] for key in wanted]
    script = "; ".join(BY_KEY[key].put(value) for key, value in wanted.items())
    text = device.shell(f"{{ {script}; }} >/dev/null 2>&1; {reading_script(settings)}", timeout_s=_SHELL_S).text
    found = parse_reading(settings, text)
    for _ in range(_LOOKS):
        stubborn = [key for key, value in wanted.items() if not same(found[key], value)]
        if not stubborn:
            break
        time.sleep(_LOOK_PAUSE_S)
        found |= _read(device, [BY_KEY[key] for key in stubborn])
    return [key for key, value in wanted.items() if not same(found[key], value)]


def _give_back(device: Device, journal: Journal, values: Mapping[str, str], warn: Warn) -> None:
    """Put values back, last changed first; the journal keeps what could not be."""
    backwards = {key: values[key] for key in reversed(list(values))}
    try:
        try:
            left = _put(device, backwards)
        except DeviceError:
            if not device.wait_until_back(_BACK_S):
                raise
            left = _put(device, backwards)
    except DeviceError:
        names = ", ".join(BY_KEY[key].name for key in values if key in BY_KEY)
        serial = device.info.serial
        warn(
            "state",
            f"device {serial} was lost with settings changed: {names}",
            f"reconnect it: navitas doctor --device {serial} --restore",
        )
        return
    for key in left:
        warn(
            "state",
            f"the phone's {BY_KEY[key].name} could not be put back to {values[key]}",
            f"set it by hand, then remove {journal.path}",
        )
    # What this version does not know was changed by a newer one, which can put it back.
    journal.write({key: value for key, value in values.items() if key in left or key not in BY_KEY})
