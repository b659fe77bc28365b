package org.navitas.instrument.code;

import javassist.bytecode.Opcode;

/** How an instruction uses a local variable. */
public final class LocalUse {
    public enum Kind {
        LOAD,
        STORE,
        /** {@code iinc}: reads and writes. */
        INCREMENT
    }

    private static final String TYPES = "IJFDA";
    private static final int SHORT_FORMS = 4;

    public final Kind kind;
    public final int local;
    /** {@code I J F D}, or {@code A} for references. */
    final char type;

    private LocalUse(Kind kind, int local, char type) {
        this.kind = kind;
        this.local = local;
        this.type = type;
    }

    /** Returns the use by the instruction at an offset, or null if it uses no local variable. {@code ret} is none. */
    public static LocalUse at(CodeScan code, int pc) {
        int op = code.opcode(pc);
        boolean wide = op == Opcode.WIDE;
        if (wide) {
            op = code.opcode(pc + 1);
        }
        if (op >= Opcode.ILOAD_0 && op <= Opcode.ALOAD_3) {
            int form = op - Opcode.ILOAD_0;
            return new LocalUse(Kind.LOAD, form % SHORT_FORMS, TYPES.charAt(form / SHORT_FORMS));
        } else if (op >= Opcode.ISTORE_0 && op <= Opcode.ASTORE_3) {
            int form = op - Opcode.ISTORE_0;
            return new LocalUse(Kind.STORE, form % SHORT_FORMS, TYPES.charAt(form / SHORT_FORMS));
        }
        boolean load = op >= Opcode.ILOAD && op <= Opcode.ALOAD;
        boolean store = op >= Opcode.ISTORE && op <= Opcode.ASTORE;
        if (!load && !store && op != Opcode.IINC) {
            return null;
        }
        int local = wide ? code.u2(pc + 2) : code.u1(pc + 1);
        if (op == Opcode.IINC) {
            return new LocalUse(Kind.INCREMENT, local, 'I');
        }
        return new LocalUse(
                load ? Kind.LOAD : Kind.STORE, local, TYPES.charAt(op - (load ? Opcode.ILOAD : Opcode.ISTORE)));
    }

    public boolean isWide() {
        return type == 'J' || type == 'D';
    }

    public boolean reads() {
        return kind != Kind.STORE;
    }

    public boolean writes() {
        return kind != Kind.LOAD;
    }
}
