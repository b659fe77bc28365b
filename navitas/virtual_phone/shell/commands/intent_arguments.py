"""Intents on command lines (AOSP: Intent.parseCommandArgs), and as URIs (Intent.toUri), which the app's process parses."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import quote

from navitas.virtual_phone.identity import FIRST_USER
from navitas.virtual_phone.package import short_name
from navitas.virtual_phone.shell.state import CommandError

MAIN, LAUNCHER = "android.intent.action.MAIN", "android.intent.category.LAUNCHER"
_IGNORED = ("-i", "--display", "--windowingMode", "--activityType", "--task", "-P", "--receiver-permission")
_IGNORED_PAIRS = ("--eu", "--ecn", "--esa", "--eia", "--efa", "--ela")
_EXTRAS = {"-e": "S", "--es": "S", "--ez": "B", "--ei": "i", "--el": "l", "--ef": "f"}
_FLAGS = {
    "--activity-clear-task": 0x8000, "--activity-clear-top": 0x4000000, "--activity-single-top": 0x20000000,
    "--activity-reorder-to-front": 0x20000, "--include-stopped-packages": 0x20, "--receiver-foreground": 0x10000000,
    "--receiver-include-background": 0x1000000,
}  # fmt: skip
_SCHEME = re.compile(r"([A-Za-z][\w+.-]*):(.*)", re.ASCII | re.DOTALL)
_UNKNOWN = 255
_LONGEST_USER = 6


@dataclass(slots=True)
class IntentArguments:
    """An intent, and the options of `am start`: -W, -S and --user."""

    action: str = ""
    data: str = ""
    type: str = ""
    categories: list[str] = field(default_factory=list)
    component: str = ""
    package: str = ""
    flags: int = 0
    extras: list[tuple[str, str, str]] = field(default_factory=list)
    """Type (as in a URI), key and value."""
    waits: bool = False
    stops: bool = False
    user: int = FIRST_USER

    def __str__(self) -> str:
        parts = [
            f"act={self.action}" if self.action else "",
            f"cat=[{','.join(self.categories)}]" if self.categories else "",
            f"dat={self.data}" if self.data else "",
            f"typ={self.type}" if self.type else "",
            f"flg=0x{self.flags:x}" if self.flags else "",
            f"pkg={self.package}" if self.package else "",
            f"cmp={_short(self.component)}" if self.component else "",
            "(has extras)" if self.extras else "",
        ]
        return f"Intent {{ {' '.join(filter(None, parts))} }}"

    def uri(self, component: str = "") -> str:
        """Return the intent as a URI, for a component (`PACKAGE/CLASS`) if it is given, without spaces."""
        scheme, data = match.groups() if (match := _SCHEME.fullmatch(self.data)) else ("", self.data)
        fields = [
            ("scheme", scheme), ("action", self.action), *(("category", each) for each in self.categories),
            ("type", self.type), ("launchFlags", f"0x{self.flags:x}" if self.flags else ""), ("package", self.package),
            ("component", component or self.component),
        ]  # fmt: skip
        texts = [f"{name}={_encoded(value, '/')};" for name, value in fields if value]
        texts += [f"{kind}.{_encoded(key)}={_encoded(value)};" for kind, key, value in self.extras]
        return f"intent:{_encoded(data, '/?&=:@,;+$')}#Intent;{''.join(texts)}end"


def parse_intent(args: list[str]) -> IntentArguments:
    """Parse the arguments after the name of the command. A last word is a component or a package. Raises `CommandError`."""
    intent, left = IntentArguments(), list(args)

    def value(option: str) -> str:
        if not left:
            raise CommandError(f'Error: Argument expected after "{option}"', _UNKNOWN)
        return left.pop(0)

    texts = {"-a": "action", "-d": "data", "-t": "type", "-n": "component", "-p": "package"}
    while left:
        word = left.pop(0)
        if word in texts:
            setattr(intent, texts[word], value(word))
        elif word == "-c":
            intent.categories.append(value(word))
        elif word in ("-W", "-S"):
            intent.waits, intent.stops = intent.waits or word == "-W", intent.stops or word == "-S"
        elif word == "--user":
            user = value(word)
            intent.user = int(user) if user.isdecimal() and len(user) < _LONGEST_USER else FIRST_USER
        elif word == "-f":
            intent.flags |= _number(value(word))
        elif word in _FLAGS:
            intent.flags |= _FLAGS[word]
        elif word in _EXTRAS:
            intent.extras.append((_EXTRAS[word], value(word), value(word)))
        elif word in _IGNORED_PAIRS:
            value(word)
            value(word)
        elif word in _IGNORED:
            value(word)
        elif not word.startswith("-"):
            intent.component, intent.package = (word, "") if "/" in word else (intent.component, word)
    name, slash, short = intent.component.partition("/")
    intent.component = f"{name}{slash}{name if short.startswith('.') else ''}{short}"
    return intent


def _short(component: str) -> str:
    package, _, name = component.partition("/")
    return f"{package}/{short_name(name, package)}"


def _encoded(text: str, safe: str = "") -> str:
    return quote(text, safe=safe, errors="surrogateescape")


def _number(text: str) -> int:
    try:
        return int(text, 0) & 0xFFFFFFFF
    except ValueError:
        raise CommandError(f'Error: "{text}" is not a number', _UNKNOWN) from None
