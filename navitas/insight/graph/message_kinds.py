"""Which kinds of messages belong together, and which broadcasts only Android may send.

Their actions are those of the elements `<protected-broadcast>` in AOSP's frameworks/base, core/res/AndroidManifest.xml, of
Android 8 to 16, without the actions of AOSP's own apps and services, which other apps do not receive. They are in
`protected_broadcasts.txt`, with the sources: a line has a common beginning, a colon, and the ends of actions.
"""

from __future__ import annotations

from functools import cache
from importlib import resources

from navitas.energy.attribute.ledger import ModuleMessages
from navitas.recording.parse.communication_records import FIRST_RECEIVE, CommunicationFlag, CommunicationKind

K = CommunicationKind
DELAYED = frozenset({K.SET_ALARM, K.SCHEDULE_JOB, K.ENQUEUE_WORK})
CANCELLING = frozenset({K.CANCEL_ALARM, K.CANCEL_PENDING_INTENT, K.CANCEL_JOB, K.CANCEL_WORK})
"""What ends the last alarm, job or work with the same identity."""
_THROUGH_PENDING_INTENT = {K.PENDING_INTENT_SEND, K.SET_ALARM, K.PENDING_INTENT}
SENDS_OF: dict[int, frozenset[int]] = {
    K.ACTIVITY_INTENT: frozenset({K.START_ACTIVITY, K.START_ACTIVITY_FOR_RESULT, *_THROUGH_PENDING_INTENT}),
    K.ACTIVITY_RESULT: frozenset({K.SET_RESULT}),
    K.SERVICE_START: frozenset({K.START_SERVICE, K.START_FOREGROUND_SERVICE, *_THROUGH_PENDING_INTENT}),
    K.SERVICE_BIND: frozenset({K.BIND_SERVICE}),
    K.RECEIVE: frozenset({K.SEND_BROADCAST, *_THROUGH_PENDING_INTENT}),
    K.JOB: frozenset({K.SCHEDULE_JOB}),
    K.WORK: frozenset({K.ENQUEUE_WORK}),
    K.PROVIDER: frozenset({K.PROVIDER_CALL}),
}
"""The kinds of sends that can cause each kind of receipt."""
STARTED_LATER = frozenset(receipt for receipt, sends in SENDS_OF.items() if K.SET_ALARM in sends)
"""What an alarm or a `PendingIntent` can cause."""
LIMITED_TO_SENDER = frozenset(f"android.appwidget.action.APPWIDGET_{end}" for end in ("UPDATE", "CONFIGURE"))
"""Broadcasts that Android sends, and that an app may send to itself only (AOSP's ActivityManagerService)."""


def is_receipt(kind: int) -> bool:
    """Whether a row is a message that arrived. The end of a service is none: no message causes it alone."""
    return kind >= FIRST_RECEIVE and kind != K.SERVICE_DESTROYED


def periodic(messages: ModuleMessages) -> list[bool]:
    """Whether each message is set to repeat."""
    repeats: list[bool] = ((messages.period_ms > 0) | ((messages.flags & CommunicationFlag.PERIODIC) != 0)).tolist()
    return repeats


@cache
def protected_broadcasts() -> frozenset[str]:
    found = set[str]()
    for line in resources.files("navitas.insight.graph").joinpath("protected_broadcasts.txt").read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            begin, _, ends = line.partition(":")
            found.update(f"{begin}{end}" for end in ends.split())
    return frozenset(found)
