"""Advice for code: a catalogue of rules, each with a pattern in counted blocks and a mechanism, and their cases with savings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from navitas.base.strong_components import strong_components
from navitas.insight.operations.census.document import CensusBlock
from navitas.insight.operations.counted_program import CountedMethod, CountedProgram
from navitas.recording.parse.arrays import I64

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
class BlockLoops:
    """The outermost loop of each block that is in one. `loop` has its number, and `members` the blocks of each loop.

    `entering` has the blocks outside of each loop that lead into it. The method's start leads into the loop of block 0.
    """

    loop: dict[int, int]
    members: tuple[frozenset[int], ...]
    entering: tuple[frozenset[int], ...]

    @classmethod
    def of(cls, successors: Sequence[Sequence[int]]) -> BlockLoops:
        """Find the loops of a method by the successors of each block. Exceptions make no loop."""
        components = strong_components(dict(enumerate(successors)))
        members = [frozenset(one) for one in components if len(one) > 1 or one[0] in successors[one[0]]]
        loop = {block: number for number, blocks in enumerate(members) for block in blocks}
        entering: list[set[int]] = [set() for _ in members]
        for block, following in enumerate(successors):
            for other in following:
                if other in loop and loop.get(block) != loop[other]:
                    entering[loop[other]].add(block)
        return cls(loop, tuple(members), tuple(map(frozenset, entering)))

    def entries(self, block: int, executions: Sequence[int], calls: int) -> int:
        """The most often that the loop of a block can have been entered: the executions of the blocks that lead into it.

        A block that can also lead elsewhere counts in full.
        """
        number = self.loop[block]
        start = calls if 0 in self.members[number] else 0
        return sum((executions[other] for other in self.entering[number]), start)


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


def _repeated(
    pattern: re.Pattern[str], what: str, *, stays_once: bool = True
) -> Callable[[MethodEvidence], Iterator[CodePattern]]:
    """Operations that match, in a loop. The change does them once for each time that the loop is entered, or never."""

    def find(evidence: MethodEvidence) -> Iterator[CodePattern]:
        for block, count, entered in evidence.in_loops():
            if found := evidence.operations(block, pattern):
                names = ", ".join(sorted({evidence.names[place] for place in found}))
                avoided = count - entered if stays_once else count
                text = f"{what} in a loop, {count:,} times: {names}"
                yield CodePattern(block, text, {place: each * avoided for place, each in found.items()})

    return find


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
        _repeated(_CONVERSIONS, "float and double are converted", stays_once=False),
    ),
)


@dataclass(frozen=True, slots=True)
class CodeAdvice:
    """A case of a rule in a block. `message` says what the block does, and how often.

    `avoided`: executions of operations that the rule's change avoids at most. `saving_j`: their energy in this recording, and
    `saving_share` its share of all operations.
    """

    rule: CodeRule
    method: str
    file: str | None
    block: CensusBlock
    message: str
    avoided: int
    saving_j: float
    saving_share: float


def code_advice(program: CountedProgram, counters: Mapping[int, I64], costs: Mapping[str, float]) -> tuple[CodeAdvice, ...]:
    """Return all cases with a saving, largest first."""
    costs_j = program.costs_j(costs)
    total_j = float(program.of_counters(counters) @ costs_j)
    found = []
    for method, executions in program.counted(counters):
        evidence = MethodEvidence(method, executions.tolist(), program.names)
        for rule in CODE_RULES:
            for case in rule.find(evidence):
                saving_j = sum(count * float(costs_j[place]) for place, count in sorted(case.avoided.items()))
                block = method.census.blocks[case.block]
                if saving_j > 0:
                    figures = (sum(case.avoided.values()), saving_j, saving_j / total_j if total_j > 0 else 0.0)
                    found.append(CodeAdvice(rule, method.name, method.file, block, case.message, *figures))
    return tuple(sorted(found, key=lambda one: (-one.saving_j, one.rule.id, one.method, one.block.pc)))
