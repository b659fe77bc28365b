package org.navitas.instrument;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import javassist.bytecode.AccessFlag;
import javassist.bytecode.ClassFile;
import javassist.bytecode.ConstPool;
import javassist.bytecode.FieldInfo;
import javassist.bytecode.MethodInfo;
import javassist.bytecode.Opcode;

/**
 * Finds code that cannot throw, so that its probes need no handler: no calls, arrays, divisions, objects or strings, and
 * no fields other than those that the class itself declares, of {@code this} or static.
 */
final class Throwless {
  private final ConstPool pool;
  private final String className;
  private final Set<String> fields = new HashSet<>();
  private final Set<String> statics = new HashSet<>();

  /** Notes the fields of a class. */
  Throwless(ClassFile file) {
    pool = file.getConstPool();
    className = file.getName();
    for (FieldInfo each : file.getFields()) {
      ((each.getAccessFlags() & AccessFlag.STATIC) != 0 ? statics : fields).add(each.getName() + ":" + each.getDescriptor());
    }
  }

  /** Returns whether no instruction in these ranges can throw. The class is initialized when they run. */
  boolean is(MethodInfo method, CodeScan scan, List<int[]> ranges) {
    if ((method.getAccessFlags() & AccessFlag.SYNCHRONIZED) != 0 || method.getCodeAttribute().getExceptionTable().size() > 0) {
      return false;
    }
    boolean ownThis = (method.getAccessFlags() & AccessFlag.STATIC) == 0 && !storesThis(scan);
    Set<Integer> targets = new HashSet<>();
    scan.starts.forEach(pc -> targets.addAll(scan.targets(pc)));
    for (int i = 0; i < scan.starts.size(); i++) {
      int pc = scan.starts.get(i);
      boolean within = ranges.stream().anyMatch(range -> pc >= range[0] && pc < range[1]);
      if (within && canThrow(scan, i, ownThis, targets)) {
        return false;
      }
    }
    return true;
  }

  private boolean canThrow(CodeScan scan, int index, boolean ownThis, Set<Integer> targets) {
    int pc = scan.starts.get(index);
    switch (scan.opcode(pc)) {
      case Opcode.GETSTATIC:
      case Opcode.PUTSTATIC:
        return !isOwn(statics, scan.u2(pc + 1));
      case Opcode.GETFIELD:
        return !ownThis || targets.contains(pc) || !isThis(scan, index - 1) || !isOwn(fields, scan.u2(pc + 1));
      case Opcode.PUTFIELD:
        return !ownThis || targets.contains(pc) || index < 1 || targets.contains(scan.starts.get(index - 1))
            || !isSimple(scan.opcode(scan.starts.get(index - 1))) || !isThis(scan, index - 2) || !isOwn(fields, scan.u2(pc + 1));
      case Opcode.LDC:
      case Opcode.LDC_W:
        int constant = scan.opcode(pc) == Opcode.LDC ? scan.u1(pc + 1) : scan.u2(pc + 1);
        return pool.getTag(constant) == ConstPool.CONST_String || ThrowingCode.at(scan, pool, pc);
      default:
        return ThrowingCode.at(scan, pool, pc);
    }
  }

  /** Whether the instruction only pushes a constant or a local variable. Constants are checked on their own. */
  private static boolean isSimple(int op) {
    return op >= Opcode.ACONST_NULL && op <= Opcode.ALOAD_3;
  }

  private static boolean isThis(CodeScan scan, int index) {
    return index >= 0 && scan.opcode(scan.starts.get(index)) == Opcode.ALOAD_0;
  }

  private boolean isOwn(Set<String> own, int ref) {
    return pool.getFieldrefClassName(ref).equals(className) && own.contains(pool.getFieldrefName(ref) + ":" + pool.getFieldrefType(ref));
  }

  /** Whether the code can store to the variable of {@code this}; wide instructions count as such. */
  private static boolean storesThis(CodeScan scan) {
    for (int pc : scan.starts) {
      int op = scan.opcode(pc);
      if (op == Opcode.ASTORE_0 || op == Opcode.WIDE || op == Opcode.ASTORE && scan.u1(pc + 1) == 0) {
        return true;
      }
    }
    return false;
  }
}
