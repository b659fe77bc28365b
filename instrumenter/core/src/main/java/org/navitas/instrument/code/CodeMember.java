package org.navitas.instrument.code;

import javassist.bytecode.ConstPool;

/** The field or method that an instruction names. */
final class CodeMember {
    final String name;
    final String descriptor;

    private CodeMember(String name, String descriptor) {
        this.name = name;
        this.descriptor = descriptor;
    }

    /** Returns the member of a constant. */
    static CodeMember of(ConstPool pool, int index) {
        int both = nameAndType(pool, index);
        return new CodeMember(
                pool.getUtf8Info(pool.getNameAndTypeName(both)), pool.getUtf8Info(pool.getNameAndTypeDescriptor(both)));
    }

    /** Returns the index of a member's name and type. */
    static int nameAndType(ConstPool pool, int member) {
        switch (pool.getTag(member)) {
            case ConstPool.CONST_Fieldref:
                return pool.getFieldrefNameAndType(member);
            case ConstPool.CONST_Methodref:
                return pool.getMethodrefNameAndType(member);
            case ConstPool.CONST_InterfaceMethodref:
                return pool.getInterfaceMethodrefNameAndType(member);
            default:
                return pool.getInvokeDynamicNameAndType(member);
        }
    }
}
