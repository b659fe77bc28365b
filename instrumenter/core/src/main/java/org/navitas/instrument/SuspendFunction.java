package org.navitas.instrument;

import java.util.List;
import javassist.bytecode.CodeAttribute;
import javassist.bytecode.ConstPool;
import javassist.bytecode.ExceptionTable;
import javassist.bytecode.Opcode;

/**
 * Finds where the state machine of a Kotlin suspend function distinguishes a new call from a resumed one.
 *
 * <p>A named function begins with {@code if ($completion instanceof Foo$bar$1 && ($completion.label & MIN_VALUE) !=
 * 0)}. A suspended call resumes with its own continuation, whose {@code invokeSuspend} set that bit. Both branches of
 * the condition have a place for a probe, so the method needs no added branch.
 *
 * <p>A lambda's {@code invokeSuspend} begins with a switch on its field {@code label}, which is 0 in a new call. Names
 * are not compared, so that they may be obfuscated. A suspend function without a state machine, in which each
 * suspension is the last action, is never resumed.
 */
final class SuspendFunction {
  private static final String PACKAGE = "kotlin.coroutines.jvm.internal.";
  private static final String INVOKE = "invokeSuspend";
  private static final String INVOKE_TYPE = "(Ljava/lang/Object;)Ljava/lang/Object;";
  private static final int LONGEST_START = 12;

  /** Where a suspended call resumes. */
  final int resumed;
  /** Where a new call begins: the target of the condition's two branches only. */
  final int fresh;

  private SuspendFunction(int resumed, int fresh) {
    this.resumed = resumed;
    this.fresh = fresh;
  }

  /** Returns whether a class with this superclass holds the state of a named function, which it calls again. */
  static boolean isState(String superclass) {
    return superclass.equals(PACKAGE + "ContinuationImpl") || superclass.equals(PACKAGE + "RestrictedContinuationImpl");
  }

  /** Returns whether a class with this superclass is a suspend lambda. */
  static boolean isLambda(String superclass) {
    return superclass.equals(PACKAGE + "SuspendLambda") || superclass.equals(PACKAGE + "RestrictedSuspendLambda");
  }

  /** Returns whether the method is the one that resumes such a class. */
  static boolean isInvokeSuspend(String name, String descriptor) {
    return name.equals(INVOKE) && descriptor.equals(INVOKE_TYPE);
  }

  /** Returns the index of the Fieldref of {@code label} in a lambda's initial switch; 0 if there is no such switch. */
  static int labelOf(CodeScan scan, ConstPool pool) {
    int load = -1;
    for (int i = 0; i + 2 < Math.min(scan.starts.size(), LONGEST_START); i++) {
      int at = scan.starts.get(i);
      if (scan.opcode(at) == Opcode.ALOAD_0 && scan.opcode(at + 1) == Opcode.GETFIELD) {
        load = at;
        break;
      }
    }
    if (load < 0) {
      return 0;
    }
    int field = scan.u2(load + 2);
    int following = scan.opcode(load + 4);
    boolean switched = following == Opcode.TABLESWITCH || following == Opcode.LOOKUPSWITCH;
    return switched && pool.getFieldrefType(field).equals("I") ? field : 0;
  }

  /** Returns the state machine at the start of a named function, or null. */
  static SuspendFunction of(CodeAttribute code, CodeScan scan) throws MalformedClassException {
    List<Integer> starts = scan.starts;
    if (starts.size() < LONGEST_START || !isLoad(scan.opcode(0)) || scan.opcode(starts.get(1)) != Opcode.INSTANCEOF) {
      return null;
    }
    ConstPool pool = code.getConstPool();
    int state = scan.u2(starts.get(1) + 1);
    boolean readsLabel = false;
    int first = -1;
    for (int i = 2; i < LONGEST_START; i++) {
      int pc = starts.get(i);
      int op = scan.opcode(pc);
      if (op == Opcode.GETFIELD) {
        int field = scan.u2(pc + 1);
        readsLabel = pool.getFieldrefType(field).equals("I")
            && pool.getFieldrefClassName(field).equals(pool.getClassInfo(state));
      } else if (op == Opcode.IFEQ && first < 0) {
        first = scan.targets(pc).get(0);
      } else if (op == Opcode.IFEQ) {
        boolean tested = readsLabel && scan.opcode(starts.get(i - 1)) == Opcode.IAND
            && isLowest(scan, pool, starts.get(i - 2)) && scan.targets(pc).get(0) == first;
        return tested && first > pc && isOnlyTargetOfTwo(code, scan, first) ? new SuspendFunction(scan.next(pc), first) : null;
      } else if (!isLoad(op) && !isStore(op) && op != Opcode.CHECKCAST && op != Opcode.DUP && op != Opcode.LDC
          && op != Opcode.LDC_W && op != Opcode.IAND) {
        return null;
      }
    }
    return null;
  }

  private static boolean isLowest(CodeScan scan, ConstPool pool, int pc) {
    int op = scan.opcode(pc);
    int constant = op == Opcode.LDC ? scan.u1(pc + 1) : op == Opcode.LDC_W ? scan.u2(pc + 1) : 0;
    return constant > 0 && pool.getTag(constant) == ConstPool.CONST_Integer && pool.getIntegerInfo(constant) == Integer.MIN_VALUE;
  }

  private static boolean isOnlyTargetOfTwo(CodeAttribute code, CodeScan scan, int target) {
    int reached = 0;
    int before = 0;
    for (int pc : scan.starts) {
      before = pc < target ? pc : before;
      for (int each : scan.targets(pc)) {
        reached += each == target ? 1 : 0;
      }
    }
    ExceptionTable handlers = code.getExceptionTable();
    for (int i = 0; i < handlers.size(); i++) {
      reached += handlers.handlerPc(i) == target ? 1 : 0;
    }
    return reached == 2 && scan.opcode(before) == Opcode.GOTO;
  }

  private static boolean isLoad(int op) {
    return op == Opcode.ALOAD || op >= Opcode.ALOAD_0 && op <= Opcode.ALOAD_3;
  }

  private static boolean isStore(int op) {
    return op == Opcode.ASTORE || op >= Opcode.ASTORE_0 && op <= Opcode.ASTORE_3;
  }
}
