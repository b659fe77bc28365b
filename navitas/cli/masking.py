"""A command line without its secrets, for recordings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

MASK = "***"
_KINDS = (
    "password|passwd|passphrase|pass(?![a-z])|pwd(?![a-z])|secret|token(?!i)|credential|bearer(?![a-z])|auth(?:orization)?(?![a-z])"
    "|(?:api|access|private|signing)[-_. ]?key"
)
# No pattern begins with a repetition: each is searched for in linear time, however long an argument is.
_SECRET = re.compile(_KINDS, re.IGNORECASE)
_ALONE = re.compile(f"(?:{_KINDS})s?", re.IGNORECASE)
_NAME = re.compile(r"[\w.-]+")
_VALUE = r"(\"(?:[^\"\\]|\\.)*\"|'[^']*'|\S+)"
_ASSIGNED = re.compile(rf"[\"']?\s*[=:]\s*(?:(?:basic|bearer)\s+)?{_VALUE}", re.IGNORECASE | re.DOTALL)
_NEXT = re.compile(rf"\s+{_VALUE}", re.DOTALL)
_USER = re.compile(r"://[^/\s]+@")
_OPTION = re.compile(r"--[\w.-]*(?:=.*)?", re.DOTALL)


def masked(arguments: Iterable[str]) -> list[str]:
    """The arguments with `***` for the values of options, properties and words that name a secret, and for users in URLs.

    Bytes that are not UTF-8 become replacement characters.
    """
    return list(_masked(argument.encode("utf-8", "surrogateescape").decode("utf-8", "replace") for argument in arguments))


def _masked(arguments: Iterator[str]) -> Iterator[str]:
    is_value = False
    for argument in arguments:
        key, has_value, _ = argument.partition("=")
        if is_value and not _OPTION.fullmatch(argument):
            is_value = False
            yield MASK
        elif has_value and _NAME.fullmatch(key) and _SECRET.search(key):
            is_value = False
            yield f"{key}={MASK}"
        else:
            is_value = _names_the_next(argument)
            yield "".join(_without_values(_USER.sub(f"://{MASK}@", argument)))


def _names_the_next(word: str) -> bool:
    """Whether a word says that the next one is secret: `--db-password x`, `--es token x`; not `TokenTest` of `--tests`."""
    return bool(_ALONE.fullmatch(word) or (word.startswith("-") and _NAME.fullmatch(word) and _SECRET.search(word)))


def _without_values(text: str) -> Iterator[str]:
    """A text of several words, such as a shell's command, in pieces without what is secret."""
    at = 0
    for name in _NAME.finditer(text):
        if name.start() < at or not _SECRET.search(name[0]):
            continue
        value = _ASSIGNED.match(text, name.end()) or (_NEXT.match(text, name.end()) if _names_the_next(name[0]) else None)
        if value is not None:
            yield text[at : value.start(1)]
            yield MASK
            at = value.end()
    yield text[at:]
