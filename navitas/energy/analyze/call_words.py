"""What reports call the counts of call paths, and energy outside of them: by probes, or by stack samples."""

from __future__ import annotations

from dataclasses import dataclass

from navitas.energy.attribute.ledger import Ledger


@dataclass(frozen=True, slots=True)
class CallWords:
    """The words of a recording with probes, or of one with stack samples.

    `counted` and `outside` head columns, and `singular` is what is counted. `rest`, `frame` and `explained` name energy outside
    of calls. `about_self` and `about_outside` explain self energy and the energy outside of calls.
    """

    counted: str
    singular: str
    outside: str
    rest: str
    frame: str
    explained: str
    about_self: str
    about_outside: str


PROBED = CallWords(
    "Calls",
    "call",
    "Outside calls",
    "outside of traced calls",
    "(untraced)",
    "(outside of recorded methods)",
    "Self energy has the calls that have no probes, such as those into libraries and the JDK.",
    "energy outside of methods with probes.",
)
SAMPLED = CallWords(
    "Samples",
    "sample",
    "Not sampled",
    "not sampled",
    "(not sampled)",
    "(not sampled)",
    "Self energy is that of the stack samples in which the method itself ran.",
    "energy of times without stack samples.",
)


def call_words(ledger: Ledger) -> CallWords:
    return PROBED if ledger.calls.samples is None else SAMPLED
