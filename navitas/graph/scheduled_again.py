"""Jobs and unique work whose request another one took over, so no receipt answers it.

JobScheduler keeps one job of a class and id, the last. WorkManager keeps one work of a unique name. Its policy is not recorded:
the earlier one goes on (KEEP, UPDATE), or the later one takes its place (REPLACE).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from navitas.attribute.ledger import ModuleMessages
from navitas.graph.message_kinds import periodic
from navitas.parse.communication_records import CommunicationKind

K = CommunicationKind
_FOREVER_NS = 1 << 63


def scheduled_again(messages: ModuleMessages, pairs: Sequence[tuple[int, int]], sent: Sequence[int]) -> frozenset[int]:
    """Return the rows of `sent` that a later request replaced, or that an earlier one made needless.

    An earlier request for work does so if it repeats, or if its work began later. Processes share their jobs and work.
    """
    columns = (messages.run, messages.kind, messages.target, messages.action, messages.t_ns)
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    requests: defaultdict[tuple[int, ...], list[int]] = defaultdict(list)
    for row in range(len(rows)):
        if (key := _key(*rows[row][:4])) is not None:
            requests[key].append(row)
    repeats, until_ns = periodic(messages), dict[int, int]()
    for send, receipt in pairs:
        until_ns[send] = _FOREVER_NS if repeats[send] else max(until_ns.get(send, 0), rows[receipt][-1])
    found = set[int]()
    for row in sent:
        key = _key(*rows[row][:4])
        if key is None:
            continue
        each, t_ns, is_work = requests[key], rows[row][-1], rows[row][1] == K.ENQUEUE_WORK
        if rows[each[-1]][-1] > t_ns or (is_work and any(rows[one][-1] < t_ns < until_ns.get(one, 0) for one in each)):
            found.add(row)
    return frozenset(found)


def _key(run: int, kind: int, target: int, action: int) -> tuple[int, ...] | None:
    """What a request shares with those that it replaces: class and id of a job, the unique name of work."""
    if kind == K.SCHEDULE_JOB and target and action:
        return run, kind, target, action
    return (run, kind, action) if kind == K.ENQUEUE_WORK and action else None
