package org.navitas.instrument.probes;

import java.io.ByteArrayOutputStream;
import java.util.Collection;
import java.util.List;
import javassist.bytecode.Opcode;

/** The instructions that count executions in one method. Its variables are the array of counters, then some counters. */
final class CounterCode {
    /** Values that counting adds to the stack: an array and an index, both twice, and two numbers of two words. */
    static final int STACK = 6;

    private final int array;
    private final List<Integer> locals;

    /**
     * Starts with the first free variable.
     *
     * @param array the variable of the array
     * @param locals the counters that have the variables after it, of two words each
     */
    CounterCode(int array, List<Integer> locals) {
        this.array = array;
        this.locals = locals;
    }

    /**
     * Clears the counters in variables, and gets the array of the others: {@code array = BlockProbe.found(id)}, and
     * {@code array = BlockProbe.find(id, counters)} if that is null. A jump leads to the end.
     */
    byte[] prologue(int id, int found, int find, int counters) {
        Bytes missing = new Bytes()
                .op(Opcode.LDC_W)
                .u2(id)
                .push(counters)
                .op(Opcode.INVOKESTATIC)
                .u2(find)
                .local(Opcode.ASTORE, array);
        Bytes code = new Bytes();
        locals.forEach(counter -> code.op(Opcode.LCONST_0).local(Opcode.LSTORE, variable(counter)));
        code.op(Opcode.LDC_W)
                .u2(id)
                .op(Opcode.INVOKESTATIC)
                .u2(found)
                .op(Opcode.DUP)
                .local(Opcode.ASTORE, array);
        code.op(Opcode.IFNONNULL).u2(3 + missing.size());
        return code.append(missing.toByteArray()).toByteArray();
    }

    /** Counts an execution. */
    byte[] count(int counter) {
        if (!locals.contains(counter)) {
            return element(new Bytes(), counter)
                    .op(Opcode.LCONST_1)
                    .op(Opcode.LADD)
                    .op(Opcode.LASTORE)
                    .toByteArray();
        }
        int variable = variable(counter);
        return new Bytes()
                .local(Opcode.LLOAD, variable)
                .op(Opcode.LCONST_1)
                .op(Opcode.LADD)
                .local(Opcode.LSTORE, variable)
                .toByteArray();
    }

    /** Adds up counters in variables, and clears them. */
    byte[] addUp(Collection<Integer> counters) {
        Bytes code = new Bytes();
        for (int counter : counters) {
            int variable = variable(counter);
            element(code, counter).local(Opcode.LLOAD, variable).op(Opcode.LADD).op(Opcode.LASTORE);
            code.op(Opcode.LCONST_0).local(Opcode.LSTORE, variable);
        }
        return code.toByteArray();
    }

    /** Counts an exception, adds up counters in variables, and throws the exception again. */
    byte[] handler(Collection<Integer> exceptions, Collection<Integer> counters) {
        Bytes code = new Bytes();
        exceptions.forEach(counter -> code.append(count(counter)));
        return code.append(addUp(counters)).op(Opcode.ATHROW).toByteArray();
    }

    private int variable(int counter) {
        return array + 1 + 2 * locals.indexOf(counter);
    }

    private Bytes element(Bytes code, int counter) {
        return code.local(Opcode.ALOAD, array).push(counter).op(Opcode.DUP2).op(Opcode.LALOAD);
    }

    private static final class Bytes extends ByteArrayOutputStream {
        Bytes op(int op) {
            write(op);
            return this;
        }

        Bytes u2(int value) {
            return op(value >> 8).op(value);
        }

        Bytes append(byte[] more) {
            write(more, 0, more.length);
            return this;
        }

        Bytes local(int op, int variable) {
            return variable < 256 ? op(op).op(variable) : op(Opcode.WIDE).op(op).u2(variable);
        }

        Bytes push(int number) {
            return number <= 5
                    ? op(Opcode.ICONST_0 + number)
                    : number < 128
                            ? op(Opcode.BIPUSH).op(number)
                            : op(Opcode.SIPUSH).u2(number);
        }
    }
}
