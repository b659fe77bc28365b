"""The one command to run after a report, by what its verdict says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from navitas.energy.analyze.profile import Profile
from navitas.insight.verdict.statement import Statement

_REPEATS = ("--repeat", "5")


@dataclass(frozen=True, slots=True)
class NextStep:
    """The one command to run next, and why. `command` has the word RECORDING in place of the recording's folder."""

    command: tuple[str, ...]
    reason: str


def next_step(profile: Profile, statements: Sequence[Statement], limits: Sequence[Statement]) -> NextStep:
    """Return the step for the most important limit, or the one that looks into the largest method."""
    rules = {limit.rule for limit in limits}
    again = _again(profile)
    if any(statement.rule == "no_tests" for statement in statements):
        return NextStep(("navitas", "doctor"), "find out why no test ran")
    if "failed" in rules:
        return NextStep(again, "after the failed tests pass, measure again")
    if rules & {"starved", "hot"}:
        return NextStep(again, "measure again on an idle, cool device")
    if "one_run" in rules:
        return NextStep((*again, *_REPEATS), "see how much runs differ")
    method = next((statement.name for statement in statements if statement.rule == "largest_method"), "")
    if method:
        return NextStep(("navitas", "explain", "RECORDING", "--method", method), "see who calls it, when, and on which thread")
    return NextStep(("navitas", "report", "RECORDING", "--view", "top"), "see which component uses the energy")


def _again(profile: Profile) -> tuple[str, ...]:
    """Return the command that made the recording, without the name of its folder and without repeats."""
    words = profile.about.provenance.get("command_line")
    if not isinstance(words, list) or not words or words[1:2] == ["import"]:
        return ("navitas", "profile", "PROJECT")
    kept, skip = [], False
    for word in map(str, words):
        if skip or word in ("-o", "--output", "--repeat"):
            skip = not skip
        elif not word.startswith(("--output=", "--repeat=", "-o")):
            kept.append(word)
    return tuple(kept)
