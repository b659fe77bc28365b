"""Stage *weeks*: extra drains of one app by client, version and week.

Strata by condition have no week: each would need one for each condition of each week, and most would have no pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa

from navitas.fleet.diagnoses import strata
from navitas.fleet.diagnoses.stratum_sums import SUMS, Conditions
from navitas.fleet.engine.base import statement
from navitas.fleet.findings.hogs import Hogs
from navitas.fleet.regression.designs import PairBlock
from navitas.fleet.regression.pairs import Pairs, int64
from navitas.fleet.regression.usage import client_schema
from navitas.fleet.stages import Fleet
from navitas.fleet.statistics import F64, I64

WEEKS = "weeks"
"""Folder of the stage's results, for the app that was requested last."""
STRATA = client_schema(SUMS, pa.float64(), app=pa.int32(), package=pa.int32(), week=pa.int32())
"""By client, package and week (`week_of`; −1: a span of several weeks): `stratum_sums.SUMS`."""
_DAY_S = 86_400
_MONDAY = 3
"""Days from the Monday before 1970-01-01 to that day."""


def week_of(time_s: I64) -> I64:
    """The number of each time's week, which begins on Monday in UTC."""
    return (time_s // _DAY_S + _MONDAY) // 7


def monday_of(week: int) -> str:
    """The first day of a week."""
    return str(np.datetime64(7 * week - _MONDAY, "D"))


@dataclass(frozen=True, slots=True)
class PairWeeks:
    """The week of the pair that ends at each sample, numbered from 1 in the unit, which begins in the week `first`."""

    number: I64
    first: int

    def of_client(self, block: PairBlock, number: int) -> I64:
        """As `Conditions.of_client`. It is 0 where a span has several weeks."""
        return block.pairs.alike_in_span(number, self.number[block.end[block.pairs.of_client(number)]], 0)

    def keys(self, condition: I64) -> tuple[I64]:
        return (np.where(condition > 0, self.first + condition - 1, -1),)


@dataclass(frozen=True, slots=True)
class WeekTask(strata.StrataTask):
    """Units whose strata by week are missing or out of date."""

    SCHEMA: ClassVar = STRATA

    @staticmethod
    def conditions(samples: pa.Table, pairs: Pairs, begins_s: int) -> Conditions:
        first = int(week_of(np.array(begins_s)))
        return PairWeeks(week_of(int64(samples["time_s"])) - first + 1, first)


def sums_by_week(fleet: Fleet, hogs: Hogs, app: int) -> tuple[I64, I64, F64, F64]:
    """The client, week, s and w of each client and week of an app, in order. s and w have the client's weight.

    Reads samples if they are missing.
    """
    chosen = np.array([app], np.int64)
    strata.bring_up_to_date(fleet, WEEKS, strata.request_for(fleet, hogs, chosen, {}), WeekTask)
    wanted = pa.table({"app": pa.array(chosen, pa.int32())})
    table = fleet.query_clients(statement("weeks", folder=WEEKS), WEEKS, chosen=wanted)
    table = table.sort_by([("client", "ascending"), ("week", "ascending")])
    client, week, s, w = (table[name].to_numpy() for name in ("client", "week", "s", "w"))
    weight = hogs.weights_of(client, app)
    return client, week.astype(np.int64), weight * s, weight * w
