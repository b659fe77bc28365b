"""Results of activities whose sender is known only by the start that requested them."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence

from navitas.attribute.ledger import ModuleMessages
from navitas.parse.communication_records import NO_TOKEN, CommunicationKind

K = CommunicationKind


def result_pairs(
    messages: ModuleMessages, pairs: Sequence[tuple[int, int]], received: Sequence[int], sent: Sequence[int]
) -> list[tuple[int, int]]:
    """Return the rows of what sent each result of `received`, and of the result.

    The sender is the activity that the start showed, according to `pairs`. If it has set a result without an identity, as after
    an implicit start, the last such row is the send. If it has set none, it sends the default result at its end, and the row in
    which it received the start stands for the send.
    """
    run, kind, token = messages.run.tolist(), messages.kind.tolist(), messages.token.tolist()
    process, module = messages.process.tolist(), messages.module.tolist()
    shown = {(run[send], token[send]): row for send, row in pairs if kind[send] == K.START_ACTIVITY_FOR_RESULT}
    set_rows: defaultdict[tuple[int, int, int], list[int]] = defaultdict(list)
    for row in sent:
        if kind[row] == K.SET_RESULT and token[row] == NO_TOKEN:
            set_rows[run[row], process[row], module[row]].append(row)
    found = []
    for row in received:
        activity = shown.pop((run[row], token[row]), None) if kind[row] == K.ACTIVITY_RESULT else None
        if activity is None:
            continue
        own = set_rows[run[row], process[activity], module[activity]]
        before = bisect_left(own, row)
        found.append((max(own[before - 1], activity) if before else activity, row))
    return found
