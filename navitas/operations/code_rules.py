"""The catalogue of advice for code: each rule has a pattern in counted blocks, a mechanism, and the saving that it predicts."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import cached_property

from navitas.operations.block_executions import CountedMethod
from navitas.operations.loops import BlockLoops

_BOXES = "Boolean|Byte|Character|Short|Integer|Long|Float|Double"
BOXING = re.compile(rf"({_BOXES})\.(valueOf|(boolean|byte|char|short|int|long|float|double)Value)")
TEXTS = re.compile(r"String Concatenation|Addition_(String_\w+|\w+_String)|String(Builder|Buffer)\.(new|append|toString)")
CREATIONS = re.compile(r"(Object|Array|Lambda) Creation|(?!String(Builder|Buffer)\.)\w+\.new")
_CONVERSIONS = re.compile(r"Convert_(float_double|double_float)")
_PURE = re.compile(
    r"(Math|StrictMath)\.(abs|acos|asin|atan2?|cbrt|ceil|cos|exp|floor|hypot|log(10)?|pow|round|sin|sqrt|tan|toRadians|toDegrees)"
    r"|String\.(length|hashCode|toLowerCase|toUpperCase|trim|format|split|substring)"
    r"|\w+\.(size|isEmpty|getClass|ordinal|values)"
)


@dataclass(frozen=True, slots=True)
class CodePattern:
    """A case of a rule: a block, what it does, and how many executions of which operations the change would avoid."""

    block: int
    message: str
    avoided: dict[int, int]


@dataclass(frozen=True)
class MethodEvidence:
    """What rules judge: a counted method, the executions of its blocks, and the names of operations by place."""

    method: CountedMethod
    executions: list[int]
    names: tuple[str, ...]

    @cached_property
    def loops(self) -> BlockLoops:
        """The loops of the method."""
        return BlockLoops.of([block.next for block in self.method.census.blocks])

    def in_loops(self) -> Iterator[tuple[int, int, int]]:
        """Yield blocks that run again within a call: the block, its executions, and how often its loop was entered."""
        # A call that starts in a loop can start there many times, so at least one is of the call itself.
        calls = 1 if 0 in self.loops.loop else self.executions[0]
        for block, count in enumerate(self.executions):
            if count and block in self.loops.loop:
                entered = self.loops.entries(block, self.executions, calls)
                if count > entered:
                    yield block, count, entered

    def operations(self, block: int, pattern: re.Pattern[str]) -> dict[int, int]:
        """The operations of a block whose names match, by place, with how many one execution has."""
        return {
            place: count for place, count in self.method.census.blocks[block].operations if pattern.fullmatch(self.names[place])
        }


@dataclass(frozen=True, slots=True)
class CodeRule:
    """A rule. `id` is stable, for scripts. `find` yields its cases in a method."""

    id: str
    title: str
    mechanism: str
    change: str
    find: Callable[[MethodEvidence], Iterator[CodePattern]]


def _repeated(pattern: re.Pattern[str], what: str) -> Callable[[MethodEvidence], Iterator[CodePattern]]:
    """Operations that match, in a loop. The change does them once for each time that the loop is entered."""

    def find(evidence: MethodEvidence) -> Iterator[CodePattern]:
        for block, count, entered in evidence.in_loops():
            found = evidence.operations(block, pattern)
            if found:
                text = f"{what} in a loop, {count:,} times: {_listed(evidence, found)}"
                yield CodePattern(block, text, {place: each * (count - entered) for place, each in found.items()})

    return find


def _conversions(evidence: MethodEvidence) -> Iterator[CodePattern]:
    for block, count, _ in evidence.in_loops():
        if found := evidence.operations(block, _CONVERSIONS):
            text = f"float and double are converted in a loop, {count:,} times: {_listed(evidence, found)}"
            yield CodePattern(block, text, {place: each * count for place, each in found.items()})


def _listed(evidence: MethodEvidence, places: Collection[int]) -> str:
    return ", ".join(sorted({evidence.names[place] for place in places}))


CODE_RULES = (
    CodeRule(
        "allocation-in-loop",
        "Objects created in a loop",
        "Each object costs its creation, and later its collection.",
        "Create the object before the loop and reuse it, or use primitive values.",
        _repeated(CREATIONS, "objects are created"),
    ),
    CodeRule(
        "boxing-in-loop",
        "Boxed values in a loop",
        "A boxed value is an object: boxing creates or looks up one, and unboxing reads its field.",
        "Use primitive variables and arrays, or a collection of primitive values such as SparseIntArray.",
        _repeated(BOXING, "values are boxed"),
    ),
    CodeRule(
        "text-in-loop",
        "Text built in a loop",
        "Each concatenation creates a new text, and copies all characters so far.",
        "Build the text once after the loop, or keep one StringBuilder.",
        _repeated(TEXTS, "texts are built"),
    ),
    CodeRule(
        "repeated-library-call",
        "The same library call in a loop",
        "A call whose arguments do not change has the same result each time.",
        "If its arguments do not change in the loop, call it before the loop and keep the result.",
        _repeated(_PURE, "library functions are called"),
    ),
    CodeRule(
        "float-double-conversion",
        "float and double mixed in a loop",
        "Each mixed operation converts a value to double, computes there, and converts back.",
        "Use one type: float constants such as 0.5f, and functions for float.",
        _conversions,
    ),
)
