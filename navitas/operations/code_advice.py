"""Apply the catalogue of advice for code to the blocks that ran."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from navitas.census.document import CensusBlock
from navitas.operations.code_rules import CODE_RULES, CodeRule, MethodEvidence
from navitas.operations.counted_program import CountedProgram
from navitas.parse.arrays import I64


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
    for row in sorted(counters):
        if (method := program.methods.get(row)) is None:
            continue
        evidence = MethodEvidence(method, method.executions(counters[row]).tolist(), program.names)
        for rule in CODE_RULES:
            for case in rule.find(evidence):
                saving_j = sum(count * float(costs_j[place]) for place, count in sorted(case.avoided.items()))
                block = method.census.blocks[case.block]
                if saving_j > 0:
                    figures = (sum(case.avoided.values()), saving_j, saving_j / total_j if total_j > 0 else 0.0)
                    found.append(CodeAdvice(rule, method.name, method.file, block, case.message, *figures))
    return tuple(sorted(found, key=lambda one: (-one.saving_j, one.rule.id, one.method, one.block.pc)))
