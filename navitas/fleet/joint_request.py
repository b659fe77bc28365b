"""A request for the stage *joint*: the apps that are regressed together."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace

import numpy as np

from navitas.fleet.schema import I64
from navitas.fleet.statistics import F64
from navitas.fleet.wanted_apps import WantedApps


@dataclass(frozen=True, slots=True)
class JointRequest:
    """Candidates on all clients, and on single clients the apps that seem to drain unlike on others (suspects).

    `app` has all of them, ascending, and `by_class` the reliability of their running times by class of pairs (columns).
    """

    apps: WantedApps
    app: I64
    by_class: F64

    @property
    def candidates(self) -> I64:
        """The places of candidates in `app`."""
        return np.searchsorted(self.app, self.apps.everywhere)

    def for_bucket(self, bucket: int, buckets: int) -> JointRequest:
        """The request, reduced to the clients of one of `buckets` buckets."""
        return replace(self, apps=self.apps.for_bucket(bucket, buckets))

    def digest(self) -> str:
        """A hash that identifies the request."""
        parts = [*self.apps.parts(), self.app, np.round(self.by_class, 12)]
        return hashlib.blake2b(b"".join(part.tobytes() for part in parts), digest_size=12).hexdigest()
