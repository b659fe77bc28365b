"""Sessions of recordings and JSON reports, for comparisons: a recording's session is what its JSON report has."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

from navitas.base.regular_files import as_utf8, read_regular
from navitas.energy.analyze.load import load
from navitas.energy.analyze.profile import Profile
from navitas.insight.compare.report_session import parse_session
from navitas.insight.compare.session import Session
from navitas.report import json_report

_MAX_BYTES = 1 << 30


def read_session(path: Path, name: str | None = None, *, load: Callable[[Path], Profile] = load) -> Session:
    """Read a recording, by `load`, or a JSON report. Raises the errors of `navitas.load` and `parse_session`.

    `name` is that of the session, by default the path.
    """
    if path.is_dir():
        return session_of(load(path), name or str(path))
    return parse_session(as_utf8(read_regular(path, _MAX_BYTES)), name or str(path))


def session_of(profile: Profile, name: str) -> Session:
    """Return the session of an analyzed recording."""
    text = io.StringIO()
    json_report.write(profile, text)
    return parse_session(text.getvalue(), name)
