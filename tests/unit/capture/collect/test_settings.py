"""What `settings`, `dumpsys` and `cmd` print, read as values."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from navitas.capture.collect.state.settings import BY_KEY, RADIOS, SETTINGS, parse_reading, same

FROZEN = "Current Battery Service state:\n  (UPDATES STOPPED -- use 'reset' to restart)\n  AC powered: false\n  USB powered: {}\n"


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("system/screen_brightness", "77\n", "77"),
        ("system/screen_brightness", "null\n", "null"),
        ("global/window_animation_scale", "0.5\r\n", "0.5"),
        ("global/window_animation_scale", "", None),
        ("global/window_animation_scale", "cmd: Can't find service: settings\n", None),
        ("global/window_animation_scale", "Invalid namespace\nusage: settings …\n", None),
        ("global/window_animation_scale", "java.lang.SecurityException: Permission denial\n\tat android.os.Parcel\n", None),
        ("screen", "  mWakefulness=Awake\n", "Awake"),
        ("screen", "  mWakefulness=Dozing\n", "Asleep"),
        ("screen", "", None),
        ("doze/deep", "1\n", "1"),
        ("doze/deep", "Unknown command: enabled\nDevice idle controller (deviceidle) commands:\n", None),
        ("battery", "Current Battery Service state:\n  USB powered: true\n", "live"),
        ("battery", FROZEN.format("false"), "unplugged"),
        ("battery", FROZEN.format("true"), None),
        ("battery", "Can't find service: battery\n", None),
        ("radio/wifi", "2\n", "1"),
        ("radio/wifi", "0\n", "0"),
        ("radio/data", "null\n", None),
    ],
)
def test_a_value_is_found_or_named_unknown(key: str, text: str, value: str | None) -> None:
    assert BY_KEY[key].parse(text) == value


@given(st.text(max_size=200))
def test_whatever_a_phone_prints_is_one_harmless_word_or_unknown(text: str) -> None:
    for setting in (*SETTINGS, *RADIOS):
        value = setting.parse(text)
        assert value is None or (value and not set(value) & set(" ;'\"$`\n|&<>"))


@given(st.lists(st.text(max_size=30), max_size=8))
def test_answers_are_distinguished_by_their_marks(texts: list[str]) -> None:
    found = parse_reading(SETTINGS, "".join(f"@{number}\n{text}\n" for number, text in enumerate(texts)))
    assert set(found) == {setting.key for setting in SETTINGS}


@pytest.mark.parametrize(
    ("value", "wanted", "alike"), [("0.0", "0", True), ("1", "0", False), (None, "0", False), ("x", "0", False)]
)
def test_numbers_are_compared_as_numbers(value: str | None, wanted: str, alike: bool) -> None:
    assert same(value, wanted) is alike
