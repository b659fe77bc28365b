"""The one command to run after a report, by what its verdict says."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence, Set
from dataclasses import dataclass

from navitas.base.untrusted_text import is_printable, printable
from navitas.energy.analyze.notices import command_line
from navitas.energy.analyze.profile import Profile
from navitas.insight.verdict.statement import Statement

RECORDING, PROJECT, _PACKAGE = "RECORDING", "PROJECT", "PACKAGE"
"""Words of a command that stand for a folder, or an app."""
_MASK = "***"
_REPEATS, _HOOKS, _SAMPLES = ("--repeat", "5"), ("--record", "hooks"), ("--mode", "sample")
_FEW = 5
_AGAIN = ("profile", "record", "demo")
_KEPT = frozenset(
    f"--{name}" for name in ("device", "evidence", "exclude", "granularity", "include", "mode", "module", "phone", "record")
) | {"--tests", "--trace", "--variant"}
"""Options with a value that the next command repeats. None of them names a program or a file."""
_KEPT_FLAGS = frozenset(("--baseline", "--isolate", "--no-test-probes", "--test-probes"))
_OF_PROBES = frozenset(("--exclude", "--include", "--mode"))
"""Options with a value that `--mode sample` replaces or does not have."""
_OF_PROBES_FLAGS = frozenset(("--baseline", "--no-test-probes", "--test-probes"))
_LEFT_OUT = frozenset(("-o", "--collapsed", "--format", "--history", "--html", "--json", "--output", "--repeat", "--speedscope"))
"""Options with a value that the next command does without: they write files, or it has its own."""
_LEFT_OUT_FLAGS = frozenset(("--replace", "-q", "--quiet", "-v", "--verbose"))
_WITHOUT_TRACE = ("--trace", "none")
"""What makes the evidence worse is not repeated."""
_PLAIN_PATH = re.compile(r"[\w./~+@][\w./~+@-]*")
_UNKNOWN = ("navitas", "profile", PROJECT)
_USE = ("navitas", "record", _PACKAGE)
_LONGEST_WORD = 1000


@dataclass(frozen=True, slots=True)
class NextStep:
    """The one command to run next, and why. `command` has the word `RECORDING` in place of the recording's folder."""

    command: tuple[str, ...]
    reason: str

    def line(self, recording: str = RECORDING) -> str:
        """Return the command for a shell, with the recording's folder, if it is known."""
        return " ".join(_quoted(recording if word == RECORDING else word) for word in self.command)


def is_virtual(profile: Profile) -> bool:
    """Whether a virtual phone ran the tests, so that this computer's other programs matter."""
    return profile.about.device.get("kind") == "virtual"


def next_step(profile: Profile, statements: Sequence[Statement], limits: Sequence[Statement]) -> NextStep:
    """Return the step for the most important limit, or the one that looks into the largest method."""
    rules = {statement.rule for statement in (*statements, *limits)}
    method = next((statement.name for statement in statements if statement.rule == "largest_method"), "")
    again = _again(profile)
    repeated = (*again, *_REPEATS) if again[1:2] == ("profile",) else ()
    hooked = (*again, *_HOOKS) if again[1:2] == ("profile",) and "--record" not in again else ()
    sampled = _sampled(again) if again[1:2] == ("profile",) and is_virtual(profile) else ()
    idle = "after stopping other programs on this computer" if is_virtual(profile) else "on an idle, cool device"
    steps: tuple[tuple[Set[str], tuple[str, ...], str], ...] = (
        ({"no_tests"}, ("navitas", "doctor"), "find out why no test ran"),
        ({"probes_seen"}, sampled, "measure without the probes that a test saw"),
        ({"failed", "partial"}, again, "measure again when all tests pass and end"),
        ({"probes"}, sampled, "measure without the cost of probes"),
        ({"noise"}, repeated if 1 < profile.totals.repeats < _FEW else (), "narrow the intervals by more runs"),
        ({"noise"}, ("navitas", "doctor"), "see what the device can measure"),
        ({"starved", "hot"}, again, f"measure again {idle}"),
        ({"unrecorded"}, hooked, "see which methods used what power rails measured"),
        ({"one_run"}, repeated, "see how much runs differ"),
        (
            {"largest_method"},
            ("navitas", "explain", RECORDING, "--method", method),
            "see who calls it, when, and on which thread",
        ),
        (rules, ("navitas", "report", RECORDING, "--view", "top"), "see which component uses the energy"),
    )
    return next(NextStep(command, reason) for of_rules, command, reason in steps if command and rules & of_rules)


def _again(profile: Profile) -> tuple[str, ...]:
    """Return the command that made the recording, without the files that it wrote and without repeats.

    The recording can come from anyone, and the reader runs this command: it has only what `_kept` knows to be harmless.
    Empty for a recording of other tools' logs, which no command measures again, and of a JVM, whose command can be any program.
    """
    if not (words := command_line(profile.about)):
        return _UNKNOWN
    _, *command = words
    if not command or command[0] not in _AGAIN or "--java" in command:
        return ()
    kept = None if any(_MASK in word for word in words) else _kept(command[1:])
    return ("navitas", command[0], *kept) if kept is not None else _USE if command[0] == "record" else _UNKNOWN


def _sampled(again: Sequence[str]) -> tuple[str, ...]:
    """Return a command of `navitas profile` with samples instead of probes, and without what needs these."""
    words: list[str] = []
    for before, word in zip(("", *again), again, strict=False):
        if before == "--record" and word in ("hooks", "both"):
            words.append("sampling")
        elif word not in _OF_PROBES | _OF_PROBES_FLAGS and before not in _OF_PROBES:
            words.append(word)
    return (*words, *_SAMPLES)


def _kept(words: Sequence[str]) -> list[str] | None:
    """Return the project and the options to repeat. None if a word is neither of these nor an option to leave out."""
    kept: list[str] = []
    projects = 0
    rest = iter(words)
    for word in rest:
        if not word.startswith("-"):
            kept.append(word if _PLAIN_PATH.fullmatch(word) else PROJECT)
            projects += 1
            continue
        name, joined, value = word.partition("=") if word.startswith("--") else (word[:2], word[2:], word[2:])
        if name in _KEPT | _LEFT_OUT:
            value = value if joined else next(rest, "")
            if name in _KEPT:
                if not value or value.startswith("-") or not is_printable(value):
                    return None
                kept += () if (name, value) == _WITHOUT_TRACE else (name, value)
        elif word in _KEPT_FLAGS:
            kept.append(word)
        elif word not in _LEFT_OUT_FLAGS:
            return None
    return kept if projects <= 1 else None


def _quoted(word: str) -> str:
    """Return one word of a shell command. Recordings name the user's home folder `~`, which a shell expands without quotes."""
    text = printable(word, _LONGEST_WORD)
    return f"~/{shlex.quote(text[2:])}" if text.startswith("~/") and len(text) > 2 else shlex.quote(text)
