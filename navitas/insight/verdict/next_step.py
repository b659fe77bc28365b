"""The one command to run after a report, by what its verdict says."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from navitas.base.untrusted_text import printable
from navitas.energy.analyze.profile import Profile
from navitas.insight.verdict.statement import Statement

RECORDING, PROJECT = "RECORDING", "PROJECT"
"""Words of a command that stand for a folder."""
_MASK = "***"
_REPEATS = ("--repeat", "5")
_FEW = 5
_WITH_VALUE = ("-o", "--output", "--repeat")
_AGAIN = ("profile", "record", "demo")
_LONGEST_WORD = 1000


@dataclass(frozen=True, slots=True)
class NextStep:
    """The one command to run next, and why. `command` has the word `RECORDING` in place of the recording's folder."""

    command: tuple[str, ...]
    reason: str

    def line(self, recording: str = RECORDING) -> str:
        """Return the command for a shell, with the recording's folder, if it is known."""
        return " ".join(_quoted(recording if word == RECORDING else word) for word in self.command)


def next_step(profile: Profile, statements: Sequence[Statement], limits: Sequence[Statement]) -> NextStep:
    """Return the step for the most important limit, or the one that looks into the largest method."""
    rules = {statement.rule for statement in (*statements, *limits)}
    method = next((statement.name for statement in statements if statement.rule == "largest_method"), "")
    again = _again(profile)
    repeated = (*again, *_REPEATS) if again[1:2] == ("profile",) else ()
    steps: tuple[tuple[Set[str], tuple[str, ...], str], ...] = (
        ({"no_tests"}, ("navitas", "doctor"), "find out why no test ran"),
        ({"noise"}, repeated if 1 < profile.totals.repeats < _FEW else (), "narrow the intervals by more runs"),
        ({"noise"}, ("navitas", "doctor"), "see what the device can measure"),
        ({"failed", "partial"}, again, "measure again when all tests pass and end"),
        ({"starved", "hot"}, again, "measure again on an idle, cool device"),
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
    """Return the command that made the recording, without the name of its folder and without repeats.

    Empty for a recording of other tools' logs, which no command measures again.
    """
    words = profile.about.provenance.get("command_line")
    if not isinstance(words, list) or not words or any(_MASK in str(word) for word in words):
        return ("navitas", "profile", PROJECT)
    return tuple(_kept(list(map(str, words)))) if words[1:2] and words[1] in _AGAIN else ()


def _kept(words: Sequence[str]) -> Iterator[str]:
    """Yield the words of a command without its output and its repeats. Words after `--` are another command's."""
    own = words.index("--") if "--" in words else len(words)
    is_value = False
    for word in words[:own]:
        if is_value or word in _WITH_VALUE:
            is_value = not is_value
        elif word != "--replace" and not word.startswith(("--output=", "--repeat=", "-o")):
            yield word
    yield from words[own:]


def _quoted(word: str) -> str:
    """Return one word of a shell command. Recordings name the user's home folder `~`, which a shell expands without quotes."""
    text = printable(word, _LONGEST_WORD)
    return f"~/{shlex.quote(text[2:])}" if text.startswith("~/") and len(text) > 2 else shlex.quote(text)
