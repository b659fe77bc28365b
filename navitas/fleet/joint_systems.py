"""Equations of clients, from the results of the stage *joint*."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from navitas.fleet.files import read_table
from navitas.fleet.joint import FOLDER
from navitas.fleet.joint_request import JointRequest
from navitas.fleet.schema import I64
from navitas.fleet.stages import Fleet
from navitas.fleet.statistics import F64, Bool

SUMS = ("h", "g", "s", "noise", "day_noise", "gg")


@dataclass(frozen=True, slots=True)
class JointSystem:
    """The equations of a bucket's clients, a row for each client and two apps (see `joint_sums.JOINT`).

    `clients` are ascending, and `client` is a place in them. `app` and `other` are places in the request's `size` apps. Rows are
    in order of all three.
    """

    clients: I64
    size: int
    client: I64
    app: I64
    other: I64
    h: F64
    g: F64
    s: F64
    noise: F64
    day_noise: F64
    gg: F64

    def only(self, kept: Bool | slice) -> JointSystem:
        """These rows."""
        rows = {name: getattr(self, name)[kept] for name in ("client", "app", "other", *SUMS)}
        return replace(self, **rows)

    def among(self, wanted: Bool) -> JointSystem:
        """The rows of which both apps are `wanted` on the client (rows are clients, columns apps)."""
        return self.only(wanted[self.client, self.app] & wanted[self.client, self.other])


def systems_of(fleet: Fleet, request: JointRequest, buckets: Sequence[int] | None = None) -> Iterator[JointSystem]:
    """Yield the equations of one bucket after another, summed over months. The stage must be up to date."""
    for bucket in fleet.buckets if buckets is None else buckets:
        table = pa.concat_tables(read_table(fleet.unit_file(FOLDER, job)) for job in fleet.bucket_jobs(bucket))
        summed = table.group_by(["client", "app", "other"]).aggregate([(name, "sum") for name in SUMS])
        summed = summed.sort_by([(name, "ascending") for name in ("client", "app", "other")])
        clients, client = np.unique(summed["client"].to_numpy(), return_inverse=True)
        app, other = (np.searchsorted(request.app, summed[name].to_numpy()) for name in ("app", "other"))
        sums = {name: summed[f"{name}_sum"].to_numpy() for name in SUMS}
        yield JointSystem(clients, len(request.app), client, app, other, **sums)
