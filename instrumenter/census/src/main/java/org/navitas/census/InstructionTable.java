package org.navitas.census;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javassist.bytecode.BootstrapMethodsAttribute;
import javassist.bytecode.ClassFile;
import javassist.bytecode.CodeIterator;
import javassist.bytecode.ConstPool;
import javassist.bytecode.MethodInfo;
import javassist.bytecode.Mnemonic;
import javassist.bytecode.Opcode;

/** The operations of bytecode instructions, from the table instructions.txt. */
final class InstructionTable {
  private static final Map<String, List<String>> BY_MNEMONIC = new HashMap<>();
  private static final List<String> BY_OPERAND = Collections.singletonList("*");

  static {
    for (String[] row : OperationTable.rows("instructions.txt", 3)) {
      List<String> operations = row[1].equals("-") ? Collections.emptyList() : Arrays.asList(row[1].split(" \\+ "));
      for (String mnemonic : row[0].split(" ")) {
        BY_MNEMONIC.put(mnemonic, operations);
      }
    }
  }

  private final ClassFile file;
  private final Hierarchy hierarchy;

  InstructionTable(ClassFile file, Hierarchy hierarchy) {
    this.file = file;
    this.hierarchy = hierarchy;
  }

  /** Returns the operations of the instruction at an offset, in a method of the class. */
  List<String> operations(MethodInfo method, CodeIterator code, int pc) {
    int op = code.byteAt(pc);
    if (op == Opcode.WIDE) {
      op = code.byteAt(pc + 1);
    }
    List<String> found = BY_MNEMONIC.get(Mnemonic.OPCODE[op]);
    if (found != BY_OPERAND && !BY_OPERAND.equals(found)) {
      return found == null ? Collections.emptyList() : found;
    }
    ConstPool pool = file.getConstPool();
    switch (op) {
      case Opcode.PUTFIELD:
      case Opcode.PUTSTATIC:
        return Arrays.asList("Field Reference", "Assign_" + TypeNames.of(pool.getFieldrefType(code.u16bitAt(pc + 1))));
      case Opcode.NEW:
        return hierarchy.has(pool.getClassInfo(code.u16bitAt(pc + 1))) ? Collections.singletonList("Object Creation") : Collections.emptyList();
      case Opcode.INVOKEDYNAMIC:
        return Collections.singletonList(isConcatenation(pool, code.u16bitAt(pc + 1)) ? "String Concatenation" : "Lambda Creation");
      case Opcode.INVOKEVIRTUAL:
      case Opcode.INVOKESPECIAL:
      case Opcode.INVOKESTATIC:
      case Opcode.INVOKEINTERFACE:
        return call(Called.at(pool, code, pc));
      default:
        return Collections.singletonList("Return_" + TypeNames.of(TypeNames.returned(method.getDescriptor())));
    }
  }

  private List<String> call(Called called) {
    String library = called.owner.startsWith("[") ? "java.lang.Object" : hierarchy.libraryOf(called.owner, called.name + called.descriptor);
    if (library != null) {
      return Collections.singletonList(Hierarchy.function(library, called.name));
    }
    List<String> operations = new ArrayList<>();
    operations.add("Method Invocation");
    TypeNames.parameters(called.descriptor).forEach(type -> operations.add("Parameter_" + TypeNames.of(type)));
    return operations;
  }

  static boolean isConcatenation(ConstPool pool, int index) {
    String name = pool.getUtf8Info(pool.getNameAndTypeName(pool.getInvokeDynamicNameAndType(index)));
    return name.equals("makeConcatWithConstants") || name.equals("makeConcat");
  }

  /** Returns whether the class concatenates strings by invokedynamic. */
  boolean hasDynamicConcatenation() {
    BootstrapMethodsAttribute methods = (BootstrapMethodsAttribute) file.getAttribute(BootstrapMethodsAttribute.tag);
    if (methods != null) {
      ConstPool pool = file.getConstPool();
      for (int i = 1; i < pool.getSize(); i++) {
        if (pool.getTag(i) == ConstPool.CONST_InvokeDynamic && isConcatenation(pool, i)) {
          return true;
        }
      }
    }
    return false;
  }

  /** The method that an instruction calls. */
  static final class Called {
    final String owner;
    final String name;
    final String descriptor;

    private Called(String owner, String name, String descriptor) {
      this.owner = owner;
      this.name = name;
      this.descriptor = descriptor;
    }

    static Called at(ConstPool pool, CodeIterator code, int pc) {
      int index = code.u16bitAt(pc + 1);
      if (pool.getTag(index) == ConstPool.CONST_InterfaceMethodref) {
        return new Called(pool.getInterfaceMethodrefClassName(index), pool.getInterfaceMethodrefName(index), pool.getInterfaceMethodrefType(index));
      }
      return new Called(pool.getMethodrefClassName(index), pool.getMethodrefName(index), pool.getMethodrefType(index));
    }
  }
}
