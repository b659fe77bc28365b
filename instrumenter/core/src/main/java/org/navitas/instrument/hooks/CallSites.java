package org.navitas.instrument.hooks;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import javassist.bytecode.ByteArray;
import javassist.bytecode.ClassFile;
import javassist.bytecode.CodeAttribute;
import javassist.bytecode.ConstPool;
import javassist.bytecode.MethodInfo;
import javassist.bytecode.Opcode;
import org.navitas.instrument.code.CodeScan;
import org.navitas.instrument.code.MalformedClassException;

/**
 * Replaces calls of the platform in one class by calls of hooks ({@link HookTable}).
 *
 * <p>No instruction moves, so branches, exception handlers, line numbers and stack map frames stay valid: a call of a
 * method becomes a call of a static method whose first parameter is the object, and a created class is replaced by a
 * subclass of it.
 */
public final class CallSites {
    private static final int STATIC_BYTES = 3;
    private static final int INTERFACE_BYTES = 5;

    /** The replacement of each constant that refers to a hooked method, constructor or class. */
    private final Map<Integer, Integer> methods = new HashMap<>();

    private final Map<Integer, Integer> constructors = new HashMap<>();
    private final Map<Integer, Integer> classes = new HashMap<>();

    private CallSites() {}

    /**
     * Replaces the calls in all methods of a class.
     *
     * @return the number of replaced calls
     * @throws MalformedClassException if the code of a method cannot be parsed
     */
    public static int replace(ClassFile file, HookTable table) throws MalformedClassException {
        CallSites sites = new CallSites();
        sites.find(file, table);
        if (sites.methods.isEmpty() && sites.classes.isEmpty()) {
            return 0;
        }
        int replaced = 0;
        for (MethodInfo method : file.getMethods()) {
            CodeAttribute code = method.getCodeAttribute();
            replaced += code != null && sites.mayCall(code.getCode()) ? sites.replace(code.getCode()) : 0;
        }
        return replaced;
    }

    private void find(ClassFile file, HookTable table) {
        ConstPool pool = file.getConstPool();
        int size = pool.getSize(); // without the constants that are added here
        // Most classes call nothing that is hooked. Their other constants are not read.
        Map<Integer, String> owners = owners(file, size, table);
        if (owners.isEmpty()) {
            return;
        }
        Set<String> kept = keptClasses(file, size, owners, table);
        owners.forEach((index, name) -> {
            String hook = table.replacement(name);
            if (hook != null && !kept.contains(name)) {
                classes.put(index, pool.addClassInfo(hook));
            }
        });
        for (int index = 1; index < size; index++) {
            int tag = pool.getTag(index);
            if (tag == ConstPool.CONST_Methodref) {
                String owner = owners.get(pool.getMethodrefClass(index));
                if (owner != null) {
                    findMethod(pool, index, owner, kept, table);
                }
            } else if (tag == ConstPool.CONST_InterfaceMethodref) {
                String owner = owners.get(pool.getInterfaceMethodrefClass(index));
                if (owner != null) {
                    addCall(
                            pool,
                            index,
                            table.call(
                                    owner,
                                    pool.getInterfaceMethodrefName(index),
                                    pool.getInterfaceMethodrefType(index)));
                }
            }
        }
    }

    /**
     * Returns the names of the hooked classes among the class constants. A class that calls an inherited method names
     * itself, as an activity that posts work does: its constant has the name of its superclass.
     */
    private static Map<Integer, String> owners(ClassFile file, int size, HookTable table) {
        ConstPool pool = file.getConstPool();
        String inherited = String.valueOf(file.getSuperclass());
        Map<Integer, String> owners = new HashMap<>();
        for (int index = 1; index < size; index++) {
            if (pool.getTag(index) == ConstPool.CONST_Class) {
                String name = pool.getClassInfo(index);
                String declared = name.equals(file.getName()) ? inherited : name;
                if (table.isHooked(declared)) {
                    owners.put(index, declared);
                } else if (table.isSubclass(name)) {
                    owners.put(index, name);
                }
            }
        }
        return owners;
    }

    /**
     * Returns the classes that are created as before: the superclass, since its constructor is called like that of a
     * created object; and classes with a call of a constructor that the hook lacks.
     */
    private static Set<String> keptClasses(ClassFile file, int size, Map<Integer, String> owners, HookTable table) {
        ConstPool pool = file.getConstPool();
        Set<String> kept = new HashSet<>();
        kept.add(String.valueOf(file.getSuperclass()));
        for (int index = 1; index < size; index++) {
            if (pool.getTag(index) == ConstPool.CONST_Methodref) {
                String owner = owners.get(pool.getMethodrefClass(index));
                if (owner != null
                        && pool.getMethodrefName(index).equals(MethodInfo.nameInit)
                        && table.replacement(owner) != null
                        && !table.hasConstructor(owner, pool.getMethodrefType(index))) {
                    kept.add(owner);
                }
            }
        }
        return kept;
    }

    private void findMethod(ConstPool pool, int index, String owner, Set<String> kept, HookTable table) {
        if (!pool.getMethodrefName(index).equals(MethodInfo.nameInit)) {
            String name = pool.getMethodrefName(index);
            String type = pool.getMethodrefType(index);
            HookTable.Hook call = table.call(owner, name, type);
            addCall(pool, index, call != null ? call : table.inherited(pool.getMethodrefClassName(index), name, type));
            return;
        }
        String hook = table.replacement(owner);
        if (hook != null && !kept.contains(owner)) {
            int type = pool.addClassInfo(hook);
            constructors.put(index, pool.addMethodrefInfo(type, MethodInfo.nameInit, pool.getMethodrefType(index)));
        }
    }

    private void addCall(ConstPool pool, int index, HookTable.Hook hook) {
        if (hook != null) {
            methods.put(index, pool.addMethodrefInfo(pool.addClassInfo(hook.className), hook.name, hook.descriptor));
        }
    }

    /** Returns false only for code without hooked calls; reads no instructions, unlike {@link #replace(byte[])}. */
    private boolean mayCall(byte[] code) {
        for (int pc = 0; pc + 2 < code.length; pc++) {
            int op = code[pc] & 255;
            if (op >= Opcode.INVOKEVIRTUAL && op <= Opcode.NEW) {
                int operand = ByteArray.readU16bit(code, pc + 1);
                if (methods.containsKey(operand) || classes.containsKey(operand)) {
                    return true;
                }
            }
        }
        return false;
    }

    private int replace(byte[] code) throws MalformedClassException {
        int replaced = 0;
        for (int pc : new CodeScan(code).starts) {
            int op = code[pc] & 255;
            if (op == Opcode.INVOKEVIRTUAL || op == Opcode.INVOKESTATIC || op == Opcode.INVOKEINTERFACE) {
                Integer hook = methods.get(ByteArray.readU16bit(code, pc + 1));
                if (hook != null) {
                    call(code, pc, hook, op == Opcode.INVOKEINTERFACE ? INTERFACE_BYTES : STATIC_BYTES);
                    replaced++;
                }
            } else if (op == Opcode.INVOKESPECIAL) {
                operand(code, pc, constructors);
            } else if (op == Opcode.NEW) {
                replaced += operand(code, pc, classes) ? 1 : 0;
            }
        }
        return replaced;
    }

    private static void call(byte[] code, int pc, int hook, int length) {
        code[pc] = (byte) Opcode.INVOKESTATIC;
        ByteArray.write16bit(hook, code, pc + 1);
        for (int i = STATIC_BYTES; i < length; i++) {
            code[pc + i] = Opcode.NOP;
        }
    }

    private static boolean operand(byte[] code, int pc, Map<Integer, Integer> replacements) {
        Integer replacement = replacements.get(ByteArray.readU16bit(code, pc + 1));
        if (replacement != null) {
            ByteArray.write16bit(replacement, code, pc + 1);
        }
        return replacement != null;
    }
}
