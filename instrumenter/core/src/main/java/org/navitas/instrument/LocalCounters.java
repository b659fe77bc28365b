package org.navitas.instrument;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import javassist.bytecode.CodeAttribute;
import javassist.bytecode.ConstPool;
import javassist.bytecode.MethodInfo;
import javassist.bytecode.Opcode;

/**
 * The counters of a method that are in local variables while its loops run. These are counters of loops that call
 * nothing, use no lock and are in no exception handler's range, so that nobody can tell when they are added up. That is
 * where the loop is left: at the start of each block after it, and in a handler of all exceptions.
 *
 * <p>A counter in memory would be the slowest part of such a loop: each round waits for the last one's store.
 */
final class LocalCounters {
  static final LocalCounters NONE = new LocalCounters();
  /** The most counters of a method in local variables. A method with more of them keeps the rest in memory. */
  private static final int MOST = 32;

  /** The numbers of the counters. */
  final List<Integer> counters = new ArrayList<>();
  /** The counters to add up at the start of blocks after loops, by offset. */
  final Map<Integer, TreeSet<Integer>> leaving = new TreeMap<>();
  /** Starts and ends of code whose exceptions leave a loop. */
  final List<int[]> throwing = new ArrayList<>();

  private LocalCounters() {}

  /** Chooses the counters of a method, whose code may have been edited since they were placed in blocks. */
  static LocalCounters of(MethodInfo method, CodeScan scan, BasicBlocks blocks, CounterPlacement placement) {
    if (method.isConstructor()) {
      return NONE; // before the call of another constructor, no handler can be without "this"
    }
    CodeAttribute code = method.getCodeAttribute();
    List<BasicBlocks.Block> all = blocks.blocks();
    BitSet inLoops = callFree(scan, blocks);
    DisjointSets groups = new DisjointSets(all.size());
    inLoops.stream().forEach(block -> all.get(block).successors.stream().filter(inLoops::get).forEach(next -> groups.join(block, next)));
    Map<Integer, TreeSet<Integer>> byGroup = new TreeMap<>();
    inLoops.stream().filter(block -> placement.counterOf(block) >= 0).forEach(
        block -> byGroup.computeIfAbsent(groups.find(block), group -> new TreeSet<>()).add(placement.counterOf(block)));
    LocalCounters chosen = new LocalCounters();
    byGroup.values().removeIf(group -> !chosen.take(group));
    inLoops.stream().filter(block -> byGroup.containsKey(groups.find(block))).forEach(block -> {
      for (int next : all.get(block).successors) {
        if (!inLoops.get(next)) {
          chosen.leaving.computeIfAbsent(all.get(next).firstPc, pc -> new TreeSet<>()).addAll(byGroup.get(groups.find(block)));
        }
      }
      chosen.addThrowing(scan, code.getConstPool(), blocks, block);
    });
    return chosen;
  }

  private boolean take(TreeSet<Integer> group) {
    return counters.size() + group.size() <= MOST && counters.addAll(group);
  }

  private void addThrowing(CodeScan scan, ConstPool pool, BasicBlocks blocks, int block) {
    int start = blocks.blocks().get(block).firstPc;
    int end = block + 1 < blocks.blocks().size() ? blocks.blocks().get(block + 1).firstPc : scan.length();
    if (blocks.instructions(block).stream().noneMatch(pc -> ThrowingCode.at(scan, pool, pc))) {
      return;
    }
    int[] last = throwing.isEmpty() ? new int[2] : throwing.get(throwing.size() - 1);
    if (last[1] == start && start > 0) {
      last[1] = end;
    } else {
      throwing.add(new int[] {start, end});
    }
  }

  /** Returns the blocks of loops in which counters can be in local variables. */
  private static BitSet callFree(CodeScan scan, BasicBlocks blocks) {
    List<BasicBlocks.Block> all = blocks.blocks();
    BitSet busy = new BitSet();
    for (int block = 0; block < all.size(); block++) {
      boolean isBusy = !all.get(block).handlers.isEmpty();
      for (int pc : blocks.instructions(block)) {
        isBusy |= isCallOrLock(scan, pc);
      }
      busy.set(block, isBusy);
    }
    BitSet free = new BitSet();
    for (BitSet body : NaturalLoops.of(blocks.successors()).bodies) {
      if (!body.intersects(busy)) {
        free.or(body);
      }
    }
    return free;
  }

  /** Whether an instruction runs other code, makes counters visible to other threads, or is of a subroutine. */
  private static boolean isCallOrLock(CodeScan scan, int pc) {
    int op = scan.opcode(pc);
    return op >= Opcode.INVOKEVIRTUAL && op <= Opcode.INVOKEDYNAMIC || op == Opcode.MONITORENTER || op == Opcode.MONITOREXIT
        || op == Opcode.JSR || op == Opcode.JSR_W || op == Opcode.RET || op == Opcode.WIDE && scan.opcode(pc + 1) == Opcode.RET;
  }
}
