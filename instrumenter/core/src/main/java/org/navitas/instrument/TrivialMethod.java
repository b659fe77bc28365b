package org.navitas.instrument;

import javassist.bytecode.AccessFlag;
import javassist.bytecode.ConstPool;
import javassist.bytecode.MethodInfo;
import javassist.bytecode.Opcode;

/**
 * Methods whose probes would cost more than they do: getters, setters, and those that return a constant or do nothing.
 * Their code is a straight line that loads, stores and returns; Kotlin's checks of parameters are no calls in this sense.
 */
final class TrivialMethod {
  private static final int LONGEST = 16;
  private static final String KOTLIN_CHECKS = "kotlin.jvm.internal.Intrinsics";

  private TrivialMethod() {}

  /** Constructors and class initialisers never are, since their calls count objects and classes. */
  static boolean is(MethodInfo method, CodeScan scan) {
    boolean waits = (method.getAccessFlags() & AccessFlag.SYNCHRONIZED) != 0;
    if (!method.isMethod() || waits || scan.length() > LONGEST) {
      return false;
    }
    for (int pc : scan.starts) {
      int op = scan.opcode(pc);
      boolean plain = op <= Opcode.ALOAD_3 || op >= Opcode.ISTORE && op <= Opcode.ASTORE_3 || CodeScan.isReturn(op)
          || op >= Opcode.GETSTATIC && op <= Opcode.PUTFIELD || op == Opcode.CHECKCAST || op == Opcode.POP || op == Opcode.DUP;
      if (!plain && !(op == Opcode.INVOKESTATIC && isKotlinCheck(method.getConstPool(), scan.u2(pc + 1)))) {
        return false;
      }
    }
    return true;
  }

  private static boolean isKotlinCheck(ConstPool pool, int called) {
    return pool.getTag(called) == ConstPool.CONST_Methodref && pool.getMethodrefClassName(called).equals(KOTLIN_CHECKS);
  }
}
