"""Whether sessions can be compared, and what limits the comparison."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from navitas.compare.session import Energy, Session
from navitas.errors import UsageError
from navitas.untrusted_text import printable_list

_NAMES = 5


def paired(before: Sequence[Session], after: Sequence[Session], names: Sequence[Sequence[str]]) -> list[Session]:
    """Return the sessions after in the order of those before, by names, which each name one session of both versions.

    Raises `UsageError` if they do not. A single session on each side needs no equal name.
    """
    if len(before) == len(after) == 1:
        return list(after)
    found = dict(zip(names[1], after, strict=True))
    if sorted(names[0]) != sorted(names[1]) or len(found) != len(after):
        raise UsageError(
            "--same-session needs both recordings of each session, with the same name",
            "Name them, for example, before/monday and after/monday.",
        )
    return [found[name] for name in names[0]]


def check_alike(sessions: Sequence[Session]) -> None:
    """Raise `UsageError` if devices or power profiles differ."""
    first = sessions[0]
    for session in sessions:
        for what, one, other in (
            ("device", first.device, session.device),
            ("power profile", first.power_profile, session.power_profile),
        ):
            if one != other:
                raise UsageError(
                    f"{first.name} and {session.name} have different {what}s, so their difference shows no change of code",
                    f"Compare recordings with the same {what}.",
                )


def check_energy(sessions: Sequence[Session], energy: Energy) -> None:
    """Raise `UsageError` if a session lacks the energy that is compared."""
    if lacking := [session.name for session in sessions if not session.has(energy)]:
        raise UsageError(
            f"older versions of Navitas wrote these without {energy} energy: {printable_list(lacking, _NAMES)}",
            "Give their recordings, or new reports of `navitas report RECORDING -o FILE.json`; or compare --figure total.",
        )


def check_distinct(sessions: Sequence[Session]) -> None:
    """Raise `UsageError` if a side has the same session twice, such as a recording and its report."""
    seen: dict[object, Session] = {}
    for session in sessions:
        energies = tuple(
            (test, repeat, *run.energies["total"].items()) for test, runs in session.tests.items() for repeat, run in runs.items()
        )
        other = seen.setdefault((session.created_utc, energies), session)
        if other is not session:
            raise UsageError(f"{other.name} and {session.name} are the same session", "Give each session once.")


def warnings(before: Sequence[Session], after: Sequence[Session], left_out: Sequence[str], together: bool) -> tuple[str, ...]:
    """Return what limits the comparison of two versions."""
    return tuple(_warnings(before, after, left_out, together))


def _warnings(before: Sequence[Session], after: Sequence[Session], left_out: Sequence[str], together: bool) -> Iterator[str]:
    sessions = [*before, *after]
    if left_out:
        names = printable_list(left_out, _NAMES)
        yield f"left out, since they did not pass in all runs of all sessions: {names}"
    if unknown := sorted({subject.name for session in sessions for subject in session.unknown}):
        names = printable_list(unknown, _NAMES)
        yield f"left out, since the CPU time of threads that ran them is unknown in a session: {names}"
    known = {name for session in sessions for name in session.conditions}
    differing = sorted(name for name in known if len({session.conditions.get(name) for session in sessions}) > 1)
    if differing:
        names = printable_list(differing, _NAMES)
        yield f"the recordings differ in more than the code, which can be a part of a change: {names}"
    if unfit := [session.name for session in sessions if not session.is_fit]:
        names = printable_list(unfit, _NAMES)
        yield f"the device was busy or hot in all runs, so their energy differs from that on an idle device: {names}"
    if not together and min(len(before), len(after)) < 2:
        yield (
            "one session of a version: sessions differ by several percent even without a change of code, so no change can be "
            "shown; give several recordings of each version, from different sessions"
        )
    if min(len(session.repeats) for session in sessions) < 2:
        yield "a session has only one run, so the spread of its runs is unknown; record with --repeat 3 or more"
