"""Set a phone for a measurement, and always restore it afterwards."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import ExitStack, contextmanager

from navitas.base.errors import DeviceError
from navitas.capture.collect.state.journal import Journal
from navitas.capture.collect.state.settings import (
    BY_KEY,
    RADIOS,
    SETTINGS,
    PhoneSetting,
    parse_reading,
    permission_setting,
    reading_script,
    same,
)
from navitas.capture.device.adb_server import is_address
from navitas.capture.device.base import Device
from navitas.recording.codes import WarningCode

Warn = Callable[[WarningCode, str, str], None]
"""Takes a warning's code, message and remedy."""

_SHELL_S = 60.0
_RECONNECT_S = 5.0
# Radios and the screen need a moment to switch.
_CHECKS = 4
_CHECK_PAUSE_S = 0.5
_AS_FOUND = "The figures are valid for the phone as it was; set it by hand if that matters."
_WIFI = "radio/wifi"


@contextmanager
def prepared(
    device: Device, warn: Warn, *, common: bool = True, radios_off: bool = False, permissions: Sequence[PhoneSetting] = ()
) -> Iterator[Set[str]]:
    """Set the phone while the context is open. Yields the keys of the settings to restore.

    Without `common`, only `permissions` are set.

    A setting that cannot be read or set is not changed; a warning names it. The journal is on disk before any change, so that the
    next start can restore them if this one cannot: after SIGKILL, or when the phone is unplugged.
    Raises `DeviceError` if the device is lost, or if another profiling uses it.
    """
    journal = Journal(device.info)
    with ExitStack() as stack:
        changed: dict[str, str] = {}
        try:
            stack.enter_context(journal.held())
            for name in restore_left(device, journal, warn):
                warn("state", f"the phone's {name}, left changed by an earlier measurement, was restored", "")
            settings = _chosen(device, warn, radios_off=radios_off) if common else []
            changed = _changes(device, warn, [*settings, *permissions])
            journal.write(changed)
        except OSError as error:
            warn("state", f"the phone's settings were not changed: {journal.path}: {error.strerror}", "make that folder writable")
            changed = {}
        try:
            for key in _set_values(device, {key: setting.wanted for key, setting in _known(changed).items()}):
                setting = _known([key])[key]
                warn("state", f"the phone's {setting.name} could not be set to {setting.wanted}", _AS_FOUND)
            yield changed.keys()
        finally:
            if changed:
                _restore(device, journal, changed, warn)


def restore_left(device: Device, journal: Journal, warn: Warn) -> list[str]:
    """Restore settings that an earlier measurement left changed. Returns the names of the restored ones."""
    left = journal.read()
    if not left:
        return []
    _restore(device, journal, left, warn)
    still = journal.read() or {}
    return [setting.name for key, setting in _known(left).items() if key not in still]


def setting_of(key: str) -> PhoneSetting | None:
    """Return the setting with a key of the journal; None if it is a newer version's."""
    return BY_KEY.get(key) or permission_setting(key)


def _known(keys: Iterable[str]) -> dict[str, PhoneSetting]:
    return {key: setting for key in keys if (setting := setting_of(key)) is not None}


def _changes(device: Device, warn: Warn, settings: Sequence[PhoneSetting]) -> dict[str, str]:
    """Return the settings to change, with their present values. Warns of settings that the phone does not report."""
    before = _read(device, settings)
    changed: dict[str, str] = {}
    for setting in settings:
        value = before[setting.key]
        if value is None:
            warn("state", f"the phone does not report its {setting.name}: left as it is", _AS_FOUND)
        elif not same(value, setting.wanted):
            changed[setting.key] = value
    return changed


def _chosen(device: Device, warn: Warn, *, radios_off: bool) -> list[PhoneSetting]:
    if not radios_off:
        return list(SETTINGS)
    if is_address(device.info.serial) and device.info.kind == "phone":
        warn("state", "Wi-Fi stays on: adb reaches the phone through it", "connect the phone by cable to measure with Wi-Fi off")
        return [*SETTINGS, *(radio for radio in RADIOS if radio.key != _WIFI)]
    return [*SETTINGS, *RADIOS]


def _read(device: Device, settings: Sequence[PhoneSetting]) -> dict[str, str | None]:
    return parse_reading(settings, device.shell(reading_script(settings), timeout_s=_SHELL_S).text)


def _set_values(device: Device, values: Mapping[str, str]) -> list[str]:
    """Set all values in one command and read them back, because setters are silent. Returns the keys that did not change."""
    known = _known(values)
    wanted = {key: values[key] for key in known}
    if not wanted:
        return []
    settings = list(known.values())
    script = "; ".join(setting.put(values[key]) for key, setting in known.items())
    text = device.shell(f"{{ {script}; }} >/dev/null 2>&1; {reading_script(settings)}", timeout_s=_SHELL_S).text
    found = parse_reading(settings, text)
    for _ in range(_CHECKS):
        unchanged = [key for key, value in wanted.items() if not same(found[key], value)]
        if not unchanged:
            break
        time.sleep(_CHECK_PAUSE_S)
        found |= _read(device, [known[key] for key in unchanged])
    return [key for key, value in wanted.items() if not same(found[key], value)]


def _restore(device: Device, journal: Journal, values: Mapping[str, str], warn: Warn) -> None:
    """Restore values, last changed first, also if this is interrupted. The journal keeps those that could not be restored."""
    backwards = {key: values[key] for key in reversed(list(values))}
    try:
        try:
            left = _set_values(device, backwards)
        except DeviceError:
            if not device.wait_until_back(_RECONNECT_S):
                raise
            left = _set_values(device, backwards)
    except KeyboardInterrupt:  # a second one is ignored
        _restore(device, journal, values, warn)
        raise
    except DeviceError:
        names = ", ".join(setting.name for setting in _known(values).values())
        warn(
            "state",
            f"device {device.info.serial} was lost while its settings were changed: {names}",
            f"reconnect it: navitas doctor --device {device.info.shell_serial} --restore",
        )
        return
    for key in left:
        warn(
            "state",
            f"the phone's {_known([key])[key].name} could not be restored to {values[key]}",
            f"set it by hand, then remove {journal.path}",
        )
    # Keys that this version does not know are from a newer one, which can restore them.
    journal.write({key: value for key, value in values.items() if key in left or setting_of(key) is None})
