"""Mean power of a recording."""

from __future__ import annotations

from navitas.analyze.profile import Profile
from navitas.attribute.ledger import counted_wall_ns


def profile_power_w(profile: Profile) -> float | None:
    """Return energy divided by wall time over all runs except baseline runs, or None if no time passed."""
    wall_ns = counted_wall_ns(profile.ledger)
    return profile.totals.energy_j / (wall_ns / 1e9) if wall_ns > 0 else None
