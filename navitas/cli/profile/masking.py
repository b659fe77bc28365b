"""The command line as recordings name it: without secrets, and without the home folder."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import click

MASK = "***"
# Short names count as whole words: `pin`, `-Ppin`, `simPin` and `SIM_PIN`, but not `spin` or `Pint`.
_SHORT = (
    "(?-i:(?:(?<![A-Za-z])|(?<=-[PD]))(?:pw|pin|otp|pat|sig)(?![a-z])|(?:Pw|Pin|Otp|Pat|Sig)(?![a-z])"
    "|(?<![A-Z])(?:PW|PIN|OTP|PAT|SIG)(?![A-Za-z]))"
)
_KINDS = (
    "password|passwd|passphrase|passcode|pass(?![a-z])|pwd(?![a-z])|secret|token(?!i)|credential|bearer(?![a-z])"
    "|auth(?:orization)?(?![a-z])|signature(?![a-z])|session[-_. ]?(?:id|key)(?![a-z])|(?:set-?)?cookie(?![a-z])"
    "|(?:api|access|private|signing|pass|ssh|encryption|license|master|storage|account|shared|upload)[-_. ]?key"
    f"|{_SHORT}"
)
# No pattern begins with a repetition, so a search takes linear time for arguments of any length.
_SECRET = re.compile(_KINDS, re.IGNORECASE)
_SECRET_WORD = re.compile(f"(?:{_KINDS})s?", re.IGNORECASE)
_NAME = re.compile(r"[\w.-]+")
_VALUE = r"(\"(?:[^\"\\]|\\.)*\"|'[^']*'|\S+)"
_ASSIGNED = re.compile(rf"[\"']?\s*[=:]\s*(?:(?:basic|bearer)\s+)?{_VALUE}", re.IGNORECASE | re.DOTALL)
_NEXT = re.compile(rf"\s+{_VALUE}", re.DOTALL)
_USER = re.compile(r"://[^/\s]+@")
_OPTION = re.compile(r"--[\w.-]*(?:=.*)?", re.DOTALL)

# Tokens in the formats of well-known issuers, which are secret under any name.
_TOKENS = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    r"gh[opsur]_[A-Za-z0-9]{20,}+|github_pat_\w{20,}+"  # GitHub
    r"|glpat-[\w-]{20,}+"  # GitLab
    r"|xox[a-z]-[\w-]{10,}+"  # Slack
    r"|A(?:KIA|SIA|GPA|IDA|ROA)[A-Z2-7]{16}(?![A-Za-z0-9])"  # AWS
    r"|AIza[\w-]{35}(?![\w-])|ya29\.[\w-]{20,}+"  # Google
    r"|npm_[A-Za-z0-9]{36}|pypi-AgE[\w-]{16,}+|dckr_pat_[\w-]{20,}+|hf_[A-Za-z0-9]{30,}+"  # package, image and model registries
    r"|[rs]k_(?:live|test)_[A-Za-z0-9]{16,}+|SG\.[\w-]{16,}+\.[\w-]{16,}+"  # Stripe, SendGrid
    r"|sk-[\w-]{32,}+"  # OpenAI, Anthropic
    r"|eyJ[\w-]{8,}+(?:\.[\w-]*+){2,4}"  # JSON Web Tokens: the header begins with {"
    r")",
    re.ASCII,
)
_KEY_BLOCK = re.compile(r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----.*", re.DOTALL)
_COOKIES = re.compile(r"((?:set-)?cookie\s*:\s*)[^\"'\r\n]+", re.IGNORECASE)
_NUMBERS = re.compile(r"[\d.]*:\d*")
# `-u NAME:PASSWORD` of curl and other programs. Docker's `-u 1000:1000` and `-u 10.0.0.1:8080` contain no password.
_LOGIN = re.compile(r"(?<![\w-])(-[uU]|--(?:proxy-)?user)(=|\s*)([^\s:=\"'/-][^\s:\"'/]*+:[^\s\"']++)")
_LOGIN_NAMES = frozenset(("-u", "-U", "--user", "--proxy-user"))
_LOGIN_VALUE = re.compile(r"[^\s:/-][^:/]*+:(?!//).+", re.DOTALL)


def command_line() -> list[str]:
    """Return the command as typed, without secrets. Empty outside the command line."""
    context = click.get_current_context(silent=True)
    arguments = context.find_root().obj if context is not None else None
    return ["navitas", *mask_secrets(arguments)] if isinstance(arguments, tuple) else []


def mask_secrets(arguments: Iterable[str]) -> list[str]:
    """Return the arguments with `***` for secrets, and `~` for the user's home folder.

    Secrets are the values of options, properties and words that name a secret, users in URLs, logins, cookies, private keys and
    tokens in well-known formats. Bytes that are not UTF-8 become replacement characters.
    """
    texts = (argument.encode("utf-8", "surrogateescape").decode("utf-8", "replace") for argument in arguments)
    return [_without_home(argument) for argument in _masked(texts)]


def _masked(arguments: Iterator[str]) -> Iterator[str]:
    is_value, before = False, ""
    for argument in arguments:
        key, has_value, _ = argument.partition("=")
        is_login = before in _LOGIN_NAMES and _is_login(argument)
        before = argument
        if is_login or (is_value and not _OPTION.fullmatch(argument)):
            is_value = False
            yield MASK
        elif has_value and _NAME.fullmatch(key) and _SECRET.search(key):
            is_value = False
            yield f"{key}={MASK}"
        else:
            is_value = _announces_secret(argument)
            yield "".join(_without_values(_without_tokens(argument)))


def _without_tokens(text: str) -> str:
    """Mask the secrets that a text's format reveals: logins, users in URLs, cookies, keys and tokens."""
    text = _LOGIN.sub(
        lambda found: f"{found[1]}{found[2]}{MASK}" if _is_login(found[3]) else found[0], _USER.sub(f"://{MASK}@", text)
    )
    text = _COOKIES.sub(rf"\1{MASK}", text)
    return _KEY_BLOCK.sub(MASK, _TOKENS.sub(MASK, text))


def _is_login(value: str) -> bool:
    """Whether the value of a user option is a name with a password."""
    return bool(_LOGIN_VALUE.fullmatch(value)) and not _NUMBERS.fullmatch(value)


def _without_home(text: str) -> str:
    """Replace the user's home folder, which often contains a person's name, by `~` at the start of paths."""
    try:
        homes = {str(Path.home()), str(Path.home().resolve())}
    except (OSError, RuntimeError):  # The user has no home folder.
        return text
    for home in sorted(homes, key=len, reverse=True):
        if len(Path(home).parts) > 1:
            # A path begins after a character that paths don't contain, after a one-letter option, or after file://.
            text = re.sub(rf"(?:(?<![\w.~/-])|(?<=^-\w)|(?<=file://)){re.escape(home)}(?![\w.-])", "~", text)
    return text


def _announces_secret(word: str) -> bool:
    """Whether the word after this one is a secret: `--db-password x`, `--es token x`; not `TokenTest` of `--tests`."""
    return bool(_SECRET_WORD.fullmatch(word) or (word.startswith("-") and _NAME.fullmatch(word) and _SECRET.search(word)))


def _without_values(text: str) -> Iterator[str]:
    """Yield a text of several words, such as a shell command, in pieces, with `***` for the values of secret names."""
    at = 0
    for name in _NAME.finditer(text):
        if name.start() < at or not _SECRET.search(name[0]):
            continue
        value = _ASSIGNED.match(text, name.end()) or (_NEXT.match(text, name.end()) if _announces_secret(name[0]) else None)
        if value is not None:
            yield text[at : value.start(1)]
            yield MASK
            at = value.end()
    yield text[at:]
