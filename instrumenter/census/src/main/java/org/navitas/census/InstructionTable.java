package org.navitas.census;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
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
    private static final String CONCATENATIONS = "java.lang.invoke.StringConcatFactory";
    private static final String LAMBDAS = "java.lang.invoke.LambdaMetafactory";
    private static final List<String> BY_OPERAND = Collections.singletonList("*");

    static {
        for (String[] row : OperationTable.rows("instructions.txt", 3)) {
            List<String> operations =
                    row[1].equals("-") ? Collections.emptyList() : Arrays.asList(row[1].split(" \\+ "));
            for (String mnemonic : row[0].split(" ")) {
                BY_MNEMONIC.put(mnemonic, operations);
            }
        }
    }

    private final ClassFile file;
    private final Hierarchy hierarchy;
    /** Whether it concatenates strings by invokedynamic; null if that is not yet known. */
    private Boolean concatenates;

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
                return Arrays.asList(
                        "Field Reference", "Assign_" + TypeNames.of(pool.getFieldrefType(code.u16bitAt(pc + 1))));
            case Opcode.NEW:
                return hierarchy.has(pool.getClassInfo(code.u16bitAt(pc + 1)))
                        ? Collections.singletonList("Object Creation")
                        : Collections.emptyList();
            case Opcode.INVOKEDYNAMIC:
                return Collections.singletonList(dynamic(code.u16bitAt(pc + 1)));
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
        String library = called.owner.startsWith("[")
                ? "java.lang.Object"
                : hierarchy.libraryOf(called.owner, called.name + called.descriptor);
        if (library != null) {
            return Collections.singletonList(Hierarchy.function(library, called.name));
        }
        List<String> operations = new ArrayList<>();
        operations.add("Method Invocation");
        TypeNames.parameters(called.descriptor).forEach(type -> operations.add("Parameter_" + TypeNames.of(type)));
        return operations;
    }

    /** Returns the operation of an {@code invokedynamic}, which depends on the class that links it. */
    private String dynamic(int index) {
        String linker = linker(file, index);
        switch (linker) {
            case CONCATENATIONS:
                return "String Concatenation";
            case LAMBDAS:
                return "Lambda Creation";
            default:
                ConstPool pool = file.getConstPool();
                return Hierarchy.function(
                        linker, pool.getUtf8Info(pool.getNameAndTypeName(pool.getInvokeDynamicNameAndType(index))));
        }
    }

    /** Returns the class whose method links an {@code invokedynamic}. */
    static String linker(ClassFile file, int index) {
        ConstPool pool = file.getConstPool();
        BootstrapMethodsAttribute methods =
                (BootstrapMethodsAttribute) file.getAttribute(BootstrapMethodsAttribute.tag);
        int handle = methods.getMethods()[pool.getInvokeDynamicBootstrap(index)].methodRef;
        int method = pool.getMethodHandleIndex(handle);
        boolean ofInterface = pool.getTag(method) == ConstPool.CONST_InterfaceMethodref;
        return ofInterface ? pool.getInterfaceMethodrefClassName(method) : pool.getMethodrefClassName(method);
    }

    static boolean isConcatenation(ClassFile file, int index) {
        return linker(file, index).equals(CONCATENATIONS);
    }

    /** Returns whether the class concatenates strings by invokedynamic. */
    boolean hasDynamicConcatenation() {
        if (concatenates == null) {
            ConstPool pool = file.getConstPool();
            concatenates = IntStream.range(1, pool.getSize())
                    .anyMatch(index ->
                            pool.getTag(index) == ConstPool.CONST_InvokeDynamic && isConcatenation(file, index));
        }
        return concatenates;
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
                return new Called(
                        pool.getInterfaceMethodrefClassName(index),
                        pool.getInterfaceMethodrefName(index),
                        pool.getInterfaceMethodrefType(index));
            }
            return new Called(
                    pool.getMethodrefClassName(index), pool.getMethodrefName(index), pool.getMethodrefType(index));
        }
    }
}
