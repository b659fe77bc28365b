"""Jobs and unique work whose request another one took over, or that were cancelled by id or name, so no receipt answers them.

JobScheduler keeps one job of an id, the last, of any class (AOSP: JobStore, getJobByUidAndJobId). WorkManager keeps one work of a
unique name. Its policy is not recorded: the earlier one goes on (KEEP, UPDATE), or the later one takes its place (REPLACE).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Sequence
from itertools import accumulate

from navitas.attribute.ledger import ModuleMessages
from navitas.graph.message_kinds import periodic
from navitas.parse.communication_records import CommunicationKind

K = CommunicationKind
_FOREVER_NS = 1 << 63
_REQUESTS = (K.SCHEDULE_JOB, K.ENQUEUE_WORK)
_CANCELS = {K.CANCEL_JOB: K.SCHEDULE_JOB, K.CANCEL_WORK: K.ENQUEUE_WORK}
"""What ends the requests with its action, which is the id of a job and the unique name of work."""


def scheduled_again(messages: ModuleMessages, pairs: Sequence[tuple[int, int]], sent: Sequence[int]) -> frozenset[int]:
    """Return the rows of `sent` that a later request replaced, that an earlier one made needless, or that were cancelled.

    An earlier request for work does so until it is cancelled if it repeats, or if its work began later. Processes share their
    jobs and work.
    """
    columns = (messages.run, messages.kind, messages.action, messages.t_ns)
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    requests, cancelled_ns = (defaultdict[tuple[int, int, int], list[int]](list) for _ in range(2))
    for row, (run, kind, action, t_ns) in enumerate(rows):
        if kind in _REQUESTS and action:
            requests[run, kind, action].append(row)
        elif kind in _CANCELS and action:
            cancelled_ns[run, _CANCELS[kind], action].append(t_ns)
    repeats, until_ns = periodic(messages), dict[int, int]()
    for send, receipt in pairs:
        run, kind, action, t_ns = rows[send]
        end_ns = _next(cancelled_ns.get((run, kind, action), ()), t_ns) if repeats[send] else rows[receipt][-1]
        until_ns[send] = max(until_ns.get(send, 0), end_ns)
    latest_ns = {key: list(accumulate((until_ns.get(one, 0) for one in each), max)) for key, each in requests.items()}
    found = set[int]()
    for row in sent:
        run, kind, action, t_ns = rows[row]
        if not (each := requests.get((run, kind, action), [])):
            continue
        ends_ns = [rows[each[-1]][-1], *cancelled_ns.get((run, kind, action), [])[-1:]]
        earlier = bisect_left(each, t_ns, key=lambda one: rows[one][-1])
        is_needless = kind == K.ENQUEUE_WORK and earlier > 0 and t_ns < latest_ns[run, kind, action][earlier - 1]
        if max(ends_ns) > t_ns or is_needless:
            found.add(row)
    return frozenset(found)


def _next(times_ns: Sequence[int], t_ns: int) -> int:
    place = bisect_right(times_ns, t_ns)
    return times_ns[place] if place < len(times_ns) else _FOREVER_NS
