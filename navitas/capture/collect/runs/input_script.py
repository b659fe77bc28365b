"""A file with the events that use an app: one `input` command of Android's shell in each line, and pauses."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from navitas.base.errors import UsageError
from navitas.base.regular_files import read_regular

LINE_MARK = "navitas-line:"
"""If an event fails, the command prints this, and the number of its line."""
_MAX_BYTES = 1 << 20
_MOST_CHARACTERS = 60_000
"""A command and what Navitas adds must fit into one request of adb, of 65,535 bytes."""
_MOST_KEYS = 100
_LONGEST_TEXT = 1000
_PREFIX = "KEYCODE_"
_NAMES = """
    SOFT_LEFT SOFT_RIGHT HOME BACK CALL ENDCALL 0 1 2 3 4 5 6 7 8 9 STAR POUND DPAD_UP DPAD_DOWN DPAD_LEFT DPAD_RIGHT
    DPAD_CENTER VOLUME_UP VOLUME_DOWN POWER CAMERA CLEAR A B C D E F G H I J K L M N O P Q R S T U V W X Y Z COMMA PERIOD
    ALT_LEFT ALT_RIGHT SHIFT_LEFT SHIFT_RIGHT TAB SPACE SYM EXPLORER ENVELOPE ENTER DEL GRAVE MINUS EQUALS LEFT_BRACKET
    RIGHT_BRACKET BACKSLASH SEMICOLON APOSTROPHE SLASH AT NUM HEADSETHOOK FOCUS PLUS MENU NOTIFICATION SEARCH MEDIA_PLAY_PAUSE
    MEDIA_STOP MEDIA_NEXT MEDIA_PREVIOUS MEDIA_REWIND MEDIA_FAST_FORWARD MUTE PAGE_UP PAGE_DOWN PICTSYMBOLS SWITCH_CHARSET
    BUTTON_A BUTTON_B BUTTON_C BUTTON_X BUTTON_Y BUTTON_Z BUTTON_L1 BUTTON_R1 BUTTON_L2 BUTTON_R2 BUTTON_THUMBL BUTTON_THUMBR
    BUTTON_START BUTTON_SELECT BUTTON_MODE ESCAPE FORWARD_DEL CTRL_LEFT CTRL_RIGHT CAPS_LOCK SCROLL_LOCK META_LEFT META_RIGHT
    FUNCTION SYSRQ BREAK MOVE_HOME MOVE_END INSERT FORWARD MEDIA_PLAY MEDIA_PAUSE MEDIA_CLOSE MEDIA_EJECT MEDIA_RECORD F1 F2
    F3 F4 F5 F6 F7 F8 F9 F10 F11 F12 NUM_LOCK NUMPAD_0 NUMPAD_1 NUMPAD_2 NUMPAD_3 NUMPAD_4 NUMPAD_5 NUMPAD_6 NUMPAD_7 NUMPAD_8
    NUMPAD_9 NUMPAD_DIVIDE NUMPAD_MULTIPLY NUMPAD_SUBTRACT NUMPAD_ADD NUMPAD_DOT NUMPAD_COMMA NUMPAD_ENTER NUMPAD_EQUALS
    NUMPAD_LEFT_PAREN NUMPAD_RIGHT_PAREN VOLUME_MUTE INFO CHANNEL_UP CHANNEL_DOWN ZOOM_IN ZOOM_OUT TV WINDOW GUIDE DVR
    BOOKMARK CAPTIONS SETTINGS TV_POWER TV_INPUT STB_POWER STB_INPUT AVR_POWER AVR_INPUT PROG_RED PROG_GREEN PROG_YELLOW
    PROG_BLUE APP_SWITCH BUTTON_1 BUTTON_2 BUTTON_3 BUTTON_4 BUTTON_5 BUTTON_6 BUTTON_7 BUTTON_8 BUTTON_9 BUTTON_10 BUTTON_11
    BUTTON_12 BUTTON_13 BUTTON_14 BUTTON_15 BUTTON_16 LANGUAGE_SWITCH MANNER_MODE 3D_MODE CONTACTS CALENDAR MUSIC CALCULATOR
    ZENKAKU_HANKAKU EISU MUHENKAN HENKAN KATAKANA_HIRAGANA YEN RO KANA ASSIST BRIGHTNESS_DOWN BRIGHTNESS_UP MEDIA_AUDIO_TRACK
    SLEEP WAKEUP PAIRING MEDIA_TOP_MENU 11 12 LAST_CHANNEL TV_DATA_SERVICE VOICE_ASSIST TV_RADIO_SERVICE TV_TELETEXT
    TV_NUMBER_ENTRY TV_TERRESTRIAL_ANALOG TV_TERRESTRIAL_DIGITAL TV_SATELLITE TV_SATELLITE_BS TV_SATELLITE_CS
    TV_SATELLITE_SERVICE TV_NETWORK TV_ANTENNA_CABLE TV_INPUT_HDMI_1 TV_INPUT_HDMI_2 TV_INPUT_HDMI_3 TV_INPUT_HDMI_4
    TV_INPUT_COMPOSITE_1 TV_INPUT_COMPOSITE_2 TV_INPUT_COMPONENT_1 TV_INPUT_COMPONENT_2 TV_INPUT_VGA_1 TV_AUDIO_DESCRIPTION
    TV_AUDIO_DESCRIPTION_MIX_UP TV_AUDIO_DESCRIPTION_MIX_DOWN TV_ZOOM_MODE TV_CONTENTS_MENU TV_MEDIA_CONTEXT_MENU
    TV_TIMER_PROGRAMMING HELP NAVIGATE_PREVIOUS NAVIGATE_NEXT NAVIGATE_IN NAVIGATE_OUT STEM_PRIMARY STEM_1 STEM_2 STEM_3
    DPAD_UP_LEFT DPAD_DOWN_LEFT DPAD_UP_RIGHT DPAD_DOWN_RIGHT MEDIA_SKIP_FORWARD MEDIA_SKIP_BACKWARD MEDIA_STEP_FORWARD
    MEDIA_STEP_BACKWARD SOFT_SLEEP CUT COPY PASTE SYSTEM_NAVIGATION_UP SYSTEM_NAVIGATION_DOWN SYSTEM_NAVIGATION_LEFT
    SYSTEM_NAVIGATION_RIGHT ALL_APPS REFRESH THUMBS_UP THUMBS_DOWN PROFILE_SWITCH VIDEO_APP_1 VIDEO_APP_2 VIDEO_APP_3
    VIDEO_APP_4 VIDEO_APP_5 VIDEO_APP_6 VIDEO_APP_7 VIDEO_APP_8 FEATURED_APP_1 FEATURED_APP_2 FEATURED_APP_3 FEATURED_APP_4
    DEMO_APP_1 DEMO_APP_2 DEMO_APP_3 DEMO_APP_4 KEYBOARD_BACKLIGHT_DOWN KEYBOARD_BACKLIGHT_UP KEYBOARD_BACKLIGHT_TOGGLE
    STYLUS_BUTTON_PRIMARY STYLUS_BUTTON_SECONDARY STYLUS_BUTTON_TERTIARY STYLUS_BUTTON_TAIL RECENT_APPS MACRO_1 MACRO_2
    MACRO_3 MACRO_4 EMOJI_PICKER SCREENSHOT DICTATE NEW CLOSE DO_NOT_DISTURB PRINT LOCK FULLSCREEN F13 F14 F15 F16 F17 F18 F19
    F20 F21 F22 F23 F24
"""
KEY_NAMES = frozenset(_NAMES.split())
"""The names of keys that `input keyevent` knows, without KEYCODE_: the constants of android.view.KeyEvent, in Android 16, by
number from 1 on. For an unknown name, Android presses no key."""


def _number(word: str) -> str:
    """Return why a word is not a number that `input` and `sleep` take; empty if it is one."""
    if re.fullmatch(r"[0-9]{1,6}(?:\.[0-9]{1,6})?", word):
        return ""
    return f"{word} is negative" if re.fullmatch(r"-[0-9.]+", word) else f"{word[:100]!r} is not a number of at most six digits"


def _milliseconds(word: str) -> str:
    return _number(word) or ("" if word.isdecimal() else f"{word} is not a whole number of milliseconds")


def _key(word: str) -> str:
    if word.removeprefix(_PREFIX) in KEY_NAMES or re.fullmatch(r"[0-9]{1,3}", word):
        return ""
    if word.isdecimal():
        return f"{word[:100]} is no key's number: write one of at most three digits"
    upper = word.upper().removeprefix(_PREFIX)
    known = upper if upper in KEY_NAMES else f"a name of android.view.KeyEvent, with or without {_PREFIX}, or a number"
    return f"{word[:100]!r} is an unknown key name: write {known}"


def _text(word: str) -> str:
    if len(word) > _LONGEST_TEXT:
        return f"it has {len(word):,} characters, more than {_LONGEST_TEXT:,}"
    if other := re.search(r"[^ -~]", word):
        return f"{other[0]!r} is not printable ASCII, and `input` types nothing else"
    return "`input` types a space for %s" if "%s" in word else "" if word else "it is empty"


@dataclass(frozen=True, slots=True)
class _Event:
    """How to write an event; the least number of words after its name; what is wrong with each of them, if anything."""

    how: str
    least: int
    checks: tuple[Callable[[str], str], ...]

    def problem(self, words: list[str]) -> str:
        if not self.least <= len(words) <= len(self.checks):
            return "wrong number of words after its name"
        return next(filter(None, (check(word) for check, word in zip(self.checks, words, strict=False))), "")


_EVENTS = {
    "tap": _Event("tap X Y", 2, (_number,) * 2),
    "swipe": _Event("swipe X1 Y1 X2 Y2 [MS]", 4, (*(_number,) * 4, _milliseconds)),
    "keyevent": _Event("keyevent KEY…", 1, (_key,) * _MOST_KEYS),
    "text": _Event("text 'TEXT'", 1, (_text,)),
    "sleep": _Event("sleep SECONDS", 1, (_number,)),
}
_WAYS = ", ".join(event.how for event in _EVENTS.values())


def read_input_script(path: Path) -> str:
    """Return the command line for the device's shell that sends the events of a file one after the other.

    Source of the commands: AOSP's InputShellCommand. Raises `UsageError` with the line that is not an event.
    """
    try:
        text = read_regular(path, _MAX_BYTES).decode("utf-8-sig")
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}", f"give a text file of at most {_MAX_BYTES >> 20} MiB") from None
    except UnicodeDecodeError:
        raise UsageError(f"{path}: it is not text in UTF-8", "save it as UTF-8") from None
    commands = [_command(path, number, line) for number, line in enumerate(text.splitlines(), 1)]
    found = [command for command in commands if command]
    if not found:
        raise UsageError(f"{path}: it has no events", f"write one in each line: {_WAYS}")
    line = " && ".join(found)
    if (quoted := len(shlex.quote(line))) > _MOST_CHARACTERS:
        most = f"its commands have {quoted:,} characters, and adb takes {_MOST_CHARACTERS:,}"
        raise UsageError(f"{path}: {most}", "use fewer events, or give a command with a loop after --")
    # The shell's `n` is the number of the last line: `e LINE EVENT` sends an event.
    return f'e() {{ n=$1; shift; input "$@"; }}\n{line} || {{ c=$?; echo "\n{LINE_MARK}$n"; exit $c; }}'


def _command(path: Path, number: int, line: str) -> str:
    """Return the command of one line; empty for a line without an event."""
    try:
        words = shlex.split(line, comments=True)
    except ValueError as error:
        raise _wrong(path, number, f"{error}") from None
    if not words:
        return ""
    name, *rest = words
    if name not in _EVENTS:
        raise _wrong(path, number, f"{name[:100]!r} is not an event")
    if problem := _EVENTS[name].problem(rest):
        raise _wrong(path, number, f"not '{_EVENTS[name].how}': {problem}")
    if name == "sleep":
        return f"n={number} && sleep {rest[0]}"
    # `input text` takes %s for a space.
    words = [name, rest[0].replace(" ", "%s")] if name == "text" else words
    return f"e {number} {shlex.join(words)}"


def _wrong(path: Path, number: int, why: str) -> UsageError:
    return UsageError(f"{path}, line {number}: {why}", f"a line is one of: {_WAYS}; or a comment after #")
