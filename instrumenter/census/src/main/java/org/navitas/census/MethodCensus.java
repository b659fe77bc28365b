package org.navitas.census;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javassist.bytecode.CodeIterator;
import javassist.bytecode.MethodInfo;
import org.navitas.instrument.BasicBlocks;
import org.navitas.instrument.CounterPlacement;
import org.navitas.instrument.InstrumentException;

/** The operations of one method's blocks. */
final class MethodCensus {
  static final String SOURCE = "source";
  static final String BYTECODE = "bytecode";

  /** An operation of the source without a block, and its line. */
  static final class Unmatched {
    final String operation;
    final int line;

    Unmatched(String operation, int line) {
      this.operation = operation;
      this.line = line;
    }
  }

  final String name;
  final String descriptor;
  final BasicBlocks blocks;
  /** Where a build with counters counts these blocks. */
  final CounterPlacement counters;
  /** Counts of operations by block. */
  final List<Map<String, Integer>> counts = new ArrayList<>();
  final List<Unmatched> unmatched = new ArrayList<>();
  /** {@link #SOURCE} or {@link #BYTECODE}. */
  String by = BYTECODE;
  /** Why the source was not used, or null. */
  String note;

  MethodCensus(MethodInfo method, BasicBlocks blocks, CounterPlacement counters) {
    this.name = method.getName();
    this.descriptor = method.getDescriptor();
    this.blocks = blocks;
    this.counters = counters;
    blocks.blocks().forEach(block -> counts.add(new TreeMap<>()));
  }

  void add(int block, String operation) {
    counts.get(block).merge(operation, 1, Integer::sum);
  }

  /** Counts the operations of all instructions. */
  static MethodCensus ofBytecode(MethodInfo method, BasicBlocks blocks, InstructionTable table) throws InstrumentException {
    MethodCensus census = new MethodCensus(method, blocks, CounterPlacement.of(method.getCodeAttribute(), blocks));
    CodeIterator code = method.getCodeAttribute().iterator();
    for (int pc : blocks.instructions()) {
      for (String operation : table.operations(method, code, pc)) {
        census.add(blocks.blockOf(pc), operation);
      }
    }
    return census;
  }
}
