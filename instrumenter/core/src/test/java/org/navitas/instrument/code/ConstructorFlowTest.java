package org.navitas.instrument.code;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.util.Collections;
import javassist.bytecode.Bytecode;
import javassist.bytecode.ClassFile;
import javassist.bytecode.CodeAttribute;
import javassist.bytecode.ConstPool;
import javassist.bytecode.ExceptionTable;
import javassist.bytecode.Opcode;
import org.junit.Test;

/** Constructors with handlers that cover the code before {@code super(…)}. */
public class ConstructorFlowTest {
    private static final int INSTRUCTIONS = 20_000;
    private static final int HANDLERS = 4_000;

    private final ConstPool pool = new ClassFile(false, "crafted.Target", null).getConstPool();

    /** Counts how often its entries are read. */
    private static final class CountingTable extends ExceptionTable {
        private int reads;

        CountingTable(ConstPool pool) {
            super(pool);
        }

        @Override
        public int startPc(int entry) {
            reads++;
            return super.startPc(entry);
        }

        @Override
        public int endPc(int entry) {
            reads++;
            return super.endPc(entry);
        }

        @Override
        public int handlerPc(int entry) {
            reads++;
            return super.handlerPc(entry);
        }
    }

    @Test
    public void eachHandlerIsFollowedOnce() throws Exception {
        Bytecode code = new Bytecode(pool, 1, 1);
        for (int i = 0; i < INSTRUCTIONS; i++) {
            code.addOpcode(Opcode.NOP);
        }
        int call = addSuperCall(code);
        CountingTable table = new CountingTable(pool);
        for (int i = 0; i < HANDLERS; i++) {
            table.add(0, INSTRUCTIONS, code.currentPc(), 0);
            code.addOpcode(Opcode.ATHROW);
        }
        ConstructorFlow flow = flow(code, table);
        assertEquals(Collections.singletonList(call), flow.calls);
        assertEquals(1, flow.after().size());
        assertEquals(call + 3, flow.after().get(0)[0]);
        assertEquals(call + 4, flow.after().get(0)[1]);
        assertTrue("reads of the table: " + table.reads, table.reads <= 8 * HANDLERS);
    }

    /** The range that covers an offset decides, not the order of the table, and its ends are exact. */
    @Test
    public void onlyCoveringHandlersAreFollowed() throws Exception {
        for (int start = 0; start < 9; start++) {
            for (int end = start; end < 12; end++) {
                Bytecode code = new Bytecode(pool, 1, 1);
                for (int i = 0; i < 3; i++) {
                    code.addOpcode(Opcode.NOP);
                }
                int call = addSuperCall(code); // aload_0 at 3, invokespecial at 4, return at 7
                int handler = code.currentPc();
                code.addOpcode(Opcode.ATHROW);
                ExceptionTable table = new ExceptionTable(pool);
                table.add(9, 9, 0, 0);
                table.add(start, end, handler, 0);
                boolean isBefore = start <= call && end > start;
                ConstructorFlow flow = flow(code, table);
                int[] last = flow.after().get(flow.after().size() - 1);
                assertEquals(start + " to " + end, isBefore ? handler : handler + 1, last[1]);
            }
        }
    }

    private int addSuperCall(Bytecode code) {
        code.addAload(0);
        int call = code.currentPc();
        code.addInvokespecial("java.lang.Object", "<init>", "()V");
        code.addOpcode(Opcode.RETURN);
        return call;
    }

    private ConstructorFlow flow(Bytecode code, ExceptionTable table) throws MalformedClassException {
        CodeAttribute attribute = new CodeAttribute(pool, 2, 1, code.get(), table);
        return ConstructorFlow.of(attribute, new CodeScan(attribute.getCode()));
    }
}
